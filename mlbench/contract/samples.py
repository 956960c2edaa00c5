"""Small data to ask questions with: word counts, and what can be odd in them."""

from dataclasses import dataclass, replace

import numpy as np

from mlbench.data.synthetic import yahoo_like
from mlbench.reducers.linalg import dense

TRAIN, NEW, FEATURES, LABELS = 40, 10, 10, 4
SEED = 1  # every label has samples and every feature varies


@dataclass(frozen=True)
class Samples:
    """Features X (n, d) and labels Y (n, q) to learn from, and features of others."""

    X: np.ndarray
    Y: np.ndarray
    new: np.ndarray


def plain(cardinality: float = 1.6) -> Samples:
    """Word counts with ``cardinality`` labels a sample; 1 is exactly one each."""
    corpus = yahoo_like(
        TRAIN + NEW, FEATURES, LABELS, seed=SEED, cardinality=cardinality
    )
    X = dense(corpus.X)
    return Samples(X[:TRAIN], corpus.Y[:TRAIN], X[TRAIN:])


def one_label(samples: Samples) -> Samples:
    """Only the first label."""
    return replace(samples, Y=_as_before(samples.Y[:, :1], samples))


def a_label_nobody_has(samples: Samples) -> Samples:
    """The last label taken from everybody."""
    Y = samples.Y.copy()
    Y[:, -1] = 0
    return replace(samples, Y=_as_before(Y, samples))


def a_constant_feature(samples: Samples) -> Samples:
    """The third feature the same for everybody."""
    X, new = samples.X.copy(), samples.new.copy()
    X[:, 2] = new[:, 2] = 1
    return replace(samples, X=X, new=new)


def a_sample_without_features(samples: Samples) -> Samples:
    """The first sample of either part all zeros."""
    X, new = samples.X.copy(), samples.new.copy()
    X[0] = new[0] = 0
    return replace(samples, X=X, new=new)


def features_below_zero(samples: Samples) -> Samples:
    """Features less the middle of what they can be."""
    middle = samples.X.max(axis=0) / 2
    return replace(samples, X=samples.X - middle, new=samples.new - middle)


def _as_before(Y: np.ndarray, samples: Samples) -> np.ndarray:
    """Where everybody had one class each, those who lost theirs get the first."""
    Y = Y.copy()
    if (samples.Y.sum(axis=1) == 1).all():
        Y[Y.sum(axis=1) == 0, 0] = 1
    return Y
