"""One against all: the class whose learner is most convinced."""

import numpy as np

from mlbench.classifiers.multiclass.base import MulticlassClassifier
from mlbench.classifiers.multiclass.codes import one_against_all
from mlbench.classifiers.multiclass.learners import SVM, decisions


class OneAgainstAll(MulticlassClassifier):
    r"""One support vector machine per class, against all other classes.

    Predicts :math:`\arg\max_l f_l(x)`, the conventional rule (equation 3.8).

    ======  ===================================================
    paper   here
    ======  ===================================================
    M       the number of classes that have training samples
    f_l     column l of ``decision_function``
    C       ``C``
    K       ``kernel``, and ``gamma`` its width
    ======  ===================================================

    Parameters
    ----------
    C : float
        Weight of the training errors.
    kernel : {"linear", "rbf"}
        Linear is scikit-learn's LinearSVC, solved in the primal with the squared
        hinge loss (ours: the paper's is the hinge loss); rbf is its SVC.
    gamma : float, "scale" or "auto"
        Of the rbf kernel, :math:`\exp(-\gamma \|x_i - x_j\|^2)`. The paper prints no
        gamma, which is 1; ours: scikit-learn's, over the variance of the features.

    References
    ----------
    Gamit Dipali. Classification using multiplicative update rules in non-negative
    matrix factorization. Section III.C.

    Examples
    --------
    >>> X = [[0.0], [0.2], [4.0], [4.2], [9.0], [9.2]]
    >>> Y = [[1, 0], [1, 0], [1, 0], [1, 0], [0, 1], [0, 1]]
    >>> OneAgainstAll().fit(X, Y).predict([[0.1], [10.0]])
    array([[1, 0],
           [0, 1]], dtype=uint8)
    """

    def __init__(self, C=1.0, *, kernel="linear", gamma="scale"):
        self.C = C
        self.kernel = kernel
        self.gamma = gamma

    def _learner(self):
        return SVM(self.C, self.kernel, self.gamma)

    def _learn(self, X, classes, trainings):
        code = one_against_all(len(self.present_))
        trained = trainings.of(X, classes, code)
        self.deciders_ = [each.decider for each in trained]
        sides = code[classes]
        values = np.column_stack([each.values for each in trained])
        self._judge(X, sides, values)

    def _judge(self, X, sides, values) -> None:
        """Learn more from the sides -1 and +1 (n, M) and f (n, M) of the samples."""

    def _score_present(self, X):
        return decisions(self.deciders_, X)
