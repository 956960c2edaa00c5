"""Ridge regression against its normal equations, written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.linear_model import Ridge

from mlbench.classifiers.ridge import ridge_regression


def sample(n=12, d=4, t=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.9, size=(n, d)).astype(float)
    return X, rng.normal(size=(n, t))


def literal_ridge(X, T, ridge):
    """Normal equations of features and a column of ones that goes unpunished."""
    n, d = X.shape
    extended = np.hstack([X, np.ones((n, 1))])
    penalty = ridge * np.diag([1.0] * d + [0.0])
    both = np.linalg.solve(extended.T @ extended + penalty, extended.T @ T)
    return both[:-1], both[-1]


@settings(deadline=None)
@given(
    st.integers(2, 12),
    st.integers(1, 12),
    st.integers(1, 4),
    st.sampled_from([0.01, 1.0, 50.0]),
    st.integers(0, 2**32 - 1),
    st.booleans(),
)
def test_weights_and_intercept_solve_the_normal_equations(n, d, t, ridge, seed, sparse):
    X, T = sample(n, d, t, seed)
    W, b = ridge_regression(csr_array(X) if sparse else X, T, ridge)
    expected = literal_ridge(X, T, ridge)
    assert_allclose(W, expected[0], rtol=1e-9, atol=1e-10)
    assert_allclose(b, expected[1], rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("shape", [(30, 8), (8, 30)])
def test_it_is_the_regression_of_scikit_learn(shape):
    X, T = sample(*shape)
    W, b = ridge_regression(X, T, 0.7)
    other = Ridge(alpha=0.7, solver="svd").fit(X, T)
    assert_allclose(W, other.coef_.T, atol=1e-12)
    assert_allclose(b, other.intercept_, atol=1e-12)


@pytest.mark.parametrize("shape", [(30, 8), (8, 30)])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_without_penalty_it_is_the_shortest_least_squares_solution(shape, form):
    X, T = sample(*shape)
    X[:, 3] = X[:, 1]  # more than one solution even for many samples
    W, b = ridge_regression(form(X), T, 0)
    shortest = np.linalg.pinv(X - X.mean(axis=0)) @ (T - T.mean(axis=0))
    assert_allclose(W, shortest, atol=1e-9)
    assert_allclose(b, T.mean(axis=0) - X.mean(axis=0) @ shortest, atol=1e-9)


@pytest.mark.parametrize("ridge", [1e-9, 1e-6, 1e-3])
def test_a_tiny_penalty_costs_no_digits_for_few_samples(ridge):
    X, T = sample(8, 30)
    X = X + np.random.default_rng(1).normal(size=X.shape)
    W, _ = ridge_regression(X, T, ridge)
    Xc, Tc = X - X.mean(axis=0), T - T.mean(axis=0)
    U, lengths, V = np.linalg.svd(Xc, full_matrices=False)
    kept = lengths > 1e-9
    shrunk = lengths[kept] / (lengths[kept] ** 2 + ridge)
    assert_allclose(W, V[kept].T @ (shrunk[:, None] * (U.T @ Tc)[kept]), atol=1e-10)


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_features_that_never_vary_get_no_weight(form):
    X, T = sample()
    X[:, 2], X[:, 0] = 0.1, 0
    W, _ = ridge_regression(form(X), T, 1.0)
    assert_allclose(W[[0, 2]], 0, atol=1e-14)
    W, b = ridge_regression(form(np.full((5, 3), 0.1)), T[:5], 0)
    assert_allclose(W, 0, atol=1e-14)
    assert_allclose(b, T[:5].mean(axis=0))


def test_a_shift_of_the_features_changes_the_intercept_alone():
    X, T = sample()
    W, b = ridge_regression(X, T, 1.0)
    shifted, c = ridge_regression(X + 1e4, T, 1.0)
    assert_allclose(shifted, W, atol=1e-9)
    assert_allclose(c, b - 1e4 * W.sum(axis=0), rtol=1e-6)


@pytest.mark.parametrize("shape", [(30, 8), (8, 30)])
def test_sparse_features_are_never_filled(shape):
    X, T = sample(*shape)
    expected = ridge_regression(X, T, 1.0)

    class Guarded(csr_array):
        def toarray(self, *args, **kwargs):
            square = self.shape[0] == self.shape[1]
            assert square, "only a Gram matrix may be dense"
            return super().toarray(*args, **kwargs)

    found = ridge_regression(Guarded(X), T, 1.0)
    for ours, theirs in zip(found, expected, strict=True):
        assert_allclose(ours, theirs, atol=1e-12)
