"""MME against its objective written out, its slopes, and optima found elsewhere."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime, minimize
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlbench.classifiers.mme import (
    MME,
    balance,
    descend,
    instance_value,
    label_value,
    objective,
    start,
)
from mlbench.data.load import load
from mlbench.metrics.bipartition import micro_f1


@parametrize_with_checks([MME(n_components=2, max_iter=5)])
def test_keeps_the_sklearn_contract(estimator, check):
    check(estimator)


@pytest.fixture
def data():
    """Labels of a linear rule, with noise; the last sample has none."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    Y = (X @ rng.normal(size=(5, 4)) + 0.3 * rng.normal(size=(60, 4)) > 1).astype(int)
    Y[-1] = 0
    return X, Y


def plain_objective(X, Y, W, V, b, C):
    total = (np.sum(W**2) + np.sum(V**2)) / 2
    for x, labels in zip(X, Y, strict=True):
        for label, there in enumerate(labels):
            score = (W.T @ x) @ V[:, label] + b[label]
            margin = score if there else -score
            total += C * max(0.0, 1 - margin) ** 2
    return total


def draw_point(seed, n=7, d=4, s=3, q=2):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(n, d)), rng.integers(0, 2, (n, q))
    return X, Y, rng.normal(size=(d, s)), rng.normal(size=(s, q)), rng.normal(size=q)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 1.0, 7.0]))
def test_the_objective_is_the_one_written_out(seed, C):
    X, Y, W, V, b = draw_point(seed)
    expected = plain_objective(X, Y, W, V, b, C)
    assert_allclose(objective(X, 2 * Y - 1, W, V, b, C), expected)
    of_labels = label_value(X @ W, 2 * Y - 1, V, b, C)[0] + np.sum(W**2) / 2
    of_instances = instance_value(X, 2 * Y - 1, W, V, b, C)[0] + np.sum(V**2) / 2
    assert_allclose([of_labels, of_instances], expected)


@pytest.mark.parametrize("seed", range(5))
def test_the_slopes_are_those_of_finite_differences(seed):
    X, Y, W, V, b = draw_point(seed)
    S = 2.0 * Y - 1
    _, dV, db = label_value(X @ W, S, V, b, 0.7)
    _, dW, db_again = instance_value(X, S, W, V, b, 0.7)

    def at(W, V, b):
        return plain_objective(X, Y, W, V, b, 0.7)

    by_V = approx_fprime(V.ravel(), lambda v: at(W, v.reshape(V.shape), b))
    by_W = approx_fprime(W.ravel(), lambda w: at(w.reshape(W.shape), V, b))
    by_b = approx_fprime(b, lambda c: at(W, V, c))
    assert_allclose(dV.ravel(), by_V, rtol=1e-4, atol=1e-4)
    assert_allclose(dW.ravel(), by_W, rtol=1e-4, atol=1e-4)
    assert_allclose(db, by_b, rtol=1e-4, atol=1e-4)
    assert_array_equal(db, db_again)


def test_the_map_of_labels_alone_is_a_linear_svm_for_each_label(data):
    X, Y = data
    S = 2.0 * Y - 1
    V, b = descend(
        lambda V, b: label_value(X, S, V, b, 0.5), np.zeros((5, 4)), np.zeros(4), 2000
    )
    # liblinear has a penalty on the bias, of a size that this scale makes nothing.
    svm = LinearSVC(C=0.5, intercept_scaling=1e3, dual=False, tol=1e-10, max_iter=10**5)
    for label in range(4):
        svm.fit(X, Y[:, label])
        assert_allclose(V[:, label], svm.coef_[0], atol=1e-3)
        assert_allclose(b[label], svm.intercept_[0], atol=1e-3)


def test_a_small_problem_ends_where_a_search_over_both_maps_at_once_does(data):
    X, Y = data
    X, Y, C = X[:20, :3], Y[:20, :2], 0.5
    sizes = (6, 10)  # W is 3 x 2, V 2 x 2, b the rest

    def value(point):
        W, V, b = np.split(point, sizes)
        return plain_objective(X, Y, W.reshape(3, 2), V.reshape(2, 2), b, C)

    rng = np.random.default_rng(0)
    searches = [minimize(value, rng.normal(size=12)).fun for _ in range(4)]
    model = MME(2, C=C, max_iter=2000, tol=1e-9).fit(X, Y)
    assert_allclose(model.objective_[-1], min(searches), rtol=1e-4)


def test_the_objective_never_increases(data):
    X, Y = data
    model = MME(3, C=2.0, tol=0, max_iter=40).fit(X, Y)
    assert max(np.diff(model.objective_)) <= 1e-9 * model.objective_[0]
    W, V, b = model.components_.T, model.label_components_, model.intercept_
    assert_allclose(model.objective_[-1], plain_objective(X, Y, W, V, b, 2.0))
    assert model.n_iter_ == len(model.objective_) - 1


