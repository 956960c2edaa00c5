"""Few columns that stand for many: shadows are never farther apart than their rows.

Rows are projected on the directions in which the training rows vary most. The squared
distance of two projections is a lower bound of that of the rows, on most data a close
one, and tells at a fraction of the cost which rows cannot be near.
"""

import numpy as np
from scipy.sparse import issparse

from mlbench.neighbours.estimates import (
    Step,
    left_factor,
    right_factor,
    squared_lengths,
)

# Share of the variance that the directions hold: with less, too many rows seem near.
HELD = 0.99
# Most of the columns that they may be: with more, little is saved.
MOST = 0.5
# What finding them may cost, in units of what the search costs without them.
COST = 0.1
# Squared shadows exceed squared rows by at most this share of the squared lengths from
# the mean. Each of them errs by d sqrt(r) roundings of 2**-53, which for WIDEST columns
# is 2**-38; the difference of two, squared, by four times that; TILT adds twice itself.
ROUNDING = 2.0**-35
WIDEST = 1000
# The products of shadows are taken in single precision, in half the time: a bound need
# not be sharp. Sums of r + 1 terms err by as many roundings of 2**-24 each, of the size
# of 4 squared lengths; the factors and single steps by fewer than 24 more.
SINGLE = 2.0**-24
# The longest rows, squared, must be within these: no number is too large for single
# precision then, and what is lost below 2**-126 is less than a rounding of the longest.
FIT = (1e-15, 1e30)
# How far from orthonormal the directions may be.
TILT = 2.0**-38


def lower_step(train, query, width) -> Step | None:
    """A search by lower bounds; None where it would not pay."""
    found = None if issparse(train) else _directions(train, len(query))
    if found is None:
        return None
    mean, P = found
    rows = [query - mean, train - mean]
    x, y = (X @ P for X in rows)
    of_query, of_train = (squared_lengths(X) for X in rows)
    added = squared_lengths(y)
    longest = of_train.max()
    single = FIT[0] < longest and max(longest, of_query.max(initial=0)) < FIT[1]
    kind = np.float32 if single else np.float64
    rounding = ROUNDING + (4 * (P.shape[1] + 2) + 24) * SINGLE * single
    return Step(
        train=train,
        query=query,
        dim=train.shape[1],
        left=left_factor(x, kind),
        right=right_factor(y, added, width, kind),
        added=added,
        train_lengths=added,
        lengths=squared_lengths(x),
        error=0.0,
        excess=rounding * (of_query + longest),
    )


def _directions(train, m: int):
    """Mean and directions (d, r) of the training rows; None without good ones."""
    n, d = train.shape
    # The product of the columns with each other, and its eigenvectors.
    if d > WIDEST or (n + 25 * d) * d * d > COST * m * n * d:
        return None
    mean = train.mean(axis=0)
    centred = train - mean
    squares, V = np.linalg.eigh(centred.T @ centred)
    held = np.cumsum(squares[::-1])
    r = 1 + int(np.searchsorted(held, HELD * held[-1]))
    P = V[:, ::-1][:, :r]
    if r > MOST * d or np.linalg.norm(P.T @ P - np.eye(r)) > TILT:
        return None
    return mean, P
