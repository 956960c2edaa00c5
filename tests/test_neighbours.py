"""Neighbours against their definition, written out pair by pair."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.io import loadmat
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from mlbench import neighbours
from mlbench.neighbours import (
    blocks,
    definition,
    estimates,
    nearest,
    nested_nearest,
    select,
    shadow,
)


def plain_distance(x, y):
    """The squared distance as the module defines it: a sum in order, then rounded."""
    total = 0.0
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        total += (a - b) * (a - b)
    if total < 2.0**-960:
        return 0.0
    mantissa, exponent = math.frexp(total)
    return math.ldexp(math.floor(mantissa * 2**32 + 0.5), exponent - 32)


def plain_nearest(train, k, query=None):
    queries = train if query is None else query
    found = []
    for i, x in enumerate(queries):
        others = [j for j in range(len(train)) if query is not None or j != i]
        others.sort(key=lambda j: (plain_distance(x, train[j]), j))
        found.append(others[:k])
    return np.array(found, dtype=int).reshape(len(queries), k)


def normal(rng, shape):
    return rng.normal(size=shape)


def counts(rng, shape):
    return rng.poisson(0.4, size=shape).astype(float)


def duplicates(rng, shape):
    return rng.normal(size=(3, shape[1]))[rng.integers(0, 3, shape[0])]


def unit_length(rng, shape):
    words = rng.poisson(0.3, size=shape).astype(float)
    return words / np.maximum(np.linalg.norm(words, axis=1, keepdims=True), 1)


def far_from_zero(rng, shape):
    return 1e7 + rng.normal(size=shape)


def with_an_outlier(rng, shape):
    X = rng.normal(size=shape)
    X[0] *= 1e9
    return X


def almost_duplicates(rng, shape):
    return duplicates(rng, shape) + 1e-9 * rng.normal(size=shape)


def underflowing(rng, shape):
    return 1e-150 * rng.normal(size=shape)


def overflowing_almost(rng, shape):
    return 9e139 * rng.choice([-1.0, 0.0, 1.0], size=shape)


KINDS = [
    normal,
    counts,
    duplicates,
    unit_length,
    far_from_zero,
    with_an_outlier,
    almost_duplicates,
    underflowing,
    overflowing_almost,
]


@st.composite
def problems(draw):
    """Training rows, query rows (some are training rows) and k; dense or sparse."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m, d = draw(st.integers(3, 60)), draw(st.integers(1, 8)), draw(st.integers(1, 9))
    X = draw(st.sampled_from(KINDS))(rng, (n + m, d))
    train, query = X[:n], np.vstack([X[n:], X[rng.integers(0, n, 2)]])
    k = draw(st.integers(1, min(4, n - 1)) | st.integers(1, n - 1))
    return train, query, k, draw(st.sampled_from([np.asarray, csr_array]))


@settings(deadline=None)
@given(problems())
def test_neighbours_are_those_of_the_definition(problem):
    train, query, k, kind = problem
    assert_array_equal(nearest(kind(train), k), plain_nearest(train, k))
    found = nearest(kind(train), k, query=kind(query))
    assert_array_equal(found, plain_nearest(train, k, query))


@settings(deadline=None)
@given(problems(), st.data())
def test_a_sweep_gives_what_each_dimension_gives_alone(problem, data):
    train, query, k, kind = problem
    every = st.sets(st.integers(1, train.shape[1]), min_size=1)
    dims = sorted(data.draw(every))
    sweep = list(nested_nearest(kind(train), kind(query), dims, k))
    assert len(sweep) == len(dims)
    for dim, (of_train, of_query) in zip(dims, sweep, strict=True):
        first = train[:, :dim]
        assert_array_equal(of_train, plain_nearest(first, k))
        assert_array_equal(of_query, plain_nearest(first, k, query[:, :dim]))


