import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mlbench.reducers.mlda import class_weights
from mlbench.reducers.nmf_mlda import (
    NMFMLDA,
    bounded_weights,
    scatter,
    update_h,
    update_w,
)


def data(n=12, d=6, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.9, size=(n, d)).astype(float)
    Y = (rng.uniform(size=(n, q)) < 0.4).astype(float)
    return X, Y


def problem(n=12, d=6, q=3, J=4, seed=0):
    X, Y = data(n, d, q, seed)
    rng = np.random.default_rng(seed + 1)
    W, H = rng.uniform(size=(d, J)), rng.uniform(size=(n, J))
    return X, Y, W / np.linalg.norm(W, axis=0), H


def literal_scatter(H, Z):
    """S_w and S_b, one class and one sample at a time."""
    n, q = Z.shape
    J = H.shape[1]
    m = sum(Z[i, k] * H[i] for i in range(n) for k in range(q)) / Z.sum()
    within, between = np.zeros((J, J)), np.zeros((J, J))
    for k in range(q):
        m_k = sum(Z[i, k] * H[i] for i in range(n)) / Z[:, k].sum()
        between += Z[:, k].sum() * np.outer(m_k - m, m_k - m)
        for i in range(n):
            within += Z[i, k] * np.outer(H[i] - m_k, H[i] - m_k)
    return within, between


def literal_objective(X, W, H, Z, gamma, delta):
    within, between = literal_scatter(H, Z)
    fit = np.linalg.norm(X.T - W @ H.T) ** 2
    return fit + gamma * np.trace(within) - delta * np.trace(between)


def slope(function, at, entry, step=1e-6):
    E = np.zeros_like(at)
    E[entry] = step
    return (function(at + E) - function(at - E)) / (2 * step)


# ---------------------------------------------------------------- the terms


def test_the_weights_are_mldas_with_a_largest_sum_of_one():
    _, Y = data()
    Z = bounded_weights(Y)
    assert_allclose(Z.sum(axis=1).max(), 1)
    assert_allclose(Z / Z.max(), class_weights(Y) / class_weights(Y).max())


def test_the_scatter_is_mldas():
    _, Y, _, H = problem()
    Z = bounded_weights(Y)
    assert_allclose(scatter(H, Z), [np.trace(S) for S in literal_scatter(H, Z)])


@pytest.mark.parametrize(("gamma", "delta"), [(0, 0), (0.3, 0), (0, 0.3), (2, 0.9)])
def test_update_h_divides_the_two_terms_of_the_gradient(gamma, delta):
    X, Y, W, H = problem()
    Z = bounded_weights(Y)
    new = update_h(H, X @ W, W.T @ W, Z, gamma, delta)
    z, N = Z.sum(axis=1), Z.sum()
    for i, j in np.ndindex(H.shape):
        m = sum(z[u] * H[u, j] for u in range(12)) / N
        means = [Z[:, k] @ H[:, j] / Z[:, k].sum() for k in range(3)]
        up = X[i] @ W[:, j] + (gamma + delta) * Z[i] @ means
        down = H[i] @ W.T @ W[:, j] + gamma * z[i] * H[i, j] + delta * z[i] * m
        assert_allclose(new[i, j], H[i, j] * up / down)
        measured = slope(
            lambda A: literal_objective(X, W, A, Z, gamma, delta), H, (i, j)
        )
        assert_allclose(measured, 2 * (down - up), rtol=1e-5, atol=1e-5)


def test_update_w_is_the_rule_column_by_column():
    X, _, W, H = problem()
    new = update_w(W, X.T @ H, H.T @ H)
    for j in range(4):
        L = sum(H[:, j] @ H[:, k] for k in range(4))
        w = X.T @ H[:, j] - sum(W[:, k] * (H[:, k] @ H[:, j]) for k in range(4))
        w = np.maximum(w + L * W[:, j], 0)
        assert_allclose(new[:, j], w / np.linalg.norm(w))


def test_update_w_leaves_a_part_alone_that_no_sample_uses():
    X, _, W, H = problem()
    H[:, 1] = 0
    assert_allclose(update_w(W, X.T @ H, H.T @ H)[:, 1], W[:, 1])


