"""One method on one split, for classifiers that learn from the features themselves.

:mod:`mlbench.by_neighbours` serves those that only need neighbours; here are all
others. A dimension drives the reducer, or, where there is none or its size is stated,
the size of the classifier's own latent space.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from mlbench.dims import Dim
from mlbench.metrics.evaluate import evaluate
from mlbench.pipeline import Arrays, Outcome, as_taken_by, columns_for, reductions

Settings = dict[str, Any]


@dataclass(frozen=True)
class Point:
    """What a model is fitted with."""

    wish: Dim
    dim: int
    width: int  # columns that the reducer leaves
    given: Settings  # of the varied settings
    settings: Settings  # all that differs from the classifier as configured

    def with_settings(self, more: Settings) -> "Point":
        """The same point with more settings, which win over those it has."""
        return replace(self, settings=self.settings | more)


@dataclass(frozen=True)
class Fitted:
    """What a fitted model says of the test samples, and what it took."""

    scores: np.ndarray
    labels: np.ndarray
    rank: int | None
    seconds: dict[str, float]
    serves: int


def sweep(
    data: Arrays,
    reducer: BaseEstimator,
    classifier: BaseEstimator,
    wishes: tuple[Dim, ...],
    size: str | None = None,
    varied: tuple[Settings, ...] = ({},),
) -> Iterator[Outcome]:
    """Every point of a sweep: each dimension wished for, each varied setting.

    ``size`` is the setting of the classifier that a dimension drives; None when it
    drives the reducer, or nothing.
    """
    where = points(data, reducer, wishes, size, varied)
    for index, fitted in fits(data, reducer, classifier, where):
        yield outcome(where[index], fitted, data.Y_test)


def points(
    data: Arrays,
    reducer: BaseEstimator,
    wishes: tuple[Dim, ...],
    size: str | None,
    varied: tuple[Settings, ...],
) -> list[Point]:
    """The points of a sweep on this data."""
    return [
        _point(data, reducer, wish, size, given) for wish in wishes for given in varied
    ]


def outcome(point: Point, fitted: Fitted, Y_test) -> Outcome:
    """What a point gave."""
    return Outcome(
        wish=point.wish,
        setting=point.given,
        dim=point.dim,
        rank=fitted.rank,
        metrics=evaluate(Y_test, fitted.labels, fitted.scores),
        seconds=fitted.seconds,
        fit_serves=fitted.serves,
    )


def _point(data: Arrays, reducer, wish: Dim, size: str | None, given) -> Point:
    """A wish on this data. Of a latent space a fraction is of the labels."""
    if size is None:
        width = columns_for(wish, reducer, data)
        return Point(wish, width, width, given, given)
    n_features, n_labels = data.X_train.shape[1], data.Y_train.shape[1]
    reduces = getattr(reducer, "reduces", True)
    width = reducer.n_components if reduces else n_features
    dim = wish.resolve(n_labels) or n_labels
    return Point(wish, dim, width, given, given | {size: dim})


def fits(
    data: Arrays, reducer, classifier, where: list[Point]
) -> Iterator[tuple[int, Fitted]]:
    """What a fitted model says, for each point, with the point's place in the list."""
    by_width: dict[int, list[int]] = {}
    for index, point in enumerate(where):
        by_width.setdefault(point.width, []).append(index)
    for reduced in reductions(data, reducer, sorted(by_width)):
        places = by_width[reduced.dim]
        settings = [where[place].settings for place in places]
        train = as_taken_by(classifier, reduced.train)
        test = as_taken_by(classifier, reduced.test)
        start = perf_counter()
        models = _models(classifier, train, data.Y_train, settings)
        for place, model in zip(places, models, strict=True):
            fitted = perf_counter()
            scores = model.decision_function(test)
            labels = _labels(model, scores, test)
            seconds = {
                "fit": reduced.seconds["fit"] + fitted - start,
                "transform": reduced.seconds["transform"],
                "predict": perf_counter() - fitted,
            }
            rank = getattr(model, "rank_", reduced.rank)
            yield place, Fitted(scores, labels, rank, seconds, reduced.serves)
            start = perf_counter()


def _models(classifier, X, Y, settings: list[Settings]) -> Iterator:
    """A fitted copy for each of the settings."""
    if hasattr(classifier, "fit_many"):
        yield from classifier.fit_many(X, Y, settings)
        return
    for changed in settings:
        yield clone(classifier).set_params(**changed).fit(X, Y)


def _labels(model, scores, X) -> np.ndarray:
    """Labels from the scores that are there already; a class of a user's predicts."""
    if hasattr(model, "labels_from"):
        return model.labels_from(scores)
    return model.predict(X)
