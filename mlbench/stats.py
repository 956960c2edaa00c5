"""Whether one method is better than another over data sets, or it is chance."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata
from scipy.stats import t as student

ALPHA = 0.05  # two-sided; the MDDM paper tests at the 95% level
# Differences below this share of the values are rounding, not a finding: two methods
# that agree in exact arithmetic must not be told apart.
ROUNDING = 16 * np.finfo(np.float64).eps


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
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    _check_pairs(a, b)
    statistic, p, mean = _t_of(a, b)
    verdict = "undecided"
    if p < ALPHA:
        verdict = "better" if (mean < 0) == (better == "lower") else "worse"
    return PairedT(statistic, p, mean, verdict)


def _t_of(a, b) -> tuple[float, float, float]:
    """The t statistic, its p value, and the mean difference."""
    differences = a - b
    noise = ROUNDING * max(np.abs(a).max(), np.abs(b).max())
    mean, deviation = float(differences.mean()), float(differences.std(ddof=1))
    if np.abs(differences).max() <= noise:
        return 0.0, 1.0, mean
    if deviation <= noise:
        return float(np.copysign(np.inf, mean)), 0.0, mean
    statistic = mean * np.sqrt(len(a)) / deviation
    return float(statistic), float(2 * student.sf(abs(statistic), len(a) - 1)), mean


def average_ranks(table, better: str) -> np.ndarray:
    """Mean rank of each method over the data sets; 1 is best, ties share the mean.

    Parameters
    ----------
    table : array-like of shape (data sets, methods)
        A number in every cell.
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
    return rankdata(table if better == "lower" else -table, axis=1).mean(axis=0)


def _check_better(better: str) -> None:
    if better not in ("lower", "higher"):
        raise ValueError(f"better must be 'lower' or 'higher', got {better!r}")


def _check_pairs(a, b) -> None:
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(
            f"a and b must hold one number per data set each, "
            f"got shapes {a.shape} and {b.shape}"
        )
    if len(a) < 2:
        raise ValueError(
            f"a paired t test needs at least 2 pairs to see a spread, got {len(a)}"
        )
    if not np.isfinite([a, b]).all():
        raise ValueError("a and b must be finite numbers, got nan or infinity")
