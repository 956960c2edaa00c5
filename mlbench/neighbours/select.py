"""The k nearest of each row: few candidates from the estimates, then their order."""

import numpy as np

from mlbench.neighbours.definition import (
    FLOOR,
    LOW,
    SNAP,
    rounded,
    squared_distances,
)

# Candidates that lower bounds may leave, per neighbour wanted: with more it is cheaper
# to estimate the distances themselves.
MOST = 10


def select(estimates, size, step, rows, k):
    """The k nearest of each row of a block; None if lower bounds leave too many."""
    height, width = estimates.shape
    # One pass over all estimates; what follows looks at few of them.
    minima = estimates.reshape(height, size, width // size).min(axis=1)
    choose = _by_estimates if step.excess is None else _by_lower_bounds
    chosen = choose(estimates, minima, step, rows, k)
    if chosen is None:
        return None
    at, keys = chosen
    return _smallest(at, keys, height, k) & LOW


def _by_estimates(estimates, minima, step, rows, k):
    """Rows and keys of all that can be among the k.

    At least k columns are up to a bound; those past it by more than the errors of both
    and the rounding (of the errors, too) cannot be among the k.
    """
    lengths = step.lengths[rows]
    bound = _bound(minima, k)
    error = step.error * (lengths + step.train_lengths.max())
    limit = bound + 3 * error + SNAP * np.abs(bound + lengths) + FLOOR
    at, columns, squared = _within(estimates, minima, limit)
    squared += lengths[at]
    error = step.error * (lengths[at] + step.train_lengths[columns])
    near = rounded(squared + error)
    is_open = np.flatnonzero(near != rounded(squared - error))
    if is_open.size:
        near[is_open] = _defined(step, rows, at[is_open], columns[is_open])
    return at, near | columns


def _by_lower_bounds(estimates, minima, step, rows, k):
    """The same where estimates are lower bounds of the squared distances.

    Of k columns or more the distances are computed; whatever has a lower bound past the
    k-th of them cannot be among the k. None if that leaves too many.
    """
    lengths = step.lengths[rows]
    bound = _bound(minima, k)
    most = MOST * k * len(lengths)
    at, columns, _ = _within(estimates, minima, bound)
    if len(at) > most:
        return None
    keys = _defined(step, rows, at, columns) | columns
    farthest = (_smallest(at, keys, len(lengths), k)[:, -1] & ~LOW).view(np.float64)
    limit = farthest * (1 + SNAP) - lengths + step.excess[rows] + FLOOR
    more, columns, _ = _within(estimates, minima, limit, above=bound)
    if len(more) > most:
        return None
    more_keys = _defined(step, rows, more, columns) | columns
    both = np.concatenate([at, more])
    order = np.argsort(both, kind="stable")
    return both[order], np.concatenate([keys, more_keys])[order]


def _within(estimates, minima, limit, above=None):
    """Rows, columns and values of the estimates up to a limit for each row.

    In the order of the rows. ``above``: of the row, too; only values past it.
    """
    width, groups = estimates.shape[1], minima.shape[1]
    size = width // groups
    flat = np.flatnonzero(minima <= limit[:, None])
    at = flat // groups
    members = flat + at * (width - groups) + np.arange(0, width, groups)[:, None]
    values = np.take(estimates, members)
    wanted = values <= limit[at]
    if above is not None:
        wanted &= values > above[at]
    found, member = np.divmod(np.flatnonzero(wanted.T), size)
    at = at[found]
    return at, members[member, found] - at * width, values[member, found]


def _smallest(at, keys, height, k):
    """The k smallest keys of each row; ``at`` names the rows of the keys, in order."""
    counts = np.bincount(at, minlength=height)[:, None]
    used = np.arange(counts.max()) < counts
    table = np.full(used.shape, np.iinfo(np.int64).max)
    table[used] = keys  # one number each: by distance, then by index
    return np.sort(table, axis=1)[:, :k]


def _bound(minima, k):
    """A number per row that at least k of its estimates do not exceed.

    The k-th smallest of the minima of disjoint groups is one. Merging groups makes it
    cheaper, and hardly looser as long as there are several per neighbour.
    """
    while minima.shape[1] >= 8 * k:
        half = minima.shape[1] // 2
        minima = np.minimum(minima[:, :half], minima[:, half : 2 * half])
    return np.partition(minima, k - 1, axis=1)[:, k - 1]


def _defined(step, rows, at, columns):
    """Rounded squared distances of rows of a block and training rows, by definition."""
    i = rows.start + at
    return rounded(squared_distances(step.train, step.query, step.dim, i, columns))
