"""From scores to labels: a threshold for all labels, or the top m of each sample.

Which of the two, and where, is chosen on scores of samples that the scoring model has
not seen: ``best_cut`` takes those, never the scores of the test samples.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from mlbench.reducers.base import check_count, check_range

KINDS = ("threshold", "top")
THRESHOLDS = 61  # candidates; odd: the middle one predicts as many labels as there are
FEWEST, MOST = 0.25, 4.0  # labels predicted by them, over those that are there


def cut(scores, *, threshold: float = 0.5, top: int | None = None):
    """Labels (n, q) of 0/1 from scores (n, q).

    With ``top`` = m the m highest of each row (of equal ones the first), whatever
    their scores; else those above the threshold.

    >>> cut([[0.9, 0.2, 0.6]])
    array([[1, 0, 1]], dtype=uint8)
    >>> cut([[0.9, 0.2, 0.6]], top=1)
    array([[1, 0, 0]], dtype=uint8)
    """
    scores = np.asarray(scores, dtype=np.float64)  # unsigned ones have no negative
    if top is None:
        check_range("threshold", threshold, -np.inf)
        return (scores > threshold).astype(np.uint8)
    check_count("top", top)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :top]
    labels = np.zeros(scores.shape, dtype=np.uint8)
    np.put_along_axis(labels, order, 1, axis=1)
    return labels


def best_cut(
    scores,
    Y,
    quality: Callable[[np.ndarray, np.ndarray], float],
    kinds: Sequence[str] = KINDS,
) -> tuple[dict[str, float | int | None], float]:
    """The settings of the best cut of these scores, and its quality.

    ``quality(Y, labels)`` is the larger the better; of equally good cuts the first is
    taken, thresholds before tops. Candidates are thresholds that predict from a
    quarter to four times as many labels as Y has, and every m up to twice the number
    of labels that a sample has on average, that number rounded up.
    """
    scores, Y = np.asarray(scores), np.asarray(Y)
    best: dict[str, float | int | None] = {}
    highest = -np.inf
    for candidate in _candidates(scores, Y, kinds):
        reached = quality(Y, cut(scores, **candidate))
        if reached > highest:
            best, highest = candidate, reached
    if not best:
        names = ", ".join(kinds) or "no kind"
        raise ValueError(f"some cut must have a quality, got none by {names}")
    return best, float(highest)


def _candidates(scores, Y, kinds: Sequence[str]) -> Iterator[dict]:
    for kind in kinds:
        if kind not in KINDS:
            raise ValueError(f"a cut is one of {', '.join(KINDS)}, got {kind!r}")
    if "threshold" in kinds:
        yield from ({"threshold": x, "top": None} for x in _thresholds(scores, Y))
    if "top" in kinds:
        most = min(Y.shape[1], 2 * int(np.ceil(Y.sum() / max(1, len(Y)))))
        yield from ({"threshold": 0.5, "top": m} for m in range(1, max(1, most) + 1))


def _thresholds(scores, Y) -> list[float]:
    """Thresholds that leave a geometric series of numbers of predicted labels."""
    there = max(1.0, float(Y.sum()))
    counts = np.geomspace(FEWEST * there, MOST * there, THRESHOLDS)
    places = np.unique(np.clip(counts.round().astype(int), 1, scores.size - 1))
    # Entry -k of the sorted scores is the k-th highest; above its lower neighbour
    # are exactly k of them, if no two are equal.
    ordered = np.sort(scores, axis=None)
    lower, upper = ordered[-places - 1], ordered[-places]
    return [float(x) for x in dict.fromkeys(((lower + upper) / 2).tolist())]
