"""From the outcomes of the base learners to a score of every class.

Outcomes are a matrix (n, m) of booleans, a column per learner: whether it puts a
sample on the +1 side.
"""

from dataclasses import dataclass

import numpy as np

DECODERS = ("hamming", "independent", "conditional")


@dataclass(frozen=True, eq=False)
class HammingDecoder:
    """Minus the Hamming distance of the outcomes to the row of the class.

    A 0 of the code is half an error, whatever the outcome (ours; the usual rule).

    >>> HammingDecoder(np.array([[1, 1], [-1, 0]])).scores(np.array([[True, False]]))
    array([[-1. , -1.5]])
    """

    code: np.ndarray

    def scores(self, outcomes):
        """Scores (n, K)."""
        agreement = np.where(outcomes, 1.0, -1.0) @ self.code.T
        return (agreement - self.code.shape[1]) / 2


@dataclass(frozen=True, eq=False)
class TableDecoder:
    r"""log P(y) + sum over groups of log P(outcomes of the group | y).

    Equation 5.3: a table of conditional probabilities for every group of learners,
    the groups taken as independent. In print it is a sum over the groups; what the
    text says is their product. With groups of one learner it is the decoder that
    takes all learners as independent.

    ``tables``: for every group the log probabilities (2 ** size, K) of its outcomes,
    read as a binary number (first learner first), given the class.
    """

    groups: list[list[int]]
    tables: list[np.ndarray]
    log_prior: np.ndarray

    def scores(self, outcomes):
        """Scores (n, K)."""
        total = np.tile(self.log_prior, (len(outcomes), 1))
        for group, table in zip(self.groups, self.tables, strict=True):
            total += table[joint_outcome(outcomes[:, group])]
        return total


def decoder(kind: str, code, outcomes, classes, groups, smoothing: float):
    """The decoder of this kind, learnt from the outcomes of the training samples."""
    if kind == "hamming":
        return HammingDecoder(code)
    if kind == "independent":
        groups = [[learner] for learner in range(code.shape[1])]
    counts = [outcome_counts(outcomes[:, group], classes) for group in groups]
    prior = np.bincount(classes) / len(classes)
    tables = [log_table(each, smoothing) for each in counts]
    return TableDecoder(groups, tables, np.log(prior))


def joint_outcome(outcomes):
    """The outcomes of a few learners as one number, the first the highest bit.

    >>> joint_outcome(np.array([[True, False], [True, True]]))
    array([2, 3])
    """
    bits = 1 << np.arange(outcomes.shape[1])[::-1]
    return outcomes @ bits


def outcome_counts(outcomes, classes):
    """How many samples of every class have every joint outcome: (2 ** size, K)."""
    size, n_classes = outcomes.shape[1], int(classes.max()) + 1
    cell = joint_outcome(outcomes) * n_classes + classes
    counts = np.bincount(cell, minlength=2**size * n_classes)
    return counts.reshape(2**size, n_classes)


def log_table(counts, smoothing: float):
    """Log of the shares of the joint outcomes in every class, each count + smoothing.

    >>> np.exp(log_table(np.array([[3, 0], [1, 0]]), 1.0)).round(3)
    array([[0.667, 0.5  ],
           [0.333, 0.5  ]])
    """
    total = counts.sum(axis=0) + smoothing * len(counts)
    return np.log((counts + smoothing) / total)
