import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh
from scipy.sparse import csr_array

from mlbench.reducers import graphs
from mlbench.reducers.graphs import neighbour_graph, squared_lengths
from mlbench.reducers.lpp import LPP


def sample(n=30, d=6, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) / d


def literal_graph(X, k, weights, t=1.0):
    n = len(X)
    distances = np.array([[np.sum((x - y) ** 2) for y in X] for x in X])
    near = [sorted(set(range(n)) - {i}, key=distances[i].__getitem__) for i in range(n)]
    W = np.zeros((n, n))
    for i, j in np.ndindex(n, n):
        if j in near[i][:k] or i in near[j][:k]:
            W[i, j] = 1 if weights == "binary" else np.exp(-distances[i, j] / t)
    return W


@pytest.mark.parametrize("k", [1, 4, 29, 50])
@pytest.mark.parametrize("weights", ["heat", "binary"])
def test_the_graph_joins_samples_when_either_is_near_the_other(k, weights):
    X = sample()
    weight = np.ones_like if weights == "binary" else lambda squares: np.exp(-squares)
    for matrix in (X, csr_array(X)):
        W = neighbour_graph(matrix, k, weight)
        assert_allclose(W.toarray(), literal_graph(X, k, weights), rtol=1e-9)


def test_lengths_of_edges_are_the_same_in_chunks(monkeypatch):
    X = sample()
    i, j = np.nonzero(~np.eye(30, dtype=bool))
    whole = squared_lengths(X, i, j)
    monkeypatch.setattr(graphs, "CHUNK", 40)
    assert np.array_equal(squared_lengths(X, i, j), whole)
    assert_allclose(squared_lengths(csr_array(X), i, j), whole)


@pytest.mark.parametrize("weights", ["heat", "binary"])
@pytest.mark.parametrize("ridge", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("n", [30, 5])
def test_directions_solve_the_generalized_eigenproblem(n, ridge, weights):
    X = sample(n=n)
    W = literal_graph(X, 4, weights, t=2.0)
    A = X.T @ W @ X
    B = X.T @ np.diag(W.sum(axis=1)) @ X + ridge * np.eye(6)
    model = LPP(6, n_neighbors=4, weights=weights, t=2.0, ridge=ridge).fit(X)
    r = min(n, 6)
    assert model.rank_ == r
    P = model.components_[:r].T
    values = np.diag(P.T @ A @ P) / np.diag(P.T @ B @ P)
    assert_allclose(A @ P, B @ P * values, atol=1e-9 * np.abs(B).max())
    assert np.all(np.diff(values) <= 1e-12)
    expected = eigh(A, B, eigvals_only=True)
    every = values if r == 6 else [*values, 0]  # nothing is outside of the row space
    assert_allclose(np.sort(every), expected, atol=1e-9)


def test_without_ridge_no_direction_keeps_neighbours_closer():
    X = sample()
    W = literal_graph(X, 4, "heat")
    D = np.diag(W.sum(axis=1))

    def spread(a):
        y = X @ a
        pairs = np.subtract.outer(y, y) ** 2
        return np.sum(pairs * W) / (y @ D @ y)

    best = LPP(1, n_neighbors=4, ridge=0.0).fit(X).components_[0]
    others = np.random.default_rng(1).normal(size=(200, 6))
    assert spread(best) <= min(spread(a) for a in others)
    nearby = best + 0.05 * others
    assert spread(best) <= min(spread(a) for a in nearby)


def test_labels_are_not_used():
    X = sample()
    Y = np.random.default_rng(0).integers(2, size=(30, 3))
    assert_allclose(LPP(3).fit(X, Y).components_, LPP(3).fit(X).components_)


def test_weights_that_vanish_leave_nothing_but_fill():
    X = 1e3 * sample()
    assert LPP(3).fit(X).rank_ == 0
    assert LPP(3, weights="binary").fit(X).rank_ == 3


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors must be a whole number from 1 on, got 0"),
        ({"n_neighbors": 2.5}, "n_neighbors must be a whole number from 1 on, got 2.5"),
        ({"t": None}, "t must be a number above 0, got None"),
        ({"weights": "cosine"}, "weights must be one of heat, binary, got 'cosine'"),
        ({"t": 0.0}, "t must be a number above 0, got 0.0"),
        ({"ridge": -1}, "ridge must be a number from 0 on, got -1"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        LPP(**settings).fit(sample())
