"""CCA: keep the directions that correlate most with a combination of labels."""

import numpy as np

from mlbench.reducers.base import LinearReducer, check_range
from mlbench.reducers.linalg import (
    centred,
    centred_columns,
    full_rank_columns,
    inverse_root,
    ratio_directions,
    ridge_solver,
)


class CCA(LinearReducer):
    r"""Canonical correlation analysis of features and labels.

    The leading eigenvectors of :math:`X Y^\top (Y Y^\top)^+ Y X^\top w = \lambda
    (X X^\top + \gamma I) w` for centred X and Y.

    ======  ======  ===================================================
    paper   shape   here
    ======  ======  ===================================================
    X       d x n   ``X.T`` centred (one sample per row)
    Y       k x n   ``Y.T`` centred
    gamma   1       ``ridge``
    w       d       a row of ``components_``
    lambda  1       ``eigenvalues_``: squared correlations for gamma 0
    ======  ======  ===================================================

    With U an orthonormal basis of the centred labels the matrix on the left is
    :math:`F F^\top`, :math:`F = X U`: a problem of the size of the labels.

    Parameters
    ----------
    n_components : int
        The number of directions kept. At most ``rank(Y)`` of them correlate with
        the labels.
    ridge : float
        gamma. Ours: 1, against the scale of the data; 0 is the pseudo-inverse, with
        which any labels of fewer samples than features correlate perfectly.
    fill : {"variance", "random"}
        How the directions past the rank are chosen. Ours.
    random_state : int, RandomState instance or None
        Seed of the random fill.

    Notes
    -----
    Directions are scaled to unit length. Ours: a neighbour search depends on it.

    References
    ----------
    L. Sun, S. Ji and J. Ye. Canonical correlation analysis for multilabel
    classification: a least-squares formulation, extensions, and analysis. IEEE
    TPAMI 33(1), 2011.

    Examples
    --------
    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 9.0], [1.0, 9.0]]
    >>> CCA(n_components=1).fit(X, [[0], [1], [0], [1]]).components_
    array([[1., 0.]])
    """

    def __init__(self, n_components=2, *, ridge=1.0, fill="variance", random_state=0):
        super().__init__(n_components, fill=fill, random_state=random_state)
        self.ridge = ridge

    def _directions(self, X, Y):
        check_range("ridge", self.ridge, 0)
        Xc, _ = centred(X)
        Yc = centred_columns(Y)
        U = Yc @ inverse_root(Yc.T @ Yc)
        noise = Xc.rounding * np.sqrt(U.shape[1])
        F = full_rank_columns(Xc.transposed_dot(U), noise)
        W, self.eigenvalues_ = ratio_directions(F, ridge_solver(Xc, self.ridge))
        return W
