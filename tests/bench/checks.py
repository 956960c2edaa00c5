"""Whether two ways of a job came to the same: what a rival's ``check`` can be."""

from collections.abc import Callable

import numpy as np

from tests.bench.job import Result, Verdict

Check = Callable[[Result, Result], Verdict]


def same(tolerance: float) -> Check:
    """All arrays of the rival are ours, up to a share of the largest entry."""

    def check(ours: Result, theirs: Result) -> Verdict:
        return _within(max(_apart(ours[key], theirs[key]) for key in theirs), tolerance)

    return check


def same_subspace(tolerance: float) -> Check:
    """The rows of both ``directions`` span one space, up to the sine of an angle."""

    def check(ours: Result, theirs: Result) -> Verdict:
        A, B = (np.linalg.qr(side["directions"].T)[0] for side in (ours, theirs))
        outside = B - A @ (A.T @ B)
        return _within(float(np.linalg.norm(outside, 2)), tolerance)

    return check


def zero(key: str, tolerance: float) -> Check:
    """A difference that the rival's own process took is nothing."""
    return lambda ours, theirs: _within(float(theirs[key]), tolerance)


def lower_objective(ours: Result, theirs: Result) -> Verdict:
    """Our ``objective`` is the lower one."""
    share = float(ours["objective"].sum() / theirs["objective"].sum())
    return Verdict(share <= 1, f"objective {share:.6f} of the rival's")


def agreement(ours: Result, theirs: Result) -> Verdict:
    """How many labels are the same; any share will do."""
    share = float(np.mean(ours["labels"] == theirs["labels"]))
    return Verdict(True, f"{share:.1%} of the labels alike, not asked")


def not_asked(ours: Result, theirs: Result) -> Verdict:
    """Nothing: the two have no number in common."""
    return Verdict(True, "not comparable")


def _apart(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Largest difference over largest entry; infinite when shapes differ."""
    if ours.shape != theirs.shape:
        return np.inf
    largest = np.abs(ours).max(initial=0)
    return float(np.abs(ours - theirs).max(initial=0) / (largest or 1))


def _within(apart: float, tolerance: float) -> Verdict:
    if not apart <= tolerance:  # true for nan, too
        return Verdict(False, f"differs by {apart:.1e}, {tolerance:.0e} is allowed")
    return Verdict(True, f"same to {apart:.0e}" if apart else "equal")
