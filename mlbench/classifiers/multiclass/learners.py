"""Two-class base learners (the SVM here), and their training, each dichotomy once.

A learner is a value: what it is called with determines what it learns. ``Trainings``
keeps what one learner was trained for on one training set, so that codes, lengths,
decoders and methods that use the same dichotomy share it; ``trainings_of`` finds the
trainings of an earlier fit in this process by the content of its training set.
"""

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Any, Protocol

import numpy as np
from scipy.sparse import issparse
from sklearn.svm import SVC, LinearSVC

from mlbench.reducers.base import check_above, check_choice
from mlbench.reducers.linalg import dense

KERNELS = ("linear", "rbf")
# Steps of the SVM's Newton solver: data that is not scaled takes more than the 1,000
# it stops at otherwise.
MAX_ITER = 10_000
# What the memo may hold; past it, the trainings used least recently are dropped.
MEMO_BYTES = 2**28


class Decider(Protocol):
    """A trained learner: a number a sample, above 0 for the +1 side."""

    @property
    def squared_norm(self) -> float:
        """Of w, in the space of the kernel."""

    @property
    def nbytes(self) -> int:
        """What it occupies."""

    def values(self, X):
        """f(x) for every row of X."""


class Trainer(Protocol):
    """A learner in front of a training set."""

    def train(self, column) -> Decider:
        """Learn the dichotomy: the side -1, 0 or +1 of every class."""


class Learner(Protocol):
    """Settings of a base learner; equal settings, equal learner."""

    def trainer(self, X, classes) -> Trainer:
        """Ready to be trained on samples X of these classes."""

    def __hash__(self) -> int: ...


@dataclass(frozen=True, eq=False)
class Linear:
    """f(x) = w'x + b."""

    w: np.ndarray
    b: float

    @property
    def squared_norm(self) -> float:
        return float(self.w @ self.w)

    @property
    def nbytes(self) -> int:
        return self.w.nbytes

    def values(self, X):
        return X @ self.w + self.b


@dataclass(frozen=True, eq=False)
class Kernel:
    """f(x) = sum_i a_i y_i K(x_i, x) + b over the support vectors."""

    svc: SVC
    squared_norm: float

    @property
    def nbytes(self) -> int:
        vectors = self.svc.support_vectors_
        return vectors.data.nbytes + self.svc.support_.nbytes

    def values(self, X):
        return self.svc.decision_function(X)


def decisions(deciders: list[Any], X) -> np.ndarray:
    """f(x) of every decider (columns) for every row of X."""
    if all(isinstance(decider, Linear) for decider in deciders):
        W = np.array([decider.w for decider in deciders])
        return X @ W.T + np.array([decider.b for decider in deciders])
    return np.column_stack([decider.values(X) for decider in deciders])


@dataclass(frozen=True)
class SVM:
    """Support vector machine of scikit-learn: LinearSVC's primal solver, or SVC.

    The linear one minimizes the squared hinge loss, and is many times faster than
    SVC; with the rbf kernel the loss is the hinge loss.
    """

    C: float = 1.0
    kernel: str = "linear"
    gamma: float | str = "scale"

    def __post_init__(self):
        check_above("C", self.C, 0)
        check_choice("kernel", self.kernel, KERNELS)
        if self.gamma not in ("scale", "auto"):
            check_above("gamma", self.gamma, 0)

    def trainer(self, X, classes):
        return _SVMTrainer(self, X, classes)


class _SVMTrainer:
    def __init__(self, learner: SVM, X, classes):
        self.learner, self.X, self.classes = learner, X, classes

    def train(self, column):
        sides = np.asarray(column)[self.classes]
        used = np.flatnonzero(sides)
        whole = len(used) == len(sides)
        X = self.X if whole else self.X[used]
        if self.learner.kernel == "rbf":
            return self._kernel(X, sides[used])
        svm = LinearSVC(C=self.learner.C, dual=False, max_iter=MAX_ITER)
        svm.fit(X, sides[used])
        return Linear(svm.coef_[0], float(svm.intercept_[0]))

    def _kernel(self, X, sides):
        svc = SVC(C=self.learner.C, kernel="rbf", gamma=self.learner.gamma)
        svc.fit(X, sides)
        weights = dense(svc.dual_coef_)[0]
        of_vectors = svc.decision_function(svc.support_vectors_) - svc.intercept_[0]
        return Kernel(svc, float(weights @ of_vectors))


@dataclass(frozen=True, eq=False)
class Trained:
    """A decider, and its values for the training samples, left-out classes too."""

    decider: Any
    values: np.ndarray


class Trainings:
    """What a learner was trained for on one training set.

    The training set itself is not kept: whoever asks brings it along.
    """

    def __init__(self, learner: Learner):
        self.learner = learner
        self._by_column: dict[bytes, Trained] = {}

    def __len__(self) -> int:
        return len(self._by_column)

    @property
    def nbytes(self) -> int:
        """What the trained learners and their values occupy."""
        return sum(
            trained.decider.nbytes + trained.values.nbytes
            for trained in list(self._by_column.values())
        )

    def of(self, X, classes, code) -> list[Trained]:
        """The trained learner of every column of the code, trained if it is not yet.

        One at a time, whatever else is asked for: a learner is the same to the last
        bit in every code.
        """
        columns = np.ascontiguousarray(np.asarray(code, dtype=np.int8).T)
        keys = [column.tobytes() for column in columns]
        missing = [
            (key, column)
            for key, column in zip(keys, columns, strict=True)
            if key not in self._by_column
        ]
        if missing:
            trainer = self.learner.trainer(X, classes)
            for key, column in missing:
                decider = trainer.train(column)
                self._by_column[key] = Trained(decider, decider.values(X))
        return [self._by_column[key] for key in keys]


_memo: OrderedDict[tuple[str, Learner], Trainings] = OrderedDict()
_memo_lock = Lock()


def trainings_of(X, classes, learner: Learner) -> Trainings:
    """The trainings of this learner on this training set, new or kept from before."""
    key = (_checksum(X, classes), learner)
    with _memo_lock:
        found = _memo.setdefault(key, Trainings(learner))
        _memo.move_to_end(key)
        while len(_memo) > 1 and sum(t.nbytes for t in _memo.values()) > MEMO_BYTES:
            _memo.popitem(last=False)
    return found


def forget_trainings() -> None:
    """Drop what is kept of earlier fits."""
    with _memo_lock:
        _memo.clear()


def _checksum(X, classes) -> str:
    """Of the content of a training set; dense and sparse ones differ."""
    parts = (X.data, X.indices, X.indptr) if issparse(X) else (X,)
    total = hashlib.blake2b(f"{X.shape} {len(parts)}".encode())
    for part in (*parts, classes):
        total.update(f" {part.dtype} ".encode())
        total.update(np.ascontiguousarray(part).data)
    return total.hexdigest()
