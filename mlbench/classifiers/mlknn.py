"""ML-kNN: the labels of the nearest neighbours, judged by Bayes' rule."""

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from mlbench.neighbours import nearest

LIKELY = 0.5  # a label is predicted when its posterior is above this


class MLkNN(BaseEstimator):
    r"""Multi-label k-nearest-neighbour classifier.

    For each label the number of neighbours that carry it is the evidence
    :math:`E_j`, j = 0..k; how often that number comes with the label
    (:math:`H_1`) and without it (:math:`H_0`) is counted on the training samples,
    each judged by its neighbours among the others. A label is predicted when
    :math:`P(H_1 \mid E_j) > 1/2`.

    ===========  ===========  ==================================================
    paper        shape        here
    ===========  ===========  ==================================================
    P(H_1)       q            ``prior_``, ``(s + count) / (2 s + n)``
    P(E_j|H_1)   (k + 1) x q  ``likelihood_[1]``, ``(s + c[j]) / (s (k+1) + sum c)``
    P(E_j|H_0)   (k + 1) x q  ``likelihood_[0]``, the same over samples without it
    ===========  ===========  ==================================================

    A training sample is never its own neighbour; distances are Euclidean; of equally
    near samples the one with the lower index is the nearer one (ours).

    Parameters
    ----------
    k : int
        Number of neighbours.
    s : float
        Smoothing; 1 is Laplace's.

    Attributes
    ----------
    prior_ : ndarray of shape (n_labels,)
    likelihood_ : ndarray of shape (2, k + 1, n_labels)

    References
    ----------
    M.-L. Zhang and Z.-H. Zhou. ML-kNN: a lazy learning approach to multi-label
    learning. Pattern Recognition 40(7), 2007.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> Y = [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]]
    >>> MLkNN(k=2).fit(X, Y).predict([[0.05], [6.0]])
    array([[1, 0],
           [0, 1]], dtype=uint8)
    """

    uses_neighbours = True  # can be given neighbours found elsewhere

    def __init__(self, k=10, s=1.0):
        self.k = k
        self.s = s

    def fit(self, X, Y):
        """Learn from features X (n, d) and labels Y (n, q) of 0/1."""
        X, Y = validate_data(
            self,
            X,
            Y,
            accept_sparse="csr",
            dtype=np.float64,
            multi_output=True,
            ensure_min_samples=2,
        )
        self._check(len(Y))
        self.fit_neighbours(nearest(X, self.k), Y)
        self.X_train_ = X
        return self

    def fit_neighbours(self, neighbours, Y):
        """Learn from the neighbours (n, k or more) of the training samples alone."""
        self._check(len(Y))
        if len(neighbours) != len(Y):
            raise ValueError(
                f"neighbours must have {len(Y)} rows, as Y has, got {len(neighbours)}"
            )
        self.__dict__.pop("X_train_", None)  # of an earlier fit, on other samples
        # scikit-learn's own checks pass a vector; it is one column of labels.
        self.Y_train_ = (np.asarray(Y).reshape(len(Y), -1) > 0).astype(np.uint8)
        evidence = self._evidence(neighbours)
        n, q = self.Y_train_.shape
        self.prior_ = (self.s + self.Y_train_.sum(axis=0, dtype=float)) / (
            2 * self.s + n
        )
        self.likelihood_ = np.empty((2, self.k + 1, q))
        for carries in (0, 1):
            counts = _count(evidence, self.Y_train_ == carries, self.k + 1)
            total = self.s * (self.k + 1) + counts.sum(axis=0)
            self.likelihood_[carries] = (self.s + counts) / total
        return self

    def decision_function(self, X):
        """Posterior probability (n, q) of each label for the samples X (n, d)."""
        check_is_fitted(self, "X_train_")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return self.score_neighbours(nearest(self.X_train_, self.k, query=X))

    def score_neighbours(self, neighbours):
        """The same for samples of whom only the neighbours (m, k or more) are given."""
        check_is_fitted(self)
        without = (1 - self.prior_) * self.likelihood_[0]
        with_label = self.prior_ * self.likelihood_[1]
        posterior = with_label / (with_label + without)  # (k + 1, q): few cases
        return posterior[self._evidence(neighbours), np.arange(posterior.shape[1])]

    def predict(self, X):
        """Labels (n, q) of 0/1 for the samples X (n, d)."""
        return self.labels_from(self.decision_function(X))

    def labels_from(self, scores):
        """Labels of 0/1 from posterior probabilities."""
        return (scores > LIKELY).astype(np.uint8)

    def _evidence(self, neighbours):
        """Number of the k nearest that carry each label (m, q)."""
        first = np.asarray(neighbours)[:, : self.k]
        if first.shape[1] < self.k:
            raise ValueError(
                f"neighbours must have {self.k} columns (k) or more, "
                f"got {first.shape[1]}"
            )
        counted = np.min_scalar_type(self.k)  # one byte a count for any usual k
        evidence = np.zeros((len(first), self.Y_train_.shape[1]), dtype=counted)
        for column in first.T:  # k passes over (m, q), never (m, k, q) at once
            evidence += self.Y_train_.take(column, axis=0)
        return evidence.astype(np.intp)

    def _check(self, n: int) -> None:
        whole = isinstance(self.k, Integral) and not isinstance(self.k, bool)
        if not whole or not 1 <= self.k < n:
            raise ValueError(
                f"k must be in 1..{n - 1} (the other training samples), got {self.k}"
            )
        if not isinstance(self.s, int | float) or not 0 < self.s < np.inf:
            raise ValueError(f"s must be a positive number, got {self.s!r}")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags


def _count(evidence, chosen, size: int):
    """How many of the chosen samples have each evidence 0..size-1, label by label."""
    q = evidence.shape[1]
    cell = evidence * q + np.arange(q)
    return np.bincount(cell[chosen], minlength=size * q).reshape(size, q)
