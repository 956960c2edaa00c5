import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.decomposition import non_negative_factorization

from mlbench.reducers import nmf as module
from mlbench.reducers.nmf import (
    LOSSES,
    NMF,
    divergence,
    finished,
    over,
    quotient,
    update,
    update_kl,
)

both_losses = pytest.mark.parametrize("loss", LOSSES)
both_forms = pytest.mark.parametrize("form", [np.asarray, csr_array])


def counts(n=20, d=8, seed=0):
    return np.random.default_rng(seed).poisson(0.8, size=(n, d)).astype(float)


def factors():
    rng = np.random.default_rng(0)
    return [rng.uniform(size=shape) for shape in [(4, 5), (4, 2), (2, 5)]]


# ---------------------------------------------------------------- the update rules


def test_update_is_the_rule_for_w_entry_by_entry():
    V, W, H = factors()
    WH = W @ H
    new = update(W, V @ H.T, H @ H.T)
    for i, a in np.ndindex(W.shape):
        up = sum(V[i, u] * H[a, u] for u in range(5))
        down = sum(WH[i, u] * H[a, u] for u in range(5))
        assert_allclose(new[i, a], W[i, a] * up / down)


def test_update_is_the_rule_for_h_entry_by_entry():
    V, W, H = factors()
    WH = W @ H
    new = update(H.T, V.T @ W, W.T @ W)
    for a, u in np.ndindex(H.shape):
        up = sum(W[i, a] * V[i, u] for i in range(4))
        down = sum(W[i, a] * WH[i, u] for i in range(4))
        assert_allclose(new[u, a], H[a, u] * up / down)


def test_update_kl_is_the_rule_for_w_entry_by_entry():
    V, W, H = factors()
    WH = W @ H
    new = update_kl(W, H.T, quotient(V, W, H.T))
    for i, a in np.ndindex(W.shape):
        up = sum(H[a, u] * V[i, u] / WH[i, u] for u in range(5))
        assert_allclose(new[i, a], W[i, a] * up / sum(H[a, v] for v in range(5)))


def test_update_kl_is_the_rule_for_h_entry_by_entry():
    V, W, H = factors()
    WH = W @ H
    new = update_kl(H.T, W, quotient(V, W, H.T).T)
    for a, u in np.ndindex(H.shape):
        up = sum(W[i, a] * V[i, u] / WH[i, u] for i in range(4))
        assert_allclose(new[u, a], H[a, u] * up / sum(W[k, a] for k in range(4)))


def test_a_repeat_is_one_more_update():
    V, W, H = factors()
    target, gram = V @ H.T, H @ H.T
    twice = update(update(W, target, gram), target, gram)
    assert_allclose(update(W, target, gram, repeats=2), twice)


def test_rows_in_small_blocks_give_the_same(monkeypatch):
    V, W, H = factors()
    whole = update(W, V @ H.T, H @ H.T, repeats=2)
    monkeypatch.setattr(module, "BLOCK", 3)
    assert_allclose(update(W, V @ H.T, H @ H.T, repeats=2), whole)


def test_nothing_over_nothing_is_nothing():
    assert_allclose(over(np.array([0.0, 6.0]), np.array([0.0, 4.0])), [0, 1.5])


@both_forms
def test_the_divergence_is_its_definition(form):
    X = counts(7, 4)
    rng = np.random.default_rng(1)
    H, W = rng.uniform(size=(7, 3)), rng.uniform(size=(4, 3))
    Z = H @ W.T
    expected = sum(
        (X[i, j] * np.log(X[i, j] / Z[i, j]) if X[i, j] else 0) - X[i, j] + Z[i, j]
        for i, j in np.ndindex(X.shape)
    )
    V = form(X)
    assert_allclose(divergence(V, H, W, quotient(V, H, W)), expected)


def test_the_divergence_of_stored_zeros_is_that_of_zeros():
    X = counts(7, 4)
    rng = np.random.default_rng(1)
    H, W = rng.uniform(size=(7, 3)), rng.uniform(size=(4, 3))
    stored = csr_array(X)
    stored.data[:3] = 0
    X = stored.toarray()
    sparse = divergence(stored, H, W, quotient(stored, H, W))
    assert_allclose(sparse, divergence(X, H, W, quotient(X, H, W)))


def test_a_sparse_quotient_is_the_dense_one_where_there_are_entries(monkeypatch):
    X = counts(11, 5)
    X[3] = 0
    rng = np.random.default_rng(1)
    H, W = rng.uniform(size=(11, 3)), rng.uniform(size=(5, 3))
    W[2] = 0  # a feature no part has
    monkeypatch.setattr(module, "BLOCK", 4)
    sparse = quotient(csr_array(X), H, W)
    assert_allclose(sparse.toarray(), quotient(X, H, W))
    assert not sparse[:, [2]].toarray().any()


# ---------------------------------------------------------------- the stopping rule


def test_sweeps_end_at_the_cap_or_when_the_last_ones_gain_little():
    assert not finished([], 3, 0.1)
    assert not finished([10.0], 3, 0.1)
    assert finished([10.0], 1, 0.1)
    assert not finished([10.0, 5.0], 3, 0.1)
    assert finished([10.0, 5.0, 1.0], 3, 0.1)
    assert finished([10.0, 5.0, 4.9], 9, 0.1)
    assert not finished([10.0, 5.0, 4.9], 9, 0.1, window=2)
    assert finished([10.0, 5.0, 4.9, 4.8], 9, 0.1, window=2)
    assert finished([0.0, 0.0], 9, 0)


