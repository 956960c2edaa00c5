"""Which samples are for training and which for testing, the same on any machine.

A split follows from the data set's name, the repeat and the base seed, and from
nothing else: every method sees the same samples, whatever runs before it or beside it.
"""

import hashlib
import json
from dataclasses import dataclass

import numpy as np

from mlbench.errors import unknown

# Settings a kind of split needs, and those it may have besides.
NEEDS = {"file": (), "random": ("train",), "kfold": ("folds",)}
TAKES = {"file": (), "random": ("train", "test"), "kfold": ("folds",)}


@dataclass(frozen=True, eq=False)  # arrays have no single truth value to compare by
class Split:
    """Row numbers of the training and of the test samples, ascending, disjoint."""

    train: np.ndarray
    test: np.ndarray


@dataclass(frozen=True)
class SplitSpec:
    """How to divide a data set: its own way, at random, or into folds.

    Parameters
    ----------
    kind : {"file", "random", "kfold"}
        The split the data set comes with; samples drawn at random; or each of
        ``folds`` random parts once for testing and the others for training.
    train, test : int, float or None
        Sizes of a random split: a number of samples, or a fraction in (0, 1) of
        them. Without ``test``, all samples not drawn for training.
    folds : int or None
        Number of parts of a k-fold split.
    repeats : int
        How often to divide anew.
    """

    kind: str
    train: int | float | None = None
    test: int | float | None = None
    folds: int | None = None
    repeats: int = 1

    def __post_init__(self):
        if self.kind not in NEEDS:
            raise ValueError(unknown("kind of split", self.kind, NEEDS))
        for field in ("train", "test", "folds"):
            given = getattr(self, field) is not None
            if given and field not in TAKES[self.kind]:
                raise ValueError(f"a {self.kind} split has no {field!r}")
            if not given and field in NEEDS[self.kind]:
                raise ValueError(f"a {self.kind} split needs {field!r}")
        if self.repeats < 1:
            raise ValueError(f"repeats must be at least 1, got {self.repeats}")
        if self.kind == "file" and self.repeats > 1:
            raise ValueError(
                f"a file split is one split, repeats must be 1, got {self.repeats}"
            )


def splits(
    spec: SplitSpec, name: str, n: int, n_train: int | None, base_seed: int
) -> list[Split]:
    """All splits of the n samples of a data set, one repeat after the other.

    ``n_train`` is the number of training samples, which come first, in the data
    set's own split; None when it has none.
    """
    found = []
    for repeat in range(spec.repeats):
        seed = stable_seed("split", name, repeat, base_seed)
        try:
            found += _one_repeat(spec, n, n_train, seed)
        except ValueError as exc:
            raise ValueError(f"{name}: {exc}") from exc
    return found


def _one_repeat(spec: SplitSpec, n: int, n_train: int | None, seed: int) -> list[Split]:
    if spec.folds is not None:
        return kfold(n, spec.folds, seed)
    if spec.train is not None:
        return [random_split(n, spec.train, spec.test, seed)]
    if n_train is None:
        raise ValueError("there is no split of its own, use a random or kfold split")
    return [own_split(n_train, n)]


def own_split(n_train: int, n: int) -> Split:
    """The first ``n_train`` samples for training, the others for testing."""
    if not 1 <= n_train < n:
        raise ValueError(
            f"n_train must be in 1..{n - 1} (of {n} samples), got {n_train}"
        )
    return Split(np.arange(n_train), np.arange(n_train, n))


def random_split(
    n: int, train: int | float, test: int | float | None, seed: int
) -> Split:
    """So many samples for training and so many others for testing, at random."""
    n_train = _count("train", train, n)
    n_test = n - n_train if test is None else _count("test", test, n)
    if isinstance(train, float) and isinstance(test, float) and train + test <= 1:
        # Both may have been rounded up: two halves of 3 samples are 2 and 1.
        n_test = min(n_test, n - n_train)
    if n_test < 1 or n_train + n_test > n:
        wanted = f"{n_train} for training and {max(1, n_test)} for testing"
        raise ValueError(f"cannot draw {wanted} from {n} samples")
    order = _generator(seed).permutation(n)
    return Split(np.sort(order[:n_train]), np.sort(order[n_train : n_train + n_test]))


def _count(part: str, size: int | float, n: int) -> int:
    """A size as a number of samples: itself, or that fraction of n, rounded."""
    if isinstance(size, float) and not 0 < size < 1:
        raise ValueError(
            f"{part} must be a fraction in (0, 1) or a whole number, got {size}"
        )
    count = round(size * n) if isinstance(size, float) else size
    if count < 1:
        raise ValueError(f"{part} must be at least 1 of {n} samples, got {size}")
    return count


def kfold(n: int, folds: int, seed: int) -> list[Split]:
    """Random parts of equal size, within one, each once for testing."""
    if not 2 <= folds <= n:
        raise ValueError(
            f"folds must be in 2..{n} (the number of samples), got {folds}"
        )
    parts = np.array_split(_generator(seed).permutation(n), folds)
    everyone = np.arange(n)
    return [Split(np.setdiff1d(everyone, part), np.sort(part)) for part in parts]


def _generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def stable_seed(*parts: object) -> int:
    """A seed of 63 bits from anything JSON can write: the same on any machine.

    >>> stable_seed("split", "arts", 0, 0)
    296768150202037364
    """
    text = json.dumps(parts, sort_keys=True, allow_nan=False)
    digest = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def checksum(split: Split) -> str:
    """SHA-256 of a split: the indices as little-endian 64-bit integers.

    The number of training samples goes before them, or a sample that changes sides
    between the last of training and the first of testing would not be noticed.
    """
    numbers = np.concatenate([[len(split.train)], split.train, split.test])
    return hashlib.sha256(numbers.astype("<i8").tobytes()).hexdigest()
