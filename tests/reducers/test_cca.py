import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh
from scipy.sparse import csr_array

from mlbench.reducers.cca import CCA


def sample(n=40, d=6, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 2
    Y = X[:, np.arange(q) % d] + rng.normal(scale=2, size=(n, q)) > 2
    return X, Y.astype(int)


def literal(X, Y, ridge):
    """Both matrices of the definition, and its eigenvalues, largest first."""
    n, d = X.shape
    H = np.eye(n) - 1 / n
    Xc, Yc = H @ X, H @ Y
    A = Xc.T @ Yc @ np.linalg.pinv(Yc.T @ Yc, hermitian=True) @ Yc.T @ Xc
    B = Xc.T @ Xc + ridge * np.eye(d)
    return A, B, eigh(A, B, eigvals_only=True)[::-1]


@pytest.mark.parametrize("ridge", [0.1, 1.0, 50.0])
@pytest.mark.parametrize("size", [{}, {"n": 10, "d": 15}, {"q": 9}, {"q": 1}])
def test_directions_solve_the_generalized_eigenproblem(size, ridge):
    X, Y = sample(**size)
    A, B, values = literal(X, Y, ridge)
    d = X.shape[1]
    model = CCA(n_components=d, ridge=ridge).fit(X, Y)
    r = model.rank_
    assert r == min(Y.shape[1], d)
    W = model.components_[:r].T
    assert_allclose(model.eigenvalues_, values[:r], rtol=1e-6)
    assert_allclose(values[r:], 0, atol=1e-9)
    assert_allclose(A @ W, B @ W * values[:r], atol=1e-7 * np.abs(B).max())
    assert_allclose(np.linalg.norm(W, axis=0), 1)


def test_without_ridge_eigenvalues_are_squared_canonical_correlations():
    X, Y = sample()
    model = CCA(n_components=1, ridge=0.0).fit(X, Y)
    z = model.transform(X)[:, 0]
    coefficients = np.linalg.lstsq(np.column_stack([Y, np.ones(len(Y))]), z)[0]
    fitted = np.column_stack([Y, np.ones(len(Y))]) @ coefficients
    correlation = np.corrcoef(z, fitted)[0, 1]
    assert_allclose(model.eigenvalues_[0], correlation**2)


def test_without_ridge_a_constant_feature_changes_nothing():
    X, Y = sample()
    extended = np.column_stack([X, np.full(len(X), 0.1)])
    plain = CCA(3, ridge=0.0).fit(X, Y).components_
    constant = CCA(3, ridge=0.0).fit(extended, Y).components_
    assert_allclose(constant[:, :-1], plain, atol=1e-8)
    assert_allclose(constant[:, -1], 0, atol=1e-12)


def test_without_ridge_the_projected_directions_are_uncorrelated():
    X, Y = sample()
    Z = CCA(3, ridge=0.0).fit_transform(X, Y)
    correlations = np.corrcoef(Z.T)
    assert_allclose(correlations, np.eye(3), atol=1e-8)


def test_a_label_constant_in_training_or_seen_twice_adds_no_direction():
    X, Y = sample()
    extended = np.column_stack([Y, np.ones(len(Y)), Y[:, 0]])
    plain, more = CCA(6).fit(X, Y), CCA(6).fit(X, extended)
    assert plain.rank_ == more.rank_ == 3
    assert_allclose(plain.components_, more.components_, atol=1e-8)


def test_labels_that_vary_with_no_feature_have_rank_zero():
    X, _ = sample()
    Y = np.repeat([[1], [0]], len(X), axis=0)
    assert CCA(2).fit(np.vstack([X, X]), Y).rank_ == 0


def test_sparse_features_of_few_samples_give_the_dense_projection():
    X, Y = sample(n=10, d=15)
    X[X < 1] = 0
    dense, sparse = CCA(4).fit(X, Y), CCA(4).fit(csr_array(X), Y)
    assert_allclose(dense.components_, sparse.components_, atol=1e-8)


@pytest.mark.parametrize("ridge", [-1.0, float("nan"), float("inf"), None, "1"])
def test_a_ridge_that_is_no_positive_number_is_refused(ridge):
    X, Y = sample()
    with pytest.raises(ValueError, match="ridge must be a number from 0 on, got"):
        CCA(ridge=ridge).fit(X, Y)
