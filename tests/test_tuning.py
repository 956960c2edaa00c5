"""Settings chosen inside the training part: the best, and blind to the test part."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.model_selection import KFold

from mlbench.classifiers.cuts import best_cut
from mlbench.dims import parse_dims
from mlbench.metrics.bipartition import hamming_loss, micro_f1
from mlbench.metrics.evaluate import evaluate
from mlbench.reducers.none import Identity
from mlbench.reducers.pca import PCA
from mlbench.tuning import Tuning, tuned_sweep
from tests.toys import Plain, Ridge, toy_data

EIGHT = parse_dims(8)


@pytest.fixture
def data():
    return toy_data()


GRID = {"lam": (0.01, 1.0, 100.0), "n_components": (2, 6)}


def plain_choice(data, grid, folds, seed, cuts=()):
    """The best of a grid, setting by setting, sample by sample."""
    best, highest = None, -np.inf
    for lam in grid["lam"]:
        for size in grid["n_components"]:
            scores = np.zeros(data.Y_train.shape)
            parts = KFold(folds, shuffle=True, random_state=seed)
            for train, test in parts.split(data.X_train):
                model = Ridge(size, lam).fit(data.X_train[train], data.Y_train[train])
                for sample in test:
                    one = data.X_train[[sample]]
                    scores[sample] = model.decision_function(one)[0]
            settings = {"lam": lam, "n_components": size}
            if cuts:
                cut, quality = best_cut(scores, data.Y_train, micro_f1, cuts)
                settings |= cut
            else:
                quality = micro_f1(data.Y_train, scores > 0.5)
            if quality > highest:
                best, highest = settings, quality
    return best, highest


@pytest.mark.parametrize("cuts", [(), ("threshold",), ("threshold", "top")])
def test_the_choice_is_the_best_of_the_grid_on_inner_folds(data, cuts):
    grid = GRID | ({"cut": cuts} if cuts else {})
    tuning = Tuning(grid, folds=3, seed=5)
    (found,) = tuned_sweep(
        data, Identity(), Ridge(), parse_dims(3), "n_components", ({},), tuning
    )
    settings, quality = plain_choice(data, GRID, 3, 5, cuts)
    assert found.chosen == settings
    assert_allclose(found.reached, quality)
    model = Ridge().set_params(**settings).fit(data.X_train, data.Y_train)
    scores = model.decision_function(data.X_test)
    assert found.metrics == evaluate(data.Y_test, model.labels_from(scores), scores)
    assert found.dim == settings["n_components"]


def test_the_test_samples_have_no_say_in_the_choice(data):
    tuning = Tuning(GRID | {"cut": ("threshold", "top")}, folds=3, seed=1)
    other = replace(data, X_test=-data.X_test[::-1], Y_test=1 - data.Y_test)
    chosen = [
        next(
            tuned_sweep(each, Identity(), Ridge(), parse_dims(3), None, ({},), tuning)
        ).chosen
        for each in (data, other)
    ]
    assert chosen[0] == chosen[1]


def test_a_loss_is_made_small(data):
    tuning = Tuning({"lam": (1e-3, 1e6)}, by="hamming_loss")
    (found,) = tuned_sweep(
        data, Identity(), Ridge(8), parse_dims(8), None, ({},), tuning
    )
    labels = Ridge(8, 1e-3).fit(data.X_train, data.Y_train).predict(data.X_test)
    assert found.chosen == {"lam": 1e-3}
    assert found.metrics["hamming_loss"] == hamming_loss(data.Y_test, labels)
    assert 0 < found.reached < data.Y_train.mean()


def test_a_criterion_on_scores_needs_no_cut(data):
    tuning = Tuning({"lam": (1e-3, 1e6)}, by="average_precision")
    (found,) = tuned_sweep(
        data, Identity(), Ridge(8), parse_dims(8), None, ({},), tuning
    )
    assert 0 < found.reached <= 1


def test_the_reducer_of_an_inner_fold_has_not_seen_the_fold(data):
    seen = []

    class Spy(PCA):
        def fit(self, X, Y=None):
            seen.append(len(X))
            return super().fit(X, Y)

    tuning = Tuning({"lam": (0.1, 1.0)}, folds=3)
    list(tuned_sweep(data, Spy(), Ridge(8), parse_dims(3), None, ({},), tuning))
    assert seen == [40, 40, 40, 60]


def test_a_class_with_nothing_of_ours_gives_the_same(data):
    tuning = Tuning({"lam": (0.01, 1.0)})
    ours, plain = (
        next(tuned_sweep(data, Identity(), model, parse_dims(3), None, ({},), tuning))
        for model in (Ridge(8), Plain(8))
    )
    assert plain.metrics == ours.metrics
    assert plain.chosen == ours.chosen


@pytest.mark.parametrize(
    ("enough", "held"),
    [(None, [15] * 4), (60, [15] * 4), (31, [15, 15, 1]), (30, [15, 15]), (1, [1])],
)
def test_folds_are_held_out_until_enough_samples_were(data, enough, held):
    learnt, scored = [], []

    class Spy(Ridge):
        def fit(self, X, Y):
            learnt.append(X)
            return super().fit(X, Y)

        def decision_function(self, X):
            scored.append(X)
            return super().decision_function(X)

    tuning = Tuning({"cut": ("top",)}, folds=4, enough=enough)
    list(tuned_sweep(data, Identity(), Spy(), EIGHT, None, ({},), tuning))
    assert [len(X) for X in learnt] == [45] * len(held) + [60]
    assert [len(X) for X in scored] == [*held, 30]
    for X, others in zip(learnt[:-1], scored[:-1], strict=True):
        assert not set(map(tuple, X)) & set(map(tuple, others))
    everyone = [tuple(row) for X in scored[:-1] for row in X]
    assert len(set(everyone)) == len(everyone)
