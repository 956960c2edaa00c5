"""Significance tests agree with their definitions, SciPy and numbers by hand."""

import math
from itertools import combinations, product

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mlbench.stats import (
    average_ranks,
    critical_difference,
    differences,
    friedman,
    holm,
    least_p,
    paired_t,
    resampled_t,
    verdict,
    wilcoxon,
)

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


def slow_resampled(d, n_train, n_test):
    """Nadeau and Bengio's test, letter by letter."""
    J = len(d)
    mean = sum(d) / J
    variance = sum((x - mean) ** 2 for x in d) / (J - 1)
    t = mean / math.sqrt((1 / J + n_test / n_train) * variance)
    return t, 2 * (1 - scipy.stats.t.cdf(abs(t), J - 1))


@settings(deadline=None)
@given(pairs=PAIRS, n_train=st.integers(1, 500), n_test=st.integers(1, 500))
def test_the_resampled_t_test_is_its_formula(pairs, n_train, n_test):
    a, b = np.array(pairs).T
    assume(np.ptp(a - b) > 1e-9)
    found = resampled_t(a, b, better="lower", n_train=n_train, n_test=n_test)
    t, p = slow_resampled(list(a - b), n_train, n_test)
    assert_allclose(found.statistic, t, rtol=1e-7, atol=1e-12)
    assert_allclose(found.p, p, rtol=1e-7, atol=1e-12)


def test_the_resampled_t_test_finds_less_than_the_plain_one():
    a, b = [0.1, 0.12, 0.11, 0.13], [0.2, 0.25, 0.19, 0.22]
    plain = paired_t(a, b, better="lower")
    corrected = resampled_t(a, b, better="lower", n_train=100, n_test=200)
    assert_allclose(plain.statistic / corrected.statistic, math.sqrt(1 + 4 * 2))
    assert (plain.verdict, corrected.verdict) == ("better", "undecided")
    many = resampled_t(a, b, better="lower", n_train=10**9, n_test=1)
    assert_allclose(many.p, plain.p, rtol=1e-6)


def test_equal_differences_over_splits_are_as_in_the_plain_t_test():
    same = resampled_t([1, 2], [1, 2], better="lower", n_train=1, n_test=1)
    assert (same.p, same.verdict) == (1, "undecided")
    shifted = resampled_t([1, 2], [2, 3], better="lower", n_train=1, n_test=1)
    assert (shifted.p, shifted.verdict) == (0, "better")


@pytest.mark.parametrize("sizes", [(0, 5), (5, 0), (-1, 5)])
def test_a_split_has_samples_on_both_sides(sizes):
    n_train, n_test = sizes
    with pytest.raises(ValueError, match="n_train and n_test must be at least 1"):
        resampled_t([1, 2], [2, 1], "lower", n_train=n_train, n_test=n_test)


@pytest.mark.parametrize(
    ("p", "direction", "better", "said"),
    [
        (0.049, -1, "lower", "better"),
        (0.049, -1, "higher", "worse"),
        (0.049, 1, "lower", "worse"),
        (0.049, 1, "higher", "better"),
        (0.05, 1, "higher", "undecided"),
        (0.0, 0, "higher", "undecided"),
    ],
)
def test_a_verdict_is_on_a_and_strictly_below_the_level(p, direction, better, said):
    assert verdict(p, direction, better) == said


def slow_wilcoxon(a, b):
    """All 2^n signs of the ranked differences, equally likely."""
    d = [x - y for x, y in zip(a, b, strict=True) if x != y]
    ranks = [
        sum(abs(y) < abs(x) for y in d) + (sum(abs(y) == abs(x) for y in d) + 1) / 2
        for x in d
    ]
    plus = sum(rank for rank, x in zip(ranks, d, strict=True) if x > 0)
    sums = [
        sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
        for signs in product([0, 1], repeat=len(d))
    ]
    below = np.mean([each <= plus for each in sums])
    above = np.mean([each >= plus for each in sums])
    return min(plus, sum(ranks) - plus), min(1, 2 * min(below, above))


