"""Settings chosen by cross-validation inside the training part.

The test part is seen once, by the model that was chosen.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold

from mlbench.classifiers.cuts import best_cut
from mlbench.dims import Dim
from mlbench.fitting import Point, Settings, fits, outcome, points
from mlbench.metrics import METRICS
from mlbench.pipeline import Arrays, Outcome

CUT = "cut"  # stands for the settings `threshold` and `top` in a grid


@dataclass(frozen=True)
class Tuning:
    """What is chosen on the training part, from what, and how it is judged.

    ``grid`` holds the values to try for each setting. With ``cut`` among them, how
    scores become labels is chosen too, on the scores of the samples held out: that
    takes no fit of its own. Folds are held out one after the other until all were,
    or until ``enough`` samples were: of the last fold as many as are missing.
    """

    grid: dict[str, tuple[Any, ...]]
    folds: int = 3
    by: str = "micro_f1"
    enough: int | None = None
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
    reached: float  # by the choice, on the samples held out


def tuned_sweep(
    data: Arrays,
    reducer: BaseEstimator,
    classifier: BaseEstimator,
    wishes: tuple[Dim, ...],
    size: str | None,
    varied: tuple[Settings, ...],
    tuning: Tuning,
) -> Iterator[TunedOutcome]:
    """Every point of a sweep, with settings chosen for it alone.

    As :func:`mlbench.fitting.sweep`.
    """
    where = points(data, reducer, wishes, size, varied)
    start = perf_counter()
    choices = _choose(data, reducer, classifier, where, tuning)
    took = {"tune": (perf_counter() - start) / len(where)}
    chosen = [
        replace(point.with_settings(settings), dim=settings.get(size or "", point.dim))
        for point, (settings, _) in zip(where, choices, strict=True)
    ]
    for index, fitted in fits(data, reducer, classifier, chosen):
        settings, reached = choices[index]
        found = outcome(chosen[index], fitted, data.Y_test)
        yield TunedOutcome(
            **vars(found) | {"seconds": found.seconds | took},
            chosen=settings,
            reached=reached,
        )


def _choose(
    data: Arrays, reducer, classifier, where: list[Point], tuning: Tuning
) -> list[tuple[Settings, float]]:
    """The best settings for each point, and what they reached.

    A label's score is taken from a model that has not seen the sample, for all
    samples held out, and the whole is judged at once.
    """
    combinations = tuning.combinations
    candidates = [
        point.with_settings(combination)
        for point in where
        for combination in combinations
    ]
    X, Y = data.X_train, data.Y_train
    parts = _held_out(len(Y), tuning)
    labels: list[list] = [[] for _ in candidates]
    scores: list[list] = [[] for _ in candidates]
    for train, test in parts:
        inner = Arrays(X[train], Y[train], X[test], Y[test])
        for index, fitted in fits(inner, reducer, classifier, candidates):
            labels[index].append(fitted.labels)
            scores[index].append(fitted.scores)
    truth = Y[np.concatenate([test for _, test in parts])]
    judged = [
        _judge(truth, np.vstack(said), np.vstack(scored), tuning)
        for said, scored in zip(labels, scores, strict=True)
    ]
    sign = 1 if METRICS[tuning.by].better == "higher" else -1
    best = []
    for start in range(0, len(candidates), len(combinations)):
        mine = judged[start : start + len(combinations)]
        winner = max(range(len(mine)), key=lambda at: mine[at][1])  # first of equals
        cut, quality = mine[winner]
        best.append((combinations[winner] | cut, sign * quality))
    return best


def _held_out(n: int, tuning: Tuning) -> list[tuple[np.ndarray, np.ndarray]]:
    """The inner folds that are used: (rows to learn from, rows held out)."""
    folds = KFold(tuning.folds, shuffle=True, random_state=tuning.seed)
    rng = np.random.default_rng(tuning.seed)
    missing = n if tuning.enough is None else tuning.enough
    used: list[tuple[np.ndarray, np.ndarray]] = []
    for train, test in folds.split(np.empty(n)):
        if missing < len(test):  # any of them: rows may be in an order of their own
            test = np.sort(rng.choice(test, missing, replace=False))
        used.append((train, test))
        missing -= len(test)
        if missing <= 0:
            break
    return used


def _judge(Y, labels, scores, tuning: Tuning) -> tuple[Settings, float]:
    """The best cut of some scores, if one is to be chosen, and how good it is."""
    metric = METRICS[tuning.by]
    sign = 1 if metric.better == "higher" else -1
    if metric.takes == "scores":
        return {}, sign * metric.measure(Y, scores)
    if CUT not in tuning.grid:
        return {}, sign * metric.measure(Y, labels)
    return best_cut(
        scores, Y, lambda Y, labels: sign * metric.measure(Y, labels), tuning.grid[CUT]
    )
