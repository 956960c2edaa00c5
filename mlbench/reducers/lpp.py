"""LPP: keep the directions along which neighbours stay close."""

import numpy as np

from mlbench.reducers.base import (
    LinearReducer,
    check_above,
    check_choice,
    check_count,
    check_range,
)
from mlbench.reducers.graphs import neighbour_graph
from mlbench.reducers.linalg import (
    pencil_directions,
    row_space,
    scale_rows,
    uncentred,
)

WEIGHTS = ("heat", "binary")


class LPP(LinearReducer):
    r"""Locality preserving projections.

    Minimizes :math:`\sum_{ij} (y_i - y_j)^2 W_{ij}` for projections :math:`y = X^\top
    a` with :math:`y^\top D y = 1`. As the sum is :math:`2 (y^\top D y - y^\top W y)`,
    these are the leading eigenvectors of :math:`X W X^\top a = \lambda (X D X^\top +
    \gamma I) a`. Labels are not used.

    =====  ======  =======================================================
    paper  shape   here
    =====  ======  =======================================================
    X      n x m   ``X.T`` (one sample per row)
    W      m x m   ``neighbour_graph``, sparse
    D      m x m   diagonal, its row sums
    a      n       a row of ``components_``
    t      1       ``t``
    =====  ======  =======================================================

    Parameters
    ----------
    n_components : int
        The number of directions kept, at most the rank of X have a value.
    n_neighbors : int
        Neighbours of a sample in the graph; two samples are joined when either is
        a neighbour of the other. All other samples if there are fewer.
    weights : {"heat", "binary"}
        Of an edge: ``exp(-|x_i - x_j|^2 / t)``, or 1.
    t : float
        Width of the heat kernel. Ours: 1, for samples of about unit length. On raw
        counts the weights of most edges vanish; use binary ones.
    ridge : float
        gamma, absent from the paper. Ours: 1. Where the paper's matrix is singular 0
        means the pseudo-inverse.
    fill : {"variance", "random"}
        How the directions past the rank are chosen. Ours.
    random_state : int, RandomState instance or None
        Seed of the random fill.

    Notes
    -----
    Ours: directions are scaled to unit length. As in the paper X is not centred.

    References
    ----------
    X. He and P. Niyogi. Locality preserving projections. NIPS 16, 2004.

    Examples
    --------
    >>> X = [[0.0, 0.0], [0.0, 1.0], [9.0, 0.0], [9.0, 1.0]]  # two pairs, far apart
    >>> LPP(n_components=1, n_neighbors=1).fit(X).components_.round(1)
    array([[1., 0.]])
    """

    supervised = False

    def __init__(
        self,
        n_components=2,
        *,
        n_neighbors=10,
        weights="heat",
        t=1.0,
        ridge=1.0,
        fill="variance",
        random_state=0,
    ):
        super().__init__(n_components, fill=fill, random_state=random_state)
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.t = t
        self.ridge = ridge

    def _directions(self, X, Y):
        self._check()
        W = neighbour_graph(X, self.n_neighbors, self._weight)
        roots = np.sqrt(W.sum(axis=1))
        V, squares = row_space(uncentred(scale_rows(X, roots)))  # of X D X'
        XV = X @ V.T
        return pencil_directions(XV.T @ (W @ XV), V, squares, self.ridge)

    def _weight(self, squared_lengths):
        if self.weights == "binary":
            return np.ones_like(squared_lengths)
        return np.exp(-squared_lengths / self.t)

    def _check(self):
        check_choice("weights", self.weights, WEIGHTS)
        check_count("n_neighbors", self.n_neighbors)
        check_above("t", self.t, 0)
        check_range("ridge", self.ridge, 0)
