"""ECOC: a code of dichotomies, and the class that best explains their outcomes."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from mlbench.classifiers.multiclass.base import MulticlassClassifier
from mlbench.classifiers.multiclass.codes import CODES, coding_matrix
from mlbench.classifiers.multiclass.decoders import DECODERS, decoder
from mlbench.classifiers.multiclass.groups import (
    check_max_group,
    correlated_groups,
    outcome_correlation,
)
from mlbench.classifiers.multiclass.lda import LDA
from mlbench.classifiers.multiclass.learners import SVM, Trained, decisions
from mlbench.classifiers.multiclass.proposals import confusions, proposals
from mlbench.classifiers.multiclass.pruning import check_keep, kept_number, prune
from mlbench.reducers.base import check_above, check_choice

LEARNERS = ("lda", "svm")


class ECOC(MulticlassClassifier):
    r"""Error-correcting output codes, decoded by groups of correlated learners.

    A code says which classes each of the base learners tells apart. Given the
    outcomes :math:`O_T` of the learners T for a sample, the class is

    - ``hamming``: the one whose row of the code is nearest;
    - ``independent``: :math:`\arg\max_j P(y = l_j) \prod_{t \in T} P(O_t \mid y =
      l_j)`, the learners taken as independent given the class;
    - ``conditional``: :math:`\arg\max_j P(y = l_j) \prod_{c \in C} P(O_c \mid y =
      l_j)` (5.3), only groups c of correlated learners taken as independent, with a
      table of conditional probabilities for the joint outcome of each group.

    =======  ==============================================================
    paper    here
    =======  ==============================================================
    T        the columns of ``code_``, their learners ``deciders_``
    O_T      whether each learner's f(x) is above 0
    l_i, Nc  the classes that have training samples, and their number K
    A        :func:`~mlbench.classifiers.multiclass.groups.outcome_correlation`
    C, c_i   ``groups_``
    CPT      ``decoder_.tables``
    =======  ==============================================================

    All probabilities, and the correlations that make the groups, are estimated on
    the outcomes for the training samples, as the paper says; P(y) is the share of the
    class in them. The text refers for A and for the clustering to sections that it
    does not contain. Ours: the absolute correlation of the outcomes, and
    agglomeration by its mean.

    Parameters
    ----------
    code : {"random", "one-against-one", "one-against-all"}
        Of one-against-one only the two classes of a pair train its learner.
    n_learners : int or None
        Columns of the code; with the same seed a shorter code is the beginning of a
        longer one. None: all pairs, all classes, or 10 log2(K) random ones (ours).
    learner : {"lda", "svm"}
        Base learner.
    decoder : {"hamming", "independent", "conditional"}
    smoothing : float
        Added to every count of a table. Ours: 1, Laplace's.
    max_group : int
        Most learners of a group. Ours.
    keep : float, int or None
        Share or number of learners kept after the least useful of their groups are
        eliminated; None keeps all.
    rounds : int
        How often the eliminated learners are replaced by new ones, as many as went
        or as far as new dichotomies are found. It ends sooner when a round does not
        lower the number of training errors (ours), and then leaves the code as
        before that round. 0: eliminated learners are not replaced.
    ridge : float
        Of the LDA learners, times the mean variance of a feature. Ours.
    C, kernel, gamma
        Of the SVM learners, see ``OneAgainstAll``.
    random_state : int, RandomState instance or None
        Seed of the code.

    Attributes
    ----------
    code_ : ndarray of shape (K, m)
        The code in use, after elimination and replacement.
    groups_ : list of list of int
        Its columns in groups; each alone where nothing depends on the groups.
    rounds_ : int
        Replacements that lowered the training errors.

    References
    ----------
    Gamit Dipali. Classification using multiplicative update rules in non-negative
    matrix factorization. Section V.

    Examples
    --------
    >>> X = [[0.0], [0.2], [4.0], [4.2], [9.0], [9.2]]
    >>> Y = [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]]
    >>> model = ECOC("one-against-one", decoder="conditional").fit(X, Y)
    >>> model.predict([[0.1], [4.1], [10.0]])
    array([[1, 0, 0],
           [0, 1, 0],
           [0, 0, 1]], dtype=uint8)
    """

    def __init__(
        self,
        code="random",
        n_learners=None,
        *,
        learner="lda",
        decoder="hamming",
        smoothing=1.0,
        max_group=4,
        keep=None,
        rounds=0,
        ridge=1e-6,
        C=1.0,
        kernel="linear",
        gamma="scale",
        random_state=0,
    ):
        self.code = code
        self.n_learners = n_learners
        self.learner = learner
        self.decoder = decoder
        self.smoothing = smoothing
        self.max_group = max_group
        self.keep = keep
        self.rounds = rounds
        self.ridge = ridge
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.random_state = random_state

    def _learner(self):
        check_choice("code", self.code, tuple(CODES))
        check_choice("learner", self.learner, LEARNERS)
        check_choice("decoder", self.decoder, DECODERS)
        check_above("smoothing", self.smoothing, 0)
        check_max_group(self.max_group)
        check_keep(self.keep)
        self._check_rounds()
        if self.learner == "lda":
            return LDA(self.ridge)
        return SVM(self.C, self.kernel, self.gamma)

    def _check_rounds(self) -> None:
        if not isinstance(self.rounds, Integral) or self.rounds < 0:
            raise ValueError(
                f"rounds must be a whole number from 0 on, got {self.rounds!r}"
            )
        if self.rounds and self.keep is None:
            raise ValueError(
                f"keep must be a share or a number of learners when eliminated ones "
                f"are replaced (rounds={self.rounds}), got None"
            )

    def _learn(self, X, classes, trainings):
        def machine(code) -> _Machine:
            return self._machine(code, trainings.of(X, classes, code), classes)

        n_classes = len(self.present_)
        code = coding_matrix(self.code, n_classes, self.n_learners, self.random_state)
        now = machine(code)
        self.rounds_ = 0
        if not self.rounds:
            now = self._pruned(now, classes)
        while self.rounds_ < self.rounds:
            new = machine(self._replaced(now, classes))
            if new.errors(classes) >= now.errors(classes):
                break
            now = new
            self.rounds_ += 1
        self.code_, self.groups_, self.decoder_ = now.code, now.groups, now.decoder
        self.deciders_ = [each.decider for each in now.trained]

    def _machine(self, code, trained, classes, groups=None) -> "_Machine":
        outcomes = np.column_stack([each.values > 0 for each in trained])
        if groups is None:
            groups = self._groups(outcomes)
        learnt = decoder(self.decoder, code, outcomes, classes, groups, self.smoothing)
        return _Machine(code, trained, outcomes, groups, learnt)

    def _groups(self, outcomes) -> list[list[int]]:
        if self.decoder != "conditional" and self.keep is None:
            return [[learner] for learner in range(outcomes.shape[1])]
        return correlated_groups(outcome_correlation(outcomes), self.max_group)

    def _pruned(self, machine: "_Machine", classes) -> "_Machine":
        """The same without the least useful learners."""
        number = kept_number(self.keep, len(machine.trained))
        if number == len(machine.trained):
            return machine
        groups = prune(machine.groups, machine.outcomes, classes, number)
        kept = sorted(learner for group in groups for learner in group)
        place = {learner: at for at, learner in enumerate(kept)}
        return self._machine(
            machine.code[:, kept],
            [machine.trained[learner] for learner in kept],
            classes,
            [[place[learner] for learner in group] for group in groups],
        )

    def _replaced(self, machine: "_Machine", classes):
        """A code with new columns for the least useful learners, as far as there are.

        The confusions are those of the learners that stay.
        """
        rest = self._pruned(machine, classes)
        confused = confusions(classes, rest.predicted(), len(rest.code))
        missing = len(machine.trained) - len(rest.trained)
        new = proposals(confused, machine.code, missing)
        return np.column_stack([rest.code, new])

    def _score_present(self, X):
        return self.decoder_.scores(decisions(self.deciders_, X) > 0)


@dataclass(frozen=True, eq=False)
class _Machine:
    """A code with all that was learnt for it, before it is settled."""

    code: np.ndarray
    trained: list[Trained]
    outcomes: np.ndarray
    groups: list[list[int]]
    decoder: Any

    def predicted(self):
        return self.decoder.scores(self.outcomes).argmax(axis=1)

    def errors(self, classes) -> int:
        return int((self.predicted() != classes).sum())
