"""Nearest neighbours: exact, the same on every machine, cheap over a sweep of dims.

The squared distance of two rows is the float64 sum of their squared differences,
columns taken in order, rounded to ``BITS`` significant bits; neighbours are ordered
by it, then by index. The rounding makes mathematical ties (rows of unit length have
many) ties in fact. Nothing but the two rows enters, so the distance over the first
columns is the same number in a sweep, alone, dense or sparse.

Matrix products give a distance only up to an error that depends on the machine. They
serve as estimates with a bound on that error: a distance whose rounded value the
bound leaves open, and only such a one, is computed by its definition.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.linalg.blas import dgemm
from scipy.sparse import csr_array, issparse
from sklearn.utils.extmath import safe_sparse_dot

# Coarse against the rounding of a sum (2**-45 for thousands of columns), so that what
# is tied stays tied; fine against any difference that data could mean.
BITS = 32
# The bits of a float64 that rounding clears: room for the index of a training row.
LOW = (1 << (53 - BITS)) - 1
# More than the share by which two numbers that round to the same can differ.
SNAP = 2.0 ** (2 - BITS)
# Squared distances below this count as zero: underflow leaves them no BITS bits.
FLOOR = 2.0**-960
# Entries stay below this: no sum of their squares overflows.
LARGEST = 1e140
# Most query rows and bytes of estimates at a time: more would leave the cache.
BLOCK_ROWS = 256
BLOCK_BYTES = 2**25
# Most values at a time when distances are computed by their definition.
PAIR_VALUES = 2**20
# Rows that are looked at to choose an origin.
WITNESSES = 101
# Groups of training rows per neighbour wanted, and most rows of a group.
GROUPS = 24
MEMBERS = 32


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
    return _sweep(train, query, [train.shape[1]], k, own)[0]


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
        _sweep(train, train, dims, k, own=True),
        _sweep(train, query, dims, k, own=False),
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
    if train.shape[0] > LOW + 1:
        raise ValueError(
            f"train must have at most {LOW + 1} rows, got {train.shape[0]}"
        )
    return train, query


def _check_k(k, n, own):
    if not 1 <= k <= n - own:
        rows = "the other training rows" if own else "the training rows"
        raise ValueError(f"k must be in 1..{n - own} ({rows}), got {k}")


@dataclass(frozen=True)
class _Step:
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


def _sweep(train, query, dims, k, own):
    """Neighbours (len(dims), m, k) of the query rows; own: never the row itself."""
    m, n = query.shape[0], train.shape[0]
    size = max(1, min(MEMBERS, n // (GROUPS * k)))
    width = -(-n // size) * size  # groups of one size; columns past n are never near
    steps = _steps(train, query, dims, width)
    found = np.empty((len(dims), m, k), dtype=np.intp)
    height = max(1, min(BLOCK_ROWS, BLOCK_BYTES // (8 * width)))
    for start in range(0, m, height):
        rows = slice(start, min(start + height, m))
        estimates = np.zeros((rows.stop - start, width))
        estimates[:, n:] = np.inf
        if own:
            np.fill_diagonal(estimates[:, rows], np.inf)
        for step, neighbours in zip(steps, found, strict=True):
            _add(estimates, step, rows)
            neighbours[rows] = _select(estimates, size, step, rows, k)
    return found


def _steps(train, query, dims, width):
    """The columns that each dim adds to the one before, ready to be multiplied."""
    origin, terms = _middle(train), train.shape[1]
    if issparse(train):
        terms = min(terms, _most_entries(train) + _most_entries(query))
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
            error=_error(dims, dim, terms),
        )
        steps.append(step)
    return steps


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


def _squared_lengths(X):
    if issparse(X):
        return X.power(2).sum(axis=1)
    return np.einsum("ij,ij->i", X, X)


def _left(x):
    """Queries as a factor; dense rows get a one that meets the ``|y|²``."""
    return x if issparse(x) else np.hstack([x, np.ones((len(x), 1))])


def _right(y, added, width):
    """Training rows as a factor, ``-2 y`` and ``|y|²``, with empty rows up to width."""
    n, columns = y.shape
    if issparse(y):  # |y|² would fill the product: it is added by itself
        right = csr_array((-2 * y).T)
        right.resize(columns, width)
        return right
    right = np.zeros((width, columns + 1), order="F")
    np.multiply(y, -2, out=right[:n, :columns])
    right[:n, columns] = added
    return right


def _error(dims, dim, terms):
    """Bound on the difference of estimate and definition, see ``_Step.error``.

    A sum of t terms, in any order, errs by at most t roundings of the sum of their
    sizes. In the estimate t is the new columns of a step and two more for each step;
    ``|y|²``, summed twice, ``2 x·y`` and ``|x|²`` have the size of 3 squared lengths,
    4 with what is of second order. In the definition t is all columns, and the size
    at most 2 squared lengths. The origin and single roundings add fewer than 24.
    """
    widest = min(terms, max(high - low for low, high in pairwise([0, *dims])))
    roundings = 4 * (widest + 2 * len(dims)) + 2 * min(terms, dim) + 24
    return roundings * 2.0**-53


def _add(estimates, step, rows):
    """Add what the new columns contribute to the estimates of a block of rows."""
    left = step.left[rows]
    if issparse(left):
        # At once dense: most rows share a word, a sparse product would be no smaller.
        estimates += safe_sparse_dot(left, step.right, dense_output=True)
        estimates[:, : len(step.added)] += step.added
    else:  # in place, in the column-major order of BLAS: no copy, no second pass
        dgemm(1.0, step.right, left.T, 1.0, estimates.T, overwrite_c=True)


def _select(estimates, size, step, rows, k):
    """The k nearest of each row of a block: few candidates first, then their order."""
    lengths = step.lengths[rows]
    at, columns, squared = _candidates(estimates, size, step, lengths, k)
    error = step.error * (lengths[at] + step.train_lengths[columns])
    rounded = _rounded(squared + error)
    is_open = np.flatnonzero(rounded != _rounded(squared - error))
    if is_open.size:
        i, j = rows.start + at[is_open], columns[is_open]
        rounded[is_open] = _rounded(_squared_distances(step, i, j))
    counts = np.bincount(at, minlength=len(lengths))[:, None]
    used = np.arange(counts.max()) < counts
    keys = np.full(used.shape, np.iinfo(np.int64).max)
    keys[used] = rounded | columns  # one number: by distance, then by index
    return np.sort(keys, axis=1)[:, :k] & LOW


def _candidates(estimates, size, step, lengths, k):
    """Rows, columns and estimated squared distances of all that can be among the k.

    At least k columns are up to a bound; those past it by more than the errors of both
    and the rounding (of the errors, too) cannot be among the k. One pass over the
    estimates, for the minima of groups of columns, leaves few columns to look at.
    """
    height, width = estimates.shape
    groups = width // size
    minima = estimates.reshape(height, size, groups).min(axis=1)
    bound = _bound(minima, k)
    error = step.error * (lengths + step.train_lengths.max())
    limit = bound + 3 * error + SNAP * np.abs(bound + lengths) + FLOOR
    flat = np.flatnonzero(minima <= limit[:, None])
    at = flat // groups
    members = flat + at * (width - groups) + np.arange(0, width, groups)[:, None]
    values = np.take(estimates, members)
    found, member = np.divmod(np.flatnonzero((values <= limit[at]).T), size)
    at = at[found]
    columns = members[member, found] - at * width
    return at, columns, values[member, found] + lengths[at]


def _bound(minima, k):
    """A number per row that at least k of its estimates do not exceed.

    The k-th smallest of the minima of disjoint groups is one. Merging groups makes it
    cheaper, and hardly looser as long as there are several per neighbour.
    """
    while minima.shape[1] >= 8 * k:
        half = minima.shape[1] // 2
        minima = np.minimum(minima[:, :half], minima[:, half : 2 * half])
    return np.partition(minima, k - 1, axis=1)[:, k - 1]


def _rounded(squared):
    """Squared distances to BITS significant bits, as the integers of the same order."""
    bits = np.where(squared < FLOOR, 0.0, squared).view(np.int64)
    return (bits + (LOW + 1) // 2) & ~LOW


def _squared_distances(step, i, j):
    """Squared distances of query rows i and training rows j, by definition."""
    height = max(1, PAIR_VALUES // step.dim)
    squared = np.empty(len(i))
    for start in range(0, len(i), height):
        pairs = slice(start, start + height)
        x = _dense_rows(step.query, i[pairs], step.dim)
        y = _dense_rows(step.train, j[pairs], step.dim)
        # cumsum adds in order; the order of sum is its own
        squared[pairs] = np.cumsum(np.square(x - y), axis=1)[:, -1]
    return squared


def _dense_rows(X, rows, dim):
    return X[rows][:, :dim].toarray() if issparse(X) else X[:, :dim][rows]
