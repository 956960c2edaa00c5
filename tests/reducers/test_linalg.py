import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from mlbench.reducers.linalg import (
    Shifted,
    centred,
    centred_columns,
    complement,
    fix_signs,
    full_rank_columns,
    inverse_root,
    orthonormal,
    ratio_directions,
    ridge_solver,
    row_space,
    scale_rows,
    squared_norm,
    uncentred,
    unit_rows,
)

SHAPES = [(9, 5), (5, 9), (6, 6), (2, 7), (7, 1)]


def sample(shape, seed=0):
    rng = np.random.default_rng(seed)
    return rng.poisson(0.7, size=shape).astype(float)


def both(A):
    return [A, csr_array(A)]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shifted_matrix_multiplies_like_the_explicit_one(shape):
    rng = np.random.default_rng(1)
    A, u, m = sample(shape), rng.normal(size=shape[0]), rng.normal(size=shape[1])
    explicit = A - np.outer(u, m)
    right, left = rng.normal(size=(shape[1], 3)), rng.normal(size=(shape[0], 3))
    for matrix in both(A):
        X = Shifted(matrix, u, m)
        assert_allclose(X.dot(right), explicit @ right, atol=1e-12)
        assert_allclose(X.transposed_dot(left), explicit.T @ left, atol=1e-12)
        assert_allclose(X.gram(), explicit.T @ explicit, atol=1e-12)
        assert_allclose(X.outer(), explicit @ explicit.T, atol=1e-12)
        assert_allclose(X.size, np.sum(explicit**2))


def test_centring_leaves_columns_of_mean_zero():
    A = sample((8, 3))
    for matrix in both(A):
        X, mean = centred(matrix)
        assert_allclose(mean, A.mean(axis=0))
        assert_allclose(X.dot(np.eye(3)), A - A.mean(axis=0), atol=1e-12)


def test_a_constant_feature_has_no_row_space_whatever_its_value():
    for value in (0.1, 1e8 / 3, -7.3):
        X, _ = centred(np.full((1000, 2), value))
        assert len(row_space(X)[0]) == 0


def test_a_constant_label_is_centred_to_exact_zero():
    assert np.all(centred_columns(np.full((999, 2), 0.1)) == 0)


def test_a_large_offset_does_not_hide_a_small_variation():
    rng = np.random.default_rng(0)
    X = 1e5 + rng.normal(size=(50, 4))
    V, squares = row_space(centred(X)[0])
    assert len(V) == 4
    assert_allclose(squares, np.linalg.svd(X - X.mean(0))[1] ** 2, rtol=1e-6)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_row_space_is_that_of_a_singular_value_decomposition(shape):
    A = sample(shape)
    for matrix in both(A):
        V, squares = row_space(centred(matrix)[0])
        _, lengths, rows = np.linalg.svd(A - A.mean(axis=0), full_matrices=False)
        kept = lengths > 1e-9
        assert_allclose(squares, lengths[kept] ** 2)
        assert_allclose(V @ V.T, np.eye(len(V)), atol=1e-12)
        assert_allclose(V.T @ V, rows[kept].T @ rows[kept], atol=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_row_space_without_a_basis_is_that_of_the_projected_samples(shape):
    A = sample(shape)
    d = shape[1]
    basis = orthonormal(np.random.default_rng(2).normal(size=(min(2, d), d)))
    projected = A @ (np.eye(d) - basis.T @ basis)
    lengths = np.linalg.svd(projected, compute_uv=False)
    for matrix in both(A):
        V, squares = row_space(uncentred(matrix), without=basis)
        assert_allclose(squares, lengths[lengths > 1e-9] ** 2)
        assert_allclose(V @ basis.T, 0, atol=1e-12)
        assert_allclose(V @ V.T, np.eye(len(V)), atol=1e-12)
        assert_allclose(projected @ V.T @ V, projected, atol=1e-9)


def test_the_row_space_of_a_badly_scaled_matrix_is_orthonormal():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(6, 40)) * np.logspace(0, -6, 6)[:, None]
    V, _ = row_space(uncentred(A))
    assert len(V) >= 5
    assert_allclose(V @ V.T, np.eye(len(V)), atol=1e-12)


def test_fewer_directions_asked_for_are_the_first_of_all():
    A = np.vstack([np.eye(6), -np.eye(6)])  # every direction is as long as any other
    everything = row_space(uncentred(A))[0]
    assert_allclose(row_space(uncentred(A), most=3)[0], everything[:3])


@settings(deadline=None)
@given(st.integers(1, 8), st.integers(0, 8), st.integers(0, 10**6))
def test_a_basis_and_its_complement_span_everything(d, r, seed):
    rng = np.random.default_rng(seed)
    basis = orthonormal(rng.normal(size=(min(r, d), d)))
    whole = np.vstack([basis, complement(basis, d - len(basis))])
    assert_allclose(whole @ whole.T, np.eye(d), atol=1e-10)


