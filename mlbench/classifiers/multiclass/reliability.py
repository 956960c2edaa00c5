"""SRM and DRM: one against all, each decision weighted by how reliable it is."""

from abc import abstractmethod

import numpy as np

from mlbench.classifiers.multiclass.learners import decisions
from mlbench.classifiers.multiclass.oaa import OneAgainstAll
from mlbench.neighbours import nearest
from mlbench.reducers.base import check_count


def hinge(sides, values):
    """:math:`(1 - y_i f(x_i))^+`, the loss of equation 3.1."""
    return np.maximum(0.0, 1.0 - sides * values)


def soft_decision(values):
    r"""Equation 3.6: :math:`\operatorname{sign}(f)(1 - \exp(-|f|))`, in [-1, 1].

    The bars are lost in print; without them the value is unbounded below.

    >>> soft_decision(np.array([-1.0, 0.0, 1.0])).round(3)
    array([-0.632,  0.   ,  0.632])
    """
    return -np.sign(values) * np.expm1(-abs(values))


def static_reliability(squared_norms, losses, C: float):
    r"""Equation 3.2 with :math:`\sigma = CN`, for the losses (N, M) of M learners."""
    return np.exp(-(squared_norms / (2 * C * len(losses)) + losses.mean(axis=0)))


class ReliableOneAgainstAll(OneAgainstAll):
    """The class whose weighted soft decision (3.6, 3.7) is the largest."""

    def _score_present(self, X):
        values = decisions(self.deciders_, X)
        return soft_decision(values) * self._reliability(X, values)

    @abstractmethod
    def _reliability(self, X, values):
        """Lambda of every learner, for every sample or for all, given f (n, M)."""


class SRMSVM(ReliableOneAgainstAll):
    r"""One-against-all support vector machines with static reliability.

    Learner l has the reliability :math:`\lambda_l = \exp(-(\tfrac12 \|w\|^2 + C
    \sum_i (1 - y_i f(x_i))^+) / (C N))` (3.2); the class is :math:`\arg\max_l
    \lambda_l \operatorname{sign}(f_l)(1 - \exp(-|f_l|))` (3.6, 3.7).

    ============  ==========================================================
    paper         here
    ============  ==========================================================
    C, N          ``C``, the number of training samples
    y_i, f(x_i)   +1 for the samples of class l, -1 for all others; w'x_i + b
    lambda_SRM    ``reliability_``
    sigma         C N
    ============  ==========================================================

    The paper's text divides the soft decision by its reliability where it says that
    it weights it; here it is multiplied, as a weight is. That the loss is cut at 0
    is said next to equation 3.1, not in it.

    Parameters
    ----------
    C : float
        Weight of the training errors, in training and in the reliability.
    kernel : {"linear", "rbf"}
        Linear is scikit-learn's LinearSVC, trained with the squared hinge loss
        (ours); the reliability is by the hinge loss all the same. Rbf is its SVC.
    gamma : float, "scale" or "auto"
        Of the rbf kernel.

    Attributes
    ----------
    reliability_ : ndarray of shape (M,)

    References
    ----------
    Gamit Dipali. Classification using multiplicative update rules in non-negative
    matrix factorization. Sections III.A and III.C.

    Examples
    --------
    >>> X = [[0.0], [0.2], [4.0], [4.2], [9.0], [9.2]]
    >>> Y = [[1, 0], [1, 0], [1, 0], [1, 0], [0, 1], [0, 1]]
    >>> SRMSVM().fit(X, Y).predict([[0.1], [10.0]])
    array([[1, 0],
           [0, 1]], dtype=uint8)
    """

    def _judge(self, X, sides, values):
        squared_norms = np.array([each.squared_norm for each in self.deciders_])
        losses = hinge(sides, values)
        self.reliability_ = static_reliability(squared_norms, losses, self.C)

    def _reliability(self, X, values):
        return self.reliability_


class DRMSVM(ReliableOneAgainstAll):
    r"""One-against-all support vector machines with dynamic reliability.

    As ``SRMSVM``, but the loss is that around the sample: learner l has
    :math:`\lambda_l(x) = \exp(-(\|w\|^2 / (2CN) + \sum_i (1 - y_i f(x_i))^+ / k_x))`
    (3.5), the sum over the :math:`k_x` of the k nearest training samples that it puts
    on the same side as x.

    ==============  ========================================================
    paper           here
    ==============  ========================================================
    k               ``k``
    C(x)            +1 if f(x) > 0, else -1
    lambda_DRM(x)   what the soft decision of x is multiplied by
    ==============  ========================================================

    Parameters
    ----------
    C : float
        Weight of the training errors, in training and in the reliability.
    k : int
        Neighbours. Ours: 10, the paper gives no number. Where none of them is put on
        the side of x (:math:`k_x = 0`) the loss is the mean over all training
        samples, as in SRM (ours).
    kernel : {"linear", "rbf"}
        Linear is scikit-learn's LinearSVC, trained with the squared hinge loss
        (ours); rbf is its SVC.
    gamma : float, "scale" or "auto"
        Of the rbf kernel.

    Attributes
    ----------
    losses_ : ndarray of shape (N, M)
        Hinge losses of the training samples.
    positive_ : ndarray of shape (N, M)
        Whether a training sample is put on the +1 side.

    References
    ----------
    Gamit Dipali. Classification using multiplicative update rules in non-negative
    matrix factorization. Sections III.B and III.C.

    Examples
    --------
    >>> X = [[0.0], [0.2], [4.0], [4.2], [9.0], [9.2]]
    >>> Y = [[1, 0], [1, 0], [1, 0], [1, 0], [0, 1], [0, 1]]
    >>> DRMSVM(k=2).fit(X, Y).predict([[0.1], [10.0]])
    array([[1, 0],
           [0, 1]], dtype=uint8)
    """

    def __init__(self, C=1.0, *, k=10, kernel="linear", gamma="scale"):
        super().__init__(C, kernel=kernel, gamma=gamma)
        self.k = k

    def _fit(self, X, Y, held=None):
        check_count("k", self.k)
        if self.k > len(Y):
            raise ValueError(
                f"k must be in 1..{len(Y)} (the training samples), got {self.k}"
            )
        super()._fit(X, Y, held)

    def _judge(self, X, sides, values):
        squared_norms = np.array([each.squared_norm for each in self.deciders_])
        self.norm_terms_ = squared_norms / (2 * self.C * len(sides))
        self.losses_ = hinge(sides, values)
        self.positive_ = values > 0
        self.X_train_ = X

    def _reliability(self, X, values):
        positive = values > 0
        total = np.zeros(values.shape)
        count = np.zeros(values.shape)
        # k passes over (n, M), never (n, k, M) at once
        for column in nearest(self.X_train_, self.k, query=X).T:
            same = self.positive_[column] == positive
            total += self.losses_[column] * same
            count += same
        everywhere = self.losses_.mean(axis=0)
        loss = np.where(count > 0, total / np.maximum(count, 1), everywhere)
        return np.exp(-(self.norm_terms_ + loss))
