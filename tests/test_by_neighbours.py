"""One method on one split: the cheap sweep gives what the plain one gives."""

import numpy as np
import pytest

from mlbench.by_neighbours import sweep
from mlbench.classifiers.mlknn import MLkNN
from mlbench.data.preprocess import Preprocess
from mlbench.data.splits import Split
from mlbench.data.synthetic import yahoo_like
from mlbench.dims import parse_dims
from mlbench.metrics.evaluate import evaluate
from mlbench.pipeline import prepare
from mlbench.reducers.mddm import MDDM, choose_dimension
from mlbench.reducers.none import Identity
from mlbench.reducers.pca import PCA


@pytest.fixture(scope="module")
def data():
    corpus = yahoo_like(n=150, d=40, q=5, seed=3)
    split = Split(np.arange(80), np.arange(80, 150))
    return prepare(corpus, split, Preprocess(scale="l2"))


def plainly(data, reducer, dim, k=10):
    """Fit, transform, fit, predict, measure, with nothing shared."""
    if dim is not None:
        reducer.set_params(n_components=dim)
    reducer.fit(data.X_train, data.Y_train)
    model = MLkNN(k=k).fit(reducer.transform(data.X_train), data.Y_train)
    Z = reducer.transform(data.X_test)
    return evaluate(data.Y_test, model.predict(Z), model.decision_function(Z))


@pytest.mark.parametrize("reducer", [MDDM, PCA])
def test_a_nested_sweep_equals_a_fit_for_each_dimension(data, reducer):
    dims = parse_dims("1,3,7,20,40")
    found = list(sweep(data, reducer(), MLkNN(), dims))
    assert [outcome.dim for outcome in found] == [1, 3, 7, 20, 40]
    assert {outcome.fit_serves for outcome in found} == {5}
    for outcome in found:
        assert outcome.metrics == plainly(data, reducer(), outcome.dim)


def test_a_sweep_over_k_shares_its_neighbours_and_nothing_else(data):
    dims = parse_dims("3,7")
    found = list(sweep(data, MDDM(), MLkNN(), dims, "k", (2, 5, 10)))
    assert [(o.dim, o.setting) for o in found] == [
        (dim, k) for dim in (3, 7) for k in (2, 5, 10)
    ]
    for outcome in found:
        assert outcome.metrics == plainly(data, MDDM(), outcome.dim, k=outcome.setting)


def test_without_reduction_there_is_one_outcome_with_all_features(data):
    (outcome,) = sweep(data, Identity(), MLkNN(), parse_dims("1.0"))
    assert outcome.dim == 40
    assert outcome.metrics == plainly(data, Identity(), None)


def test_a_match_takes_the_dimension_mddm_chooses(data):
    wish = parse_dims({"match": "mddm", "threshold": 0.9, "of": "eigenvalues"})
    (outcome,) = sweep(data, PCA(), MLkNN(), wish)
    expected = choose_dimension(data.X_train, data.Y_train, 0.9, of="eigenvalues")
    assert outcome.dim == expected
    assert outcome.metrics == plainly(data, PCA(), expected)


def test_two_wishes_that_mean_the_same_dimension_are_both_answered(data):
    wishes = (*parse_dims("4"), *parse_dims("0.1"))
    found = list(sweep(data, PCA(), MLkNN(), wishes))
    assert [outcome.wish for outcome in found] == list(wishes)
    assert found[0].metrics == found[1].metrics


def test_the_rank_of_a_sweep_is_told_point_by_point(data):
    found = list(sweep(data, MDDM(), MLkNN(), parse_dims("2,20")))
    assert [outcome.rank for outcome in found] == [2, 5]