@settings(deadline=None, max_examples=40)
@given(
    pairs=st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8
    )
)
def test_the_signed_rank_test_counts_all_signs_ties_or_not(pairs):
    a, b = np.array(pairs).T
    statistic, p = slow_wilcoxon(a.tolist(), b.tolist())
    found = wilcoxon(a, b)
    assert_allclose([found.statistic, found.p], [statistic, p])
    assert found.n == np.count_nonzero(a - b)
    swapped = wilcoxon(b, a)
    assert_allclose([swapped.statistic, swapped.p], [statistic, p])
    assert swapped.direction == -found.direction
    assert least_p(found.n) <= found.p + 1e-12


def test_the_depression_scores_of_hollander_and_wolfe():
    # as in R: wilcox.test(x, y, paired = TRUE, alternative = "greater") has V = 40
    # and p = 0.01953; the other rank sum is 45 - 40
    x = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    y = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    found = wilcoxon(x, y)
    assert (found.statistic, found.n, found.direction) == (5, 9, 1)
    assert_allclose(found.p, 2 * 0.01953, atol=1e-5)


def test_one_large_difference_does_not_outweigh_many_small_ones():
    a = np.zeros(10)
    b = np.array([1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, -100])
    found = wilcoxon(a, b)
    assert (a - b).mean() > 0
    assert found.direction == -1


def test_differences_that_are_equal_but_for_rounding_are_ties():
    a, b = [0.3, 0.2, 0.7, 0.1 + 0.2], [0.2, 0.1, 0.6, 0.3]
    assert len(set(np.subtract(a, b))) > 2
    assert_array_equal(differences(a, b), [0.1, 0.1, 0.1, 0])
    assert wilcoxon(a, b) == wilcoxon([1, 1, 1, 0], [0, 0, 0, 0])
    assert not np.signbit(differences([0.1 + 0.2], [0.3])).any()
    assert_array_equal(differences([300.0, 200.0], [200.0, 100.0]), [100, 100])


def test_the_least_p_is_that_of_differences_of_one_sign():
    for n in range(1, 9):
        assert_allclose(wilcoxon(np.arange(1, n + 1), np.zeros(n)).p, least_p(n))
    assert least_p(0) == 1


def test_no_pairs_or_shapes_that_differ_cannot_be_ranked():
    with pytest.raises(ValueError, match="a signed-rank test needs at least 1 pair, "):
        wilcoxon([], [])
    with pytest.raises(ValueError, match="one number per data set each"):
        wilcoxon([1, 2], [1])


def test_holm_by_hand():
    # sorted 0.01 0.02 0.03 0.5: times 4 3 2 1 is 0.04 0.06 0.06 0.5
    assert_allclose(holm([0.02, 0.5, 0.01, 0.03]), [0.06, 0.5, 0.04, 0.06])
    # 3 * 0.02 = 0.06 holds the next up, which alone would be 2 * 0.025 = 0.05
    assert_allclose(holm([0.02, 0.025, 0.9]), [0.06, 0.06, 0.9])
    assert_allclose(holm([0.6, 0.7]), [1, 1])
    assert holm([]).shape == (0,)


def slow_holm(p):
    """The step-down procedure: the least level at which each p is rejected."""
    ordered = sorted(p)
    steps = [(len(p) - j) * each for j, each in enumerate(ordered)]
    return [min(1, max(steps[: ordered.index(each) + 1])) for each in p]


@settings(deadline=None)
@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_the_step_down_procedure(p):
    assert_allclose(holm(p), slow_holm(p), rtol=1e-12)


def test_signed_ranks_with_holm_are_those_of_scikit_posthocs():
    posthocs = pytest.importorskip("scikit_posthocs")
    samples = np.random.default_rng(3).normal(size=(4, 10)) + np.arange(4)[:, None] / 2
    expected = posthocs.posthoc_wilcoxon(samples.tolist(), p_adjust="holm").to_numpy()
    pairs = list(combinations(range(4), 2))
    adjusted = holm([wilcoxon(samples[i], samples[j]).p for i, j in pairs])
    assert_allclose(adjusted, [expected[i, j] for i, j in pairs])


