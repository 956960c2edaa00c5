"""OVA: one linear classifier per label, each on its own."""

import warnings

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from mlbench.classifiers.base import LabelClassifier
from mlbench.classifiers.ridge import ridge_regression
from mlbench.reducers.base import check_above, check_choice, check_count

LEARNERS = ("svm", "ridge")
CERTAIN = 1e9  # score of a label that all samples have; below 0, that none has
SEED = 0  # of the order in which the dual solver takes the samples


class OVA(LabelClassifier):
    r"""One against all: a linear machine for every label, the labels apart.

    For each label, with targets t of +1 (has it) and -1, minimizes
    :math:`\frac12 \|w\|^2 + C \sum_i \ell(t_i, w^\top x_i + b)`. The loss is the
    squared hinge :math:`\max(0, 1 - t f)^2` of scikit-learn's ``LinearSVC``, or the
    square :math:`(t - f)^2`, which is ridge regression with penalty 1/(2 C) and
    solves all labels at once. The score of a label is :math:`w^\top x + b`.

    Parameters
    ----------
    learner : {"svm", "ridge"}
        The loss: squared hinge or square.
    C : float
        Weight of the losses. Ours: 1, scikit-learn's; relative to the scale of the
        features.
    tol : float
        When the solver of the support vector machines stops. Ours: 0.0001,
        scikit-learn's; 0.01 takes a third of the time and changes up to one label in
        a hundred.
    max_iter : int
        Most iterations of that solver. Ours: 1000, scikit-learn's.
    threshold : float
        Labels of a score above it are predicted; 0 is the border of a machine.
    top : int or None
        Predict that many labels of highest score instead.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, n_labels)
    intercept_ : ndarray of shape (n_labels,)
    n_iter_ : ndarray of shape (n_labels,)
        Iterations of the solver; 0 where none was needed.

    Notes
    -----
    A label that no training sample has cannot be learnt, nor one that all have: its
    score is -1e9 or 1e9 for every sample. Ours.

    The support vector machines are solved in the dual if there are fewer samples than
    features and in the primal otherwise: a primal solver does not get there on raw
    word counts of 20,000 words, nor a dual one on many samples of few features. Their
    intercept is penalized as if it were a weight; that of ridge regression is free.

    A solver that ``max_iter`` has stopped does not warn: what it has found by then is
    used, and ``n_iter_`` tells for which labels.

    References
    ----------
    R.-E. Fan, K.-W. Chang, C.-J. Hsieh, X.-R. Wang and C.-J. Lin. LIBLINEAR: a
    library for large linear classification. JMLR 9, 2008.

    Examples
    --------
    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    >>> OVA().fit(X, X).predict([[0.0, 2.0], [0.9, 0.1]])  # feature = label
    array([[0, 1],
           [1, 0]], dtype=uint8)
    """

    def __init__(
        self,
        learner="svm",
        *,
        C=1.0,
        tol=1e-4,
        max_iter=1000,
        threshold=0.0,
        top=None,
    ):
        self.learner = learner
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.threshold = threshold
        self.top = top

    def _fit(self, X, Y) -> None:
        check_choice("learner", self.learner, LEARNERS)
        check_above("C", self.C, 0)
        check_above("tol", self.tol, 0)
        check_count("max_iter", self.max_iter)
        share = Y.mean(axis=0)
        self.coef_ = np.zeros((X.shape[1], Y.shape[1]))
        self.intercept_ = np.where(share > 0.5, CERTAIN, -CERTAIN)
        self.n_iter_ = np.zeros(Y.shape[1], dtype=int)
        varying = np.flatnonzero((share > 0) & (share < 1))
        if self.learner == "svm":
            self._fit_machines(_narrow(X), Y, varying)
        else:
            found = ridge_regression(X, 2 * Y[:, varying] - 1, 1 / (2 * self.C))
            self.coef_[:, varying], self.intercept_[varying] = found

    def _fit_machines(self, X, Y, labels) -> None:
        machine = LinearSVC(
            C=self.C,
            dual=X.shape[0] < X.shape[1],
            tol=self.tol,
            max_iter=self.max_iter,
            random_state=SEED,
        )
        for label in labels:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                machine.fit(X, Y[:, label].astype(int))
            self.coef_[:, label] = machine.coef_[0]
            self.intercept_[label] = machine.intercept_[0]
            self.n_iter_[label] = machine.n_iter_

    def _score(self, X):
        return X @ self.coef_ + self.intercept_


def _narrow(X):
    """X with 32-bit indices if it is sparse: LIBLINEAR knows no others."""
    if not issparse(X):
        return X
    indices, indptr = (part.astype(np.int32) for part in (X.indices, X.indptr))
    return csr_array((X.data, indices, indptr), shape=X.shape)
