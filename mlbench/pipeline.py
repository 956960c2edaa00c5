"""What every way through one split shares: preparing, reducing, and what came out.

What can change a number is here, in the ways themselves (:mod:`mlbench.by_neighbours`,
:mod:`mlbench.fitting` and the like) and in the modules they import; their code is part
of the key of every record made by it. A nested reducer is fitted once for all dims.
"""

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags

from mlbench.data.dataset import Dataset
from mlbench.data.preprocess import Preprocess
from mlbench.data.splits import Split
from mlbench.dims import Dim

# Imported by name and when needed: a change of MDDM's code must not void the records
# of methods whose dimension it did not choose (see mlbench.grid).
MATCHED = "mlbench.reducers.mddm"

Features = Any  # ndarray or csr_array, (n, d)


@dataclass(frozen=True)
class Arrays:
    """Training and test part of a data set, ready for a method."""

    X_train: Features
    Y_train: np.ndarray
    X_test: Features
    Y_test: np.ndarray


def prepare(dataset: Dataset, split: Split, preprocess: Preprocess) -> Arrays:
    """Select, divide and scale: what is learnt is learnt on the training part."""
    X = dataset.X[:, preprocess.select(dataset.X)]
    X_train, X_test = preprocess.fit_transform(X[split.train], X[split.test])
    return Arrays(X_train, dataset.Y[split.train], X_test, dataset.Y[split.test])


@dataclass(frozen=True)
class Outcome:
    """What one point of a sweep gave."""

    wish: Dim
    setting: Any  # of the varied classifier settings
    dim: int
    rank: int | None  # informative dimensions, for methods that know
    metrics: dict[str, float]
    seconds: dict[str, float]  # fit, transform: of the fit that serves this point
    fit_serves: int  # points that share that fit


@dataclass(frozen=True)
class Reduced:
    """The two parts after reduction to ``dim`` columns."""

    dim: int
    train: Features
    test: Features
    rank: int | None
    seconds: dict[str, float]
    serves: int


def columns_for(wish: Dim, reducer: BaseEstimator, data: Arrays) -> int:
    """How many columns a reducer is to leave."""
    n_features = data.X_train.shape[1]
    if not getattr(reducer, "reduces", True):
        return n_features
    count = wish.resolve(n_features)
    if count is not None:
        return count
    choose_dimension = importlib.import_module(MATCHED).choose_dimension
    return choose_dimension(
        data.X_train, data.Y_train, wish.threshold, of=wish.share_of
    )


def reductions(data: Arrays, reducer, dims: list[int]) -> Iterator[Reduced]:
    """The data reduced to each of ``dims``, with one fit if that is enough."""
    if getattr(reducer, "nested", False):
        whole = _reduce(data, reducer, dims[-1], serves=len(dims))
        for dim in dims:
            yield Reduced(
                dim,
                whole.train[:, :dim],
                whole.test[:, :dim],
                None if whole.rank is None else min(whole.rank, dim),
                whole.seconds,
                whole.serves,
            )
        return
    for dim in dims:
        yield _reduce(data, reducer, dim, serves=1)


def _reduce(data: Arrays, reducer, dim: int, serves: int) -> Reduced:
    model = clone(reducer)
    if getattr(reducer, "reduces", True):
        model.set_params(n_components=dim)
    X_train, X_test = (as_taken_by(model, X) for X in (data.X_train, data.X_test))
    start = perf_counter()
    model.fit(X_train, data.Y_train)
    fitted = perf_counter()
    train, test = model.transform(X_train), model.transform(X_test)
    seconds = {"fit": fitted - start, "transform": perf_counter() - fitted}
    return Reduced(dim, train, test, getattr(model, "rank_", None), seconds, serves)


def as_taken_by(model, X: Features) -> Features:
    """X as it is if the model says that it takes sparse features, else dense."""
    return X.toarray() if issparse(X) and not get_tags(model).input_tags.sparse else X
