"""Fisher score: keep the features that tell labels apart, as they are."""

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted, validate_data

from mlbench.reducers.base import Reducer, check_n_components
from mlbench.reducers.linalg import EPS, centred, centred_columns, dense

TIE_BITS = 32  # scores that agree in so many leading bits are equal


class Fisher(Reducer):
    r"""Keep the features of highest Fisher score, one label against all others.

    The score of feature j for label k is its scatter between over its scatter within
    the samples with and without the label,

    .. math:: F_{jk} = \frac{n_1 (\mu_1 - \mu)^2 + n_0 (\mu_0 - \mu)^2}
                            {n_1 \sigma_1^2 + n_0 \sigma_0^2},

    and the score of a feature the mean over labels. Ours: a label that all or no
    training samples have is left out; a feature constant on both sides of a label,
    but not over them, has an infinite score, a constant feature 0; features of equal
    score are taken in their order.

    Parameters
    ----------
    n_components : int
        The number of features kept.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
    ranking_ : ndarray of shape (n_features,)
        Indices of all features, best first.
    components_ : ndarray of shape (n_components, n_features)
        The selection as a projection: a one in each row.
    rank_ : int
        How many of the features kept have a score above 0.

    References
    ----------
    R. O. Duda, P. E. Hart and D. G. Stork. Pattern Classification. Wiley, 2001.

    Examples
    --------
    >>> X = [[5.0, 0.0], [6.0, 1.0], [6.0, 3.0], [5.0, 4.0]]
    >>> Y = [[0], [0], [1], [1]]
    >>> model = Fisher(n_components=1).fit(X, Y)
    >>> model.scores_, model.ranking_
    (array([0., 9.]), array([1, 0]))
    """

    def __init__(self, n_components=2):
        self.n_components = n_components

    def fit(self, X, Y=None):
        """Rank the features of X (n, d) by their scores for labels Y (n, q)."""
        X, Y = self._validate(X, Y)
        check_n_components(self.n_components, X.shape[1])
        self.scores_ = fisher_scores(X, Y)
        self.ranking_ = np.argsort(-_without_rounding(self.scores_), kind="stable")
        kept = self.ranking_[: self.n_components]
        self.rank_ = int(np.sum(self.scores_[kept] > 0))
        return self

    def transform(self, X):
        """Columns of X (n, d) that are kept, best first, as an ndarray."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        return dense(X[:, self.ranking_[: self.n_components]])

    @property
    def components_(self):
        """The selection as a projection: a one in each row."""
        selection = np.zeros((self.n_components, len(self.ranking_)))
        selection[np.arange(self.n_components), self.ranking_[: self.n_components]] = 1
        return selection


def fisher_scores(X, Y):
    """Mean Fisher score of each feature of X over the labels of Y that vary.

    The deviations of the two means from the common one are ``s / n_1`` and
    ``-s / n_0``, s being an entry of ``X'HY``; the scatter within is what the scatter
    between leaves of the whole.
    """
    Y = (Y > 0).astype(np.float64)
    Y = Y[:, Y.any(axis=0) & ~Y.all(axis=0)]
    if Y.shape[1] == 0:
        return np.zeros(X.shape[1])
    Xc, mean = centred(X)
    Yc = centred_columns(Y)
    lengths = feature_lengths(X)
    total, noise = feature_scatter(Xc, mean, lengths)
    S = Xc.transposed_dot(Yc)
    rounding = len(Y) * EPS * np.outer(lengths, np.linalg.norm(Yc, axis=0))
    S[np.abs(S) <= rounding] = 0
    n_1 = Y.sum(axis=0)
    between = S**2 * (1 / n_1 + 1 / (len(Y) - n_1))
    within = total[:, None] - between
    within[within <= noise[:, None]] = 0
    limits = np.where(between > 0, np.inf, 0.0)
    return np.divide(between, within, out=limits, where=within > 0).mean(axis=1)


def feature_scatter(Xc, mean, lengths):
    """Sum of squared deviations of each feature from its mean, and its rounding."""
    n = Xc.shape[0]
    if issparse(Xc.A):
        return lengths**2 - n * mean**2, n * EPS * lengths**2
    total = np.sum(Xc.A**2, axis=0)
    return total, n * EPS * lengths * np.sqrt(total)


def feature_lengths(X):
    """Root of the sum of squares of each feature."""
    return np.sqrt(np.asarray((X * X).sum(axis=0)))


def _without_rounding(scores):
    mantissa, exponent = np.frexp(scores)
    return np.ldexp(np.rint(np.ldexp(mantissa, TIE_BITS)), exponent - TIE_BITS)
