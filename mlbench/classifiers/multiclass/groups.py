"""Groups of base learners whose outcomes go together.

Outcomes are a matrix (n, m) of booleans, a column per learner: whether it puts a
sample on the +1 side.
"""

import numpy as np

from mlbench.reducers.base import check_count

# The table of a group has 2 ** size rows.
LARGEST_GROUP = 12
# A correlation is compared after rounding to so many decimals, so that what is tied
# on paper is tied on every machine.
DECIMALS = 9


def outcome_correlation(outcomes) -> np.ndarray:
    """Absolute correlation (m, m) of the outcomes of every two learners.

    The absolute value: of a learner and its complement one says all. A learner that
    always says the same correlates with none, and 1 with itself.
    """
    signs = np.where(outcomes, 1.0, -1.0)
    centred = signs - signs.mean(axis=0)
    lengths = np.sqrt((centred**2).sum(axis=0))
    varying = lengths > 0
    unit = np.divide(centred, lengths, out=np.zeros_like(centred), where=varying)
    correlation = abs(unit.T @ unit).round(DECIMALS)
    np.fill_diagonal(correlation, 1.0)
    return correlation


def correlated_groups(correlation, max_group: int) -> list[list[int]]:
    """Learners in groups, by agglomeration.

    Every learner begins alone. The two groups with the highest mean correlation
    between their members are merged, again and again, as long as there are two that
    make no group of more than ``max_group`` members.

    >>> A = np.array([[1, 0.1, 0.9], [0.1, 1, 0.2], [0.9, 0.2, 1]])
    >>> correlated_groups(A, max_group=2)
    [[0, 2], [1]]
    """
    groups = [[learner] for learner in range(len(correlation))]
    between = np.array(correlation, dtype=np.float64)  # sums over pairs of members
    while len(groups) > 1:
        sizes = np.array([len(group) for group in groups])
        mean = (between / np.outer(sizes, sizes)).round(DECIMALS)
        mean[np.add.outer(sizes, sizes) > max_group] = -1.0
        np.fill_diagonal(mean, -1.0)
        first, second = sorted(divmod(int(mean.argmax()), len(groups)))
        if mean[first, second] < 0:
            break
        groups[first] = sorted(groups[first] + groups.pop(second))
        between[first] += between[second]
        between[:, first] += between[:, second]
        between = np.delete(np.delete(between, second, axis=0), second, axis=1)
    return sorted(groups)


def check_max_group(max_group) -> None:
    """Raise when groups cannot be that large."""
    check_count("max_group", max_group)
    if max_group > LARGEST_GROUP:
        raise ValueError(
            f"max_group must be in 1..{LARGEST_GROUP} (its table has 2 ** max_group "
            f"rows), got {max_group}"
        )
