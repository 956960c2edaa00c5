"""Nearest neighbours: exact, the same on every machine, cheap over a sweep of dims.

The squared distance of two rows is the float64 sum of their squared differences,
columns taken in order, rounded to ``BITS`` significant bits; neighbours are ordered
by it, then by index. The rounding makes mathematical ties (rows of unit length have
many) ties in fact. Nothing but the two rows enters, so the distance over the first
columns is the same number in a sweep, alone, dense or sparse.

Matrix products give a distance only up to an error that depends on the machine. They
serve as estimates with a bound on that error: a distance whose rounded value the
bound leaves open, and only such a one, is computed by its definition. Where there are
many rows, estimates of lower bounds sort most of them out first.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array, issparse

from mlbench.neighbours.blocks import search
from mlbench.neighbours.definition import MOST_ROWS

# Entries stay below this: no sum of their squares overflows.
LARGEST = 1e140


def nearest(train, k: int, query=None) -> np.ndarray:
    """Indices (m, k) of the k training rows nearest to each query row, nearest first.

    ``train`` (n, d) and ``query`` (m, d) are dense or CSR. Without ``query`` the rows
    of ``train`` are the queries, and none is its own neighbour (a duplicate may be).

    >>> nearest(np.array([[0.0], [1.0], [3.0]]), 1)
    array([[1],
           [0],
           [1]])
    >>> nearest(np.array([[0.0], [1.0], [3.0]]), 2, query=np.array([[2.0]]))
    array([[1, 2]])
    """
    own = query is None
    train, query = _checked(train, train if own else query)
    _check_k(k, train.shape[0], own)
    return search(train, query, [train.shape[1]], k, own)[0]


def nested_nearest(
    train, query, dims: Sequence[int], k: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Neighbours over the first ``dim`` columns, for each of the ascending ``dims``.

    Each item is what ``nearest(train[:, :dim], k)`` and, with the same columns,
    ``nearest(train, k, query)`` give. Squared distances add up column block by column
    block, so that a sweep costs about one full distance matrix, and a search for
    candidates per dim. All is computed at the call: a block of rows goes through all
    dims while its distances are in the cache, and no more of them are ever held.
    """
    train, query = _checked(train, query)
    _check_k(k, train.shape[0], own=True)
    dims = [int(dim) for dim in dims]
    ascending = all(low < high for low, high in pairwise([0, *dims]))
    if not ascending or max(dims, default=0) > train.shape[1]:
        raise ValueError(
            f"dims must ascend within 1..{train.shape[1]} (the number of columns), "
            f"got {dims}"
        )
    return zip(
        search(train, train, dims, k, own=True),
        search(train, query, dims, k, own=False),
        strict=True,
    )


def _checked(train, query):
    """Both as finite float64 of one kind: dense, or CSR if either is sparse."""
    kind = csr_array if issparse(train) or issparse(query) else np.ascontiguousarray
    train, query = kind(train, dtype=np.float64), kind(query, dtype=np.float64)
    for X, name in ((train, "train"), (query, "query")):
        values = X.data if issparse(X) else X
        if not np.abs(values).max(initial=0) < LARGEST:  # false for nan, too
            raise ValueError(f"{name} must hold finite numbers below {LARGEST:g}")
    if query.shape[1] != train.shape[1]:
        raise ValueError(
            f"query must have {train.shape[1]} columns, as train has, "
            f"got {query.shape[1]}"
        )
    if train.shape[0] > MOST_ROWS:
        raise ValueError(
            f"train must have at most {MOST_ROWS} rows, got {train.shape[0]}"
        )
    return train, query


def _check_k(k, n, own):
    if not 1 <= k <= n - own:
        rows = "the other training rows" if own else "the training rows"
        raise ValueError(f"k must be in 1..{n - own} ({rows}), got {k}")
