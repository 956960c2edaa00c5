"""Each figure against its definition, counted one sample at a time."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from mlbench.data.dataset import Dataset
from mlbench.data.load import load
from mlbench.data.statistics import SHOWN, measure


def draw(seed=0, n=40, d=6, q=7, rate=0.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5)
    Y = (rng.random((n, q)) < rate * rng.random(q)).astype(np.uint8)
    return toy(X, Y)


def toy(X, Y):
    Y = np.asarray(Y, dtype=np.uint8)
    features = tuple(f"f{k}" for k in range(X.shape[1]))
    labels = tuple(f"l{k}" for k in range(Y.shape[1]))
    return Dataset("toy", X, Y, features, labels)


@settings(deadline=None, max_examples=60)
@given(
    n=st.integers(1, 30),
    d=st.integers(1, 5),
    q=st.integers(1, 20),
    rate=st.floats(0, 3),
    seed=st.integers(0, 2**32),
)
def test_figures_are_those_of_the_definitions(n, d, q, rate, seed):
    dataset = draw(seed, n, d, q, rate)
    X, Y = dataset.X, dataset.Y
    found = measure(dataset)

    assert (found.instances, found.features, found.labels) == (n, d, q)
    sets = [frozenset(k for k in range(q) if Y[i, k]) for i in range(n)]
    assert_allclose(found.cardinality, sum(len(s) for s in sets) / n)
    assert_allclose(found.density, sum(len(s) / q for s in sets) / n)
    assert found.label_sets == len(set(sets))
    assert_allclose(found.label_set_share, len(set(sets)) / n)
    assert found.unlabelled == sum(not s for s in sets)
    zeros = sum(X[i, j] == 0 for i in range(n) for j in range(d))
    assert_allclose(found.sparsity, zeros / (n * d), atol=1e-12)

    count = [sum(k in s for s in sets) for k in range(q)]
    ratios = [max(count) / count[k] for k in range(q) if count[k]]
    assert found.empty_labels == q - len(ratios)
    if ratios:
        assert_allclose(found.mean_imbalance, sum(ratios) / len(ratios))
        assert_allclose(found.max_imbalance, max(ratios))
    else:
        assert found.mean_imbalance is found.max_imbalance is None

    by_count = sorted(range(q), key=lambda k: -count[k])[:SHOWN]
    assert found.most_frequent == tuple((f"l{k}", count[k]) for k in by_count)
    by_count = sorted(range(q), key=lambda k: count[k])[:SHOWN]
    assert found.least_frequent == tuple((f"l{k}", count[k]) for k in by_count)

    pairs = [(a, b) for a in range(q) for b in range(a + 1, q)]
    together = {p: sum(p[0] in s and p[1] in s for s in sets) for p in pairs}
    best = sorted(pairs, key=lambda p: -together[p])[:SHOWN]
    expected = [(f"l{a}", f"l{b}", together[a, b]) for a, b in best if together[a, b]]
    assert found.pairs == tuple(expected)


def test_sparse_features_give_the_figures_of_dense_ones():
    dataset = draw()
    X = csr_array(dataset.X)
    X.data[0] = 0.0  # stored, and yet a zero
    assert measure(toy(X, dataset.Y)) == measure(toy(X.toarray(), dataset.Y))


def test_the_figures_can_be_written_as_json():
    for dataset in (draw(), draw(rate=0), toy(np.eye(2), np.ones((2, 1)))):
        text = json.dumps(measure(dataset).data, allow_nan=False)
        assert json.loads(text)["name"] == "toy"


def test_a_line_is_a_word_and_a_rounded_figure():
    dataset = toy(np.eye(3), [[1, 0], [1, 1], [0, 0]])
    lines = measure(dataset).lines
    assert "cardinality            1.0" in lines
    assert "share of label sets    100.00%" in lines
    assert "max imbalance ratio    2.0" in lines
    assert "nonzero features       33.33%" in lines
    assert "most frequent labels   l0 (2), l1 (1)" in lines
    assert "most frequent pairs    l0 + l1 (1)" in lines
    assert all("\n" not in line for line in lines)
    assert list(measure(dataset).shown) == [line[:22].strip() for line in lines]


@pytest.mark.real
def test_published_figures_of_yeast_are_found(real_data):
    found = measure(load("yeast", real_data))
    assert round(found.cardinality, 3) == 4.237
    assert round(found.density, 3) == 0.303
    assert found.label_sets == 198  # as the Mulan collection states
