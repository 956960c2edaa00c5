"""One method on one split, for classifiers that learn from the features themselves.

:mod:`mlbench.pipeline` serves classifiers that only need neighbours; here are all
others. A dimension drives the reducer, or, where there is none, the size of the
classifier's own latent space. Settings can be chosen by cross-validation inside the
training part; the test part is seen once, by the model that was chosen.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import KFold

from mlbench.classifiers.cuts import best_cut
from mlbench.components import load_object
from mlbench.dims import Dim
from mlbench.metrics import METRICS
from mlbench.metrics.evaluate import evaluate
from mlbench.pipeline import Arrays, Outcome, _count, _reductions

CUT = "cut"  # stands for the settings `threshold` and `top` in a grid

Settings = dict[str, Any]


@dataclass(frozen=True)
class Tuning:
    """What is chosen on the training part, from what, and how it is judged.

    ``grid`` holds the values to try for each setting. With ``cut`` among them, how
    scores become labels is chosen too, on the scores of the inner test folds: that
    takes no fit of its own.
    """

    grid: dict[str, tuple[Any, ...]]
    folds: int = 3
    by: str = "micro_f1"
    seed: int = 0

    @property
    def combinations(self) -> list[Settings]:
        """Every combination of the settings that need a fit."""
        names = [name for name in self.grid if name != CUT]
        values = product(*(self.grid[name] for name in names))
        return [dict(zip(names, chosen, strict=True)) for chosen in values]


@dataclass(frozen=True)
class TunedOutcome(Outcome):
    """What one point of a sweep gave, with what was chosen for it."""

    chosen: Settings
    reached: float | None  # by the choice, on the inner test folds


@dataclass(frozen=True)
class _Point:
    """What a model is fitted with."""

    wish: Dim
    dim: int
    width: int  # columns that the reducer leaves
    given: Settings  # of the varied settings
    settings: Settings  # all that differs from the classifier as configured

    def with_settings(self, chosen: Settings) -> "_Point":
        return replace(self, settings=self.settings | chosen)


@dataclass(frozen=True)
class _Fitted:
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
    tuning: Tuning | None = None,
) -> Iterator[TunedOutcome]:
    """Every point of a sweep: each dimension wished for, each varied setting.

    ``size`` is the setting of the classifier that a dimension drives; None when it
    drives the reducer, or nothing.
    """
    points = [
        _point(data, reducer, wish, size, given) for wish in wishes for given in varied
    ]
    choices: list[tuple[Settings, float | None]] = [({}, None)] * len(points)
    took = {}
    if tuning is not None:
        start = perf_counter()
        choices = _choose(data, reducer, classifier, points, tuning)
        took["tune"] = (perf_counter() - start) / len(points)
    chosen = [
        point.with_settings(settings)
        for point, (settings, _) in zip(points, choices, strict=True)
    ]
    for index, fitted in _fits(data, reducer, classifier, chosen):
        point, (settings, reached) = points[index], choices[index]
        yield TunedOutcome(
            wish=point.wish,
            setting=point.given,
            dim=settings.get(size or "", point.dim),
            rank=fitted.rank,
            metrics=evaluate(data.Y_test, fitted.labels, fitted.scores),
            seconds=fitted.seconds | took,
            fit_serves=fitted.serves,
            chosen=settings,
            reached=reached,
        )


def _point(data: Arrays, reducer, wish: Dim, size: str | None, given) -> _Point:
    """A wish on this data. Of a latent space a fraction is of the labels."""
    if size is None:
        width = _count(wish, reducer, data)
        return _Point(wish, width, width, given, given)
    n_features, n_labels = data.X_train.shape[1], data.Y_train.shape[1]
    reduces = getattr(reducer, "reduces", True)
    width = reducer.n_components if reduces else n_features
    dim = wish.resolve(n_labels) or n_labels
    return _Point(wish, dim, width, given, given | {size: dim})


def _choose(
    data: Arrays, reducer, classifier, points: list[_Point], tuning: Tuning
) -> list[tuple[Settings, float | None]]:
    """The best settings for each point, and what they reached, on inner folds.

    A label's score is taken from the model that has not seen the sample, for all
    samples of the training part, and the whole is judged at once.
    """
    combinations = tuning.combinations
    candidates = [
        point.with_settings(combination)
        for point in points
        for combination in combinations
    ]
    X, Y = data.X_train, data.Y_train
    scores = [np.empty(Y.shape) for _ in candidates]
    labels = [np.empty(Y.shape, dtype=np.uint8) for _ in candidates]
    folds = KFold(tuning.folds, shuffle=True, random_state=tuning.seed)
    for train, test in folds.split(Y):
        inner = Arrays(X[train], Y[train], X[test], Y[test])
        for index, fitted in _fits(inner, reducer, classifier, candidates):
            scores[index][test] = fitted.scores
            labels[index][test] = fitted.labels
    judged = [_judge(Y, *said, tuning) for said in zip(labels, scores, strict=True)]
    sign = 1 if METRICS[tuning.by].better == "higher" else -1
    best: list[tuple[Settings, float | None]] = []
    for start in range(0, len(candidates), len(combinations)):
        mine = judged[start : start + len(combinations)]
        winner = max(
            range(len(mine)), key=lambda index: mine[index][1]
        )  # first of equals
        cut, quality = mine[winner]
        best.append((combinations[winner] | cut, sign * quality))
    return best


def _judge(Y, labels, scores, tuning: Tuning) -> tuple[Settings, float]:
    """The best cut of some scores, if one is to be chosen, and how good it is."""
    metric = METRICS[tuning.by]
    function = load_object(metric.function)
    sign = 1 if metric.better == "higher" else -1
    if metric.takes == "scores":
        return {}, sign * function(Y, scores)
    if CUT not in tuning.grid:
        return {}, sign * function(Y, labels)
    return best_cut(
        scores, Y, lambda Y, labels: sign * function(Y, labels), tuning.grid[CUT]
    )


def _fits(
    data: Arrays, reducer, classifier, points: list[_Point]
) -> Iterator[tuple[int, _Fitted]]:
    """What a fitted model says, for each point, with the point's place in the list."""
    by_width: dict[int, list[int]] = {}
    for index, point in enumerate(points):
        by_width.setdefault(point.width, []).append(index)
    for reduced in _reductions(data, reducer, sorted(by_width)):
        places = by_width[reduced.dim]
        settings = [points[place].settings for place in places]
        start = perf_counter()
        models = _models(classifier, reduced.train, data.Y_train, settings)
        for place, model in zip(places, models, strict=True):
            fitted = perf_counter()
            scores = model.decision_function(reduced.test)
            labels = _labels(model, scores, reduced.test)
            seconds = {
                "fit": reduced.seconds["fit"] + fitted - start,
                "transform": reduced.seconds["transform"],
                "predict": perf_counter() - fitted,
            }
            rank = getattr(model, "rank_", reduced.rank)
            yield place, _Fitted(scores, labels, rank, seconds, reduced.serves)
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
