"""What the multi-class classifiers share: one class a sample, learners trained once."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import validate_data

from mlbench.classifiers.base import LabelClassifier
from mlbench.classifiers.multiclass.learners import Learner, Trainings, trainings_of


class MulticlassClassifier(LabelClassifier):
    """Choose the class of a sample from the decisions of two-class learners.

    A subclass names its base learner in ``_learner``, learns in ``_learn(X, classes,
    trainings)`` and scores in ``_score_present(X)``. It only ever sees classes that
    have training samples, numbered 0, 1, ... without gaps, and at least two of them;
    the others get the lowest score of each sample less one, and are never predicted.

    Attributes
    ----------
    present_ : ndarray of int
        The columns of Y that have training samples.
    n_classes_ : int
        The number of columns of Y.
    """

    def fit_many(self, X, Y, settings: Iterable[dict[str, Any]]) -> Iterator:
        """Fitted copies with each of the settings; no learner is trained twice."""
        held: dict[Learner, Trainings] = {}
        for changed in settings:
            model = clone(self).set_params(**changed)
            model._fit(*model._validate(X, Y), held=held)
            yield model

    def labels_from(self, scores):
        """Labels of 0/1, one in every row: the highest score, of equal ones the first.

        >>> from mlbench.classifiers.multiclass.oaa import OneAgainstAll
        >>> OneAgainstAll().labels_from([[0.1, 0.7, 0.7]])
        array([[0, 1, 0]], dtype=uint8)
        """
        scores = np.asarray(scores)
        labels = np.zeros(scores.shape, dtype=np.uint8)
        labels[np.arange(len(scores)), scores.argmax(axis=1)] = 1
        return labels

    @abstractmethod
    def _learner(self) -> Learner:
        """The base learner, its settings checked."""

    @abstractmethod
    def _learn(self, X, classes, trainings: Trainings) -> None:
        """Learn from checked X and the class of every sample."""

    @abstractmethod
    def _score_present(self, X):
        """Scores of the classes that have training samples."""

    def _fit(self, X, Y, held: dict[Learner, Trainings] | None = None) -> None:
        learner = self._learner()
        self.n_classes_ = Y.shape[1]
        self.present_, classes = np.unique(Y.argmax(axis=1), return_inverse=True)
        held = {} if held is None else held
        if learner not in held:
            held[learner] = trainings_of(X, classes, learner)
        if len(self.present_) > 1:
            self._learn(X, classes, held[learner])

    def _score(self, X):
        if len(self.present_) > 1:
            scores = self._score_present(X)
        else:
            scores = np.zeros((X.shape[0], 1))
        below = scores.min(axis=1, keepdims=True) - 1
        whole = np.repeat(below, self.n_classes_, axis=1)
        whole[:, self.present_] = scores
        return whole

    def _validate(self, X, Y, reset: bool = True):
        if np.ndim(Y) == 1:  # the classes themselves, as scikit-learn passes them
            return self._validate_vector(X, Y, reset)
        X, Y = super()._validate(X, Y, reset)
        check_one_class_each(Y)
        return X, Y

    def _validate_vector(self, X, y, reset: bool):
        X, y = validate_data(
            self, X, y, reset=reset, accept_sparse="csr", dtype=np.float64
        )
        names, numbers = np.unique(y, return_inverse=True)
        return self._checked(X), np.eye(len(names))[numbers]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = True
        return tags


def check_one_class_each(Y) -> None:
    """Raise when a row of Y (n, K) has no 1 or several.

    >>> check_one_class_each(np.array([[0, 1], [1, 1]]))
    Traceback (most recent call last):
    ValueError: every row of Y must have exactly one class, got 2 in row 1
    """
    counts = np.asarray(Y).sum(axis=1).astype(int)
    wrong = np.flatnonzero(counts != 1)
    if wrong.size:
        row = wrong[0]
        raise ValueError(
            f"every row of Y must have exactly one class, "
            f"got {counts[row]} in row {row}"
        )
