from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import nnls
from scipy.sparse import csr_array
from sklearn.decomposition import non_negative_factorization

from mlbench.reducers import nnls as module
from mlbench.reducers.nnls import kkt_residual, nnls_batch, project

# ---------------------------------------------------------------- the definition


def literal(U, x):
    """The best of the non-negative least-squares solutions on every set of columns."""
    J = U.shape[1]
    best = np.zeros(J)
    for columns in chain.from_iterable(
        combinations(range(J), size) for size in range(1, J + 1)
    ):
        v = np.zeros(J)
        v[list(columns)] = np.linalg.lstsq(U[:, columns], x, rcond=None)[0]
        if v.min() >= 0 and residual(U, x, v) < residual(U, x, best):
            best = v
    return best


def residual(U, x, v):
    return np.linalg.norm(x - U @ v)


def literal_kkt(G, c, v):
    gradient = [
        c[j] - sum(G[j, k] * v[k] for k in range(len(v))) for j in range(len(v))
    ]
    wrong = [abs(g) if w > 0 else max(g, -w) for g, w in zip(gradient, v, strict=True)]
    return max(0, *wrong) / (max(abs(c)) or 1)


# Columns of U a factorization may come up with, from good-natured to hopeless.


def dense_parts(rng, d, J):
    return rng.uniform(size=(d, J))


def sparse_parts(rng, d, J):
    return rng.uniform(size=(d, J)) * (rng.uniform(size=(d, J)) < 0.3)


def parts_of_low_rank(rng, d, J):
    return rng.uniform(size=(d, 3)) @ rng.uniform(size=(3, J))


def parts_almost_of_low_rank(rng, d, J):
    return parts_of_low_rank(rng, d, J) + 1e-8 * rng.uniform(size=(d, J))


def almost_equal_parts(rng, d, J):
    return rng.uniform(size=(d, 1)) + 1e-6 * rng.uniform(size=(d, J))


