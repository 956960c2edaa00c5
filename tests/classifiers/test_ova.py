"""One linear classifier per label, against scikit-learn's and against its objective."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlbench.classifiers.ova import OVA
from mlbench.data.load import load
from mlbench.metrics.bipartition import micro_f1

both_learners = pytest.mark.parametrize("learner", ["svm", "ridge"])


@parametrize_with_checks([OVA(), OVA("ridge")])
def test_keeps_the_sklearn_contract(estimator, check):
    check(estimator)


def sample(n=60, d=5, q=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(1) * (rng.uniform(size=(n, d)) < 0.7)
    Y = X[:, np.arange(q) % d] + rng.normal(scale=0.5, size=(n, q)) > 0.3
    return X, Y.astype(np.uint8)


def literal_objective(w, X, y, C, learner):
    """Sum over the samples, one by one; the last weight is the intercept."""
    total = 0.5 * (w @ w if learner == "svm" else w[:-1] @ w[:-1])
    for x, has in zip(X, y, strict=True):
        t, f = (1 if has else -1), x @ w[:-1] + w[-1]
        total += C * (max(0, 1 - t * f) ** 2 if learner == "svm" else (t - f) ** 2)
    return total


@both_learners
@pytest.mark.parametrize("shape", [(25, 3), (10, 14)])
def test_each_label_has_the_machine_of_least_objective(learner, shape):
    X, Y = sample(*shape, q=2, seed=1)
    assert (Y.min(axis=0) < Y.max(axis=0)).all()
    model = OVA(learner, C=0.3, tol=1e-9).fit(X, Y)
    for label in range(2):
        w = np.append(model.coef_[:, label], model.intercept_[label])
        arguments = (X, Y[:, label], 0.3, learner)
        best = minimize(literal_objective, w * 0, args=arguments, tol=1e-10)
        assert literal_objective(w, *arguments) <= best.fun * (1 + 1e-7)
        assert_allclose(w, best.x, atol=1e-4)


@pytest.mark.parametrize("shape", [(60, 5), (20, 30)])
def test_the_machines_are_those_of_scikit_learn_label_by_label(shape):
    X, Y = sample(*shape)
    scores = OVA(C=2.0).fit(X, Y).decision_function(X + 1)
    for label, y in enumerate(Y.T.astype(int)):
        alone = LinearSVC(C=2.0, dual="auto", random_state=0).fit(X, y)
        assert_allclose(scores[:, label], alone.decision_function(X + 1), atol=1e-12)


def test_ridge_is_regression_on_targets_of_plus_and_minus_one():
    X, Y = sample()
    scores = OVA("ridge", C=0.25).fit(X, Y).decision_function(X)
    expected = Ridge(alpha=2.0).fit(X, 2.0 * Y - 1).predict(X)
    assert_allclose(scores, expected, atol=1e-12)


@both_learners
def test_a_label_of_no_or_every_sample_is_certain_and_changes_no_other(learner):
    X, Y = sample()
    never, always = np.zeros((60, 1)), np.ones((60, 1))
    model = OVA(learner).fit(X, np.hstack([never, Y, always]))
    scores = model.decision_function(X)
    assert np.isfinite(scores).all()
    assert_array_equal(scores[:, 0], -1e9)
    assert_array_equal(scores[:, -1], 1e9)
    assert_array_equal(model.n_iter_[[0, -1]], 0)
    others = OVA(learner).fit(X, Y).decision_function(X)
    assert_allclose(scores[:, 1:-1], others, atol=1e-12)
    assert_array_equal(model.predict(X)[:, [0, -1]], [[0, 1]] * 60)


@both_learners
@pytest.mark.parametrize("value", [0, 1])
def test_labels_that_never_vary_are_predicted_as_they_were(learner, value):
    X, Y = sample()
    model = OVA(learner).fit(X[:1], np.full_like(Y[:1], value))
    assert_array_equal(model.predict(X), np.full_like(Y, value))


@both_learners
def test_constant_features_few_samples_and_no_labels_do_no_harm(learner):
    X, Y = sample(n=6, d=15)
    X[:, 3], X[:, 4], Y[2] = 0, 7, 0
    assert np.isfinite(OVA(learner).fit(X, Y).decision_function(X)).all()


@both_learners
@pytest.mark.parametrize("shape", [(60, 5), (20, 30)])
def test_sparse_and_dense_features_give_the_same(learner, shape):
    X, Y = sample(*shape)
    dense, sparse = OVA(learner).fit(X, Y), OVA(learner).fit(csr_array(X), csr_array(Y))
    assert_allclose(
        dense.decision_function(X), sparse.decision_function(csr_array(X)), atol=1e-9
    )


def test_wide_indices_of_sparse_features_are_no_obstacle():
    X, Y = sample()
    wide = csr_array(X)
    wide.indices, wide.indptr = (
        part.astype(np.int64) for part in (wide.indices, wide.indptr)
    )
    found = OVA().fit(wide, Y)
    assert_array_equal(found.coef_, OVA().fit(csr_array(X), Y).coef_)
    assert wide.indices.dtype == np.int64  # the caller's array is left alone


@pytest.mark.parametrize("shape", [(60, 5), (20, 30)])
def test_a_machine_that_was_stopped_shows_in_its_iterations_and_not_in_a_warning(shape):
    X, Y = sample(*shape)
    X = X * 100
    with pytest.warns(ConvergenceWarning):
        LinearSVC(dual="auto", max_iter=1, random_state=0).fit(X, Y[:, 0].astype(int))
    model = OVA(max_iter=1).fit(X, Y)
    assert_array_equal(model.n_iter_, 1)
    assert np.isfinite(model.decision_function(X)).all()


def test_labels_are_those_above_the_threshold_or_the_top():
    X, Y = sample()
    model = OVA().fit(X, Y)
    scores = model.decision_function(X)
    assert_array_equal(model.predict(X), scores > 0)
    assert_array_equal(model.set_params(threshold=0.7).predict(X), scores > 0.7)
    assert_array_equal(model.set_params(top=2).predict(X).sum(axis=1), 2)


@both_learners
def test_two_fits_are_the_same_to_the_last_digit(learner):
    X, Y = sample(20, 30)
    first, second = (OVA(learner).fit(X, Y).coef_ for _ in range(2))
    assert_array_equal(first, second)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"learner": "tree"}, "learner must be one of svm, ridge, got 'tree'"),
        ({"C": 0}, "C must be a number above 0, got 0"),
        ({"tol": 0}, "tol must be a number above 0, got 0"),
        ({"max_iter": 0.5}, "max_iter must be a whole number from 1 on, got 0.5"),
    ],
)
def test_an_impossible_setting_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        OVA(**wrong).fit(*sample())


def test_a_model_can_be_cloned_and_pickled():
    X, Y = sample()
    model = OVA("ridge", C=0.5, top=2).fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict(X), model.predict(X))
    assert clone(model).get_params() == model.get_params()


@pytest.mark.real
@both_learners
def test_it_learns_the_labels_of_real_notes(learner, real_data):
    medical = load("medical", real_data)
    train, test = np.arange(700), np.arange(700, 978)
    model = OVA(learner).fit(medical.X[train], medical.Y[train])
    assert micro_f1(medical.Y[test], model.predict(medical.X[test])) > 0.75