@pytest.mark.parametrize("kind", KINDS)
def test_a_long_sweep_gives_what_each_dimension_gives_alone(kind):
    X = kind(np.random.default_rng(0), (190, 40))
    train, query, dims = X[:150], X[140:], range(1, 41)
    sweep = nested_nearest(train, query, dims, 3)
    for dim, (of_train, of_query) in zip(dims, sweep, strict=True):
        first = train[:, :dim]
        assert_array_equal(of_train, nearest(first, 3))
        assert_array_equal(of_query, nearest(first, 3, query[:, :dim]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sparse", [False, True])
def test_an_estimate_is_within_its_error_of_the_exact_distance(kind, sparse):
    X = kind(np.random.default_rng(1), (30, 12))
    given = csr_array(X) if sparse else X
    found = np.full((30, 30), np.nan)
    for place, step in enumerate(estimates.steps_of(given, given, [2, 3, 12], 30)):
        estimates.add(found, step, slice(0, 30), first=place == 0)
        lengths = step.lengths[:, None] + step.train_lengths
        allowed = step.error * lengths
        for i, j in np.ndindex(30, 30):
            pairs = zip(X[i, : step.dim], X[j, : step.dim], strict=True)
            exact = sum((Fraction(a) - Fraction(b)) ** 2 for a, b in pairs)
            estimate = Fraction(float(found[i, j])) + Fraction(step.lengths[i])
            assert abs(estimate - exact) <= Fraction(float(allowed[i, j]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("height", [1, 7])
def test_blocks_of_rows_change_nothing(kind, height, monkeypatch):
    X = kind(np.random.default_rng(2), (50, 4))
    whole = nearest(X, 2), nearest(X, 2, X[:9])
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 8 * 50 * height)
    monkeypatch.setattr(definition, "PAIR_VALUES", 4 * height)
    assert_array_equal(nearest(X, 2), whole[0])
    assert_array_equal(nearest(X, 2, X[:9]), whole[1])


@pytest.fixture
def lower_bounds(monkeypatch):
    """Lower bounds used on any data, however little they tell of it."""
    monkeypatch.setattr(shadow, "COST", np.inf)
    monkeypatch.setattr(shadow, "MOST", 1)
    monkeypatch.setattr(select, "MOST", np.inf)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("held", [0.3, 0.99])
@pytest.mark.parametrize("k", [1, 4])
def test_by_lower_bounds_neighbours_are_the_same(
    kind, held, k, lower_bounds, monkeypatch
):
    monkeypatch.setattr(shadow, "HELD", held)
    rng = np.random.default_rng(8)
    train, query = kind(rng, (300, 12)), kind(rng, (40, 12))
    assert shadow.lower_step(train, query, 300) is not None
    assert_array_equal(nearest(train, k, query), plain_nearest(train, k, query))
    assert_array_equal(nearest(train, k)[:40], plain_nearest(train, k)[:40])


@pytest.mark.parametrize("kind", KINDS)
def test_a_lower_bound_exceeds_no_distance_by_more_than_its_excess(kind, lower_bounds):
    X = kind(np.random.default_rng(9), (30, 12))
    step = shadow.lower_step(X, X, 30)
    found = np.empty((30, 30), dtype=step.right.dtype)
    estimates.add(found, step, slice(0, 30), first=True)
    for i, j in np.ndindex(30, 30):
        pairs = zip(X[i], X[j], strict=True)
        exact = sum((Fraction(a) - Fraction(b)) ** 2 for a, b in pairs)
        bound = Fraction(float(found[i, j])) + Fraction(step.lengths[i])
        assert bound <= exact + Fraction(float(step.excess[i]))


@pytest.mark.parametrize("most", [0.5, 5])  # before, or after, distances are known
def test_lower_bounds_that_tell_too_little_are_given_up(
    most, lower_bounds, monkeypatch
):
    monkeypatch.setattr(shadow, "HELD", 0.3)
    monkeypatch.setattr(select, "MOST", most)
    monkeypatch.setattr(blocks, "BLOCK_ROWS", 16)
    tried = []
    choose = select._by_lower_bounds
    monkeypatch.setattr(
        select,
        "_by_lower_bounds",
        lambda *args: tried.append(choose(*args)) or tried[-1],
    )
    X = np.random.default_rng(10).normal(size=(200, 12))  # as far in all directions
    assert_array_equal(nearest(X, 3), plain_nearest(X, 3))
    assert tried == [None]


def test_lower_bounds_are_single_where_the_numbers_are_fit_for_it(lower_bounds):
    X = np.random.default_rng(12).normal(size=(30, 12))
    for scale, kind in [(1, np.float32), (1e20, np.float64), (1e-20, np.float64)]:
        assert shadow.lower_step(scale * X, X, 30).right.dtype == kind
    assert shadow.lower_step(X, 1e20 * X, 30).right.dtype == np.float64


def test_lower_bounds_are_used_where_they_pay():
    rng = np.random.default_rng(11)
    flat = rng.normal(size=(3000, 40))
    steep = flat * 0.7 ** np.arange(40)
    assert shadow.lower_step(steep, steep, 3000).left.shape[1] < 15
    assert shadow.lower_step(flat, flat, 3000) is None  # no few directions
    assert shadow.lower_step(steep[:100], steep[:100], 100) is None  # too few rows
    assert shadow.lower_step(csr_array(steep), csr_array(steep), 3000) is None


@pytest.mark.parametrize("kind", KINDS)
def test_neighbours_for_a_larger_k_begin_with_those_for_a_smaller_one(kind):
    X = kind(np.random.default_rng(3), (200, 5))
    many = nearest(X, 150)
    for k in (1, 2, 10, 149):
        assert_array_equal(nearest(X, k), many[:, :k])


def test_distances_are_summed_in_the_order_of_the_columns():
    X = np.random.default_rng(7).normal(size=(200, 50))
    i, j = np.arange(200), np.arange(200)[::-1]
    expected = np.zeros(200)
    for column in np.square(X[i] - X[j]).T:
        expected = expected + column
    found = definition.squared_distances(X, X, 50, i, j)
    assert_array_equal(found, expected)


def test_sums_that_differ_by_rounding_alone_are_ties():
    rng = np.random.default_rng(4)
    row = rng.uniform(size=50)
    train = np.array([rng.permutation(row) for _ in range(40)])
    assert len({sum(value * value for value in x.tolist()) for x in train}) > 1
    assert_array_equal(nearest(train, 40, np.zeros((1, 50))), [range(40)])


def test_distances_a_millionth_apart_are_not_ties():
    train = np.array([[1 + 1e-6, 1e3], [1.0, 1e3], [1 + 2e-6, 1e3]])
    assert_array_equal(nearest(train, 3, np.array([[0.0, 1e3]])), [[1, 0, 2]])


def test_a_row_is_not_its_own_neighbour_but_its_duplicate_is():
    X = np.array([[0.3, 0.1], [5.0, 5.0], [0.3, 0.1], [0.3, 0.1]])
    assert_array_equal(nearest(X, 2), [[2, 3], [0, 2], [0, 3], [0, 2]])
    assert_array_equal(nearest(X, 1, query=X[2:3]), [[0]])


def test_rows_all_alike_have_the_first_others_as_neighbours():
    X = np.full((100, 3), 0.1)
    expected = [[1, 2], [0, 2]] + [[0, 1]] * 98
    assert_array_equal(nearest(X, 2), expected)


def test_entries_given_twice_count_together_and_stay_as_they_were():
    X = counts(np.random.default_rng(6), (30, 6))
    # each entry as two that nearly cancel, in no order
    data = np.hstack([X + 2.0**40, np.full((30, 6), -(2.0**40))])
    indices = np.tile([0, 1, 2, 3, 4, 5], 60)
    split = csr_array((data.flatten(), indices, 12 * np.arange(31)), shape=(30, 6))
    assert_array_equal(nearest(split, 3), nearest(X, 3))
    assert_array_equal(split.data, data.ravel())


def test_sparse_and_dense_rows_can_be_mixed():
    X = counts(np.random.default_rng(5), (30, 6))
    expected = nearest(X, 3, X[:4])
    assert_array_equal(nearest(csr_array(X), 3, X[:4]), expected)
    assert_array_equal(nearest(X, 3, csr_array(X[:4])), expected)


def test_no_query_has_no_neighbours():
    assert nearest(np.eye(4), 2, query=np.empty((0, 4))).shape == (0, 2)


def test_no_dims_have_no_neighbours():
    assert list(nested_nearest(np.eye(4), np.eye(4), [], 2)) == []


@pytest.mark.parametrize("k", [0, 4])
def test_more_neighbours_than_other_rows_are_refused(k):
    message = rf"k must be in 1\.\.3 \(the other training rows\), got {k}"
    with pytest.raises(ValueError, match=message):
        nearest(np.eye(4), k)
    with pytest.raises(ValueError, match=message):
        nested_nearest(np.eye(4), np.eye(4), [1], k)


def test_more_neighbours_than_rows_are_refused():
    message = r"k must be in 1\.\.4 \(the training rows\), got 5"
    with pytest.raises(ValueError, match=message):
        nearest(np.eye(4), 5, query=np.eye(4))


@pytest.mark.parametrize("dims", [[2, 2], [3, 1], [0, 1], [1, 5]])
def test_dims_that_do_not_ascend_within_the_columns_are_refused(dims):
    with pytest.raises(ValueError, match=r"dims must ascend within 1\.\.4"):
        nested_nearest(np.eye(4), np.eye(4), dims, 1)


@pytest.mark.parametrize("value", [np.nan, np.inf, -1e140])
@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_numbers_without_a_finite_square_are_refused(value, kind):
    X = np.eye(4)
    X[1, 2] = value
    with pytest.raises(ValueError, match="train must hold finite numbers below 1e"):
        nearest(kind(X), 1)
    with pytest.raises(ValueError, match="query must hold finite numbers below 1e"):
        nearest(np.eye(4), 1, query=kind(X))


def test_a_query_with_other_columns_is_refused():
    with pytest.raises(ValueError, match="query must have 4 columns.* got 3"):
        nearest(np.eye(4), 1, query=np.ones((1, 3)))


def test_more_rows_than_the_keys_can_tell_apart_are_refused(monkeypatch):
    monkeypatch.setattr(neighbours, "MOST_ROWS", 3)
    with pytest.raises(ValueError, match="train must have at most 3 rows, got 4"):
        nearest(np.eye(4), 1)


@pytest.mark.real
def test_on_real_pages_no_nearer_row_is_left_out(real_data):
    arts = loadmat(real_data / "lamda" / "arts.mat")
    train, query, dims = arts["train_data"], arts["test_data"], [20, 462]
    for dim, found in zip(dims, nested_nearest(train, query, dims, 10), strict=True):
        for X, near in zip((train, query), found, strict=True):
            squared = cdist(X[:300, :dim], train[:, :dim], "sqeuclidean")
            if X is train:
                np.fill_diagonal(squared, np.inf)
            least = np.sort(squared, axis=1)[:, :10]
            of_found = np.take_along_axis(squared, near[:300], axis=1)
            assert_allclose(of_found, least, rtol=2.0**-31)
