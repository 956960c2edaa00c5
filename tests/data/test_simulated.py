"""The simulated data is what the paper prints, entry by entry."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from mlbench.data import simulated
from mlbench.data.simulated import chance, fair_coins, planted

evens = st.integers(1, 20).map(lambda half: 2 * half)
seeds = st.integers(0, 2**63 - 1)
both = pytest.mark.parametrize("make", [chance, planted])


@settings(deadline=None, max_examples=50)
@given(make=st.sampled_from([chance, planted]), n=evens, d=st.integers(6, 40), s=seeds)
def test_every_feature_is_one_in_half_of_the_samples(make, n, d, s):
    data = make(n, d, seed=s)
    assert data.X.shape == (n, d)
    assert data.X.dtype == np.float64
    assert set(np.unique(data.X)) == {0, 1}
    assert_array_equal(data.X.sum(axis=0), n // 2)
    assert data.Y.dtype == np.uint8
    assert_array_equal(data.Y.sum(axis=1), 1)


def test_the_first_experiment_has_two_halves_and_nothing_to_find():
    data = chance(n=8, d=3)
    assert_array_equal(data.Y.argmax(axis=1), [0, 0, 0, 0, 1, 1, 1, 1])
    assert data.Y.shape == (8, 2)
    assert data.relevant.size == 0


def test_the_sizes_of_the_first_experiment_are_the_printed_ones():
    data = chance()
    assert data.X.shape == (800, 1000)
    assert_array_equal(data.Y.sum(axis=0), [400, 400])


@settings(deadline=None, max_examples=50)
@given(n=evens, d=st.integers(6, 40), seed=seeds)
def test_a_class_is_the_sum_of_three_features_that_come_twice(n, d, seed):
    X, Y, relevant = planted(n, d, seed=seed)
    assert Y.shape == (n, 4)
    assert_array_equal(relevant, range(6))
    for x, y in zip(X, Y, strict=True):
        assert list(x[3:6]) == list(x[0:3])
        assert y[int(x[0] + x[1] + x[2])] == 1


def test_only_the_planted_features_of_the_second_experiment_come_twice():
    X = planted(n=100, d=60).X
    assert len(np.unique(X, axis=1).T) == 57


def test_all_four_classes_are_there_in_about_the_shares_of_three_coins():
    shares = planted(n=20_000, d=6).Y.mean(axis=0)
    np.testing.assert_allclose(shares, [1 / 8, 3 / 8, 3 / 8, 1 / 8], atol=0.02)


def test_every_order_of_a_feature_is_equally_likely():
    orders, counts = np.unique(fair_coins(4, 6000, seed=0), axis=1, return_counts=True)
    assert orders.shape == (4, 6)
    expected = 1000
    assert np.sum((counts - expected) ** 2 / expected) < 20.5  # chi-square, p = 0.001


@both
def test_the_same_seed_gives_the_same_data_and_another_seed_another(make):
    one, same, other = (make(50, 20, seed=seed) for seed in (7, 7, 8))
    assert_array_equal(one.X, same.X)
    assert_array_equal(one.Y, same.Y)
    assert not np.array_equal(one.X, other.X)


@both
def test_more_features_leave_the_first_ones_as_they_are(make, monkeypatch):
    few = make(10, 8, seed=3).X
    monkeypatch.setattr(simulated, "COLUMNS", 3)
    assert_array_equal(make(10, 20, seed=3).X[:, :8], few)


def test_drawing_needs_little_memory_beside_the_result():
    tracemalloc.start()
    X = planted(n=100, d=20_000).X
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.1 * X.nbytes


@both
@pytest.mark.parametrize("n", [0, 7, -2, 8.0, None])
def test_a_number_of_samples_without_halves_is_refused(make, n):
    with pytest.raises(ValueError, match="n must be an even number of at least 2, got"):
        make(n, 10)


@pytest.mark.parametrize(
    ("make", "d", "fewest"), [(chance, 0, 1), (planted, 5, 6), (planted, 10.0, 6)]
)
def test_too_few_features_are_refused(make, d, fewest):
    message = f"d must be a whole number of at least {fewest}, got {d}"
    with pytest.raises(ValueError, match=message):
        make(8, d)
