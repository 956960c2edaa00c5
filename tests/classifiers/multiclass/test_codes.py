"""Coding matrices: what makes a column a learner of its own."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from mlbench.classifiers.multiclass.codes import (
    CODES,
    coding_matrix,
    dichotomy_key,
    one_against_all,
    one_against_one,
)

seeds = st.integers(0, 2**32 - 1)


@st.composite
def random_codes(draw):
    n_classes = draw(st.integers(2, 8))
    n_learners = draw(st.integers(1, min(30, 2 ** (n_classes - 1) - 1)))
    return n_classes, n_learners, draw(seeds)


@settings(deadline=None)
@given(random_codes())
def test_no_random_column_is_constant_repeated_or_a_complement(wanted):
    code = coding_matrix("random", *wanted)
    assert code.shape == wanted[:2]
    assert set(np.unique(code)) == {-1, 1}
    for column in code.T:
        assert {-1, 1} == set(column)
    for first, second in combinations(code.T, 2):
        assert (first != second).any()
        assert (first != -second).any()


@pytest.mark.parametrize("kind", CODES)
def test_a_shorter_code_is_the_beginning_of_a_longer_one(kind):
    longer = coding_matrix(kind, 12, 12, 3)
    for length in (1, 5, 11):
        assert_array_equal(coding_matrix(kind, 12, length, 3), longer[:, :length])


@pytest.mark.parametrize("kind", CODES)
def test_another_seed_is_another_code(kind):
    first, second = (coding_matrix(kind, 12, 9, seed) for seed in (0, 1))
    assert (first != second).any()


def test_every_dichotomy_there_is_can_be_had():
    code = coding_matrix("random", 5, 15, 0)
    assert len({dichotomy_key(column) for column in code.T}) == 15


@pytest.mark.parametrize(
    ("kind", "most", "why"),
    [
        ("random", 15, "the dichotomies there are"),
        ("one-against-one", 10, "the pairs there are"),
        ("one-against-all", 5, "a learner per class"),
    ],
)
def test_more_learners_than_there_are_dichotomies_are_refused(kind, most, why):
    assert coding_matrix(kind, 5, most, 0).shape == (5, most)
    reason = rf"n_learners must be in 1\.\.{most} \({why} for 5 classes\), got"
    with pytest.raises(ValueError, match=reason):
        coding_matrix(kind, 5, most + 1, 0)


@pytest.mark.parametrize("n_learners", [0, -1, 2.5, True])
def test_an_impossible_number_of_learners_is_refused(n_learners):
    with pytest.raises(ValueError, match="n_learners must be a whole number from 1 on"):
        coding_matrix("random", 5, n_learners, 0)


@pytest.mark.parametrize(("n_classes", "usual"), [(2, 1), (3, 3), (10, 34), (26, 48)])
def test_the_usual_length_of_a_random_code_is_ten_per_bit(n_classes, usual):
    assert coding_matrix("random", n_classes, None, 0).shape[1] == usual


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_pairs_and_classes_against_the_rest_are_all_there_and_in_order(n_classes):
    pairs = one_against_one(n_classes)
    for column, (i, j) in zip(pairs.T, combinations(range(n_classes), 2), strict=True):
        expected = [1 if k == i else -1 if k == j else 0 for k in range(n_classes)]
        assert_array_equal(column, expected)
    assert_array_equal(one_against_all(n_classes), 2 * np.eye(n_classes) - 1)


def test_a_shortened_code_has_columns_of_the_whole_one():
    whole = {column.tobytes() for column in one_against_one(6).T}
    some = {column.tobytes() for column in one_against_one(6, 7, 0).T}
    assert len(some) == 7
    assert some < whole
