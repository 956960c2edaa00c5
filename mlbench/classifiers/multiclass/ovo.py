"""One against one: every pair of classes votes."""

import numpy as np

from mlbench.classifiers.multiclass.base import MulticlassClassifier
from mlbench.classifiers.multiclass.codes import one_against_one
from mlbench.classifiers.multiclass.learners import SVM, decisions


class OneAgainstOne(MulticlassClassifier):
    r"""One support vector machine per pair of classes; most votes win.

    Of classes with equally many votes the one with the larger sum of margins is
    taken: the score is the number of votes plus :math:`s / (3 (|s| + 1))`, s the sum
    of its margins, which is less than a third of a vote.

    Parameters
    ----------
    C : float
        Weight of the training errors.
    kernel : {"linear", "rbf"}
        Linear is scikit-learn's LinearSVC, solved in the primal; rbf is its SVC.
    gamma : float, "scale" or "auto"
        Of the rbf kernel; "scale" and "auto" are over the samples of the pair.

    References
    ----------
    Gamit Dipali. Classification using multiplicative update rules in non-negative
    matrix factorization. Section VI names it as a reference; the rule for ties is
    ours, and the usual one.

    Examples
    --------
    >>> X = [[0.0], [0.2], [4.0], [4.2], [9.0], [9.2]]
    >>> Y = [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]]
    >>> OneAgainstOne(C=10).fit(X, Y).predict([[0.1], [4.1], [10.0]])
    array([[1, 0, 0],
           [0, 1, 0],
           [0, 0, 1]], dtype=uint8)
    """

    def __init__(self, C=1.0, *, kernel="linear", gamma="scale"):
        self.C = C
        self.kernel = kernel
        self.gamma = gamma

    def _learner(self):
        return SVM(self.C, self.kernel, self.gamma)

    def _learn(self, X, classes, trainings):
        self.code_ = one_against_one(len(self.present_))
        trained = trainings.of(X, classes, self.code_)
        self.deciders_ = [each.decider for each in trained]

    def _score_present(self, X):
        values = decisions(self.deciders_, X)
        margins = values @ self.code_.T
        outcomes = np.where(values > 0, 1, -1)
        # A class takes part in M - 1 pairs: wins - losses = 2 wins - (M - 1).
        votes = (outcomes @ self.code_.T + len(self.code_) - 1) / 2
        return votes + margins / (3 * (abs(margins) + 1))
