"""PLST against its definition, written out."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlbench.classifiers import plst, ridge
from mlbench.classifiers.plst import PLST


@parametrize_with_checks([PLST()])
def test_keeps_the_sklearn_contract(estimator, check):
    check(estimator)


def sample(n=40, d=6, q=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.8, size=(n, d)).astype(float)
    Y = X[:, np.arange(q) % d] + rng.normal(scale=0.4, size=(n, q)) > 0.9
    return X, Y.astype(np.uint8)


def literal_plst(X, Y, queries, s, gamma):
    """Scores by the paper's steps, labels in rows as printed there."""
    mean = Y.mean(axis=0)
    Z = (Y - mean).T
    values, vectors = np.linalg.eigh(Z @ Z.T)
    kept = [j for j in np.argsort(-values)[:s] if values[j] > 1e-9]
    V = vectors[:, kept].T
    h = np.empty((len(queries), len(V)))
    for j, row in enumerate(V):  # one regression per number of the code
        h[:, j] = Ridge(alpha=gamma).fit(X, Z.T @ row).predict(queries)
    return np.array([V.T @ code + mean for code in h])


@settings(deadline=None, max_examples=40)
@given(
    st.integers(6, 30),
    st.integers(1, 12),
    st.integers(1, 6),
    st.integers(0, 2**32 - 1),
    st.booleans(),
)
def test_scores_are_those_of_the_method_written_out(n, d, q, seed, sparse):
    X, Y = sample(n, d, q, seed)
    values = np.linalg.svd(Y - Y.mean(axis=0), compute_uv=False)
    s = 1 + seed % q
    if s < len(values) and values[s - 1] - values[s] < 1e-3:
        s = q  # a cut between equal components is arbitrary
    form = csr_array if sparse else np.asarray
    found = PLST(s, ridge=0.5).fit(form(X), Y).decision_function(form(X[:5] + 1))
    assert_allclose(found, literal_plst(X, Y, X[:5] + 1, s, 0.5), atol=1e-7)


def test_the_components_are_orthonormal_and_no_others_reconstruct_better():
    X, Y = sample()
    V = PLST(2).fit(X, Y).components_
    assert_allclose(V @ V.T, np.eye(2), atol=1e-12)
    Z = (Y - Y.mean(axis=0)).T
    reached = np.linalg.norm(Z - V.T @ V @ Z)
    rng = np.random.default_rng(0)
    for _ in range(50):
        other = np.linalg.qr(V.T + 0.1 * rng.normal(size=V.T.shape))[0].T
        assert reached <= np.linalg.norm(Z - other.T @ other @ Z)


def test_the_whole_code_is_ridge_regression_on_the_labels():
    X, Y = sample()
    found = PLST(5, ridge=2.0).fit(X, Y).decision_function(X)
    assert_allclose(found, Ridge(alpha=2.0).fit(X, Y).predict(X), atol=1e-12)


def test_a_code_longer_than_the_rank_is_one_of_that_length():
    X, Y = sample()
    Y[:, 3], Y[:, 4] = Y[:, 0], 1 - Y[:, 1]
    exact, longer = PLST(3).fit(X, Y), PLST(100).fit(X, Y)
    assert exact.rank_ == longer.rank_ == 3
    assert_array_equal(exact.decision_function(X), longer.decision_function(X))


def test_the_signs_of_the_components_are_fixed():
    V = PLST(5).fit(*sample()).components_
    assert (V[np.arange(5), np.abs(V).argmax(axis=1)] > 0).all()


def test_labels_that_never_vary_get_their_mean_as_score():
    X, Y = sample()
    Y[:, 0], Y[:, 1] = 0, 1
    scores = PLST(2).fit(X, Y).decision_function(X)
    assert_allclose(scores[:, :2], [[0, 1]] * len(X), atol=1e-12)
    same = PLST(2).fit(X, np.tile([0, 1], (len(X), 1)))
    assert same.rank_ == 0
    assert_array_equal(same.predict(X), [[0, 1]] * len(X))


def test_few_samples_constant_features_and_no_labels_do_no_harm():
    X, Y = sample(n=5, d=9)
    X[:, 3], Y[2] = 7, 0
    assert np.isfinite(PLST().fit(X, Y).decision_function(X)).all()
    one = PLST().fit(X[:1], Y[:1])
    assert_array_equal(one.predict(X), np.repeat(Y[:1], 5, axis=0))


WANTED = [
    {"n_components": 1},
    {"n_components": 4, "threshold": 0.3},
    {"n_components": 99, "top": 2},
    {"n_components": 2, "ridge": 9.0},
    {"n_components": 3},
]


def test_fits_for_many_settings_are_the_fits_one_by_one():
    X, Y = sample()
    many = list(PLST().fit_many(csr_array(X), Y, iter(WANTED)))
    for model, wanted in zip(many, WANTED, strict=True):
        alone = PLST(**wanted).fit(csr_array(X), Y)
        assert model.get_params() == alone.get_params()
        assert_array_equal(model.decision_function(X), alone.decision_function(X))
        assert_array_equal(model.predict(X), alone.predict(X))


def test_many_fits_share_one_regression_and_one_svd_for_each_ridge(monkeypatch):
    calls = []

    def counted(name, function):
        return lambda *args, **more: calls.append(name) or function(*args, **more)

    for module, name in [(ridge, "ridge_regression"), (plst, "fix_signs")]:
        monkeypatch.setattr(module, name, counted(name, getattr(module, name)))
    model = PLST()
    assert len(list(model.fit_many(*sample(), WANTED))) == 5
    assert sorted(calls) == ["fix_signs"] * 2 + ["ridge_regression"] * 2
    assert not hasattr(model, "coef_")  # the copies are fitted, not the model


def test_labels_are_those_of_a_score_above_one_half_or_the_top():
    X, Y = sample()
    model = PLST(3).fit(X, Y)
    scores = model.decision_function(X)
    assert_array_equal(model.predict(X), scores > 0.5)
    model.set_params(top=2)
    assert_array_equal(model.predict(X).sum(axis=1), 2)


@pytest.mark.parametrize("shape", [(40, 6), (8, 30)])
def test_sparse_and_dense_features_give_the_same(shape):
    X, Y = sample(*shape)
    dense, sparse = PLST(3).fit(X, Y), PLST(3).fit(csr_array(X), csr_array(Y))
    assert_allclose(
        dense.decision_function(X), sparse.decision_function(csr_array(X)), atol=1e-10
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_components": 0}, "n_components must be a whole number from 1 on, got 0"),
        ({"n_components": 2.5}, "n_components must be a whole number .* got 2.5"),
        ({"ridge": -1}, "ridge must be a number from 0 on, got -1"),
    ],
)
def test_an_impossible_setting_is_refused(wrong, message):
    X, Y = sample()
    with pytest.raises(ValueError, match=message):
        PLST(**wrong).fit(X, Y)
    with pytest.raises(ValueError, match=message):
        list(PLST().fit_many(X, Y, [wrong]))


def test_a_model_can_be_cloned_and_pickled():
    X, Y = sample()
    model = PLST(3, ridge=0.1, top=2).fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert clone(model).get_params() == model.get_params()
