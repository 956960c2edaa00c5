"""Coordinate descent against its rule, entry by entry, and against SciPy's optimum."""

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import nnls
from scipy.sparse import csr_array

from mlbench.classifiers import factorization
from mlbench.classifiers.anmf import ANMF
from mlbench.classifiers.factorization import descend, factorize, weights
from mlbench.classifiers.mnmf import MNMF
from mlbench.reducers.nnls import kkt_residual


def plain_sweep(V, W, H):
    """``h_kj`` to its minimum with all else fixed, one entry after the other."""
    H = H.copy()
    for j in range(H.shape[1]):
        for k in range(H.shape[0]):
            others = sum(W[:, i] * H[i, j] for i in range(len(H)) if i != k)
            length = W[:, k] @ W[:, k]
            if length > 0:
                H[k, j] = max(0.0, W[:, k] @ (V[:, j] - others) / length)
    return H


@st.composite
def factors(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    d, r, n = (draw(st.integers(1, 7)) for _ in range(3))
    V, W, H = (rng.uniform(size=shape) for shape in ((d, n), (d, r), (r, n)))
    W[:, rng.uniform(size=r) < 0.2] = 0  # a part without features
    V[:, rng.uniform(size=n) < 0.2] = 0  # a sample without any
    return V, W, H


@settings(deadline=None)
@given(factors(), st.integers(1, 3))
def test_a_sweep_takes_every_entry_to_its_minimum_in_turn(problem, rounds):
    V, W, H = problem
    expected = H
    for _ in range(rounds):
        expected = plain_sweep(V, W, expected)
    found = descend(H, W.T @ V, W.T @ W, rounds)
    assert_allclose(found, expected, atol=1e-10)


def test_sweeps_do_not_hang_on_the_size_of_the_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    V, W, H = (rng.uniform(size=shape) for shape in ((9, 40), (9, 70), (70, 40)))
    whole = descend(H, W.T @ V, W.T @ W, 3)
    monkeypatch.setattr(factorization, "ROWS", 7)
    monkeypatch.setattr(factorization, "COLUMNS", 11)
    assert_allclose(descend(H, W.T @ V, W.T @ W, 3), whole, atol=1e-10)


def test_a_sweep_leaves_its_start_as_it_was():
    H = np.ones((2, 3))
    descend(H, np.zeros((2, 3)), np.eye(2))
    assert_array_equal(H, np.ones((2, 3)))


def plain_objective(views, parts, H):
    return sum(
        np.linalg.norm(V - (W.T @ H).T) ** 2 for V, W in zip(views, parts, strict=True)
    )


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_the_objective_is_the_squared_error_and_never_increases(seed, r):
    rng = np.random.default_rng(seed)
    views = [rng.uniform(size=(9, 5)), (rng.uniform(size=(9, 3)) < 0.4).astype(float)]
    start = np.random.RandomState(seed)
    parts, H, objective = factorize(views, r, max_iter=30, tol=0, rng=start)
    slack = 1e-10 * objective[0] + 1e-10
    assert_allclose(objective[-1], plain_objective(views, parts, H), atol=slack)
    assert all(np.diff(objective) <= slack)
    assert min(H.min(), *(W.min() for W in parts)) >= 0


def test_factors_of_a_product_of_non_negative_factors_make_it_up_again():
    rng = np.random.default_rng(3)
    V = rng.uniform(size=(30, 3)) @ rng.uniform(size=(3, 8))
    start = np.random.RandomState(0)
    *_, objective = factorize([V], 3, max_iter=2000, tol=1e-9, rng=start)
    assert objective[-1] < 1e-4 * np.sum(V**2)


def test_a_larger_tolerance_stops_sooner():
    V = np.random.default_rng(1).uniform(size=(20, 10))
    lengths = [
        len(factorize([V], 4, max_iter=500, tol=tol, rng=np.random.RandomState(0))[2])
        for tol in (1e-1, 1e-3)
    ]
    assert 2 <= lengths[0] < lengths[1] < 500


@pytest.mark.parametrize("views", [[np.zeros((4, 3))], [np.ones((4, 3)), np.eye(4)]])
def test_zeros_and_constants_are_factorized_without_a_warning(views):
    _, H, objective = factorize(
        views, 6, max_iter=20, tol=1e-3, rng=np.random.RandomState(0)
    )
    assert np.isfinite(H).all()
    assert np.isfinite(objective).all()


@settings(deadline=None, max_examples=50)
@given(factors(), st.sampled_from([0.01, 0.5, 20.0]))
def test_weights_are_those_of_the_least_squares_problem_with_the_ridge(problem, ridge):
    V, W, _ = problem
    r = W.shape[1]
    stacked = np.vstack([W, np.sqrt(ridge) * np.eye(r)])
    expected = [nnls(stacked, np.concatenate([v, np.zeros(r)]))[0] for v in V.T]
    assert_allclose(weights(W.T, V.T, ridge).T, expected, atol=1e-7)


def test_weights_without_a_ridge_are_non_negative_least_squares():
    rng = np.random.default_rng(0)
    W, X = rng.uniform(size=(4, 6)), rng.uniform(size=(9, 6))
    expected = [nnls(W.T, x)[0] for x in X]
    assert_allclose(weights(W, X, 0).T, expected, atol=1e-7)
    assert_allclose(weights(W, csr_array(X), 0).T, expected, atol=1e-7)


def test_weights_of_parts_that_look_alike_are_at_their_optimum():
    rng = np.random.default_rng(0)
    W = rng.uniform(size=(30, 1)) + 1e-3 * rng.uniform(size=(30, 12))
    X = rng.uniform(size=(7, 12))
    G = W @ W.T + 1e-6 * np.eye(30)
    assert kkt_residual(G, W @ X.T, weights(W, X, 1e-6)).max() < 1e-6


@pytest.mark.parametrize("kind", [ANMF, MNMF])
def test_copies_that_differ_in_scoring_alone_share_one_factorization(kind):
    rng = np.random.default_rng(0)
    X, Y = rng.uniform(size=(30, 8)), (rng.uniform(size=(30, 4)) < 0.4).astype(int)
    counted = []

    class Counting(kind):
        def _factors(self, X, Y, rng):
            counted.append(self.n_components)
            return super()._factors(X, Y, rng)

    Counting.__init__.__signature__ = inspect.signature(kind.__init__)
    settings = [
        {"ridge": 0.1},
        {"ridge": 0.0, "top": 2},
        {"n_components": 3},
        {"n_components": 3, "threshold": 0.2},
    ]
    together = list(Counting(5, random_state=1).fit_many(X, Y, settings))
    assert counted == [5, 3]
    for model, changed in zip(together, settings, strict=True):
        alone = kind(5, random_state=1).set_params(**changed).fit(X, Y)
        assert_array_equal(model.decision_function(X), alone.decision_function(X))
        assert_array_equal(model.predict(X), alone.predict(X))


@pytest.mark.parametrize("kind", [ANMF, MNMF])
def test_a_shared_factorization_does_not_hide_a_wrong_setting(kind):
    X, Y = np.ones((4, 2)), np.ones((4, 1))
    with pytest.raises(ValueError, match="ridge must be"):
        list(kind(1).fit_many(X, Y, [{}, {"ridge": -1.0}]))
