"""CCA and then one SVM per label, against the two put together by hand."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlbench.classifiers.cca_svm import CCASVM
from mlbench.reducers.cca import CCA


@parametrize_with_checks([CCASVM()])
def test_keeps_the_sklearn_contract(estimator, check):
    check(estimator)


def sample(n=60, d=7, q=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(1) * (rng.uniform(size=(n, d)) < 0.7) + 1
    Y = X[:, np.arange(q) % d] + rng.normal(scale=0.5, size=(n, q)) > 1.2
    return X, Y.astype(np.uint8)


def literal_directions(X, Y, ridge):
    """Unit eigenvectors of CCA's pencil, built naively, most correlated first."""
    Xc, Yc = X - X.mean(axis=0), Y - Y.mean(axis=0)
    left = Xc.T @ Yc @ np.linalg.pinv(Yc.T @ Yc) @ Yc.T @ Xc
    right = Xc.T @ Xc + ridge * np.eye(X.shape[1])
    values, vectors = np.linalg.eig(np.linalg.solve(right, left))
    order = np.argsort(-values.real)
    return vectors.real[:, order].T


@pytest.mark.parametrize("r", [1, 2, 4])
def test_scores_are_those_of_machines_on_the_canonical_directions(r):
    X, Y = sample()
    W = literal_directions(X, Y, 0.5)[:r]
    W *= np.sign(W[np.arange(r), np.abs(W).argmax(axis=1)])[:, None]
    Z = (X - X.mean(axis=0)) @ W.T
    model = CCASVM(r, ridge=0.5, C=2.0).fit(X, Y)
    assert_allclose(model.components_, W, atol=1e-8)
    for label, y in enumerate(Y.T.astype(int)):
        machine = LinearSVC(C=2.0, dual="auto", random_state=0).fit(Z, y)
        assert_allclose(
            model.decision_function(X)[:, label],
            machine.decision_function(Z),
            atol=1e-4,
        )


def test_the_directions_are_those_of_the_reducer():
    X, Y = sample()
    model, reducer = CCASVM(3).fit(X, Y), CCA(3).fit(X, Y)
    assert_allclose(model.components_, reducer.components_, atol=1e-12)
    assert_allclose(model.mean_, reducer.mean_)


@pytest.mark.parametrize("wished", [None, 3, 7, 100])
def test_more_components_than_the_rank_mean_the_rank(wished):
    X, Y = sample()
    Y[:, 3] = 1 - Y[:, 0]  # rank 3
    model = CCASVM(wished).fit(X, Y)
    assert model.rank_ == 3
    assert model.components_.shape == (3, 7)
    expected = CCASVM(3).fit(X, Y).decision_function(X)
    assert_allclose(model.decision_function(X), expected, atol=1e-8)


def test_fewer_components_are_the_first_ones():
    X, Y = sample()
    model = CCASVM(2).fit(X, Y)
    assert model.rank_ == 2
    assert_allclose(model.components_, CCASVM().fit(X, Y).components_[:2], atol=1e-12)


def test_more_labels_than_features_leave_as_many_directions_as_features():
    X, Y = sample(d=2, q=4)
    assert CCASVM().fit(X, Y).rank_ == 2


def test_a_label_of_no_or_every_sample_is_certain():
    X, Y = sample()
    Y[:, 0], Y[:, 1] = 0, 1
    model = CCASVM().fit(X, Y)
    assert model.rank_ == 2
    assert_array_equal(model.predict(X)[:, :2], [[0, 1]] * len(X))


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_without_any_direction_every_sample_is_scored_alike(form):
    X, Y = sample()
    same = CCASVM().fit(form(X), np.tile([0, 1], (len(X), 1)))
    assert same.rank_ == 0
    assert_array_equal(same.predict(form(X)), [[0, 1]] * len(X))
    still = CCASVM().fit(form(np.ones_like(X)), Y)
    assert still.rank_ == 0
    assert np.ptp(still.decision_function(form(X)), axis=0).max() == 0


def test_few_samples_constant_features_and_no_labels_do_no_harm():
    X, Y = sample(n=6, d=15)
    X[:, 3], Y[2] = 7, 0
    assert np.isfinite(CCASVM().fit(X, Y).decision_function(X)).all()


@pytest.mark.parametrize("shape", [(60, 7), (20, 30)])
def test_sparse_and_dense_features_give_the_same(shape):
    X, Y = sample(*shape)
    X = X - 1  # zeros again
    dense, sparse = CCASVM().fit(X, Y), CCASVM().fit(csr_array(X), csr_array(Y))
    assert_allclose(
        dense.decision_function(X), sparse.decision_function(csr_array(X)), atol=1e-6
    )


def test_fits_for_many_settings_are_the_fits_one_by_one():
    X, Y = sample()
    wanted = [{"n_components": 1}, {"n_components": 3, "C": 0.1}, {"ridge": 9.0}]
    for model, part in zip(CCASVM().fit_many(X, Y, wanted), wanted, strict=True):
        alone = CCASVM(**part).fit(X, Y)
        assert_array_equal(model.decision_function(X), alone.decision_function(X))


def test_labels_are_those_above_the_threshold_or_the_top():
    X, Y = sample()
    model = CCASVM().fit(X, Y)
    scores = model.decision_function(X)
    assert_array_equal(model.predict(X), scores > 0)
    assert_array_equal(model.set_params(threshold=0.4).predict(X), scores > 0.4)
    assert_array_equal(model.set_params(top=2).predict(X).sum(axis=1), 2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_components": 0}, "n_components must be a whole number from 1 on, got 0"),
        ({"ridge": -1}, "ridge must be a number from 0 on, got -1"),
        ({"C": 0}, "C must be a number above 0, got 0"),
        ({"max_iter": 0}, "max_iter must be a whole number from 1 on, got 0"),
    ],
)
def test_an_impossible_setting_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        CCASVM(**wrong).fit(*sample())


def test_a_model_can_be_cloned_and_pickled():
    X, Y = sample()
    model = CCASVM(2, ridge=0.5).fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict(X), model.predict(X))
    assert clone(model).get_params() == model.get_params()
