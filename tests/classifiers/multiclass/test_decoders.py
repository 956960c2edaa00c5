"""Groups, tables and decoders against their definitions, written out."""

from itertools import product
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mlbench.classifiers.multiclass.codes import one_against_one, random_code
from mlbench.classifiers.multiclass.decoders import HammingDecoder, decoder
from mlbench.classifiers.multiclass.groups import (
    check_max_group,
    correlated_groups,
    outcome_correlation,
)


def plain_table_scores(outcomes, classes, queries, groups, smoothing):
    """The log P(y) + sum of log P(joint outcome | y), counted cell by cell."""
    n_classes = classes.max() + 1
    scores = np.zeros((len(queries), n_classes))
    for t, query in enumerate(queries):
        for label in range(n_classes):
            members = [o for o, y in zip(outcomes, classes, strict=True) if y == label]
            scores[t, label] = log(len(members) / len(classes))
            for group in groups:
                alike = sum(all(o[j] == query[j] for j in group) for o in members)
                cells = len(list(product([0, 1], repeat=len(group))))
                share = (alike + smoothing) / (len(members) + smoothing * cells)
                scores[t, label] += log(share)
    return scores


def plain_groups(correlation, max_group):
    """Merge the two groups with the highest mean correlation, pair by pair."""
    groups = [[j] for j in range(len(correlation))]
    while True:
        best, pair = -1.0, None
        for a in range(len(groups)):
            for b in range(a + 1, len(groups)):
                if len(groups[a]) + len(groups[b]) > max_group:
                    continue
                pairs = [correlation[i, j] for i in groups[a] for j in groups[b]]
                mean = round(sum(pairs) / len(pairs), 9)
                if mean > best:
                    best, pair = mean, (a, b)
        if pair is None:
            return sorted(groups)
        a, b = pair
        groups[a] = sorted(groups[a] + groups[b])
        del groups[b]


@st.composite
def outcome_sets(draw):
    """Outcomes of learners some of which depend on others, and on the class."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes = draw(st.integers(2, 5))
    m = draw(st.integers(1, min(7, 2 ** (n_classes - 1) - 1)))
    classes = np.arange(30) % n_classes
    code = random_code(n_classes, m, rng.integers(1000))
    noise = np.repeat(rng.uniform(size=(30, (m + 1) // 2)), 2, axis=1)[:, :m] < 0.3
    outcomes = (code[classes] > 0) ^ noise
    return code, classes, outcomes, rng.uniform(size=(8, m)) < 0.5


@settings(deadline=None, max_examples=50)
@given(outcome_sets(), st.integers(1, 4), st.sampled_from([0.5, 1.0]))
def test_conditional_scores_are_the_tables_of_the_groups(given_set, max_group, s):
    code, classes, outcomes, queries = given_set
    groups = plain_groups(outcome_correlation(outcomes), max_group)
    found = decoder("conditional", code, outcomes, classes, groups, s)
    expected = plain_table_scores(outcomes, classes, queries, groups, s)
    assert_allclose(found.scores(queries), expected, rtol=1e-12)


@settings(deadline=None, max_examples=30)
@given(outcome_sets())
def test_independent_scores_are_conditional_ones_with_groups_of_one(given_set):
    code, classes, outcomes, queries = given_set
    alone = correlated_groups(outcome_correlation(outcomes), max_group=1)
    conditional = decoder("conditional", code, outcomes, classes, alone, 1.0)
    independent = decoder("independent", code, outcomes, classes, None, 1.0)
    assert_array_equal(conditional.scores(queries), independent.scores(queries))
    expected = plain_table_scores(outcomes, classes, queries, alone, 1.0)
    assert_allclose(independent.scores(queries), expected, rtol=1e-12)


@settings(deadline=None, max_examples=30)
@given(outcome_sets(), st.integers(1, 5))
def test_groups_are_merged_by_their_mean_correlation(given_set, max_group):
    correlation = outcome_correlation(given_set[2])
    found = correlated_groups(correlation, max_group)
    assert found == plain_groups(correlation, max_group)
    assert sorted(sum(found, [])) == list(range(len(correlation)))


def test_correlation_is_that_of_the_outcomes_whatever_their_sign():
    rng = np.random.default_rng(0)
    outcomes = rng.uniform(size=(50, 4)) < 0.4
    outcomes[:, 3] = ~outcomes[:, 0]
    found = outcome_correlation(outcomes)
    assert_allclose(found, abs(np.corrcoef(outcomes.T.astype(float))), atol=1e-9)
    assert found[0, 3] == 1


def test_a_learner_that_always_says_the_same_correlates_with_none():
    outcomes = np.array([[True, True], [True, False], [True, True]])
    assert_array_equal(outcome_correlation(outcomes), np.eye(2))


def test_hamming_scores_count_disagreements_and_half_of_the_zeros():
    rng = np.random.default_rng(0)
    code = one_against_one(5)
    outcomes = rng.uniform(size=(9, 10)) < 0.5
    expected = np.zeros((9, 5))
    for t, label in np.ndindex(expected.shape):
        for column, outcome in zip(code[label], outcomes[t], strict=True):
            side = 1 if outcome else -1
            expected[t, label] -= 0.5 if column == 0 else float(side != column)
    assert_array_equal(HammingDecoder(code).scores(outcomes), expected)


@pytest.mark.parametrize("max_group", [0, 13, 2.5, True])
def test_an_impossible_size_of_groups_is_refused(max_group):
    with pytest.raises(ValueError, match="max_group must be"):
        check_max_group(max_group)
