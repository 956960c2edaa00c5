"""Whether one method is better than another over data sets, or it is chance.

Two methods over data sets: :func:`paired_t`, or :func:`wilcoxon` with :func:`holm`
when there are several pairs. All methods at once: :func:`friedman`. Two methods over
random splits of one data set, which share samples: :func:`resampled_t`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.stats
from scipy.stats import rankdata
from scipy.stats import t as student

ALPHA = 0.05  # two-sided; the MDDM paper tests at the 95% level
# Differences below this share of the values are rounding, not a finding: two methods
# that agree in exact arithmetic must not be told apart.
ROUNDING = 16 * np.finfo(np.float64).eps
DIGITS = 12  # of the largest value, that ranks look at: the others are rounding


@dataclass(frozen=True)
class PairedT:
    """Outcome of a paired t test of a against b."""

    statistic: float
    p: float
    difference: float  # mean of a - b
    verdict: str  # on a: "better", "worse" or "undecided"


def paired_t(a, b, better: str) -> PairedT:
    r"""Two-sided paired t test of a against b at level 0.05.

    With differences :math:`d_i = a_i - b_i` of mean :math:`m` and deviation
    :math:`s` (n - 1 in the denominator), :math:`t = m \sqrt{n} / s` follows
    Student's distribution with n - 1 degrees of freedom when neither is better.

    Where all differences are equal, s = 0 and t does not exist. Ours: p = 1 when
    they are all zero, p = 0 when they are not. Differences within rounding of zero,
    or of each other, count as equal.

    Parameters
    ----------
    a, b : array-like of shape (n,)
        One number per data set, in the same order; n is at least 2.
    better : {"lower", "higher"}
        Which numbers are the good ones.

    Examples
    --------
    >>> paired_t([0.1, 0.2, 0.3], [0.2, 0.4, 0.5], better="lower")
    PairedT(statistic=-5.0, p=0.0377, difference=-0.1667, verdict='better')
    """
    _check_better(better)
    a, b = _pairs(a, b, "a paired t test")
    return _t_of(a, b, better, np.sqrt(len(a)))


def resampled_t(a, b, better: str, *, n_train: int, n_test: int) -> PairedT:
    r"""Corrected resampled t test of a against b at level 0.05.

    Over J random splits of one data set the differences :math:`d_j = a_j - b_j` are
    not independent, for their training sets share samples, and the t test of
    :func:`paired_t` finds far too much. Nadeau and Bengio put
    :math:`(1/J + n_{test}/n_{train}) s^2` in the place of :math:`s^2 / J` for the
    variance of their mean; J - 1 degrees of freedom.

    Where all differences are equal, the same holds as in :func:`paired_t`.

    Parameters
    ----------
    a, b : array-like of shape (J,)
        One number per split, in the same order; J is at least 2.
    better : {"lower", "higher"}
        Which numbers are the good ones.
    n_train, n_test : int
        Samples in the training and in the test part of every split.

    References
    ----------
    C. Nadeau and Y. Bengio. Inference for the generalization error. Machine
    Learning 52, 239-281, 2003.

    Examples
    --------
    >>> a, b = [0.1, 0.2, 0.3], [0.2, 0.4, 0.5]
    >>> resampled_t(a, b, better="lower", n_train=100, n_test=100)
    PairedT(statistic=-2.5, p=0.1296, difference=-0.1667, verdict='undecided')
    """
    _check_better(better)
    if n_train < 1 or n_test < 1:
        raise ValueError(
            "n_train and n_test must be at least 1 sample each, "
            f"got {n_train} and {n_test}"
        )
    a, b = _pairs(a, b, "a resampled t test")
    return _t_of(a, b, better, 1 / np.sqrt(1 / len(a) + n_test / n_train))


def _t_of(a, b, better: str, precision) -> PairedT:
    """The t test whose standard error is the deviation divided by ``precision``."""
    differences = a - b
    noise = ROUNDING * max(np.abs(a).max(), np.abs(b).max())
    mean, deviation = float(differences.mean()), float(differences.std(ddof=1))
    if np.abs(differences).max() <= noise:
        statistic, p = 0.0, 1.0
    elif deviation <= noise:
        statistic, p = float(np.copysign(np.inf, mean)), 0.0
    else:
        statistic = float(mean * precision / deviation)
        p = float(2 * student.sf(abs(statistic), len(a) - 1))
    return PairedT(statistic, p, mean, verdict(p, mean, better))


def verdict(p: float, direction: float, better: str) -> str:
    """What a p value says of a: its numbers are the larger if ``direction`` > 0.

    >>> verdict(0.01, -0.2, better="lower"), verdict(0.05, -0.2, better="lower")
    ('better', 'undecided')
    """
    if p >= ALPHA or direction == 0:
        return "undecided"
    return "better" if (direction < 0) == (better == "lower") else "worse"


@dataclass(frozen=True)
class SignedRank:
    """Outcome of a Wilcoxon signed-rank test of a against b."""

    statistic: float  # W, the smaller of the two sums of ranks
    p: float
    n: int  # pairs that differ: the others are left out
    direction: int  # 1 where a has the larger numbers, -1 the smaller, 0 neither


def wilcoxon(a, b) -> SignedRank:
    """Two-sided Wilcoxon signed-rank test of a against b.

    Ranks the sizes of the differences and compares the ranks of the positive ones
    with those of the negative ones: it asks no normal distribution of them, and one
    data set with a large difference does not carry the day.

    Pairs without a difference say nothing and are left out, as in Wilcoxon's paper;
    with no other pairs p = 1. Differences of equal size share the mean rank. p is
    exact for up to 13 pairs, and for up to 50 that share no rank; beyond that SciPy
    takes the normal approximation. Ours: differences that agree to 12 digits of the
    largest value are equal, for what follows is rounding.

    Parameters
    ----------
    a, b : array-like of shape (n,)
        One number per data set, in the same order.

    References
    ----------
    F. Wilcoxon. Individual comparisons by ranking methods. Biometrics Bulletin
    1(6), 80-83, 1945.

    Examples
    --------
    >>> wilcoxon([5, 6, 7, 8, 9], [4, 4, 4, 4, 9])
    SignedRank(statistic=0.0, p=0.125, n=4, direction=1)
    """
    apart = differences(a, b)
    apart = apart[apart != 0]
    if not apart.size:
        return SignedRank(0.0, 1.0, 0, 0)
    found = scipy.stats.wilcoxon(apart, correction=False, method="auto")
    direction = int(np.sign(np.sign(apart) @ rankdata(np.abs(apart))))
    return SignedRank(
        float(found.statistic), float(found.pvalue), apart.size, direction
    )


def differences(a, b) -> np.ndarray:
    """The differences a - b without what is rounding: those of equal methods are 0.

    >>> differences([0.3, 0.2], [0.2, 0.1]).tolist()
    [0.1, 0.1]
    """
    a, b = _pairs(a, b, "a signed-rank test", least=1)
    return _settle(a - b, max(np.abs(a).max(), np.abs(b).max()))


def _settle(values: np.ndarray, scale: float) -> np.ndarray:
    """Values rounded to 12 digits of ``scale``, so that ties are exact."""
    if scale == 0 or not np.isfinite(scale):
        return values
    # + 0: a difference just below zero becomes 0, not -0
    return np.round(values, DIGITS - math.ceil(math.log10(scale))) + 0.0


def least_p(n: int) -> float:
    """The smallest p that n pairs can give a two-sided signed-rank test.

    All n differences have one sign: 2 of the 2^n equally likely outcomes.

    >>> least_p(5), least_p(6)
    (0.0625, 0.03125)
    """
    return min(1.0, 2.0 ** (1 - n))


def holm(p) -> np.ndarray:
    """P values adjusted so that all m of them may be held against one level.

    The smallest is multiplied by m, the next by m - 1, and so on; none falls below
    an earlier one, or exceeds 1. Whatever is then below 0.05 was found with a chance
    of at most 0.05 that any of it is false (the family-wise error).

    References
    ----------
    S. Holm. A simple sequentially rejective multiple test procedure. Scandinavian
    Journal of Statistics 6(2), 65-70, 1979.

    Examples
    --------
    >>> holm([0.04, 0.01, 0.03])
    array([0.06, 0.03, 0.06])
    """
    p = np.asarray(p, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"p must be a list of numbers in 0..1, got {p.tolist()}")
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1, steps)
    return adjusted


@dataclass(frozen=True)
class CriticalDifference:
    """What a critical-difference diagram shows."""

    names: tuple[str, ...]  # of the methods, best average rank first
    ranks: tuple[float, ...]  # in the same order
    cd: float  # average ranks closer than this are not told apart
    # Methods not told apart: the largest sets of them, two at least, best first.
    groups: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Friedman:
    """Outcome of a Friedman test, with the Nemenyi test of every pair."""

    n: int  # data sets
    chi2: float
    chi2_p: float
    f: float
    p: float
    table: tuple[tuple[float, ...], ...]  # that was tested
    diagram: CriticalDifference

    @property
    def nemenyi(self) -> tuple[tuple[float, ...], ...]:
        """The p value of every pair, in the order of the table."""
        # Takes seconds to import, which other tests need not wait for.
        from scikit_posthocs import (  # type: ignore[import-untyped]
            posthoc_nemenyi_friedman,
        )

        found = posthoc_nemenyi_friedman(np.array(self.table)).to_numpy()
        return tuple(tuple(map(float, row)) for row in found)

    @property
    def rejected(self) -> bool:
        """Whether the methods differ at all: without it no pair is told apart."""
        return self.p < ALPHA


def friedman(table, better: str, names: Sequence[str]) -> Friedman:
    r"""Friedman test of k methods over n data sets, and Nemenyi's test after it.

    Asks whether the average ranks differ by more than chance: Friedman's
    :math:`\chi^2` (corrected for ties), and from it Iman and Davenport's
    :math:`F = (n - 1) \chi^2 / (n (k - 1) - \chi^2)` with k - 1 and (k - 1)(n - 1)
    degrees of freedom, the less conservative one, which decides. Where all data sets
    agree on the order, F does not exist and p is that of :math:`\chi^2`. Where all
    methods are level everywhere p = 1.

    If they differ, Nemenyi's test tells two methods apart when their average ranks
    are at least :func:`critical_difference` apart; if not, it tells none. It corrects
    for the number of pairs by itself.

    Parameters
    ----------
    table : array-like of shape (data sets, methods)
        A number in every cell; at least 3 methods and 2 data sets. Numbers that
        agree to 12 digits of the largest one share the mean rank (Ours).
    better : {"lower", "higher"}
        Which numbers are the good ones.
    names : sequence of str
        The methods, in the order of the columns.

    References
    ----------
    J. Demsar. Statistical comparisons of classifiers over multiple data sets.
    Journal of Machine Learning Research 7, 1-30, 2006.

    Examples
    --------
    >>> table = [[1, 2, 3], [1, 3, 2], [1, 2, 3], [1, 2, 3]]
    >>> found = friedman(table, better="lower", names=["A", "B", "C"])
    >>> found.diagram.ranks, found.diagram.groups
    ((1.0, 2.25, 2.75), (('A', 'B'), ('B', 'C')))
    """
    table = np.asarray(table, dtype=np.float64)
    _check_better(better)
    _check_friedman(table, names)
    table = _settle(table, np.abs(table).max())
    ranks = average_ranks(table, better)
    chi2, chi2_p, f, p = _friedman_of(table)
    return Friedman(
        n=len(table),
        chi2=chi2,
        chi2_p=chi2_p,
        f=f,
        p=p,
        table=tuple(tuple(map(float, row)) for row in table),
        diagram=_diagram(ranks, names, len(table), told_apart=p < ALPHA),
    )


def _friedman_of(table: np.ndarray) -> tuple[float, float, float, float]:
    """Friedman's statistic, its p, and the same of Iman and Davenport's."""
    n, k = table.shape
    if (table == table[:, :1]).all():
        return 0.0, 1.0, 0.0, 1.0
    found = scipy.stats.friedmanchisquare(*table.T)
    chi2, chi2_p = float(found.statistic), float(found.pvalue)
    left = n * (k - 1) - chi2
    if left <= 1e-9 * chi2:  # 0, but for rounding: the data sets agree
        return chi2, chi2_p, math.inf, chi2_p
    f = (n - 1) * chi2 / left
    return chi2, chi2_p, f, float(scipy.stats.f.sf(f, k - 1, (k - 1) * (n - 1)))


def critical_difference(k: int, n: int) -> float:
    r"""Difference of average ranks that tells two of k methods apart over n data sets.

    :math:`q \sqrt{k (k + 1) / (6 n)}`, where q is the 0.95 quantile of the
    studentized range of k values with infinite degrees of freedom, over root 2.

    >>> critical_difference(4, 14)
    1.2536
    """
    q = scipy.stats.studentized_range.ppf(1 - ALPHA, k, np.inf) / math.sqrt(2)
    return float(q * math.sqrt(k * (k + 1) / (6 * n)))


def _diagram(ranks, names, n: int, told_apart: bool) -> CriticalDifference:
    order = np.argsort(ranks, kind="stable")
    ordered, called = ranks[order], [names[index] for index in order]
    cd = critical_difference(len(names), n)
    runs = _runs(ordered, cd) if told_apart else [(0, len(names))]
    return CriticalDifference(
        names=tuple(called),
        ranks=tuple(map(float, ordered)),
        cd=cd,
        groups=tuple(tuple(called[start:stop]) for start, stop in runs),
    )


def _runs(ordered, cd: float) -> list[tuple[int, int]]:
    """The longest runs of ascending ranks, two at least, that span less than cd."""
    runs: list[tuple[int, int]] = []
    reached = 0
    for start, rank in enumerate(ordered):
        stop = int(np.searchsorted(ordered, rank + cd))  # the first that is apart
        if stop > max(reached, start + 1):
            runs.append((start, stop))
            reached = stop
    return runs


def average_ranks(table, better: str) -> np.ndarray:
    """Mean rank of each method over the data sets; 1 is best, ties share the mean.

    Parameters
    ----------
    table : array-like of shape (data sets, methods)
        A number in every cell. Numbers that agree to 12 digits of the largest one
        are level (Ours): the rest is rounding.
    better : {"lower", "higher"}
        Which numbers are the good ones.

    Returns
    -------
    ndarray of shape (methods,)

    Examples
    --------
    >>> average_ranks([[0.1, 0.2, 0.3], [0.2, 0.2, 0.3]], better="lower")
    array([1.25, 1.75, 3.  ])
    """
    _check_better(better)
    table = np.asarray(table, dtype=np.float64)
    if table.ndim != 2 or table.size == 0:
        raise ValueError(
            f"a table to rank has data sets x methods cells, got shape {table.shape}"
        )
    if np.isnan(table).any():
        row, column = np.argwhere(np.isnan(table))[0]
        raise ValueError(
            f"the cell of data set {row} and method {column} has no number, "
            "ranks need one in every cell"
        )
    table = _settle(table, np.abs(table).max())
    return rankdata(table if better == "lower" else -table, axis=1).mean(axis=0)


def _check_better(better: str) -> None:
    if better not in ("lower", "higher"):
        raise ValueError(f"better must be 'lower' or 'higher', got {better!r}")


def _check_friedman(table: np.ndarray, names: Sequence[str]) -> None:
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 3:
        raise ValueError(
            "a Friedman test needs at least 2 data sets x 3 methods, "
            f"got shape {table.shape}"
        )
    if len(names) != table.shape[1]:
        raise ValueError(
            f"names must be one for each of the {table.shape[1]} methods, "
            f"got {len(names)}"
        )
    if not np.isfinite(table).all():
        raise ValueError("the table must hold finite numbers, got nan or infinity")


def _pairs(a, b, test: str, least: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Both as arrays, if they can be compared pair by pair."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(
            f"a and b must hold one number per data set each, "
            f"got shapes {a.shape} and {b.shape}"
        )
    if len(a) < least:
        pairs = "1 pair" if least == 1 else f"{least} pairs to see a spread"
        raise ValueError(f"{test} needs at least {pairs}, got {len(a)}")
    if not np.isfinite([a, b]).all():
        raise ValueError("a and b must be finite numbers, got nan or infinity")
    return a, b
