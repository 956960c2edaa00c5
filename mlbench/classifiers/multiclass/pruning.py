"""Base learners that can go: those that add least to their group.

The paper says that the less important learners of a group are to be eliminated, not
how importance is measured. Ours: by the information about the class that the joint
outcome of the group loses without the learner.
"""

from math import ceil
from numbers import Integral

import numpy as np

from mlbench.classifiers.multiclass.decoders import outcome_counts
from mlbench.reducers.base import check_count

# Losses and shares are rounded to so many decimals, so that what is tied, or a whole
# number, on paper is so on every machine.
DECIMALS = 12


def kept_number(keep, n_learners: int) -> int:
    """How many learners are kept: all (None), so many (int) or a share (float).

    >>> kept_number(None, 20), kept_number(4, 20), kept_number(0.55, 20)
    (20, 4, 11)
    """
    if keep is None:
        return n_learners
    if isinstance(keep, float):
        if not 0 < keep <= 1:
            raise ValueError(
                f"keep must be a share above 0 and at most 1, or a whole number of "
                f"learners, got {keep!r}"
            )
        return ceil(round(keep * n_learners, DECIMALS))  # 0.55 * 20 is above 11
    check_count("keep", keep)
    if keep > n_learners:
        raise ValueError(
            f"keep must be in 1..{n_learners} (the learners there are), got {keep}"
        )
    return int(keep)


def check_keep(keep) -> None:
    """Raise when no code could be cut down like that."""
    kept_number(keep, int(keep) if isinstance(keep, Integral) else 1)


def prune(groups, outcomes, classes, number: int) -> list[list[int]]:
    """The groups without their least useful learners, ``number`` learners in all.

    One learner goes at a time: the one whose group loses least without it, of equal
    ones the last. A learner of a large group is the likelier to go, since the others
    know most of what it knows.
    """
    groups = [list(group) for group in groups]
    losses = [_losses(group, outcomes, classes) for group in groups]
    for _ in range(sum(map(len, groups)) - number):
        _, _, at, place = min(
            (loss, -group[place], at, place)
            for at, group in enumerate(groups)
            for place, loss in enumerate(losses[at])
        )
        del groups[at][place]
        losses[at] = _losses(groups[at], outcomes, classes)
    return [group for group in groups if group]


def _losses(group: list[int], outcomes, classes) -> list[float]:
    """Of the information that a group has, what each learner takes away with it."""
    if not group:
        return []
    counts = outcome_counts(outcomes[:, group], classes)
    table = counts.reshape(*[2] * len(group), -1)
    whole = information(counts)
    return [
        round(
            whole - information(table.sum(axis=place).reshape(-1, table.shape[-1])),
            DECIMALS,
        )
        for place in range(len(group))
    ]


def information(counts) -> float:
    """Mutual information, in nats, of rows and columns of a table of counts.

    >>> information(np.array([[2, 0], [0, 2]]))  # a bit
    0.693147
    """
    joint = counts / counts.sum()
    apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    seen = joint > 0
    return float((joint[seen] * np.log(joint[seen] / apart[seen])).sum())