@pytest.mark.parametrize("p", [[0.5, 1.1], [-0.1], [np.nan], [[0.5]]])
def test_holm_takes_a_list_of_probabilities(p):
    with pytest.raises(ValueError, match=r"a list of numbers in 0\.\.1, got"):
        holm(p)


# AUC of C4.5, +m, +cf, +m+cf on 14 data sets: Table 6 of Demsar (2006). The paper
# ranks the 0.975s of the last row but one apart, by digits it does not print.
DEMSAR = """
0.763 0.768 0.771 0.798  0.599 0.591 0.590 0.569  0.954 0.971 0.968 0.967
0.628 0.661 0.654 0.657  0.882 0.888 0.886 0.898  0.936 0.931 0.916 0.931
0.661 0.668 0.609 0.685  0.583 0.583 0.563 0.625  0.775 0.838 0.866 0.875
1.000 1.000 1.000 1.000  0.940 0.962 0.965 0.962  0.619 0.666 0.614 0.669
0.972 0.981 0.9751 0.975  0.957 0.978 0.946 0.970
"""


def test_the_worked_example_of_demsar():
    table = np.array(DEMSAR.split(), dtype=float).reshape(14, 4)
    found = friedman(table, "higher", ["C4.5", "+m", "+cf", "+m+cf"])
    assert found.diagram.names == ("+m+cf", "+m", "+cf", "C4.5")
    assert_allclose(found.diagram.ranks, [1.964, 2.000, 2.893, 3.143], atol=5e-4)
    assert_allclose(found.diagram.cd, 1.25, atol=5e-3)
    assert found.rejected
    # the best and the worst are closer than that: 3.143 - 1.964 < 1.25
    assert found.diagram.groups == (("+m+cf", "+m", "+cf", "C4.5"),)


def test_rounding_first_base_of_hollander_and_wolfe():
    # as in R: friedman.test(RoundingTimes) has chi-squared 11.143 and p = 0.003805
    times = """
    5.40 5.50 5.55  5.85 5.70 5.75  5.20 5.60 5.50  5.55 5.50 5.40  5.90 5.85 5.70
    5.45 5.55 5.60  5.40 5.40 5.35  5.45 5.50 5.35  5.25 5.15 5.00  5.85 5.80 5.70
    5.25 5.20 5.10  5.65 5.55 5.45  5.60 5.35 5.45  5.05 5.00 4.95  5.50 5.50 5.40
    5.45 5.55 5.50  5.55 5.55 5.35  5.45 5.50 5.55  5.50 5.45 5.25  5.65 5.60 5.40
    5.70 5.65 5.55  6.30 6.30 6.25
    """
    table = np.array(times.split(), dtype=float).reshape(22, 3)
    found = friedman(table, "lower", ["round out", "narrow", "wide"])
    assert_allclose([found.chi2, found.chi2_p], [11.143, 0.003805], rtol=1e-4)
    assert found.diagram.names[0] == "wide"


@pytest.mark.parametrize(
    ("k", "q"),
    [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (10, 3.164)],
)
def test_critical_values_are_those_of_demsars_table_5(k, q):
    cd = critical_difference(k, 20)
    assert_allclose(cd / math.sqrt(k * (k + 1) / (6 * 20)), q, atol=1e-3)


def slow_friedman(table, better):
    """Friedman without ties, and Iman and Davenport's F, as Demsar writes them."""
    N, k = table.shape
    R = [np.mean([slow_rank(row, j, better) for row in table]) for j in range(k)]
    chi2 = 12 * N / (k * (k + 1)) * (sum(r**2 for r in R) - k * (k + 1) ** 2 / 4)
    return R, chi2, (N - 1) * chi2 / (N * (k - 1) - chi2)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("better", ["lower", "higher"])
