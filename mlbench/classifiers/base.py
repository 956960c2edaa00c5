"""What the classifiers share: checked input, and labels from scores."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import (
    check_is_fitted,
    check_non_negative,
    validate_data,
)

from mlbench.classifiers.cuts import cut
from mlbench.reducers.base import label_matrix


class LabelClassifier(BaseEstimator):
    """Score every label of a sample, and cut the scores into labels.

    A subclass learns in ``_fit(X, Y)`` and scores in ``_score(X)``; both get checked
    arrays: X (n, d) of floats, dense or CSR, and Y (n, q) of 0.0 and 1.0. It takes
    ``threshold`` and ``top`` as settings: with ``top`` = m the m labels of highest
    score are predicted, else all whose score is above ``threshold``.
    """

    nonnegative = False  # whether features below 0 are refused

    def fit(self, X, Y):
        """Learn from features X (n, d) and labels Y (n, q) of 0/1."""
        self._fit(*self._validate(X, Y))
        return self

    def fit_many(self, X, Y, settings: Iterable[dict[str, Any]]) -> Iterator:
        """Fitted copies with each of the settings, one after the other.

        A subclass whose copies have something in common computes that once.
        """
        for changed in settings:
            yield clone(self).set_params(**changed).fit(X, Y)

    def decision_function(self, X):
        """Scores (n, q) of the labels for the samples X (n, d); higher is likelier."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        return self._score(self._checked(X))

    def predict(self, X):
        """Labels (n, q) of 0/1 for the samples X (n, d)."""
        return self.labels_from(self.decision_function(X))

    def labels_from(self, scores):
        """Labels of 0/1 from the scores of ``decision_function``."""
        return cut(scores, threshold=self.threshold, top=self.top)

    @abstractmethod
    def _fit(self, X, Y) -> None:
        """Learn from checked arrays."""

    @abstractmethod
    def _score(self, X):
        """Scores (n, q) for checked samples."""

    def _validate(self, X, Y, reset: bool = True):
        X, Y = validate_data(
            self,
            X,
            Y,
            reset=reset,
            accept_sparse="csr",
            dtype=np.float64,
            multi_output=True,
        )
        Y = (label_matrix(Y) > 0).astype(np.float64)
        return self._checked(X), Y

    def _checked(self, X):
        if self.nonnegative:
            needs = f"{type(self).__name__}, which needs features of 0 or more"
            check_non_negative(X, needs)
        return csr_array(X) if issparse(X) else X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.nonnegative
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags
