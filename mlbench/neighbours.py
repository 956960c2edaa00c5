"""Nearest neighbours: exact, the same on every machine, cheap over a sweep of dims.

The squared distance of two rows is the float64 sum of their squared differences,
columns taken in order, rounded to ``BITS`` significant bits; neighbours are ordered
by it, then by index. The rounding makes mathematical ties (rows of unit length have
many) ties in fact. Nothing but the two rows enters, so a distance over the first d
columns is the same number in a sweep, alone, dense or sparse.

Matrix products give a distance only up to an error that depends on the machine. They
serve as estimates with a known bound on that error: where the bound leaves the order
of two rows open, and only there, the distance is computed by its definition.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.linalg.blas import dgemm
from scipy.sparse import csr_array, issparse

# Coarse against the rounding of a sum (2**-45 for thousands of columns), so that what
# is tied stays tied; fine against any difference that data could mean.
BITS = 32
# More than the share by which numbers equal after rounding to BITS can differ.
SNAP = 2.0 ** (2 - BITS)
# Squared distances below this count as zero: their squares have underflowed.
FLOOR = 2.0**-960
DROPPED = 53 - BITS
LOW = (1 << DROPPED) - 1
# Squares of entries up to this, summed over any number of columns, do not overflow.
LARGEST = 1e150
# Share of (squared length + squared length), per column summed, by which an estimate
# and the definition can differ: 5 for the terms of the expansion, times at most 4
# roundings per column (product, sum, squared length, shift), rounded up to a power.
ROUNDING = 32 * 2.0**-53
# Estimates held at a time. Beyond 256 rows a product gains nothing from more.
BLOCK_BYTES = 2**26
BLOCK_ROWS = 256
# Groups of columns per neighbour, and most columns of a group; see _candidates.
GROUPS = 16
MEMBERS = 32
# Values held at a time while distances are computed by their definition.
PAIR_VALUES = 2**20


def nearest(train, k: int, query=None) -> np.ndarray:
    """Indices (m, k) of the k training rows nearest to each query row, nearest first.

    ``train`` (n, d) and ``query`` (m, d) are dense or CSR. Without ``query`` the rows
    of ``train`` are their own queries, and no row is its own neighbour (a duplicate
    of it may be).

    >>> nearest(np.array([[0.0], [1.0], [3.0]]), 1)
    array([[1], [0], [1]])
    >>> nearest(np.array([[0.0], [1.0], [3.0]]), 2, query=np.array([[2.0]]))
    array([[1, 2]])
    """
    train, queries = _checked(train, query, k)
    return _sweep(train, queries, [train.shape[1]], k, own=query is None)[0]


def nested_nearest(
    train, query, dims: Sequence[int], k: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Neighbours over the first ``dim`` columns, for each of the ascending ``dims``.

    Gives ``(nearest(train[:, :dim], k), nearest(train[:, :dim], k, query[:, :dim]))``
    for the cost of about two such pairs, not ``len(dims)``: squared distances add up
    column block by column block. All is computed at the call, one block of rows
    after the other over all dims, so that a block's distances stay in the cache.
    """
    _check_k(train, None, k)
    train, query = _checked(train, query, k)
    steps = list(dims)
    ascending = all(a < b for a, b in pairwise([0, *steps]))
    if not ascending or (steps and steps[-1] > train.shape[1]):
        raise ValueError(
            f"dims must ascend within 1..{train.shape[1]} (the number of columns), "
            f"got {steps}"
        )
    return zip(
        _sweep(train, train, steps, k, own=True),
        _sweep(train, query, steps, k, own=False),
        strict=True,
    )


def _checked(train, query, k):
    """Both as float64 of one kind, dense or CSR; without query, train twice."""
    _check_k(train, query, k)
    kind = _csr if issparse(train) or issparse(query) else np.ascontiguousarray
    train = _finite(kind(train, dtype=np.float64), "train")
    if query is None:
        return train, train
    query = _finite(kind(query, dtype=np.float64), "query")
    if query.shape[1] != train.shape[1]:
        raise ValueError(
            f"query must have {train.shape[1]} columns, as train, got {query.shape[1]}"
        )
    return train, query


def _check_k(train, query, k):
    available = train.shape[0] - (query is None)
    if not 1 <= k <= available:
        rows = "the other training rows" if query is None else "the training rows"
        raise ValueError(f"k must be in 1..{available} ({rows}), got {k}")


def _csr(X, dtype):
    X = csr_array(X, dtype=dtype)
    if not X.has_canonical_format:
        X = X.copy()  # the caller's matrix stays as it is
        X.sum_duplicates()
    return X


def _finite(X, name):
    values = X.data if issparse(X) else X
    if not np.abs(values).max(initial=0) < LARGEST:  # false for nan, too
        raise ValueError(f"{name} must hold finite numbers below {LARGEST:g}")
    return X


@dataclass(frozen=True)
class _Step:
    """One step of a sweep: the first ``dim`` columns, the last few of them new.

    The estimate of a squared distance is ``|y|² - 2 x·y`` for a query row x and a
    training row y; the ``|x|²`` that all estimates of a row lack is added late.
    """

    train: np.ndarray | csr_array  # (n, d) as given
    query: np.ndarray | csr_array  # (m, d) as given
    dim: int
    left: np.ndarray | csr_array  # (m, c) new columns of the queries
    right: np.ndarray | csr_array  # new columns of the training rows, times -2
    added: np.ndarray  # (n,) squared lengths of the training rows over the new columns
    train_lengths: np.ndarray  # (n,) the same over all dim columns
    lengths: np.ndarray  # (m,) the same of the queries
    error: float  # of an estimate, as a share of the sum of the two squared lengths


