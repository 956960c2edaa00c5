"""PLST: regress on the principal components of the labels."""

import numpy as np

from mlbench.classifiers.ridge import LabelCode
from mlbench.reducers.base import check_count
from mlbench.reducers.linalg import EPS, centred_columns, fix_signs


class PLST(LabelCode):
    r"""Principal label space transformation.

    The code of a label vector y is :math:`V (y - \bar y)`, with the V that minimizes
    the reconstruction error :math:`\|Z - V^\top V Z\|` over orthonormal rows, Z being
    the centred labels: their leading singular vectors. The code is predicted by ridge
    regression, and decoded by :math:`V^\top h + \bar y`.

    =====  ======  ==========================================================
    paper  shape   here
    =====  ======  ==========================================================
    Y      l x n   ``Y.T`` (we keep one sample per row)
    Z      l x n   ``Y.T`` centred
    V      s x l   ``components_``
    h      s       a row of ``X @ coef_ + intercept_``, less the code of the mean
    =====  ======  ==========================================================

    Parameters
    ----------
    n_components : int
        s, the length of the code. The centred labels have no more components than
        their rank: a longer code is one of that length.
    ridge : float
        Weight of the squared coefficients in the regression; the intercept is free.
        Ours: 1.
    threshold : float
        Labels of a score above it are predicted. Ours: 0.5, which takes what is
        decoded to the nearer of 0 and 1.
    top : int or None
        Predict that many labels of highest score instead.

    Attributes
    ----------
    components_ : ndarray of shape (rank_, n_labels)
        Of the sign that makes the largest entry of a row positive. Ours.
    mean_ : ndarray of shape (n_labels,)
        Share of the training samples that have the label.
    rank_ : int
        Length of the code used.
    coef_, intercept_ : ndarray of shape (n_features, rank_) and (rank_,)

    References
    ----------
    F. Tai and H.-T. Lin. Multilabel classification with principal label space
    transformation. Neural Computation 24(9), 2012.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> Y = [[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]]  # one component says it all
    >>> model = PLST(n_components=1).fit(X, Y)
    >>> model.predict([[-1.0], [4.0]])
    array([[1, 1, 0],
           [0, 0, 1]], dtype=uint8)
    """

    def __init__(self, n_components=10, *, ridge=1.0, threshold=0.5, top=None):
        self.n_components = n_components
        self.ridge = ridge
        self.threshold = threshold
        self.top = top

    def _learn(self, Y):
        """Mean of the labels, and all their principal directions."""
        _, lengths, V = np.linalg.svd(centred_columns(Y), full_matrices=False)
        rank = np.count_nonzero(lengths > max(Y.shape) * EPS * lengths[0])
        return Y.mean(axis=0), fix_signs(V[:rank])

    def _encode(self, common):
        check_count("n_components", self.n_components)
        self.mean_, V = common
        self.components_ = V[: self.n_components]
        self.rank_ = len(self.components_)
        return self.components_.T

    def _score(self, X):
        # The regression is to Y V' and not to Z V': the code of the mean comes off.
        h = self._code(X) - self.components_ @ self.mean_
        return h @ self.components_ + self.mean_
