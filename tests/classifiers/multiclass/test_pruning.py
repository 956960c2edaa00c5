"""Elimination and proposal of learners: what goes, and what comes instead."""

from itertools import product
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from mlbench.classifiers.multiclass.codes import coding_matrix, dichotomy_key
from mlbench.classifiers.multiclass.decoders import outcome_counts
from mlbench.classifiers.multiclass.proposals import (
    confusions,
    largest_cut,
    proposals,
)
from mlbench.classifiers.multiclass.pruning import check_keep, kept_number, prune

seeds = st.integers(0, 2**32 - 1)


def plain_information(columns, classes):
    """Mutual information of a joint outcome and the class, outcome by outcome."""
    rows = [tuple(row) for row in columns]
    n, total = len(classes), 0.0
    for row, label in product(set(rows), set(classes.tolist())):
        both = sum(r == row and y == label for r, y in zip(rows, classes, strict=True))
        if both:
            expected = rows.count(row) * classes.tolist().count(label) / n
            total += both / n * log(both / expected)
    return total


def plain_prune(groups, outcomes, classes, number):
    """Drop the learner whose group loses least, one after the other."""
    groups = [list(group) for group in groups]
    while sum(map(len, groups)) > number:
        candidates = []
        for group in groups:
            whole = plain_information(outcomes[:, group], classes)
            for learner in group:
                rest = [other for other in group if other != learner]
                loss = whole - plain_information(outcomes[:, rest], classes)
                candidates.append((round(loss, 9), -learner, group))
        _, minus, group = min(candidates, key=lambda each: each[:2])
        group.remove(-minus)
    return [group for group in groups if group]


@settings(deadline=None, max_examples=25)
@given(seeds, st.integers(1, 6))
def test_the_learners_that_go_are_those_their_group_misses_least(seed, number):
    rng = np.random.default_rng(seed)
    classes = np.arange(24) % 3
    outcomes = (rng.uniform(size=(3, 6)) < 0.5)[classes] ^ (
        rng.uniform(size=(24, 6)) < 0.2
    )
    groups = [[0, 2, 5], [1], [3, 4]]
    found = prune(groups, outcomes, classes, number)
    assert found == plain_prune(groups, outcomes, classes, number)
    assert groups == [[0, 2, 5], [1], [3, 4]]


def test_a_learner_that_repeats_another_of_its_group_goes_first():
    classes = np.arange(12) % 3
    first, second = classes == 0, classes == 1
    outcomes = np.column_stack([first, second, first])
    assert prune([[0, 1, 2]], outcomes, classes, 2) == [[0, 1]]
    # Its group must know: alone in theirs, none of the three is less than another.
    assert prune([[0], [1, 2]], outcomes, classes, 2) == [[0], [1]]


def test_counts_are_by_class_and_joint_outcome():
    outcomes = np.array([[True, False], [True, False], [False, True], [True, True]])
    counts = outcome_counts(outcomes, np.array([0, 1, 1, 1]))
    assert_array_equal(counts, [[0, 0], [0, 1], [1, 1], [0, 1]])


@pytest.mark.parametrize("keep", [0, 0.0, 1.5, -0.5, "half", True, float("nan")])
def test_an_impossible_share_is_refused(keep):
    with pytest.raises(ValueError, match="keep must be"):
        check_keep(keep)


def test_more_kept_than_there_are_is_refused():
    with pytest.raises(ValueError, match=r"keep must be in 1\.\.5 .*, got 6"):
        kept_number(6, 5)


def test_confusions_count_both_directions_and_no_hits():
    found = confusions(np.array([0, 0, 1, 2]), np.array([1, 0, 0, 2]), 3)
    assert_array_equal(found, [[0, 2, 0], [2, 0, 0], [0, 0, 0]])


@st.composite
def confused_classes(draw):
    rng = np.random.default_rng(draw(seeds))
    n_classes = draw(st.integers(2, 7))
    upper = np.triu(rng.integers(0, 5, (n_classes, n_classes)), 1)
    return upper + upper.T


@settings(deadline=None)
@given(confused_classes())
def test_no_class_of_a_cut_would_better_change_sides(weights):
    def divided(sides):
        return sum(
            weights[i, j] * (sides[i] != sides[j]) for i, j in np.ndindex(weights.shape)
        )

    sides = largest_cut(weights)
    assert set(sides) <= {-1, 1}
    for k in range(len(sides)):
        other = sides.copy()
        other[k] *= -1
        assert divided(other) <= divided(sides)
    assert 2 * divided(sides) >= weights.sum()  # what any local optimum divides


@settings(deadline=None)
@given(confused_classes(), st.integers(0, 6), seeds)
def test_proposals_are_new_dichotomies_of_the_confused_classes(weights, number, seed):
    n_classes = len(weights)
    most = 2 ** (n_classes - 1) - 1
    code = coding_matrix("random", n_classes, min(3, most), seed % 1000)
    new = proposals(weights, code, number)
    assert new.shape[0] == n_classes
    assert new.shape[1] <= number
    keys = {dichotomy_key(column) for column in np.column_stack([code, new]).T}
    assert len(keys) == code.shape[1] + new.shape[1]
    assert all(set(column) == {-1, 1} for column in new.T)


def test_the_first_proposal_divides_the_classes_most_confused():
    weights = np.zeros((4, 4))
    weights[0, 3] = weights[3, 0] = 9
    weights[1, 2] = weights[2, 1] = 2
    weights[0, 1] = weights[1, 0] = 1
    new = proposals(weights, np.array([[1, 1, -1, -1]]).T, 2)
    assert new[0, 0] != new[3, 0]
    assert new[1, 0] != new[2, 0]


def test_nothing_is_proposed_without_confusions_or_without_dichotomies_left():
    code = coding_matrix("random", 3, 3, 0)
    assert proposals(np.zeros((3, 3)), code[:, :1], 2).shape == (3, 0)
    assert proposals(1 - np.eye(3), code, 2).shape == (3, 0)
