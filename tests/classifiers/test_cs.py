"""CS and its matching pursuit, against the steps written out and scikit-learn's."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.linear_model import Ridge, orthogonal_mp
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlbench.classifiers import cs
from mlbench.classifiers.cs import CS, matching_pursuit, orthogonalized


@parametrize_with_checks([CS()])
def test_keeps_the_sklearn_contract(estimator, check):
    check(estimator)


def literal_pursuit(A, z, k):
    """One code: take a column, fit all those taken, go on with the residual."""
    taken, x = [], np.zeros(A.shape[1])
    residual = z
    for _ in range(k):
        angles = [
            -1.0 if j in taken else abs(a @ residual) / np.linalg.norm(a)
            for j, a in enumerate(A.T)
        ]
        taken.append(int(np.argmax(angles)))
        values = np.linalg.lstsq(A[:, taken], z, rcond=None)[0]
        residual = z - A[:, taken] @ values
    x[taken] = values
    return x


@settings(deadline=None)
@given(
    st.integers(1, 9), st.integers(1, 9), st.integers(1, 6), st.integers(0, 2**32 - 1)
)
def test_the_pursuit_is_the_one_written_out(s, q, n, seed):
    rng = np.random.default_rng(seed)
    A, Z = rng.normal(size=(s, q)), rng.normal(size=(n, s))
    k = rng.integers(1, min(s, q) + 1)
    expected = np.array([literal_pursuit(A, z, k) for z in Z])
    assert_allclose(matching_pursuit(A, Z, k), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("k", [1, 3, 7])
def test_on_columns_of_unit_length_the_pursuit_is_that_of_scikit_learn(k):
    rng = np.random.default_rng(0)
    A, Z = rng.normal(size=(15, 40)), rng.normal(size=(50, 15))
    A /= np.linalg.norm(A, axis=0)
    expected = orthogonal_mp(A, Z.T, n_nonzero_coefs=k).T
    assert_allclose(matching_pursuit(A, Z, k), expected, atol=1e-12)


def test_the_length_of_a_column_scales_its_coefficient_and_nothing_else():
    rng = np.random.default_rng(0)
    A, Z = rng.normal(size=(8, 12)), rng.normal(size=(20, 8))
    lengths = rng.uniform(0.1, 10, size=12)
    scaled = matching_pursuit(A * lengths, Z, 4)
    assert_allclose(scaled * lengths, matching_pursuit(A, Z, 4), rtol=1e-9, atol=1e-12)


def test_sparse_vectors_are_recovered_from_long_codes():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(60, 100))
    Y = np.zeros((30, 100))
    for row in Y:
        row[rng.choice(100, size=4, replace=False)] = 1
    assert_allclose(matching_pursuit(A, Y @ A.T, 4), Y, atol=1e-12)


def test_nothing_more_is_found_once_everything_is_explained():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(10, 6))
    Z = np.array([3 * A[:, 2], np.zeros(10), A[:, 0] - 2 * A[:, 5]])
    found = matching_pursuit(A, Z, 5)
    expected = np.array([[0, 0, 3, 0, 0, 0], [0] * 6, [1, 0, 0, 0, 0, -2]])
    assert_allclose(found, expected, atol=1e-12)
    assert_array_equal(found != 0, expected != 0)


def test_a_column_close_to_those_taken_is_made_orthogonal_to_the_last_digit():
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(20, 8, 3)))[0].swapaxes(1, 2)
    atoms = Q.sum(axis=1) + 1e-7 * rng.normal(size=(20, 8))
    padded = np.concatenate([Q, np.zeros((20, 1, 8))], axis=1)  # one row to come
    unit, column = orthogonalized(atoms, padded, 3)
    assert_allclose(np.einsum("iks,is->ik", Q, unit), 0, atol=1e-14)
    rows = np.concatenate([Q, unit[:, None]], axis=1)
    assert_allclose(np.einsum("ik,iks->is", column, rows), atoms, atol=1e-14)


def test_small_blocks_of_samples_give_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    A, Z = rng.normal(size=(8, 12)), rng.normal(size=(20, 8))
    whole = matching_pursuit(A, Z, 3)
    monkeypatch.setattr(cs, "BLOCK", 7)
    assert_allclose(matching_pursuit(A, Z, 3), whole, atol=1e-14)


# ---------------------------------------------------------------- the classifier


def sample(n=40, d=6, q=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.8, size=(n, d)).astype(float)
    Y = X[:, np.arange(q) % d] + rng.normal(scale=0.4, size=(n, q)) > 1.2
    return X, Y.astype(np.uint8)


def test_scores_are_those_of_the_method_written_out():
    X, Y = sample()
    model = CS(4, ridge=0.5, k=2, random_state=3).fit(X[:30], Y[:30])
    A = np.random.RandomState(3).standard_normal((4, 5)) / np.sqrt(4)
    assert_array_equal(model.projection_, A)
    codes = Ridge(alpha=0.5).fit(X[:30], Y[:30] @ A.T).predict(X[30:])
    expected = np.array([literal_pursuit(A, z, 2) for z in codes])
    assert_allclose(model.decision_function(X[30:]), expected, rtol=1e-8, atol=1e-10)


def test_the_labels_found_are_predicted_even_with_negative_scores():
    X, Y = sample()
    model = CS(4, k=2).fit(X, Y)
    scores = model.decision_function(X)
    assert (scores < 0).any()
    assert_array_equal(model.predict(X), scores != 0)
    assert_array_equal(model.predict(X).sum(axis=1), 2)


def test_as_many_labels_are_found_as_a_sample_has_on_average():
    X, _ = sample()
    few, many = np.zeros((40, 5)), np.ones((40, 5))
    few[0, 0] = 1
    many[:21, 0], many[:20, 1] = 0, 0  # 3.975 of 5
    assert CS().fit(X, few).k_ == 1
    assert CS().fit(X, many).k_ == 4


def test_no_more_labels_are_found_than_the_code_has_numbers():
    X, Y = sample()
    model = CS(2, k=4).fit(X, Y)
    assert model.k_ == 2
    assert_array_equal(model.predict(X).sum(axis=1), 2)


def test_the_code_may_be_longer_than_there_are_labels_or_features():
    X, Y = sample()
    model = CS(50, k=2).fit(X, Y)
    assert model.projection_.shape == (50, 5)
    assert model.predict(X).shape == Y.shape


def test_the_random_columns_have_the_stated_spread():
    X, Y = sample(q=300)
    A = CS(200).fit(X, Y).projection_
    assert_allclose((A**2).sum(axis=0).mean(), 1, atol=0.02)


def test_fits_for_many_settings_are_the_fits_one_by_one():
    X, Y = sample()
    wanted = [
        {"n_components": 3},
        {"n_components": 8, "k": 2},
        {"n_components": 8, "ridge": 5.0},
        {"n_components": 3, "random_state": 4},
    ]
    many = list(CS().fit_many(X, Y, iter(wanted)))
    for model, settings_ in zip(many, wanted, strict=True):
        alone = CS(**settings_).fit(X, Y)
        assert model.get_params() == alone.get_params()
        assert_array_equal(model.decision_function(X), alone.decision_function(X))


def test_sparse_and_dense_features_give_the_same():
    X, Y = sample()
    dense, sparse = CS().fit(X, Y), CS().fit(csr_array(X), csr_array(Y))
    assert_allclose(
        dense.decision_function(X), sparse.decision_function(csr_array(X)), atol=1e-9
    )


def test_samples_and_labels_that_say_nothing_do_no_harm():
    X, Y = sample(n=5, d=9)
    X[:, 3] = 7
    Y[:, 0], Y[:, 1], Y[2] = 0, 1, 0
    scores = CS().fit(X, Y).decision_function(X)
    assert np.isfinite(scores).all()
    none = CS().fit(X, np.zeros_like(Y))
    assert not none.predict(X).any()


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"n_components": 0}, "n_components must be a whole number from 1 on, got 0"),
        ({"ridge": -1}, "ridge must be a number from 0 on, got -1"),
        ({"k": 0}, "k must be a whole number from 1 on, got 0"),
        ({"k": 6}, r"k must be in 1\.\.5 \(the labels\), got 6"),
    ],
)
def test_an_impossible_setting_is_refused(settings_, message):
    X, Y = sample()
    with pytest.raises(ValueError, match=message):
        CS(**settings_).fit(X, Y)
    with pytest.raises(ValueError, match=message):
        list(CS().fit_many(X, Y, [settings_]))


def test_a_model_can_be_cloned_and_pickled():
    X, Y = sample()
    model = CS(3, k=2, random_state=1).fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert clone(model).get_params() == {
        "n_components": 3,
        "ridge": 1.0,
        "k": 2,
        "random_state": 1,
    }
