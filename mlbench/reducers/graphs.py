"""Graphs over samples: who is whose neighbour, and how strongly."""

import numpy as np
from scipy.sparse import csr_array

from mlbench.neighbours import nearest

CHUNK = 2**22  # feature values held at once while the lengths of edges are computed


def neighbour_graph(X, k: int, weight):
    """Symmetric (n, n) CSR matrix of the k-nearest-neighbour graph of X (n, d).

    Two samples are joined when either is among the k nearest of the other; when no
    more than k others exist, all are. ``weight`` gives the strengths of edges from
    their squared lengths.

    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> neighbour_graph(X, 1, np.sqrt).toarray()
    array([[0., 1., 0.],
           [1., 0., 2.],
           [0., 2., 0.]])
    """
    n = X.shape[0]
    near = nearest(X, min(k, n - 1))
    rows = np.repeat(np.arange(n), near.shape[1])
    chosen = csr_array((np.ones(rows.size), (rows, near.ravel())), shape=(n, n))
    i, j = (chosen + chosen.T).nonzero()
    return csr_array((weight(squared_lengths(X, i, j)), (i, j)), shape=(n, n))


def squared_lengths(X, i, j):
    """``|x_i - x_j|^2`` for pairs of rows of X, dense or CSR."""
    step = max(1, CHUNK // X.shape[1])
    parts = []
    for start in range(0, len(i), step):
        pairs = slice(start, start + step)
        difference = X[i[pairs]] - X[j[pairs]]
        parts.append(np.asarray((difference * difference).sum(axis=1)))
    return np.concatenate(parts)