def test_update_w_leaves_a_part_alone_of_which_nothing_would_remain():
    W = np.array([[1.0, 1.0], [0.0, 0.0]])
    VH, HH = np.array([[0.0, 5.0], [0.0, 0.0]]), np.array([[1.0, 9.0], [9.0, 1.0]])
    assert_allclose(update_w(W, VH, HH)[:, 0], W[:, 0])


@settings(deadline=None)
@given(st.integers(2, 12), st.integers(1, 6), st.integers(1, 5), st.data())
def test_update_w_never_raises_the_misfit(n, d, J, draw):
    X, _, W, H = problem(n, d, 1, J, seed=draw.draw(st.integers(0, 2**32 - 2)))
    before = np.linalg.norm(X - H @ W.T)
    new = update_w(W, X.T @ H, H.T @ H)
    assert_allclose(np.linalg.norm(new, axis=0), 1)
    assert new.min() >= 0
    assert np.linalg.norm(X - H @ new.T) <= before * (1 + 1e-12)


# ---------------------------------------------------------------- the fit


@pytest.mark.parametrize(("gamma", "delta"), [(0, 0), (0.3, 0.2), (5, 0.99)])
def test_the_recorded_objective_is_its_definition(gamma, delta):
    X, Y = data()
    Z = bounded_weights(Y)
    rng = np.random.RandomState(0)
    W, H = (np.abs(rng.standard_normal((size, 4))) for size in (6, 12))
    W /= np.linalg.norm(W, axis=0)
    H *= X.mean() / (H @ W.T).mean()
    expected = []
    for _ in range(3):
        for _ in range(5):
            H = update_h(H, X @ W, W.T @ W, Z, gamma, delta)
        for _ in range(5):
            W = update_w(W, X.T @ H, H.T @ H)
        expected.append(literal_objective(X, W, H, Z, gamma, delta))
    model = NMFMLDA(4, gamma=gamma, delta=delta, tol=0, max_iter=3, random_state=0)
    assert_allclose(model.fit(X, Y).objective_, expected)
    assert_allclose(model.components_.T, W)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(2, 15),
    st.integers(1, 8),
    st.integers(1, 5),
    st.sampled_from([0, 0.1, 1, 50]),
    st.sampled_from([0, 0.1, 0.5, 0.999]),
    st.data(),
)
def test_the_objective_falls_and_stays_above_its_bound(n, d, q, gamma, delta, draw):
    J = draw.draw(st.integers(1, d))
    X, Y = data(n, d, q, seed=draw.draw(st.integers(0, 2**32 - 1)))
    model = NMFMLDA(J, gamma=gamma, delta=delta, tol=0, max_iter=40, random_state=0)
    values = model.fit(X, Y).objective_
    norm = (X**2).sum()
    scale = 1 + norm + max(map(abs, values))
    assert np.diff(values).max(initial=0) <= 1e-12 * scale
    assert values[-1] >= -delta / (1 - delta) * norm - 1e-12 * scale


def test_without_labels_the_penalty_is_nothing():
    X, Y = data()
    free = NMFMLDA(3, random_state=0).fit(X, 0 * Y)
    unpenalized = NMFMLDA(3, gamma=0, delta=0, random_state=0).fit(X, Y)
    assert_allclose(free.components_, unpenalized.components_)


def test_the_penalty_draws_the_weights_of_a_class_together():
    X, Y = data(n=60, d=10)
    shares = []
    for gamma in (0, 1, 10):
        model = NMFMLDA(5, gamma=gamma, delta=0, tol=1e-6, max_iter=500, random_state=0)
        V = model.fit(X, Y).transform(X)
        within, between = scatter(V, bounded_weights(Y))
        shares.append(within / (within + between))
    assert shares[0] > shares[1] > shares[2]


@pytest.mark.parametrize("wrong", [-0.1, 1, 1.5, None])
def test_an_unbounded_weight_between_classes_is_refused(wrong):
    X, Y = data()
    with pytest.raises(ValueError, match="delta must be a number from 0"):
        NMFMLDA(2, delta=wrong).fit(X, Y)


def test_an_impossible_weight_within_classes_is_refused():
    X, Y = data()
    with pytest.raises(ValueError, match="gamma must be a number from 0 on"):
        NMFMLDA(2, gamma=-1).fit(X, Y)