def test_the_start_has_the_best_biases_of_a_model_without_maps(data):
    X, S = data[0], 2.0 * data[1] - 1
    W, V, b = start(X, S, 3)
    assert_allclose(W.T @ W, np.eye(3), atol=1e-12)
    assert not V.any()
    assert_allclose(label_value(X @ W, S, V, b, 1.0)[2], 0, atol=1e-12)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_sharing_out_keeps_the_product_at_the_least_penalty(seed, s):
    _, _, W, V, _ = draw_point(seed, d=6, s=s, q=5)
    shared_W, shared_V = balance(W, V)
    assert_allclose(shared_W @ shared_V, W @ V, atol=1e-10)
    penalty = (np.sum(shared_W**2) + np.sum(shared_V**2)) / 2
    assert_allclose(penalty, np.linalg.norm(W @ V, "nuc"))
    assert penalty <= (np.sum(W**2) + np.sum(V**2)) / 2 + 1e-10


def test_both_maps_of_a_model_have_the_same_share(data):
    model = MME(3).fit(*data)
    W, V = model.components_, model.label_components_
    assert_allclose(W @ W.T, V @ V.T, atol=1e-8)


def test_dimensions_past_the_rank_change_nothing(data):
    X, Y = data
    some, many = MME(4).fit(X, Y), MME(50).fit(X, Y)
    assert_array_equal(some.decision_function(X), many.decision_function(X))


def test_scores_do_not_hang_on_a_rotation_of_the_features(data):
    X, Y = data
    Q, _ = np.linalg.qr(np.random.default_rng(5).normal(size=(5, 5)))
    plain, turned = (MME(3, max_iter=500, tol=1e-8).fit(A, Y) for A in (X, X @ Q))
    found = turned.decision_function(X @ Q)
    assert_allclose(found, plain.decision_function(X), atol=1e-2)


def test_scores_follow_a_change_in_the_order_of_the_labels(data):
    X, Y = data
    order = [2, 0, 3, 1]
    plain, other = (MME(4, max_iter=500, tol=1e-8).fit(X, A) for A in (Y, Y[:, order]))
    found = other.decision_function(X)
    assert_allclose(found, plain.decision_function(X)[:, order], atol=1e-2)


def test_a_second_fit_gives_the_same_model(data):
    model = MME(3).fit(*data)
    scores = model.decision_function(data[0])
    assert_array_equal(model.fit(*data).decision_function(data[0]), scores)


def test_a_linear_rule_is_learnt(data):
    X, Y = data
    assert micro_f1(Y, MME(4, C=10.0).fit(X, Y).predict(X)) > 0.85


def test_sparse_and_dense_features_give_the_same(data):
    X, Y = np.where(np.abs(data[0]) > 0.5, data[0], 0), data[1]
    dense, sparse = MME(3).fit(X, Y), MME(3).fit(csr_array(X), Y)
    found = sparse.decision_function(csr_array(X))
    assert_allclose(found, dense.decision_function(X), atol=1e-5)


def test_sparse_features_are_never_made_dense(data, monkeypatch):
    X, Y = csr_array(data[0]), data[1]

    def refuse(*_, **__):
        raise AssertionError("made dense")

    monkeypatch.setattr(csr_array, "toarray", refuse)
    monkeypatch.setattr(csr_array, "todense", refuse)
    MME(3).fit(X, Y).decision_function(X)


@pytest.mark.parametrize("there", [0, 1])
def test_a_label_of_no_or_every_sample_is_predicted_for_none_or_all(data, there):
    X, Y = data
    Y = np.column_stack([Y, np.full(len(Y), there)])
    model = MME(3).fit(X, Y)
    assert_allclose(model.decision_function(X)[:, -1], 2 * there - 1, atol=1e-8)
    assert_array_equal(model.predict(X)[:, -1], there)


def test_constant_features_give_the_share_of_each_label(data):
    X, Y = np.ones_like(data[0]), data[1]
    expected = np.tile(2 * Y.mean(axis=0) - 1, (len(X), 1))
    scores = MME(3, max_iter=500, tol=1e-9).fit(X, Y).decision_function(X)
    assert_allclose(scores, expected, atol=1e-3)


def test_fewer_samples_than_features_will_do(data):
    X, Y = data
    scores = MME(3).fit(X[:3], Y[:3]).decision_function(X)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"n_components": 0}, "n_components must be a whole number from 1 on, got 0"),
        ({"C": 0}, "C must be a number above 0, got 0"),
        ({"max_iter": 1.5}, r"max_iter must be a whole number from 1 on, got 1\.5"),
        ({"tol": -1}, "tol must be a number from 0 on, got -1"),
    ],
)
def test_an_impossible_setting_is_refused(data, setting, message):
    with pytest.raises(ValueError, match=message):
        MME(**setting).fit(*data)


def test_a_model_can_be_cloned_and_pickled(data):
    model = MME(3).fit(*data)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict(data[0]), model.predict(data[0]))
    assert clone(model).get_params() == model.get_params()


@pytest.mark.real
def test_on_real_reports_it_is_far_better_than_the_commonest_label(real_data):
    medical = load("medical", real_data)
    train, test = slice(0, 300), slice(600, None)
    model = MME(20, max_iter=3, threshold=-0.4).fit(medical.X[train], medical.Y[train])
    constant = np.zeros_like(medical.Y[test])
    constant[:, medical.Y[train].sum(axis=0).argmax()] = 1
    reached = micro_f1(medical.Y[test], model.predict(medical.X[test]))
    assert reached > micro_f1(medical.Y[test], constant) + 0.2
