"""Squared distances of many rows at once, by matrix products, up to a known error."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.linalg.blas import dgemm, sgemm
from scipy.sparse import csr_array, issparse
from sklearn.utils.extmath import safe_sparse_dot

# Rows that are looked at to choose an origin.
WITNESSES = 101


@dataclass(frozen=True)
class Step:
    """One step of a sweep: the first ``dim`` columns, the last few of them new.

    The estimate of a squared distance is ``|y|² - 2 x·y`` for a query row x and a
    training row y; the ``|x|²`` that all estimates of a row lack is added late.
    """

    train: np.ndarray | csr_array  # (n, d), as given
    query: np.ndarray | csr_array  # (m, d), as given
    dim: int
    left: np.ndarray | csr_array  # the new columns of the queries, as a factor
    right: np.ndarray | csr_array  # the new columns of the training rows, as a factor
    added: np.ndarray  # (n,) squared lengths of the training rows, new columns
    train_lengths: np.ndarray  # (n,) the same, all dim columns
    lengths: np.ndarray  # (m,) the same of the queries
    error: float  # of an estimate, per unit of squared length of both rows
    # Where estimates are lower bounds: (m,) how far they can exceed a squared distance
    # all the same, by rounding.
    excess: np.ndarray | None = None


def steps_of(train, query, dims, width):
    """The columns that each dim adds to the one before, ready to be multiplied."""
    origin, terms = _middle(train), train.shape[1]
    if issparse(train):
        terms = min(terms, _most_entries(train) + _most_entries(query))
    lengths, train_lengths = np.zeros(query.shape[0]), np.zeros(train.shape[0])
    found = []
    for start, dim in pairwise([0, *dims]):
        x, y = (_columns(X, origin, start, dim) for X in (query, train))
        added = squared_lengths(y)
        lengths = lengths + squared_lengths(x)
        train_lengths = train_lengths + added
        step = Step(
            train=train,
            query=query,
            dim=dim,
            left=left_factor(x),
            right=right_factor(y, added, width),
            added=added,
            train_lengths=train_lengths,
            lengths=lengths,
            error=_error(dims, dim, terms),
        )
        found.append(step)
    return found


def _middle(X):
    """A middle value of each column: the origin from which dense rows are seen.

    Distances do not depend on it, but the error of an estimate grows with the lengths
    of the rows. A value of the data, so that what is constant becomes exactly zero.
    Any value in the midst of the others will do, so a hundred rows are asked, not all.
    Sparse rows are seen from zero: anything else would fill them.
    """
    if issparse(X):
        return None
    some = X[:: -(-len(X) // WITNESSES)]
    half = len(some) // 2
    return np.partition(some, half, axis=0)[half]


def _most_entries(X):
    return int(np.diff(X.indptr).max(initial=0))


def _columns(X, origin, start, stop):
    columns = X[:, start:stop]
    return columns if origin is None else columns - origin[start:stop]


def squared_lengths(X):
    """Squared length of every row."""
    if issparse(X):
        return X.power(2).sum(axis=1)
    return np.einsum("ij,ij->i", X, X)


def left_factor(x, kind=np.float64):
    """Queries as a factor; dense rows get a one that meets the ``|y|²``."""
    if issparse(x):
        return x
    left = np.ones((x.shape[0], x.shape[1] + 1), dtype=kind)
    left[:, :-1] = x
    return left


def right_factor(y, added, width, kind=np.float64):
    """Training rows as a factor, ``-2 y`` and ``|y|²``, with empty rows up to width."""
    n, columns = y.shape
    if issparse(y):  # |y|² would fill the product: it is added by itself
        right = csr_array((-2 * y).T)
        right.resize(columns, width)
        return right
    right = np.zeros((width, columns + 1), dtype=kind, order="F")
    right[:n, :columns] = -2 * y
    right[:n, columns] = added
    return right


def _error(dims, dim, terms):
    """Bound on the difference of estimate and definition, see ``Step.error``.

    A sum of t terms, in any order, errs by at most t roundings of the sum of their
    sizes. In the estimate t is the new columns of a step and two more for each step;
    ``|y|²``, summed twice, ``2 x·y`` and ``|x|²`` have the size of 3 squared lengths,
    4 with what is of second order. In the definition t is all columns, and the size
    at most 2 squared lengths. The origin and single roundings add fewer than 24.
    """
    widest = min(terms, max(high - low for low, high in pairwise([0, *dims])))
    roundings = 4 * (widest + 2 * len(dims)) + 2 * min(terms, dim) + 24
    return roundings * 2.0**-53


def add(estimates, step, rows, first: bool):
    """Add what the new columns contribute to the estimates of a block of rows.

    ``first``: whatever stands there is overwritten.
    """
    left = step.left[rows]
    if issparse(left):
        # At once dense: most rows share a word, a sparse product would be no smaller.
        product = safe_sparse_dot(left, step.right, dense_output=True)
        product[:, : len(step.added)] += step.added
        if first:
            estimates[:] = product
        else:
            estimates += product
    else:  # in place, in the column-major order of BLAS: no copy, no second pass
        gemm = sgemm if left.dtype == np.float32 else dgemm
        before = 0.0 if first else 1.0
        gemm(1.0, step.right, left.T, before, estimates.T, overwrite_c=True)
