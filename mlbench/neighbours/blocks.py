"""Block after block of rows: estimates by products, then the nearest of each row."""

import numpy as np

from mlbench.neighbours.estimates import Step, add, steps_of
from mlbench.neighbours.select import select
from mlbench.neighbours.shadow import lower_step

# Most query rows and bytes of estimates at a time: more would leave the cache.
BLOCK_ROWS = 256
BLOCK_BYTES = 2**25
# Groups of training rows per neighbour wanted, and most rows of a group.
GROUPS = 24
MEMBERS = 32


def search(train, query, dims, k, own):
    """Neighbours (len(dims), m, k) of the query rows; own: never the row itself."""
    m, n = query.shape[0], train.shape[0]
    size = max(1, min(MEMBERS, n // (GROUPS * k)))
    width = -(-n // size) * size  # groups of one size; columns past n are never near
    lower = lower_step(train, query, width) if len(dims) == 1 else None
    steps = steps_of(train, query, dims, width) if lower is None else [lower]
    found = np.empty((len(dims), m, k), dtype=np.intp)
    height = max(1, min(BLOCK_ROWS, BLOCK_BYTES // (8 * width)))
    kind = np.float64 if lower is None else lower.right.dtype
    buffer = np.empty((min(height, m), width), dtype=kind)
    for start in range(0, m, height):
        rows = slice(start, min(start + height, m))
        estimates = buffer[: rows.stop - start]
        if not _block(estimates, steps, rows, size, own, found):
            # Lower bounds tell too little of this data: from here on without them.
            steps = steps_of(train, query, dims, width)
            buffer = buffer.astype(np.float64)
            _block(buffer[: len(estimates)], steps, rows, size, own, found)
    return found


def _block(estimates, steps: list[Step], rows, size: int, own: bool, found) -> bool:
    """Find the neighbours of a block of rows; whether they could be found this way."""
    k = found.shape[2]
    for place, step in enumerate(steps):
        add(estimates, step, rows, first=place == 0)
        if place == 0:
            estimates[:, step.train.shape[0] :] = np.inf
            if own:
                np.fill_diagonal(estimates[:, rows], np.inf)
        nearest = select(estimates, size, step, rows, k)
        if nearest is None:
            return False
        found[place, rows] = nearest
    return True