def _sweep(train, query, dims, k, own):
    """Neighbours (len(dims), m, k) of the query rows; own: never the row itself."""
    m, n = query.shape[0], train.shape[0]
    groups = _groups(n, k)
    steps = _steps(train, query, dims, _whole(n, groups))
    found = np.empty((len(dims), m, k), dtype=np.intp)
    height = max(1, min(BLOCK_ROWS, BLOCK_BYTES // (8 * n)))
    for start in range(0, m, height):
        rows = slice(start, min(start + height, m))
        estimates = np.zeros((rows.stop - start, _whole(n, groups)))
        estimates[:, n:] = np.inf
        if own:
            np.fill_diagonal(estimates[:, rows], np.inf)
        for step, neighbours in zip(steps, found, strict=True):
            _add(estimates, step, rows)
            neighbours[rows] = _select(estimates, groups, step, rows, k)
    return found


def _groups(n, k):
    """Number of groups of columns: far more than k, far fewer than n."""
    size = max(1, min(MEMBERS, n // (GROUPS * k)))
    return -(-n // size)


def _whole(n, groups):
    """The columns n, rounded up to groups of the same size."""
    return -(-n // groups) * groups


def _steps(train, query, dims, width):
    """The columns each dim adds to the one before it, ready to be multiplied."""
    if issparse(train):
        origin, terms = None, _most_entries(train) + _most_entries(query)
    else:
        origin, terms = _middle(train), train.shape[1]
    lengths, train_lengths = np.zeros(query.shape[0]), np.zeros(train.shape[0])
    steps = []
    for start, dim in pairwise([0, *dims]):
        x, y = (_columns(X, origin, start, dim) for X in (query, train))
        added = _squared_lengths(y)
        lengths = lengths + _squared_lengths(x)
        train_lengths = train_lengths + added
        step = _Step(
            train=train,
            query=query,
            dim=dim,
            left=_left(x),
            right=_right(y, added, width),
            added=added,
            train_lengths=train_lengths,
            lengths=lengths,
            error=2.0**-53
            * (
                4 * (min(terms, max(np.diff([0, *dims]))) + 2 * len(dims))
                + 2 * min(dim, terms)
                + 24
            ),
        )
        steps.append(step)
    return steps


def _most_entries(X):
    return int(np.diff(X.indptr).max(initial=0))


def _middle(X):
    """A middle value of each column: the origin from which dense rows are seen.

    Distances do not depend on it, but the error of an estimate grows with the lengths
    of the rows. A value of the data, so that what is constant becomes exactly zero.
    """
    half = len(X) // 2
    return np.partition(X, half, axis=0)[half]


def _columns(X, origin, start, stop):
    columns = X[:, start:stop]
    return columns if origin is None else columns - origin[start:stop]


def _squared_lengths(X):
    if issparse(X):
        return X.power(2).sum(axis=1)
    return np.einsum("ij,ij->i", X, X)


def _left(x):
    """Queries as a factor; dense rows get a one that takes up the ``|y|²``."""
    return x if issparse(x) else np.hstack([x, np.ones((len(x), 1))])


def _right(y, added, width):
    """Training rows as a factor, ``-2 y`` and ``|y|²``, with empty rows up to width."""
    n, d = y.shape
    if issparse(y):  # |y|² would fill the product: it is added by itself
        right = csr_array((-2 * y).T)
        right.resize(d, width)
        return right
    right = np.zeros((width, d + 1), order="F")
    np.multiply(y, -2, out=right[:n, :d])
    right[:n, d] = added
    return right


def _add(estimates, step, rows):
    """Add what the new columns contribute to the estimates of a block of rows."""
    left = step.left[rows]
    if issparse(left):
        estimates += (left @ step.right).toarray()
        estimates[:, : len(step.added)] += step.added
    else:  # in place, in the column-major order of BLAS: no copy, no second pass
        dgemm(1.0, step.right, left.T, 1.0, estimates.T, overwrite_c=True)


def _select(estimates, groups, step, rows, k):
    """The k nearest of each row of a block: few candidates first, then their order."""
    lengths = step.lengths[rows]
    at, columns, squared = _candidates(estimates, groups, step, lengths, k)
    error = step.error * (lengths[at] + step.train_lengths[columns]) + FLOOR / 2
    rounded = _rounded(squared + error)
    unsure = np.flatnonzero(rounded != _rounded(squared - error))
    if unsure.size:
        i, j = rows.start + at[unsure], columns[unsure]
        rounded[unsure] = _rounded(_distances(step, i, j))
    counts = np.bincount(at, minlength=len(lengths))[:, None]
    used = np.arange(counts.max()) < counts
    keys = np.full(used.shape, np.iinfo(np.int64).max)
    keys[used] = rounded | columns
    return np.sort(keys, axis=1)[:, :k] & LOW


def _candidates(estimates, groups, step, lengths, k):
    """Rows, columns and squared distances of all that can be of the k nearest.

    At least k groups of columns have a minimum up to the k-th smallest minimum, and
    rarely many more: one pass for the minima leaves few columns to look at.
    """
    height, width = estimates.shape
    size = width // groups
    minima = estimates.reshape(height, size, groups).min(axis=1)
    bound = np.partition(minima, k - 1, axis=1)[:, k - 1]
    error = step.error * (lengths + step.train_lengths.max())
    limit = bound + 2 * error + SNAP * np.abs(bound + lengths) + FLOOR
    at, group = np.divmod(np.flatnonzero(minima <= limit[:, None]), groups)
    members = (at * width + group)[:, None] + groups * np.arange(size)
    values = np.take(estimates, members)
    near = np.flatnonzero(values <= limit[at, None])
    at = at[near // size]
    columns = np.take(members, near) - at * width
    return at, columns, np.take(values, near) + lengths[at]


def _rounded(squared):
    """Squared distances to BITS significant bits: the numbers that are compared."""
    bits = np.where(squared < FLOOR, 0.0, squared).view(np.int64)
    bits += 1 << (DROPPED - 1)
    bits &= ~LOW
    return bits


def _distances(step, i, j):
    """Squared distances of query rows i and training rows j, by definition."""
    height = max(1, PAIR_VALUES // step.dim)
    parts = [np.zeros(0)]
    for start in range(0, len(i), height):
        pairs = slice(start, start + height)
        x, y = _dense(step.query[i[pairs]]), _dense(step.train[j[pairs]])
        squares = np.square(x[:, : step.dim] - y[:, : step.dim])
        # cumsum adds in order; sum adds in an order of its own
        parts.append(np.cumsum(squares, axis=1)[:, -1])
    return np.concatenate(parts)


def _dense(X):
    return X.toarray() if issparse(X) else X
