"""What the distance of two rows is, to the last bit."""

import numpy as np
from scipy.sparse import issparse

# Coarse against the rounding of a sum (2**-45 for thousands of columns), so that what
# is tied stays tied; fine against any difference that data could mean.
BITS = 32
# The bits of a float64 that rounding clears: room for the index of a training row.
LOW = (1 << (53 - BITS)) - 1
MOST_ROWS = LOW + 1
# More than the share by which two numbers that round to the same can differ.
SNAP = 2.0 ** (2 - BITS)
# Squared distances below this count as zero: underflow leaves them no BITS bits.
FLOOR = 2.0**-960
# Most values at a time when distances are computed.
PAIR_VALUES = 2**20


def rounded(squared):
    """Squared distances to BITS significant bits, as the integers of the same order."""
    bits = np.where(squared < FLOOR, 0.0, squared).view(np.int64)
    return (bits + (LOW + 1) // 2) & ~LOW


def squared_distances(train, query, dim, i, j):
    """Squared distances of query rows i and training rows j, over dim columns."""
    height = max(1, PAIR_VALUES // dim)
    squared = np.empty(len(i))
    for start in range(0, len(i), height):
        pairs = slice(start, start + height)
        x = _dense_rows(query, i[pairs], dim)
        y = _dense_rows(train, j[pairs], dim)
        # cumsum adds in order; the order of sum is its own
        squared[pairs] = np.cumsum(np.square(x - y), axis=1)[:, -1]
    return squared


def _dense_rows(X, rows, dim):
    return X[rows][:, :dim].toarray() if issparse(X) else X[:, :dim][rows]