def test_gains_are_judged_by_the_first_ones_not_by_the_objective():
    assert not finished([1000.0, 999.0, 998.9], 9, 0.05)
    assert finished([1000.0, 999.0, 998.99], 9, 0.05)


# ---------------------------------------------------------------- the fit


def scikit_learns(X, r, sweeps, loss, seed=0):
    """Its factors after so many sweeps from the start that a seed gives."""
    rng = np.random.RandomState(seed)
    scale = np.sqrt(X.mean() / r)
    H, W = (scale * np.abs(rng.standard_normal((size, r))) for size in X.shape)
    H, W, _ = non_negative_factorization(
        X,
        W=H,
        H=np.ascontiguousarray(W.T),
        init="custom",
        solver="mu",
        beta_loss=loss,
        max_iter=sweeps,
        tol=0,
    )
    return H, W


@both_forms
@both_losses
@pytest.mark.parametrize("sweeps", [1, 2, 7])
def test_the_fit_is_scikit_learns(loss, form, sweeps):
    X = counts()
    H, W = scikit_learns(form(X), 3, sweeps, loss)
    model = NMF(3, loss=loss, repeats=1, max_iter=sweeps, tol=0, random_state=0)
    model.fit(form(X))
    lengths = np.linalg.norm(W, axis=1, keepdims=True)
    assert_allclose(model.components_, W / lengths, rtol=1e-9, atol=1e-12)
    if loss == "frobenius":
        literal = float(np.linalg.norm(X - H @ W) ** 2)
    else:
        literal = divergence(X, H, W.T, quotient(X, H, W.T))
    assert_allclose(model.objective_[-1], literal)


def test_a_sweep_repeats_the_update_of_one_factor_then_of_the_other():
    X = counts()
    rng = np.random.RandomState(0)
    H, W = (np.abs(rng.standard_normal((size, 3))) for size in X.shape)
    for _ in range(4):
        H = H * (X @ W) / (H @ W.T @ W)
    for _ in range(4):
        W = W * (X.T @ H) / (W @ H.T @ H)
    model = NMF(3, repeats=4, max_iter=1, random_state=0).fit(X)
    assert_allclose(model.components_.T, W / np.linalg.norm(W, axis=0))


@settings(deadline=None, max_examples=30)
@given(
    st.sampled_from(LOSSES),
    st.integers(2, 15),
    st.integers(1, 10),
    st.integers(1, 4),
    st.data(),
)
def test_the_objective_never_increases(loss, n, d, repeats, data):
    r = data.draw(st.integers(1, d))
    X = counts(n, d, seed=data.draw(st.integers(0, 2**32 - 1)))
    model = NMF(r, loss=loss, repeats=repeats, tol=0, max_iter=60, random_state=0)
    values = model.fit(X).objective_
    assert np.diff(values).max(initial=0) <= 1e-12 * (1 + (X**2).sum())


def test_the_weights_of_the_training_samples_fit_at_least_as_well_as_the_factors():
    X = counts()
    model = NMF(3, max_iter=5, random_state=0).fit(X)
    rest = X - model.transform(X) @ model.components_
    assert (rest**2).sum() <= model.objective_[-1] * (1 + 1e-12)


@both_forms
def test_weights_for_the_divergence_are_scikit_learns_updates(form):
    X = counts()
    model = NMF(3, loss="kullback-leibler", max_iter=25, random_state=0).fit(X)
    new = form(counts(seed=1))
    expected, _, _ = non_negative_factorization(
        new,
        H=model.components_,
        update_H=False,
        solver="mu",
        beta_loss="kullback-leibler",
        max_iter=25,
        tol=0,
    )
    assert_allclose(model.transform(new), expected, rtol=1e-9, atol=1e-12)


@both_losses
def test_parts_that_are_there_are_found(loss):
    rng = np.random.default_rng(0)
    parts = np.kron(np.eye(3), np.ones((1, 4))) / 2  # three, of four features each
    weights = rng.uniform(size=(50, 3)) * (rng.uniform(size=(50, 3)) < 0.5)
    X = weights @ parts
    model = NMF(3, loss=loss, tol=1e-8, max_iter=2000, random_state=0).fit(X)
    match = model.components_ @ parts.T
    assert_allclose(np.sort(match.max(axis=0)), 1, atol=1e-2)
    assert_allclose(model.transform(X) @ model.components_, X, atol=0.05)


def test_more_sweeps_than_needed_are_not_made():
    assert NMF(2, random_state=0).fit(counts()).n_iter_ < 200


def test_an_unknown_loss_is_refused():
    with pytest.raises(ValueError, match="loss must be one of frobenius, kullback-"):
        NMF(2, loss="hinge").fit(counts())


def test_an_impossible_number_of_repeats_is_refused():
    with pytest.raises(ValueError, match="repeats must be a whole number from 1 on"):
        NMF(2, repeats=0).fit(counts())
