"""One method on one split: reduce, classify, measure. Arrays in, numbers out.

What can change a number is here and in the modules imported here; their code is
part of the key of every record. A sweep over dimensions is as cheap as the method
allows: a nested reducer is fitted once, its neighbours are found incrementally, and
neighbours for the largest k serve every smaller one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from mlbench.components import load_object
from mlbench.data.dataset import Dataset
from mlbench.data.preprocess import Preprocess
from mlbench.data.splits import Split
from mlbench.dims import Dim
from mlbench.metrics.evaluate import evaluate
from mlbench.neighbours import nearest, nested_nearest

# By name, not by import: a change of MDDM's code must not void the records of
# methods whose dimension it did not choose (see mlbench.grid).
MATCHED = "mlbench.reducers.mddm:choose_dimension"

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
    setting: Any  # value of the varied classifier setting, None without one
    dim: int
    rank: int | None  # informative dimensions, for methods that know
    metrics: dict[str, float]
    seconds: dict[str, float]  # fit, transform: of the fit that serves this point
    fit_serves: int  # points that share that fit


@dataclass(frozen=True)
class _Reduced:
    """The two parts after reduction to ``dim`` columns."""

    dim: int
    train: Features
    test: Features
    rank: int | None
    seconds: dict[str, float]
    serves: int


def sweep(
    data: Arrays,
    reducer: BaseEstimator,
    classifier: BaseEstimator,
    wishes: tuple[Dim, ...],
    vary: str | None = None,
    values: tuple[Any, ...] = (None,),
) -> Iterator[Outcome]:
    """Every point of a sweep: each dimension wished for, each value of ``vary``."""
    wanted: dict[int, list[Dim]] = {}
    for wish in wishes:
        wanted.setdefault(_count(wish, reducer, data), []).append(wish)
    classifiers = [
        clone(classifier).set_params(**({vary: value} if vary else {}))
        for value in values
    ]
    for reduced, scored in _predictions(data, reducer, classifiers, sorted(wanted)):
        for value, (labels, scores, seconds) in zip(values, scored, strict=True):
            metrics = evaluate(data.Y_test, labels, scores)
            for wish in wanted[reduced.dim]:
                yield Outcome(
                    wish=wish,
                    setting=value,
                    dim=reduced.dim,
                    rank=reduced.rank,
                    metrics=metrics,
                    seconds=reduced.seconds | {"predict": seconds},
                    fit_serves=reduced.serves,
                )


def _count(wish: Dim, reducer: BaseEstimator, data: Arrays) -> int:
    n_features = data.X_train.shape[1]
    if not getattr(reducer, "reduces", True):
        return n_features
    count = wish.resolve(n_features)
    if count is not None:
        return count
    choose_dimension = load_object(MATCHED)
    return choose_dimension(
        data.X_train, data.Y_train, wish.threshold, of=wish.share_of
    )


def _predictions(data: Arrays, reducer, classifiers, dims: list[int]):
    """Each reduction with the (labels, scores, seconds) of every classifier on it."""
    by_neighbours = getattr(classifiers[0], "uses_neighbours", False)
    if not by_neighbours:
        for reduced in _reductions(data, reducer, dims):
            yield reduced, [_classify(model, reduced, data) for model in classifiers]
        return
    k = max(model.k for model in classifiers)
    for reduced, neighbours, seconds in _neighbours(data, reducer, dims, k):
        yield (
            reduced,
            [
                _classify_by_neighbours(model, neighbours, data, seconds)
                for model in classifiers
            ],
        )


def _reductions(data: Arrays, reducer, dims: list[int]) -> Iterator[_Reduced]:
    """The data reduced to each of ``dims``, with one fit if that is enough."""
    if getattr(reducer, "nested", False):
        whole = _reduce(data, reducer, dims[-1], serves=len(dims))
        for dim in dims:
            yield _Reduced(
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


def _reduce(data: Arrays, reducer, dim: int, serves: int) -> _Reduced:
    model = clone(reducer)
    if getattr(reducer, "reduces", True):
        model.set_params(n_components=dim)
    start = perf_counter()
    model.fit(data.X_train, data.Y_train)
    fitted = perf_counter()
    train, test = model.transform(data.X_train), model.transform(data.X_test)
    seconds = {"fit": fitted - start, "transform": perf_counter() - fitted}
    return _Reduced(dim, train, test, getattr(model, "rank_", None), seconds, serves)


def _neighbours(data: Arrays, reducer, dims: list[int], k: int):
    """Each reduction with the neighbours of training and test samples in it."""
    reductions = _reductions(data, reducer, dims)
    if len(dims) > 1 and getattr(reducer, "nested", False):
        whole = list(reductions)
        widest = whole[-1]
        start = perf_counter()
        found = nested_nearest(widest.train, widest.test, dims, k)
        share = (perf_counter() - start) / len(dims)  # one search serves them all
        for reduced, neighbours in zip(whole, found, strict=True):
            yield reduced, neighbours, share
        return
    for reduced in reductions:
        start = perf_counter()
        neighbours = (
            nearest(reduced.train, k),
            nearest(reduced.train, k, query=reduced.test),
        )
        yield reduced, neighbours, perf_counter() - start


def _classify(model, reduced: _Reduced, data: Arrays):
    start = perf_counter()
    model.fit(reduced.train, data.Y_train)
    scores = model.decision_function(reduced.test)
    labels = model.predict(reduced.test)
    return labels, scores, perf_counter() - start


def _classify_by_neighbours(model, neighbours, data: Arrays, seconds: float):
    start = perf_counter()
    of_train, of_test = neighbours
    model.fit_neighbours(of_train, data.Y_train)
    scores = model.score_neighbours(of_test)
    return model.labels_from(scores), scores, seconds + perf_counter() - start
