"""Classifiers that learn from features: what the dimensions drive."""

import pytest

from mlbench.dims import parse_dims
from mlbench.fitting import sweep
from mlbench.metrics.evaluate import evaluate
from mlbench.reducers.none import Identity
from mlbench.reducers.pca import PCA
from tests.toys import Plain, Ridge, toy_data


@pytest.fixture
def data():
    return toy_data()


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


def test_every_varied_setting_is_an_outcome_of_its_own(data):
    varied = ({"lam": 0.1}, {"lam": 10.0})
    found = list(sweep(data, Identity(), Ridge(8), parse_dims(8), None, varied))
    assert [outcome.setting for outcome in found] == list(varied)
    assert found[0].metrics != found[1].metrics


def test_a_class_with_nothing_of_ours_gives_the_same(data):
    ours, plain = (
        next(sweep(data, Identity(), model, parse_dims(3)))
        for model in (Ridge(8), Plain(8))
    )
    assert plain.metrics == ours.metrics
