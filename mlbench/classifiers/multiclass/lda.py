"""LDA as a base learner: all dichotomies from the same sums over classes."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve
from scipy.sparse import issparse

from mlbench.classifiers.multiclass.learners import Linear
from mlbench.reducers.base import check_above
from mlbench.reducers.linalg import dense


@dataclass(frozen=True)
class LDA:
    r"""Fisher's linear discriminant of two sides, with their shares as priors.

    :math:`w = \Sigma^{-1}(\mu_+ - \mu_-)`, :math:`b = \log(n_+ / n_-) -
    w^\top(\mu_+ + \mu_-)/2`, where Sigma is the scatter within the two sides over
    their number of samples, plus ``ridge`` times the mean variance of a feature on
    the diagonal (ours: features may be constant, or more than samples).

    All dichotomies come from sums over classes. Where no class is left out, Sigma is
    the total scatter, the same for all, less a multiple of :math:`\delta\delta^\top`,
    :math:`\delta = \mu_+ - \mu_-`; one factorization serves them all.

    Examples
    --------
    >>> X, classes = np.array([[0.0], [2.0], [5.0], [7.0]]), np.array([0, 0, 1, 1])
    >>> LDA().trainer(X, classes).train([-1, 1]).values(X) > 0
    array([False, False,  True,  True])
    """

    ridge: float = 1e-6

    def __post_init__(self):
        check_above("ridge", self.ridge, 0)

    def trainer(self, X, classes):
        return _LDATrainer(self.ridge, X, classes)


class _LDATrainer:
    """Counts, sums and second moments of the classes, about the mean of all."""

    def __init__(self, ridge: float, X, classes):
        n, d = X.shape
        self.n_classes = int(classes.max()) + 1
        self.members = [np.flatnonzero(classes == k) for k in range(self.n_classes)]
        self.counts = np.array([len(rows) for rows in self.members])
        self.origin = np.asarray(X.mean(axis=0))
        self.X = X if issparse(X) else X - self.origin
        self.sums = np.array([self._sum(rows) for rows in self.members])
        self.per_class: np.ndarray | None = None
        total = self._moments(np.arange(n)) / n
        variance = float(np.trace(total)) / d
        noise = self._noise(n, d)
        # A variance that is all noise means nothing: features are constant.
        self.shift = max(ridge * variance, noise) if variance > noise else 1.0
        total.flat[:: d + 1] += self.shift
        self.total = cho_factor(total)

    def train(self, column):
        column = np.asarray(column)
        plus, minus = (self._side(column == side) for side in (1, -1))
        shape = self._shared if column.all() else self._own
        w = shape(column, plus, minus)
        (n_plus, mean_plus), (n_minus, mean_minus) = plus, minus
        middle = self.origin + (mean_plus + mean_minus) / 2
        return Linear(w, float(np.log(n_plus / n_minus) - w @ middle))

    def _shared(self, column, plus, minus):
        """Sherman and Morrison: A^-1 of all, for A less c times delta delta'."""
        (n_plus, mean_plus), (n_minus, mean_minus) = plus, minus
        delta = mean_plus - mean_minus
        c = n_plus * n_minus / (n_plus + n_minus) ** 2
        w = cho_solve(self.total, delta)
        # A - c delta delta' is at least the ridge, so 1 - c delta'w is at least this;
        # rounding must not take it below when the sides are perfectly apart.
        least = self.shift / (c * (delta @ delta) + self.shift)
        return w / max(1 - c * (delta @ w), least)

    def _own(self, column, plus, minus):
        """The scatter of the classes that take part, and of no other."""
        if self.per_class is None:
            self.per_class = np.array([self._moments(rows) for rows in self.members])
        within = self.per_class[column != 0].sum(axis=0)
        for n, mean in (plus, minus):
            within -= n * np.outer(mean, mean)
        within /= plus[0] + minus[0]
        within.flat[:: len(within) + 1] += self.shift
        return solve(within, plus[1] - minus[1], assume_a="pos")

    def _noise(self, n: int, d: int) -> float:
        """What rounding may leave of a variance that is 0.

        The mean is subtracted from dense samples, and from the moments of sparse
        ones, of which more is lost.
        """
        eps, largest = np.finfo(np.float64).eps, float(abs(self.origin).max())
        if issparse(self.X):
            return (n + d) * eps * largest**2
        return n * (eps * largest) ** 2

    def _side(self, chosen):
        n = self.counts[chosen].sum()
        return n, self.sums[chosen].sum(axis=0) / n

    def _sum(self, rows):
        total = np.asarray(self.X[rows].sum(axis=0))
        return total - len(rows) * self.origin if issparse(self.X) else total

    def _moments(self, rows):
        """The sum of (x - origin)(x - origin)' over the rows."""
        X = self.X[rows]
        if not issparse(X):
            return X.T @ X
        cross = np.outer(np.asarray(X.sum(axis=0)), self.origin)
        return (
            dense(X.T @ X)
            - cross
            - cross.T
            + len(rows) * np.outer(self.origin, self.origin)
        )
