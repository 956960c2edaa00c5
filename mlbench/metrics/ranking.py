"""Score metrics: how well the scores put relevant labels before irrelevant ones.

=========================  =====  ================================================
definition                 shape  here
=========================  =====  ================================================
:math:`Y_i`                q      ``Y[i]``, the relevant labels as 0/1
:math:`f(x_i, y)`          q      ``scores[i]``, higher is more relevant
:math:`rank_f(x_i, y)`     q      number of labels with a score >= that of y: the
                                  best label has rank 1
=========================  =====  ================================================

Every function takes Y, (n, q) of 0/1 or bool, and scores, (n, q) of numbers without
nan, and returns a float. Ours: tied labels all take the worst of their ranks, so a
constant score earns nothing; and when the definition covers no sample at all the
result is nan.

References
----------
M.-L. Zhang and Z.-H. Zhou. ML-kNN: A lazy learning approach to multi-label learning.
Pattern Recognition 40(7), 2007.
"""

from dataclasses import dataclass

import numpy as np

from mlbench.metrics.bipartition import check_labels, check_same_shape, mean


def one_error(Y, scores) -> float:
    """Share of samples whose top label is not relevant.

    Ours: of several labels with the highest score the first is the top label.
    Samples with no label or all labels are left out.

    >>> one_error([[1, 0, 0], [1, 0, 0]], [[.9, .5, .1], [.5, .9, .1]])
    0.5
    """
    Y, scores = check_scores(Y, scores)
    top = scores.argmax(axis=1)
    missed = ~Y[np.arange(len(Y)), top]
    return mean(missed[_has_pairs(Y.sum(axis=1), Y.shape[1])])


def coverage(Y, scores) -> float:
    """Mean number of steps down the ranking to meet every relevant label.

    That is the largest rank of a relevant label, minus 1; it is not divided by q.
    Ours: a sample with no label is kept and counts as 0.

    >>> coverage([[1, 0, 1], [0, 0, 0]], [[.9, .5, .1], [.9, .5, .1]])  # 2 and 0
    1.0
    """
    Y, scores = check_scores(Y, scores)
    lowest = np.where(Y, scores, np.inf).min(axis=1, keepdims=True)
    steps = (scores >= lowest).sum(axis=1) - 1
    return mean(np.where(Y.any(axis=1), steps, 0))


def ranking_loss(Y, scores) -> float:
    """Mean share of (relevant, irrelevant) pairs in the wrong order.

    A tie counts as wrong (Zhang and Zhou write ``<=``). Samples with no such pair,
    that is with no label or all labels, are left out.

    >>> ranking_loss([[1, 0, 0]], [[.5, .9, .1]])
    0.5
    """
    return ranking_loss_of(rank_relevant(Y, scores))


def average_precision(Y, scores) -> float:
    """Mean over samples of the mean precision at the rank of each relevant label.

    The precision at a rank is the share of relevant labels among those ranked at or
    above it. Samples with no label or all labels are left out.

    >>> average_precision([[1, 0, 1]], [[.9, .5, .1]])  # (1/1 + 2/3) / 2
    0.833
    """
    return average_precision_of(rank_relevant(Y, scores))


@dataclass(frozen=True)
class Ranks:
    """Where the relevant labels of each sample are ranked.

    ``sample``, ``rank`` and ``relevant`` have one entry per relevant (sample, label)
    pair: which sample it is of, its rank, and how many relevant labels of the sample
    are ranked at or above it.
    """

    n_labels: int
    n_relevant: np.ndarray  # (n,), of each sample
    sample: np.ndarray
    rank: np.ndarray
    relevant: np.ndarray

    def sample_means(self, values: np.ndarray) -> np.ndarray:
        """Mean of the values over each sample's relevant labels, covered samples only.

        A sample is covered when it has both relevant and irrelevant labels.
        """
        n = len(self.n_relevant)
        sums = np.bincount(self.sample, weights=values, minlength=n)
        covered = _has_pairs(self.n_relevant, self.n_labels)
        return sums[covered] / self.n_relevant[covered]


def rank_relevant(Y, scores) -> Ranks:
    """Rank the relevant labels of every sample, by one sort of the scores.

    Sorting keeps time at O(n q log q) and memory at O(n q), whatever the number of
    relevant labels.
    """
    Y, scores = check_scores(Y, scores)
    n, q = Y.shape
    order = scores.argsort(axis=1)
    ascending = np.take_along_axis(scores, order, axis=1)
    opens_tie = np.ones((n, q), dtype=bool)  # first place of a run of equal scores
    np.not_equal(ascending[:, 1:], ascending[:, :-1], out=opens_tie[:, 1:])

    # From here on a place is an index into the n * q sorted scores, row after row:
    # what is ranked at or above a label is the rest of its row from `tie` on.
    ties = np.flatnonzero(opens_tie)
    place = np.flatnonzero(np.take_along_axis(Y, order, axis=1))
    tie = ties[np.searchsorted(ties, place, side="right") - 1]
    sample = place // q
    n_relevant = np.bincount(sample, minlength=n)
    relevant_to_row_end = n_relevant.cumsum()[sample]
    return Ranks(
        n_labels=q,
        n_relevant=n_relevant,
        sample=sample,
        rank=(sample + 1) * q - tie,
        relevant=relevant_to_row_end - np.searchsorted(place, tie),
    )


def ranking_loss_of(ranks: Ranks) -> float:
    """The ranking loss, from ranks already computed."""
    above = ranks.rank - ranks.relevant  # irrelevant labels at or above this one
    irrelevant = ranks.n_labels - ranks.n_relevant
    covered = _has_pairs(ranks.n_relevant, ranks.n_labels)
    return mean(ranks.sample_means(above) / irrelevant[covered])


def average_precision_of(ranks: Ranks) -> float:
    """The average precision, from ranks already computed."""
    return mean(ranks.sample_means(ranks.relevant / ranks.rank))


def check_scores(Y, scores) -> tuple[np.ndarray, np.ndarray]:
    """Y as bool and scores as float64, of one shape and without nan."""
    Y, scores = check_labels("Y", Y), np.asarray(scores, dtype=np.float64)
    check_same_shape("scores", scores, Y)
    if np.isnan(scores).any():
        row, column = np.argwhere(np.isnan(scores))[0]
        raise ValueError(f"scores must be numbers, got nan at [{row}, {column}]")
    return Y, scores


def _has_pairs(n_relevant, n_labels):
    """Whether a sample has both a relevant and an irrelevant label."""
    return (n_relevant > 0) & (n_relevant < n_labels)
