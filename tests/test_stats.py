"""Significance tests agree with their definitions, SciPy and numbers by hand."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mlbench.stats import average_ranks, paired_t

NUMBERS = st.floats(0, 1).map(lambda x: round(x, 3))
PAIRS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=12)


def test_the_t_test_of_a_case_worked_by_hand():
    # differences 1, 2, 3: mean 2, deviation 1, t = 2 sqrt(3); with 2 degrees of
    # freedom p = 1 - t / sqrt(2 + t^2) = 1 - sqrt(12 / 14)
    result = paired_t([2, 4, 6], [1, 2, 3], better="higher")
    assert_allclose(result.statistic, 2 * math.sqrt(3))
    assert_allclose(result.p, 1 - math.sqrt(12 / 14))
    assert_allclose(result.difference, 2)
    assert result.verdict == "undecided"  # p = 0.074


def test_the_t_test_with_one_degree_of_freedom_is_cauchy():
    # differences 1 and 3: mean 2, deviation sqrt(2), t = 2
    result = paired_t([1, 3], [0, 0], better="higher")
    assert_allclose(result.statistic, 2)
    assert_allclose(result.p, 1 - 2 * math.atan(2) / math.pi)


@settings(deadline=None)
@given(pairs=PAIRS)
def test_the_t_test_is_that_of_scipy_when_differences_vary(pairs):
    a, b = np.array(pairs).T
    assume(np.ptp(a - b) > 1e-9)
    result = paired_t(a, b, better="lower")
    expected = scipy.stats.ttest_rel(a, b)
    assert_allclose(result.statistic, expected.statistic, rtol=1e-9, atol=1e-12)
    assert_allclose(result.p, expected.pvalue, rtol=1e-9)
    assert_allclose(result.difference, np.mean(a) - np.mean(b), atol=1e-12)


@settings(deadline=None)
@given(pairs=PAIRS)
def test_swapping_the_methods_or_the_direction_turns_the_verdict_around(pairs):
    a, b = np.array(pairs).T
    turned = {"better": "worse", "worse": "better", "undecided": "undecided"}
    result = paired_t(a, b, better="lower")
    swapped = paired_t(b, a, better="lower")
    assert swapped.verdict == turned[result.verdict]
    assert swapped.p == result.p
    assert swapped.statistic == -result.statistic
    assert paired_t(a, b, better="higher").verdict == turned[result.verdict]


def test_a_clearly_lower_loss_is_better_and_a_clearly_lower_score_is_worse():
    low, high = [0.1, 0.2, 0.15, 0.12], [0.3, 0.41, 0.36, 0.31]
    assert paired_t(low, high, better="lower").verdict == "better"
    assert paired_t(low, high, better="higher").verdict == "worse"


def test_identical_results_are_undecided():
    result = paired_t([0.1, 0.2], [0.1, 0.2], better="lower")
    assert (result.statistic, result.p, result.verdict) == (0, 1, "undecided")


def test_results_equal_up_to_rounding_are_undecided():
    a = np.array([0.1 + 0.2, 0.1 + 0.2, 0.1 + 0.2])
    assert (a > 0.3).all()
    result = paired_t(a, [0.3, 0.3, 0.3], better="lower")
    assert (result.p, result.verdict) == (1, "undecided")


def test_a_small_difference_that_is_no_rounding_is_decided():
    b = np.array([0.3, 0.4, 0.5, 0.6])
    result = paired_t(b - [1e-9, 2e-9, 1e-9, 2e-9], b, better="lower")
    assert 0 < result.p < 0.05
    assert result.verdict == "better"


@pytest.mark.parametrize("shift", [1.0, 0.1])  # 0.1: equal only up to rounding
def test_a_constant_difference_is_certain(shift):
    b = np.array([0.1, 0.2, 0.7])
    result = paired_t(b + shift, b, better="lower")
    assert (result.statistic, result.p, result.verdict) == (np.inf, 0, "worse")
    result = paired_t(b - shift, b, better="lower")
    assert (result.statistic, result.p, result.verdict) == (-np.inf, 0, "better")


def test_zeros_against_zeros_are_undecided():
    assert paired_t([0, 0, 0], [0, 0, 0], better="lower").verdict == "undecided"


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        ([1], [2], "a paired t test needs at least 2 pairs to see a spread, got 1"),
        ([], [], "a paired t test needs at least 2 pairs to see a spread, got 0"),
        ([1, 2], [1, 2, 3], r"one number per data set each, got shapes \(2,\) and"),
        ([[1, 2]], [[1, 2]], "one number per data set each"),
        ([1, np.nan], [1, 2], "must be finite numbers, got nan or infinity"),
    ],
)
def test_pairs_that_cannot_be_compared_are_refused_with_the_reason(a, b, sentence):
    with pytest.raises(ValueError, match=sentence):
        paired_t(a, b, better="lower")


def test_average_ranks_worked_by_hand():
    table = [[0.9, 0.8, 0.8, 0.1], [0.5, 0.5, 0.5, 0.7]]
    # rows of ranks, highest first: 1 2.5 2.5 4 and 3 3 3 1
    assert_array_equal(average_ranks(table, better="higher"), [2, 2.75, 2.75, 2.5])
    # lowest first: 4 2.5 2.5 1 and 2 2 2 4
    assert_array_equal(average_ranks(table, better="lower"), [3, 2.25, 2.25, 2.5])


def slow_rank(row, j, better):
    """One, plus the methods ahead, plus half of the others level with j."""
    ahead = sum(x < row[j] if better == "lower" else x > row[j] for x in row)
    level = sum(x == row[j] for x in row) - 1
    return 1 + ahead + level / 2


@settings(deadline=None)
@given(
    table=st.integers(1, 5).flatmap(
        lambda q: st.lists(
            st.lists(st.integers(0, 3), min_size=q, max_size=q),
            min_size=1,
            max_size=6,
        )
    ),
    better=st.sampled_from(["lower", "higher"]),
)
def test_average_ranks_are_means_of_the_definition_and_sum_to_a_constant(table, better):
    q = len(table[0])
    ranks = average_ranks(table, better)
    for j in range(q):
        expected = np.mean([slow_rank(row, j, better) for row in table])
        assert_allclose(ranks[j], expected)
    assert_allclose(ranks.sum(), q * (q + 1) / 2)


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ([[1, 2], [3, np.nan]], "the cell of data set 1 and method 1 has no number"),
        ([1, 2], r"data sets x methods cells, got shape \(2,\)"),
        ([[], []], r"data sets x methods cells, got shape \(2, 0\)"),
    ],
)
def test_a_table_that_cannot_be_ranked_is_refused_with_the_reason(table, sentence):
    with pytest.raises(ValueError, match=sentence):
        average_ranks(table, better="lower")


@pytest.mark.parametrize(
    "test", [lambda: paired_t([1, 2], [2, 1], "up"), lambda: average_ranks([[1]], "up")]
)
def test_a_direction_is_lower_or_higher(test):
    with pytest.raises(
        ValueError, match="better must be 'lower' or 'higher', got 'up'"
    ):
        test()
