import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh

from mlbench.reducers.mlsi import MLSI
from mlbench.reducers.pca import PCA


def sample(n=40, d=6, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 2
    Y = X[:, np.arange(q) % d] + rng.normal(scale=2, size=(n, q)) > 2
    return X, Y.astype(int)


def literal(X, Y, beta, ridge):
    """Both matrices of the definition, by way of n x n ones."""
    n, d = X.shape
    Xc = X - X.mean(axis=0)
    A = Xc.T @ ((1 - beta) * Xc @ Xc.T + beta * Y @ Y.T) @ Xc
    return A, Xc.T @ Xc + ridge * np.eye(d)


@pytest.mark.parametrize("beta", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("ridge", [0.1, 1.0, 50.0])
@pytest.mark.parametrize("size", [{}, {"n": 8, "d": 12}, {"q": 9}, {"q": 1}])
def test_directions_solve_the_generalized_eigenproblem(size, beta, ridge):
    X, Y = sample(**size)
    A, B = literal(X, Y, beta, ridge)
    values = eigh(A, B, eigvals_only=True)[::-1]
    n, d = X.shape
    model = MLSI(n_components=d, beta=beta, ridge=ridge).fit(X, Y)
    r = model.rank_
    assert r == min(n - 1, d)
    W = model.components_[:r].T
    assert_allclose(A @ W, B @ W * values[:r], atol=1e-9 * np.abs(A).max())
    assert_allclose(values[r:], 0, atol=1e-9 * values[0])
    assert_allclose(np.linalg.norm(W, axis=0), 1)


def test_labels_alone_have_as_many_directions_as_labels():
    X, Y = sample()
    A, B = literal(X, Y, 1.0, 1.0)
    values = eigh(A, B, eigvals_only=True)[::-1]
    model = MLSI(n_components=6, beta=1.0).fit(X, Y)
    assert model.rank_ == 3
    W = model.components_[:3].T
    assert_allclose(A @ W, B @ W * values[:3], atol=1e-9 * np.abs(A).max())


def test_without_labels_the_directions_are_principal_components():
    X, Y = sample()
    mlsi, pca = MLSI(6, beta=0.0).fit(X, Y), PCA(6).fit(X)
    assert_allclose(mlsi.components_, pca.components_, atol=1e-8)


def test_without_ridge_directions_stay_in_the_row_space():
    X, Y = sample(n=5, d=9)
    model = MLSI(4, ridge=0.0).fit(X, Y)
    Xc = X - X.mean(axis=0)
    inside = np.linalg.pinv(Xc) @ Xc
    assert model.rank_ == 4
    assert_allclose(model.components_ @ inside, model.components_, atol=1e-9)


@pytest.mark.parametrize("beta", [-0.1, 1.5, float("nan"), None])
def test_a_weight_outside_of_0_to_1_is_refused(beta):
    X, Y = sample()
    with pytest.raises(ValueError, match=r"beta must be a number from 0 to 1, got"):
        MLSI(beta=beta).fit(X, Y)


def test_a_negative_ridge_is_refused():
    X, Y = sample()
    with pytest.raises(ValueError, match=r"ridge must be a number from 0 on, got"):
        MLSI(ridge=-0.5).fit(X, Y)
