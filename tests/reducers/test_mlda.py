import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh
from scipy.sparse import csr_array

from mlbench.reducers.mlda import MLDA, class_weights, label_correlation


def sample(n=40, d=6, q=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 2
    Y = X[:, np.arange(q) % d] + rng.normal(scale=2, size=(n, q)) > 2
    Y = Y.astype(int)
    Y[np.arange(q), np.arange(q)] = 1  # every label has a sample
    return X, Y


def literal_weights(Y):
    n, q = Y.shape
    C = np.zeros((q, q))
    for k, m in np.ndindex(q, q):
        y, z = Y[:, k], Y[:, m]
        C[k, m] = y @ z / (np.linalg.norm(y) * np.linalg.norm(z))
    Z = np.zeros((n, q))
    for i in range(n):
        if Y[i].sum():
            Z[i] = Y[i] @ C / Y[i].sum()
    return C, Z


def literal_scatter(X, Y):
    """S_b and S_w, one class and one sample at a time."""
    _, Z = literal_weights(Y)
    n, q = Z.shape
    d = X.shape[1]
    m = sum(Z[i, k] * X[i] for i in range(n) for k in range(q)) / Z.sum()
    S_b, S_w = np.zeros((d, d)), np.zeros((d, d))
    for k in range(q):
        m_k = sum(Z[i, k] * X[i] for i in range(n)) / Z[:, k].sum()
        S_b += Z[:, k].sum() * np.outer(m_k - m, m_k - m)
        for i in range(n):
            S_w += Z[i, k] * np.outer(X[i] - m_k, X[i] - m_k)
    return S_b, S_w


def test_weights_are_the_papers():
    _, Y = sample()
    Y[5] = 0
    C, Z = literal_weights(Y)
    assert_allclose(label_correlation(Y.astype(float)), C)
    assert_allclose(class_weights(Y), Z)


@pytest.mark.parametrize("ridge", [0.1, 1.0, 50.0])
@pytest.mark.parametrize("size", [{}, {"n": 10, "d": 15}, {"q": 2}])
def test_directions_solve_the_eigenproblem_of_the_scatter_within(size, ridge):
    X, Y = sample(**size)
    S_b, S_w = literal_scatter(X, Y)
    d, q = X.shape[1], Y.shape[1]
    B = S_w + ridge * np.eye(d)
    values = eigh(S_b, B, eigvals_only=True)[::-1]
    model = MLDA(n_components=d, ridge=ridge).fit(X, Y)
    assert model.rank_ == q - 1
    W = model.components_[: q - 1].T
    assert_allclose(S_b @ W, B @ W * values[: q - 1], atol=1e-7 * np.abs(B).max())
    assert np.all(np.diff(values[: q - 1]) < 0)
    assert_allclose(values[q - 1 :], 0, atol=1e-9)
    assert_allclose(np.linalg.norm(W, axis=0), 1)


def test_without_ridge_directions_are_those_of_the_pseudo_inverse():
    X, Y = sample()
    extended = np.column_stack([X, np.full(len(X), 0.1)])
    plain = MLDA(3, ridge=0.0).fit(X, Y).components_
    constant = MLDA(3, ridge=0.0).fit(extended, Y).components_
    S_b, S_w = literal_scatter(X, Y)
    values = eigh(S_b, S_w, eigvals_only=True)[::-1][:3]
    W = plain.T
    assert_allclose(S_b @ W, S_w @ W * values, atol=1e-7 * np.abs(S_w).max())
    assert_allclose(constant[:, :-1], plain, atol=1e-8)


def test_one_label_has_no_discriminant():
    X, Y = sample(q=1)
    assert MLDA(2).fit(X, Y).rank_ == 0


def test_labels_without_a_sample_change_nothing():
    X, Y = sample()
    extended = np.column_stack([np.zeros(len(Y)), Y, np.zeros(len(Y))])
    plain, more = MLDA(6).fit(X, Y), MLDA(6).fit(X, extended)
    assert plain.rank_ == more.rank_ == 3
    assert_allclose(plain.components_, more.components_, atol=1e-8)


def test_a_sample_without_a_label_changes_no_discriminant():
    X, Y = sample()
    X_more, Y_more = np.vstack([X, X[:1] + 9]), np.vstack([Y, np.zeros((1, 4))])
    plain, more = MLDA(3).fit(X, Y), MLDA(3).fit(X_more, Y_more)
    assert_allclose(plain.components_, more.components_, atol=1e-8)


def test_without_any_label_all_directions_are_fill():
    X, Y = sample()
    assert MLDA(3).fit(X, np.zeros_like(Y)).rank_ == 0


def test_sparse_features_of_few_samples_give_the_dense_projection():
    X, Y = sample(n=10, d=15)
    X[X < 1] = 0
    dense, sparse = MLDA(5).fit(X, Y), MLDA(5).fit(csr_array(X), Y)
    assert_allclose(dense.components_, sparse.components_, atol=1e-7)


def test_a_negative_ridge_is_refused():
    X, Y = sample()
    with pytest.raises(ValueError, match=r"ridge must be a number from 0 on, got"):
        MLDA(ridge=-0.5).fit(X, Y)
