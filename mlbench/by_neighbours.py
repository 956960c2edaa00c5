"""One method on one split, for classifiers that need neighbours only.

A sweep over dimensions is as cheap as the method allows: the neighbours of a nested
reduction are found incrementally, and those for the largest k serve every smaller one.
"""

from collections.abc import Iterator
from time import perf_counter
from typing import Any

from sklearn.base import BaseEstimator, clone

from mlbench.dims import Dim
from mlbench.metrics.evaluate import evaluate
from mlbench.neighbours import nearest, nested_nearest
from mlbench.pipeline import Arrays, Outcome, columns_for, reductions


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
        wanted.setdefault(columns_for(wish, reducer, data), []).append(wish)
    models = [
        clone(classifier).set_params(**({vary: value} if vary else {}))
        for value in values
    ]
    k = max(model.k for model in models)
    for reduced, neighbours, searching in _searches(data, reducer, sorted(wanted), k):
        for value, model in zip(values, models, strict=True):
            start = perf_counter()
            labels, scores = _classify(model, neighbours, data)
            seconds = searching + perf_counter() - start
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


def _searches(data: Arrays, reducer, dims: list[int], k: int):
    """Each reduction, the neighbours of training and test samples in it, seconds."""
    if len(dims) > 1 and getattr(reducer, "nested", False):
        whole = list(reductions(data, reducer, dims))
        widest = whole[-1]
        start = perf_counter()
        found = nested_nearest(widest.train, widest.test, dims, k)
        share = (perf_counter() - start) / len(dims)  # one search serves them all
        for reduced, neighbours in zip(whole, found, strict=True):
            yield reduced, neighbours, share
        return
    for reduced in reductions(data, reducer, dims):
        start = perf_counter()
        neighbours = (
            nearest(reduced.train, k),
            nearest(reduced.train, k, query=reduced.test),
        )
        yield reduced, neighbours, perf_counter() - start


def _classify(model, neighbours, data: Arrays):
    """Labels and scores of the test samples."""
    of_train, of_test = neighbours
    model.fit_neighbours(of_train, data.Y_train)
    scores = model.score_neighbours(of_test)
    return model.labels_from(scores), scores