def repeated_parts(rng, d, J):
    return rng.uniform(size=(d, J))[:, rng.integers(0, (J + 1) // 2, size=J)]


def parts_of_any_scale(rng, d, J):
    return rng.uniform(size=(d, J)) * 10.0 ** rng.integers(-8, 8, size=J)


def parts_of_zeros_and_ones(rng, d, J):
    return rng.integers(0, 2, size=(d, J)).astype(float)


def no_parts_but_zeros(rng, d, J):
    return np.zeros((d, J))


PARTS = [
    dense_parts,
    sparse_parts,
    parts_of_low_rank,
    parts_almost_of_low_rank,
    almost_equal_parts,
    repeated_parts,
    parts_of_any_scale,
    parts_of_zeros_and_ones,
    no_parts_but_zeros,
]
all_parts = pytest.mark.parametrize("parts", PARTS, ids=lambda make: make.__name__)


def problem(parts, d=30, J=40, n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.7, size=(n, d)).astype(float)
    X[n // 2] = 0
    return parts(rng, d, J), X


def unit(U):
    lengths = np.linalg.norm(U, axis=0)
    return U / np.where(lengths > 0, lengths, 1)


def assert_optimal(U, X, V, tolerance=1e-8):
    """Optimal in the scale of unit columns, in which all gradients compare."""
    lengths = np.linalg.norm(U, axis=0)
    A = unit(U)
    assert V.min() >= 0
    weights = V * np.where(lengths > 0, lengths, 1)
    assert kkt_residual(A.T @ A, (X @ A).T, weights.T).max() < tolerance


# ---------------------------------------------------------------- against it


@settings(deadline=None)
@given(
    st.sampled_from(PARTS),
    st.integers(1, 7),
    st.integers(1, 5),
    st.integers(0, 2**32 - 1),
)
def test_no_set_of_columns_gives_a_better_fit(parts, d, J, seed):
    U, X = problem(parts, d, J, n=6, seed=seed)
    V = project(U, X)
    for x, v in zip(X, V, strict=True):
        best = residual(U, x, literal(U, x))
        assert residual(U, x, v) <= best + 1e-6 * np.linalg.norm(x)


def test_the_solution_is_the_definitions_where_it_is_unique():
    U, X = problem(dense_parts, d=9, J=6, n=20)
    expected = [literal(U, x) for x in X]
    assert_allclose(project(U, X), expected, atol=1e-7)


def test_the_kkt_residual_is_its_definition_entry_by_entry():
    rng = np.random.default_rng(0)
    U, V = rng.normal(size=(5, 4)), rng.normal(size=(4, 8)).clip(-0.5)
    G, C = U.T @ U, rng.normal(size=(4, 8))
    C[:, 3] = 0
    expected = [literal_kkt(G, C[:, i], V[:, i]) for i in range(8)]
    assert_allclose(kkt_residual(G, C, V), expected)


# ---------------------------------------------------------------- what is promised


@all_parts
@pytest.mark.parametrize(("d", "J"), [(30, 40), (100, 12), (8, 90), (30, 1), (1, 30)])
def test_every_sample_is_at_the_optimum(parts, d, J):
    U, X = problem(parts, d, J)
    assert_optimal(U, X, project(U, X))


@settings(deadline=None)
@given(
    st.sampled_from(PARTS),
    st.integers(1, 40),
    st.integers(1, 60),
    st.integers(0, 2**32 - 1),
)
def test_every_sample_is_at_the_optimum_on_any_data(parts, d, J, seed):
    U, X = problem(parts, d, J, n=20, seed=seed)
    assert_optimal(U, X, project(U, X))


def test_columns_of_mixed_signs_are_solved_too():
    rng = np.random.default_rng(0)
    U, X = rng.normal(size=(50, 30)), rng.normal(size=(40, 50))
    expected = [nnls(U, x)[0] for x in X]
    assert_allclose(project(U, X), expected, atol=1e-7)


@all_parts
def test_no_fit_is_worse_than_scipys(parts):
    U, X = problem(parts)
    V = project(U, X)
    for x, v in zip(X, V, strict=True):
        best = nnls(unit(U), x, maxiter=10_000)[1]
        assert residual(U, x, v) <= best + 1e-8 * np.linalg.norm(x)


def test_no_fit_is_worse_than_that_of_coordinate_descent():
    U, X = problem(parts_almost_of_low_rank, d=120, J=200, n=50)
    by_descent, _, _ = non_negative_factorization(
        X, H=np.ascontiguousarray(U.T), update_H=False, max_iter=30, tol=0
    )
    exact = np.linalg.norm(X - project(U, X) @ U.T, axis=1)
    assert np.all(exact <= np.linalg.norm(X - by_descent @ U.T, axis=1) + 1e-9)


def test_orthogonal_parts_give_the_samples_back():
    _, X = problem(dense_parts)
    assert_allclose(project(np.eye(30), X), X, atol=1e-8)


def test_a_sample_without_features_gets_no_weights():
    U, X = problem(dense_parts)
    assert not project(U, 0 * X).any()


def test_a_part_without_features_gets_no_weight():
    U, X = problem(dense_parts)
    U[:, 5] = 0
    V = project(U, X)
    assert not V[:, 5].any()
    assert V.any()


def test_a_part_too_small_to_be_squared_gets_no_weight():
    _, X = problem(dense_parts)
    assert not project(np.full((30, 2), 1e-200), X).any()


def test_equal_parts_share_equally():
    _, X = problem(dense_parts, d=6)
    U = np.ones((6, 3)) * [1, 1, 2]
    V = project(U, X) * [1, 1, 2]  # weights of unit columns, up to their length
    assert_allclose(V, np.repeat(X.mean(axis=1)[:, None] / 3, 3, axis=1), atol=1e-6)


def test_scaling_a_part_scales_its_weight_the_other_way():
    U, X = problem(dense_parts, d=60)
    scales = 10.0 ** np.arange(-20, 20)
    assert_allclose(project(U * scales, X) * scales, project(U, X), atol=1e-7)


@pytest.mark.parametrize("factor", [1e-150, 1e-20, 1e20, 1e140])
def test_scaling_a_sample_scales_its_weights(factor):
    U, X = problem(dense_parts, d=60)
    assert_allclose(project(U, X * factor) / factor, project(U, X), atol=1e-7)


def test_the_weights_of_a_sample_do_not_hang_on_the_other_samples():
    U, X = problem(dense_parts, d=60)
    alone = np.vstack([project(U, X[i : i + 1]) for i in range(len(X))])
    assert_allclose(project(U, X), alone, atol=1e-10)


def test_the_same_problem_has_the_same_solution_to_the_bit():
    U, X = problem(parts_of_low_rank)
    assert np.array_equal(project(U, X), project(U, X))


def test_sparse_samples_have_the_weights_of_dense_ones():
    U, X = problem(dense_parts, d=60)
    assert_allclose(project(U, csr_array(X)), project(U, X), atol=1e-8)


def test_no_sample_at_all_is_a_problem_with_no_solution_to_find():
    assert nnls_batch(np.eye(3), np.empty((3, 0))).shape == (3, 0)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_number_that_is_none_is_refused(bad):
    C = np.ones((2, 1))
    C[0] = bad
    with pytest.raises(ValueError, match="G and C must be finite"):
        nnls_batch(np.eye(2), C)
    with pytest.raises(ValueError, match="G and C must be finite"):
        nnls_batch(np.diag([1, bad]), np.ones((2, 1)))


# ---------------------------------------------------------------- how it gets there


@all_parts
def test_samples_and_systems_in_small_blocks_give_the_same(parts, monkeypatch):
    U, X = problem(parts)
    whole = project(U, X)
    monkeypatch.setattr(module, "ENTRIES", 100)
    assert_allclose(project(U, X), whole, atol=1e-9, rtol=1e-6)


@pytest.mark.parametrize("at_once", [1, 2, 1000])
def test_how_many_parts_enter_at_once_does_not_matter(at_once, monkeypatch):
    U, X = problem(dense_parts, d=60)
    expected = project(U, X)
    monkeypatch.setattr(module, "ENTERING", at_once)
    monkeypatch.setattr(module, "WORTH_ENTERING", 0)
    assert_allclose(project(U, X), expected, atol=1e-8)


@all_parts
def test_what_the_rounds_leave_over_is_solved_all_the_same(parts, monkeypatch):
    U, X = problem(parts)
    monkeypatch.setattr(module, "ROUNDS", 0)
    assert_optimal(U, X, project(U, X))


@all_parts
def test_the_rounds_suffice(parts, monkeypatch):
    def refuse(G, C):
        raise AssertionError("left to SciPy")

    monkeypatch.setattr(module, "_by_scipy", refuse)
    U, X = problem(parts)
    assert_optimal(U, X, project(U, X))
