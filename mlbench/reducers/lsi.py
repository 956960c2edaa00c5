"""LSI: the unsupervised baseline of text retrieval, best approximation of the data."""

import numpy as np

from mlbench.reducers.base import LinearReducer
from mlbench.reducers.linalg import row_space, uncentred


class LSI(LinearReducer):
    r"""Latent semantic indexing.

    Minimizes :math:`\|X - X P P^\top\|^2` subject to :math:`P^\top P = I`: the leading
    right singular vectors of X. Unlike PCA it does not centre, so that an all-zero
    sample stays at the origin. Labels are not used.

    =====  ======  =====================================================
    paper  shape   here
    =====  ======  =====================================================
    X      t x d   ``X.T``: the paper puts a document in a column
    T_0    t x m   ``components_.T``, the left singular vectors there
    =====  ======  =====================================================

    Parameters
    ----------
    n_components : int
        The number of directions kept. At most as many as the rank of X matter; the
        axes least in their span complete them.
    fill : {"variance", "random"}
        "random" completes them at random instead. Ours.
    random_state : int, RandomState instance or None
        Seed of the random fill.

    References
    ----------
    S. C. Deerwester, S. T. Dumais, G. W. Furnas, T. K. Landauer and R. A. Harshman.
    Indexing by latent semantic analysis. JASIS 41(6), 1990.

    Examples
    --------
    >>> LSI(n_components=1).fit_transform([[3.0, 0.0], [0.0, 1.0]])
    array([[3.],
           [0.]])
    """

    supervised = False

    def _directions(self, X, Y):
        return row_space(uncentred(X), most=self.n_components)[0]

    def _origin(self, X):
        return np.zeros(X.shape[1])