def test_a_smaller_complement_is_the_first_of_a_larger():
    basis = orthonormal(sample((2, 7)))
    assert_allclose(complement(basis, 2), complement(basis, 5)[:2], atol=1e-14)


def test_a_complement_does_not_hang_on_rounding():
    basis = np.array([[0.0, 1.0, 1.0, 0.0, 0.0]]) / np.sqrt(2)
    noise = 1e-15 * np.array([[1.0, -1.0, 1.0, -1.0, 1.0]])
    expected = complement(basis, 4)
    assert_allclose(complement(basis + noise, 4), expected, atol=1e-12)
    assert_allclose(complement(basis - noise, 4), expected, atol=1e-12)


def test_orthonormal_rows_follow_gram_and_schmidt():
    V = np.random.default_rng(0).normal(size=(4, 6))
    expected: list[np.ndarray] = []
    for row in V:
        rest = row - sum(((row @ done) * done for done in expected), np.zeros(6))
        expected.append(rest / np.linalg.norm(rest))
    assert_allclose(orthonormal(V), expected, atol=1e-12)
    assert_allclose(orthonormal(V[2:], after=orthonormal(V[:2])), expected[2:])


@pytest.mark.parametrize("ridge", [0.0, 1e-14, 0.3, 20.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_ridge_solver_inverts_the_regularized_gram_matrix(shape, ridge):
    A = sample(shape)
    Ac = A - A.mean(axis=0)
    M = Ac.T @ np.random.default_rng(0).normal(size=(shape[0], 3))
    G = Ac.T @ Ac + ridge * np.eye(shape[1])
    expected = np.linalg.pinv(G, hermitian=True, rtol=1e-10) @ M
    for matrix in both(A):
        solve = ridge_solver(centred(matrix)[0], ridge)
        assert_allclose(solve(M), expected, rtol=1e-7, atol=1e-9)


def test_a_ridge_too_small_for_cholesky_still_counts():
    A = np.diag([1.0, 3e-6, 0.0])
    M = np.array([[1.0], [1.0], [0.0]])
    solution = ridge_solver(uncentred(A), 5e-11)(M)
    assert_allclose(solution[:, 0], [1, 1 / (9e-12 + 5e-11), 0], rtol=1e-4)


def test_full_rank_columns_keep_the_product_and_drop_rounding():
    F = np.random.default_rng(0).normal(size=(6, 2)) @ np.ones((2, 5))
    kept = full_rank_columns(F, noise=1e-12)
    assert kept.shape == (6, 1)
    assert_allclose(kept @ kept.T, F @ F.T, atol=1e-12)


def test_the_inverse_root_gives_the_pseudo_inverse():
    A = np.diag([4.0, 0.0, 9.0])
    R = inverse_root(A)
    assert R.shape == (3, 2)
    assert_allclose(R @ R.T, np.diag([1 / 4, 0, 1 / 9]), atol=1e-15)
    assert inverse_root(np.zeros((2, 2))).shape == (2, 0)


def test_ratio_directions_solve_the_generalized_eigenproblem():
    rng = np.random.default_rng(0)
    F, root = rng.normal(size=(6, 3)), rng.normal(size=(6, 6))
    B = root @ root.T + np.eye(6)
    W, values = ratio_directions(F, lambda M: np.linalg.solve(B, M))
    assert_allclose(F @ F.T @ W.T, B @ W.T * values, atol=1e-10)
    assert_allclose(np.linalg.norm(W, axis=1), 1)
    assert np.all(np.diff(values) < 0)


def test_scaled_rows_are_the_rows_times_their_weights():
    A, weights = sample((4, 3)), np.array([0.0, 1.0, -2.0, 0.5])
    for matrix in both(A):
        scaled = scale_rows(matrix, weights)
        assert_allclose(np.diag(weights) @ A, scaled @ np.eye(3))
        assert_allclose(squared_norm(scaled), np.sum((weights[:, None] * A) ** 2))


def test_unit_rows_have_length_one():
    assert_allclose(unit_rows(np.array([[3.0, 4.0]])), [[0.6, 0.8]])


@settings(deadline=None)
@given(st.integers(0, 10**6))
def test_the_sign_of_a_direction_does_not_survive(seed):
    W = np.random.default_rng(seed).normal(size=(4, 3))
    fixed = fix_signs(W)
    assert_allclose(fixed, fix_signs(-W))
    assert np.all(fixed.max(axis=1) == np.abs(W).max(axis=1))


def test_of_entries_equal_but_for_rounding_the_first_is_positive():
    W = np.array([[-1.0, 1.0 + 1e-12], [1.0, -1.0 - 1e-12]])
    assert_allclose(fix_signs(W), [[1, -1], [1, -1]])
