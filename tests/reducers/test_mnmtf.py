import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.io import loadmat
from sklearn.base import clone

from mlbench.reducers import nmf
from mlbench.reducers.mnmtf import MNMTF, WINDOW, objective, update_s, update_u
from mlbench.reducers.nnls import kkt_residual


def data(n=12, d=5, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.9, size=(n, d)).astype(float)
    Y = (rng.uniform(size=(n, q)) < 0.4).astype(float)
    return X, Y


def problem(n=12, d=5, q=3, J=4, seed=0):
    """X, Y in the paper's orientation, with factors."""
    X, Y = data(n, d, q, seed)
    rng = np.random.default_rng(seed + 1)
    return X.T, Y.T, rng.uniform(size=(d, J)), rng.uniform(size=(J, q))


def literal_graph(Y):
    """K and D, one pair of labels and one sample at a time."""
    L, N = Y.shape
    K, D = np.zeros((L, L)), np.zeros((L, L))
    for j, k in np.ndindex(L, L):
        K[j, k] = sum(Y[j, i] * Y[k, i] for i in range(N))
    for k in range(L):
        D[k, k] = sum(K[j, k] for j in range(L))
    return K, D


def literal_objective(X, Y, U, S, lam):
    K, D = literal_graph(Y)
    USY = U @ S @ Y
    fit = sum((X[i, j] - USY[i, j]) ** 2 for i, j in np.ndindex(X.shape))
    return fit + lam * np.trace(S @ (D - K) @ S.T)


def literal_sweep(X, Y, U, S, lam):
    """Lines 5 and 6 of Algorithm 1, products in the order they are printed."""
    K, D = literal_graph(Y)
    U = U * (X @ Y.T @ S.T) / (U @ S @ Y @ Y.T @ S.T)
    up = U.T @ X @ Y.T + lam * S @ K
    down = U.T @ U @ S @ Y @ Y.T + lam * S @ D
    return U, S * up / down


# ---------------------------------------------------------------- the update rules


def test_update_u_is_the_printed_rule_entry_by_entry():
    X, Y, U, S = problem()
    new = update_u(U, S, X @ Y.T, Y @ Y.T)
    SY = S @ Y
    USY = U @ SY
    for m, j in np.ndindex(U.shape):
        up = sum(X[m, i] * SY[j, i] for i in range(12))
        down = sum(USY[m, i] * SY[j, i] for i in range(12))
        assert_allclose(new[m, j], U[m, j] * up / down)


@pytest.mark.parametrize("lam", [0, 0.1, 3])
def test_update_s_is_the_printed_rule_entry_by_entry(lam):
    X, Y, U, S = problem()
    K, D = literal_graph(Y)
    new = update_s(U, S, X @ Y.T, Y @ Y.T, lam)
    USY = U @ S @ Y
    for j, k in np.ndindex(S.shape):
        pairs = [(m, i) for m in range(5) for i in range(12)]
        up = sum(U[m, j] * X[m, i] * Y[k, i] for m, i in pairs)
        down = sum(U[m, j] * USY[m, i] * Y[k, i] for m, i in pairs)
        up += lam * sum(S[j, other] * K[other, k] for other in range(3))
        down += lam * S[j, k] * D[k, k]
        assert_allclose(new[j, k], S[j, k] * up / down)


@pytest.mark.parametrize("lam", [0, 0.1, 3])
def test_the_objective_is_its_definition(lam):
    X, Y, U, S = problem()
    fast = objective(U, S, X @ Y.T, Y @ Y.T, lam, (X**2).sum())
    assert_allclose(fast, literal_objective(X, Y, U, S, lam))


def test_the_penalty_is_the_distance_of_labels_that_occur_together():
    X, Y, U, S = problem()
    K, _ = literal_graph(Y)
    XY, norm = X @ Y.T, (X**2).sum()
    penalty = objective(U, S, XY, K, 1, norm) - objective(U, S, XY, K, 0, norm)
    distances = [
        K[j, k] * ((S[:, j] - S[:, k]) ** 2).sum() / 2 for j, k in np.ndindex(K.shape)
    ]
    assert_allclose(penalty, sum(distances))


@pytest.mark.parametrize("factor", ["U", "S"])
def test_the_rules_divide_the_two_terms_of_the_gradient(factor):
    X, Y, U, S = problem()
    lam, step = 0.7, 1e-6
    K, D = literal_graph(Y)
    if factor == "U":
        up, down = X @ Y.T @ S.T, U @ S @ Y @ Y.T @ S.T
        new, old = update_u(U, S, X @ Y.T, K), U
    else:
        up = U.T @ X @ Y.T + lam * S @ K
        down = U.T @ U @ S @ Y @ Y.T + lam * S @ D
        new, old = update_s(U, S, X @ Y.T, K, lam), S
    for entry in np.ndindex(old.shape):
        E = np.zeros_like(old)
        E[entry] = step
        higher, lower = (
            literal_objective(X, Y, U + e, S, lam)
            if factor == "U"
            else literal_objective(X, Y, U, S + e, lam)
            for e in (E, -E)
        )
        slope = (higher - lower) / (2 * step)
        assert_allclose(slope, 2 * (down[entry] - up[entry]), rtol=1e-5, atol=1e-5)
    assert_allclose(new, old * up / down)


