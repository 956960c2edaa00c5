"""Simulated data: features of 0 and 1, of which a few or none decide the class."""

from typing import NamedTuple

import numpy as np

from mlbench.data.dataset import Dataset

COLUMNS = 1000  # drawn at a time: what is drawn stays small beside what is returned
TRIPLE = 3  # features whose sum is the class


class Simulated(NamedTuple):
    """Features, classes, and where the truth is.

    ``X`` is (n, d) float64 of 0/1; ``Y`` is (n, q) uint8 with a single 1 in each row;
    ``relevant`` holds the indices of the features that decide the class.
    """

    X: np.ndarray
    Y: np.ndarray
    relevant: np.ndarray


def chance(n=800, d=1000, *, seed=0) -> Simulated:
    """Two classes that no feature has to do with: the paper's first experiment.

    Every feature is 1 in half of the samples, drawn without replacement. The first half
    of the samples is the first class, the rest the second. What a feature tells about
    the class it tells by chance.

    Parameters
    ----------
    n, d : int
        Numbers of samples, which must be even, and of features. The paper: 800 x 1000.
    seed : int
        Of everything random.

    References
    ----------
    Y.-H. Huang and C.-N. Hsu. An efficient high dimensional supervised feature
    selection method based on non-negative matrix factorization.

    Examples
    --------
    >>> data = chance(n=4, d=3)
    >>> data.X.sum(axis=0), data.relevant
    (array([2., 2., 2.]), array([], dtype=int64))
    >>> data.Y
    array([[1, 0],
           [1, 0],
           [0, 1],
           [0, 1]], dtype=uint8)
    """
    _check(n, d, 1)
    classes = np.arange(n) // (n // 2)
    return Simulated(
        fair_coins(n, d, seed), one_hot(classes, 2), np.array([], dtype=np.int64)
    )


def planted(n=800, d=100_000, *, seed=0) -> Simulated:
    """Six features that decide among four classes: the paper's second experiment.

    Features are as in :func:`chance`, but the first three come twice: features 0..2 and
    3..5 are the same. The class of a sample is the sum of its first three features.

    At the default size X alone is 640 MB, and nothing near as large is made beside it.

    Parameters
    ----------
    n, d : int
        Numbers of samples, which must be even, and of features, at least 6. The paper:
        800 x 100,000.
    seed : int
        Of everything random.

    References
    ----------
    Y.-H. Huang and C.-N. Hsu. An efficient high dimensional supervised feature
    selection method based on non-negative matrix factorization.

    Examples
    --------
    >>> data = planted(n=6, d=8, seed=1)
    >>> data.X[:, data.relevant].astype(int)
    array([[0, 1, 1, 0, 1, 1],
           [1, 0, 0, 1, 0, 0],
           [1, 0, 0, 1, 0, 0],
           [1, 0, 1, 1, 0, 1],
           [0, 1, 1, 0, 1, 1],
           [0, 1, 0, 0, 1, 0]])
    >>> data.Y.argmax(axis=1)
    array([2, 1, 1, 2, 2, 1])
    """
    _check(n, d, 2 * TRIPLE)
    X = fair_coins(n, d, seed)
    X[:, TRIPLE : 2 * TRIPLE] = X[:, :TRIPLE]
    classes = X[:, :TRIPLE].sum(axis=1).astype(np.int64)
    return Simulated(X, one_hot(classes, TRIPLE + 1), np.arange(2 * TRIPLE))


def chance_set(n=800, d=1000, *, seed=0, name="chance") -> Dataset:
    """:func:`chance` as a data set with names."""
    return _named(chance(n, d, seed=seed), name)


def planted_set(n=800, d=100_000, *, seed=0, name="planted") -> Dataset:
    """:func:`planted` as a data set with names."""
    return _named(planted(n, d, seed=seed), name)


def _named(data: Simulated, name: str) -> Dataset:
    return Dataset(
        name=name,
        X=data.X,
        Y=data.Y,
        feature_names=tuple(f"x{j + 1}" for j in range(data.X.shape[1])),
        label_names=tuple(f"class {k}" for k in range(data.Y.shape[1])),
    )


def fair_coins(n, d, seed):
    """Columns (n, d) of as many ones as zeros, each in an order of its own.

    A feature depends on the seed and on those before it, not on how many follow.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    half = np.repeat(np.array([1, 0], dtype=np.uint8), n // 2)
    X = np.empty((n, d))
    for first in range(0, d, COLUMNS):
        block = X[:, first : first + COLUMNS]
        block[:] = rng.permuted(np.tile(half, (block.shape[1], 1)), axis=1).T
    return X


def one_hot(classes, q):
    """Classes 0..q-1 as the rows of a (n, q) matrix with a single 1 in each."""
    return np.eye(q, dtype=np.uint8)[classes]


def _check(n, d, fewest) -> None:
    if not isinstance(n, int | np.integer) or n < 2 or n % 2:
        raise ValueError(f"n must be an even number of at least 2, got {n!r}")
    if not isinstance(d, int | np.integer) or d < fewest:
        raise ValueError(f"d must be a whole number of at least {fewest}, got {d!r}")