def test_friedman_is_its_formula_and_nemenyi_that_of_scikit_posthocs(seed, better):
    posthocs = pytest.importorskip("scikit_posthocs")
    rng = np.random.default_rng(seed)
    N, k = rng.integers(4, 12), rng.integers(3, 7)
    table = rng.normal(size=(N, k)) + np.arange(k) * 0.5
    names = [f"m{j}" for j in range(k)]
    found = friedman(table, better, names)
    R, chi2, F = slow_friedman(table, better)
    assert_allclose([found.chi2, found.f], [chi2, F])
    assert_allclose(found.p, 1 - scipy.stats.f.cdf(F, k - 1, (k - 1) * (N - 1)))
    assert_allclose(found.nemenyi, posthocs.posthoc_nemenyi_friedman(table))
    assert found.diagram.names == tuple(names[j] for j in np.argsort(R, kind="stable"))
    assert_allclose(found.diagram.ranks, sorted(R))


@pytest.mark.parametrize("seed", range(6))
def test_groups_are_the_largest_sets_closer_than_the_critical_difference(seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(12, 6)) + np.arange(6) * 0.7
    found = friedman(table, "lower", list("abcdef"))
    assert found.rejected
    rank = dict(zip(found.diagram.names, found.diagram.ranks, strict=True))
    close = {
        names
        for size in range(2, 7)
        for names in combinations(found.diagram.names, size)
        if max(map(rank.get, names)) - min(map(rank.get, names)) < found.diagram.cd
    }
    largest = {a for a in close if not any(set(a) < set(b) for b in close)}
    assert set(found.diagram.groups) == largest
    assert list(found.diagram.groups) == sorted(
        largest, key=lambda names: rank[names[0]]
    )


def test_groups_are_none_where_all_are_told_apart():
    found = friedman(np.tile([1.0, 2.0, 3.0], (40, 1)), "lower", list("abc"))
    assert found.diagram.groups == ()


def test_without_a_difference_there_is_one_group_however_far_the_ranks():
    table = [[1, 2, 3], [3, 2, 1], [1, 2, 3], [2, 3, 1]]
    found = friedman(table, "lower", list("abc"))
    assert not found.rejected
    assert found.diagram.groups == (("a", "c", "b"),)


def test_data_sets_that_all_agree_have_no_f_but_a_p():
    found = friedman([[1, 2, 3]] * 5, "lower", list("abc"))
    assert found.f == math.inf
    assert_allclose([found.chi2, found.p], [10, math.exp(-5)])  # 2 degrees: exp(-x/2)


def test_methods_level_everywhere_but_for_rounding_do_not_differ():
    table = [[0.3, 0.1 + 0.2, 0.3], [0.6, 0.6, 0.2 * 3], [0.7, 0.7, 0.7]]
    found = friedman(table, "lower", list("abc"))
    assert (found.chi2, found.f, found.p) == (0, 0, 1)
    assert found.diagram.ranks == (2, 2, 2)
    assert_array_equal(found.nemenyi, np.ones((3, 3)))
    assert_array_equal(average_ranks(table, "higher"), [2, 2, 2])
    assert_array_equal(average_ranks(np.zeros((2, 3)), "higher"), [2, 2, 2])


@pytest.mark.parametrize(
    ("table", "names", "sentence"),
    [
        ([[1, 2], [2, 1]], "ab", r"at least 2 data sets x 3 methods, got shape \(2, 2"),
        ([[1, 2, 3]], "abc", r"got shape \(1, 3\)"),
        ([1, 2, 3], "abc", r"got shape \(3,\)"),
        ([[1, 2, 3]] * 2, "ab", "names must be one for each of the 3 methods, got 2"),
        ([[1, 2, np.nan]] * 2, "abc", "must hold finite numbers, got nan or infinity"),
    ],
)
def test_a_table_friedman_cannot_take_is_refused(table, names, sentence):
    with pytest.raises(ValueError, match=sentence):
        friedman(table, "lower", names)