@pytest.mark.parametrize(("d", "q", "J"), [(9, 3, 2), (9, 3, 9), (40, 5, 30)])
def test_products_from_the_small_side_give_the_printed_ones(d, q, J):
    X, Y, U, S = problem(n=60, d=d, q=q, J=J)
    XY, K = X @ Y.T, Y @ Y.T
    P, T = U, S
    for _ in range(5):
        P, T = literal_sweep(X, Y, P, T, 0.1)
        U = update_u(U, S, XY, K)
        S = update_s(U, S, XY, K, 0.1)
    assert_allclose(U, P, rtol=1e-10)
    assert_allclose(S, T, rtol=1e-10)


def test_rows_of_u_in_small_blocks_give_the_same(monkeypatch):
    X, Y, U, S = problem(d=11)
    whole = update_u(U, S, X @ Y.T, Y @ Y.T)
    monkeypatch.setattr(nmf, "BLOCK", 4)
    assert_allclose(update_u(U, S, X @ Y.T, Y @ Y.T), whole)


def test_the_scale_of_u_at_the_start_does_not_matter():
    X, Y, U, S = problem()
    XY, K = X @ Y.T, Y @ Y.T
    assert_allclose(update_u(U, S, XY, K), update_u(1e3 * U, S, XY, K))


# ---------------------------------------------------------------- the fit


def test_the_fit_is_algorithm_1():
    X, Y = data()
    rng = np.random.RandomState(0)
    U = np.abs(rng.standard_normal((5, 4)))
    S = np.abs(rng.standard_normal((4, 3)))
    expected = []
    for _ in range(6):
        U, S = literal_sweep(X.T, Y.T, U, S, 0.1)
        expected.append(literal_objective(X.T, Y.T, U, S, 0.1))
    model = MNMTF(4, tol=0, max_iter=6, random_state=0).fit(X, Y)
    assert_allclose(model.objective_, expected)
    assert_allclose(model.components_.T, U / np.linalg.norm(U, axis=0))


@settings(deadline=None, max_examples=50)
@given(
    st.integers(2, 20),
    st.integers(1, 8),
    st.integers(1, 6),
    st.sampled_from([0, 0.01, 0.1, 1, 100]),
    st.data(),
)
def test_the_objective_never_increases(n, d, q, lam, draw):
    J = draw.draw(st.integers(1, d))
    X, Y = data(n, d, q, seed=draw.draw(st.integers(0, 2**32 - 1)))
    model = MNMTF(J, lam=lam, tol=0, max_iter=80, random_state=0).fit(X, Y)
    first = 1 + (X**2).sum() + abs(model.objective_[0])
    assert np.diff(model.objective_).max(initial=0) <= 1e-12 * first


def test_a_fit_without_penalty_reaches_the_best_non_negative_label_means():
    # Labels that never meet: the best means are those of their samples.
    rng = np.random.default_rng(0)
    X, Y = rng.uniform(size=(30, 5)), np.eye(3)[np.arange(30) % 3]
    means = Y.T @ X / 10
    model = MNMTF(5, lam=0, tol=0, max_iter=3000, random_state=0).fit(X, Y)
    assert_allclose(model.objective_[-1], ((X - Y @ means) ** 2).sum(), rtol=1e-6)


def test_a_label_without_a_sample_changes_nothing_for_the_others():
    X, Y = data()
    rng = np.random.default_rng(1)
    U, S = rng.uniform(size=(5, 4)), rng.uniform(size=(4, 3))
    Y[:, 2] = 0
    for _ in range(5):
        before = U, S
        U = update_u(*before, X.T @ Y, Y.T @ Y)
        S = update_s(U, S, X.T @ Y, Y.T @ Y, 0.1)
        fewer = before[1][:, :2]
        P = update_u(before[0], fewer, X.T @ Y[:, :2], Y[:, :2].T @ Y[:, :2])
        assert_allclose(U, P)
        T = update_s(P, fewer, X.T @ Y[:, :2], Y[:, :2].T @ Y[:, :2], 0.1)
        assert_allclose(S[:, :2], T)
        assert not S[:, 2].any()


def test_one_sweep_alone_does_not_end_the_fit():
    X, Y = data()
    assert MNMTF(2, tol=1, random_state=0).fit(X, Y).n_iter_ == WINDOW + 1


def test_label_values_other_than_one_count_as_one():
    X, Y = data()
    model = MNMTF(2, random_state=0)
    ones, sevens = (clone(model).fit(X, Z).components_ for Z in (Y, 7 * Y))
    assert np.array_equal(ones, sevens)


@pytest.mark.parametrize("wrong", [-0.1, np.nan, None])
def test_an_impossible_weight_is_refused(wrong):
    X, Y = data()
    with pytest.raises(ValueError, match="lam must be a number from 0 on"):
        MNMTF(2, lam=wrong).fit(X, Y)


def test_a_sample_of_one_label_is_described_by_the_parts_of_that_label():
    X, Y = np.kron(np.eye(3), np.ones((1, 2))), np.eye(3)
    model = MNMTF(3, lam=0, tol=0, max_iter=2000, random_state=0).fit(X, Y)
    assert_allclose(model.transform(X) @ model.components_, X, atol=0.02)


@pytest.mark.real
def test_the_projection_on_real_parts_is_optimal_and_sparse(real_data):
    arts = loadmat(real_data / "lamda" / "arts.mat")
    X, Y = arts["train_data"], arts["train_target"].T > 0
    model = MNMTF(200, max_iter=60, random_state=0).fit(X, Y)
    assert np.diff(model.objective_).max() <= 0
    U, V = model.components_.T, model.transform(arts["test_data"])
    assert kkt_residual(U.T @ U, U.T @ arts["test_data"].T, V.T).max() < 1e-8
    assert (V > 0).mean() < 0.2
