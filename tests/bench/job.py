"""What a job is: something worth doing fast, our way to do it, the ways of others."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

OURS = 0  # the ways of a job are counted: ours first, then the rivals in their order
Result = dict[str, np.ndarray]


@dataclass(frozen=True)
class Way:
    """One way to do a job, ready to run: whatever is not timed has been done."""

    act: Callable[[], Any]
    result: Callable[[Any], Result]  # what is compared, from what ``act`` returned
    part: float = 1.0  # share of the job that ``act`` does: its time is divided by it
    flops: float | None = None  # of the matrix products in ``act``, if they dominate


@dataclass(frozen=True)
class Verdict:
    """Whether two results agree as they should, and in words how far."""

    holds: bool
    text: str


@dataclass(frozen=True)
class Rival:
    """Another way to do a job, and how its result is held against ours."""

    name: str
    prepare: Callable[[], Way]
    check: Callable[[Result, Result], Verdict]  # of our result and the rival's
    note: str
    unguarded: str = ""  # why the regression guard leaves it out, if it does


@dataclass(frozen=True)
class Job:
    """Something worth doing fast."""

    title: str
    prepare: Callable[[], Way]
    rivals: tuple[Rival, ...]

    def way(self, number: int) -> Way:
        """Ours or a rival's, prepared."""
        if number == OURS:
            return self.prepare()
        return self.rivals[number - 1].prepare()
