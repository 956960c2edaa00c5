"""Classifiers that learn from features: dimensions, choices, and what they may see."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold

from mlbench.classifiers.base import LabelClassifier
from mlbench.classifiers.cuts import best_cut
from mlbench.dims import parse_dims
from mlbench.fitting import Tuning, sweep
from mlbench.metrics.bipartition import hamming_loss, micro_f1
from mlbench.metrics.evaluate import evaluate
from mlbench.pipeline import Arrays
from mlbench.reducers.none import Identity
from mlbench.reducers.pca import PCA


class Ridge(LabelClassifier):
    """Ridge regression on the first few features: quick, and easy to write out."""

    def __init__(self, n_components=3, lam=1.0, threshold=0.5, top=None):
        self.n_components = n_components
        self.lam = lam
        self.threshold = threshold
        self.top = top

    def _fit(self, X, Y):
        X = X[:, : self.n_components]
        self.coef_ = np.linalg.solve(X.T @ X + self.lam * np.eye(X.shape[1]), X.T @ Y)

    def _score(self, X):
        return X[:, : self.n_components] @ self.coef_


class Plain(BaseEstimator):
    """A class as a user may write it: nothing of ours in it."""

    def __init__(self, n_components=3, lam=1.0):
        self.n_components = n_components
        self.lam = lam

    def fit(self, X, Y):
        self.model_ = Ridge(self.n_components, self.lam).fit(X, Y)
        return self

    def decision_function(self, X):
        return self.model_.decision_function(X)

    def predict(self, X):
        return self.model_.predict(X)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 8))
    Y = (X @ rng.normal(size=(8, 5)) + rng.normal(size=(90, 5)) > 1).astype(np.uint8)
    return Arrays(X[:60], Y[:60], X[60:], Y[60:])


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
    (found,) = sweep(
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
            sweep(each, Identity(), Ridge(), parse_dims(3), None, ({},), tuning)
        ).chosen
        for each in (data, other)
    ]
    assert chosen[0] == chosen[1]


def test_a_loss_is_made_small(data):
    tuning = Tuning({"lam": (1e-3, 1e6)}, by="hamming_loss")
    (found,) = sweep(data, Identity(), Ridge(8), parse_dims(8), None, ({},), tuning)
    labels = Ridge(8, 1e-3).fit(data.X_train, data.Y_train).predict(data.X_test)
    assert found.chosen == {"lam": 1e-3}
    assert found.metrics["hamming_loss"] == hamming_loss(data.Y_test, labels)
    assert 0 < found.reached < data.Y_train.mean()


def test_a_criterion_on_scores_needs_no_cut(data):
    tuning = Tuning({"lam": (1e-3, 1e6)}, by="average_precision")
    (found,) = sweep(data, Identity(), Ridge(8), parse_dims(8), None, ({},), tuning)
    assert 0 < found.reached <= 1


def test_dims_drive_the_latent_space_and_a_fraction_is_of_the_labels(data):
    found = list(
        sweep(data, Identity(), Ridge(), parse_dims("0.4:0.8:0.4"), "n_components")
    )
    assert [outcome.dim for outcome in found] == [2, 4]
    model = Ridge(4).fit(data.X_train, data.Y_train)
    scores = model.decision_function(data.X_test)
    assert found[1].metrics == evaluate(data.Y_test, model.labels_from(scores), scores)


def test_dims_drive_the_reducer_where_there_is_one(data):
    found = list(sweep(data, PCA(), Ridge(8), parse_dims([2, 5])))
    assert [outcome.dim for outcome in found] == [2, 5]
    for outcome in found:
        pca = PCA(outcome.dim).fit(data.X_train)
        model = Ridge(8).fit(pca.transform(data.X_train), data.Y_train)
        scores = model.decision_function(pca.transform(data.X_test))
        expected = evaluate(data.Y_test, model.labels_from(scores), scores)
        assert outcome.metrics == pytest.approx(expected)


def test_a_reducer_whose_size_is_stated_leaves_the_dims_to_the_classifier(data):
    found = list(sweep(data, PCA(4), Ridge(), parse_dims([1, 3]), "n_components"))
    pca = PCA(4).fit(data.X_train)
    for outcome, size in zip(found, (1, 3), strict=True):
        model = Ridge(size).fit(pca.transform(data.X_train), data.Y_train)
        scores = model.decision_function(pca.transform(data.X_test))
        expected = evaluate(data.Y_test, model.labels_from(scores), scores)
        assert outcome.metrics == pytest.approx(expected)


def test_the_reducer_of_an_inner_fold_has_not_seen_the_fold(data):
    seen = []

    class Spy(PCA):
        def fit(self, X, Y=None):
            seen.append(len(X))
            return super().fit(X, Y)

    tuning = Tuning({"lam": (0.1, 1.0)}, folds=3)
    list(sweep(data, Spy(), Ridge(8), parse_dims(3), None, ({},), tuning))
    assert seen == [40, 40, 40, 60]


def test_every_varied_setting_is_an_outcome_of_its_own(data):
    varied = ({"lam": 0.1}, {"lam": 10.0})
    found = list(sweep(data, Identity(), Ridge(8), parse_dims(8), None, varied))
    assert [outcome.setting for outcome in found] == list(varied)
    assert found[0].metrics != found[1].metrics


def test_a_class_with_nothing_of_ours_gives_the_same(data):
    tuning = Tuning({"lam": (0.01, 1.0)})
    ours, plain = (
        next(sweep(data, Identity(), model, parse_dims(3), None, ({},), tuning))
        for model in (Ridge(8), Plain(8))
    )
    assert plain.metrics == ours.metrics
    assert plain.chosen == ours.chosen
