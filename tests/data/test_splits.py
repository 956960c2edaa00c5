"""Splits are disjoint, of the wished sizes, and the same for everyone."""

import hashlib
import json
import struct

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from mlbench.data.splits import (
    Split,
    SplitSpec,
    checksum,
    kfold,
    own_split,
    random_split,
    splits,
    stable_seed,
)


def assert_is_split(split, n):
    both = np.concatenate([split.train, split.test])
    assert len(set(both.tolist())) == len(both)
    assert len(split.train) >= 1
    assert len(split.test) >= 1
    assert both.min() >= 0
    assert both.max() < n
    for part in (split.train, split.test):
        assert_array_equal(part, np.sort(part))


def test_the_own_split_is_the_first_samples_and_the_others():
    split = own_split(2, 5)
    assert_array_equal(split.train, [0, 1])
    assert_array_equal(split.test, [2, 3, 4])


@settings(deadline=None)
@given(n=st.integers(2, 50), data=st.data(), seed=st.integers(0, 2**63 - 1))
def test_a_random_split_has_the_wished_counts(n, data, seed):
    train = data.draw(st.integers(1, n - 1))
    test = data.draw(st.none() | st.integers(1, n - train))
    split = random_split(n, train, test, seed)
    assert_is_split(split, n)
    assert len(split.train) == train
    assert len(split.test) == (n - train if test is None else test)


@settings(deadline=None)
@given(n=st.integers(2, 60), train=st.floats(0.01, 0.99))
def test_two_fractions_that_add_up_to_one_use_every_sample_once(n, train):
    n_train = round(train * n)
    assume(1 <= n_train < n and round((1 - train) * n) >= 1)
    split = random_split(n, train, 1 - train, 0)
    assert_is_split(split, n)
    assert len(split.train) == n_train
    assert n - len(split.train) - len(split.test) in (0, 1)  # both rounded down


def test_two_halves_of_an_odd_number_of_samples_are_not_too_many():
    split = random_split(3, 0.5, 0.5, 0)
    assert (len(split.train), len(split.test)) == (2, 1)


def test_samples_are_drawn_evenly():
    drawn = np.zeros(6)
    for seed in range(3000):
        drawn[random_split(6, 2, 1, seed).train] += 1
    assert np.abs(drawn / 3000 - 2 / 6).max() < 0.03


@settings(deadline=None)
@given(n=st.integers(2, 40), data=st.data(), seed=st.integers(0, 2**63 - 1))
def test_each_sample_is_tested_in_exactly_one_fold_and_trained_on_in_the_others(
    n, data, seed
):
    folds = data.draw(st.integers(2, n))
    found = kfold(n, folds, seed)
    assert len(found) == folds
    for split in found:
        assert_is_split(split, n)
        assert len(split.train) + len(split.test) == n
        assert len(split.test) in (n // folds, -(-n // folds))
    tested = np.concatenate([split.test for split in found])
    assert_array_equal(np.sort(tested), np.arange(n))


def test_folds_are_not_blocks_of_neighbours():
    assert any(np.diff(split.test).max() > 1 for split in kfold(20, 4, 0))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: own_split(5, 5), r"n_train must be in 1..4 \(of 5 samples\), got 5"),
        (lambda: own_split(0, 5), r"n_train must be in 1..4 \(of 5 samples\), got 0"),
        (
            lambda: random_split(10, 7, 4, 0),
            "cannot draw 7 for training and 4 for testing from 10 samples",
        ),
        (
            lambda: random_split(10, 10, None, 0),
            "cannot draw 10 for training and 1 for testing from 10 samples",
        ),
        (
            lambda: random_split(10, 12, None, 0),
            "cannot draw 12 for training and 1 for testing from 10 samples",
        ),
        (
            lambda: random_split(10, 0.7, 0.5, 0),
            "cannot draw 7 for training and 5 for testing from 10 samples",
        ),
        (
            lambda: random_split(10, 2000.0, None, 0),
            r"train must be a fraction in \(0, 1\) or a whole number, got 2000.0",
        ),
        (
            lambda: random_split(10, 0.5, float("nan"), 0),
            r"test must be a fraction in \(0, 1\) or a whole number, got nan",
        ),
        (
            lambda: random_split(10, 0.01, None, 0),
            "train must be at least 1 of 10 samples, got 0.01",
        ),
        (
            lambda: random_split(10, 5, 0, 0),
            "test must be at least 1 of 10 samples, got 0",
        ),
        (lambda: kfold(3, 4, 0), r"folds must be in 2..3 \(the number .*, got 4"),
        (lambda: kfold(3, 1, 0), r"folds must be in 2..3 \(the number .*, got 1"),
    ],
)
def test_impossible_sizes_are_refused_with_the_numbers(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def checksums(*arguments):
    return [checksum(split) for split in splits(*arguments)]


def test_a_file_split_is_exactly_the_own_one_whatever_the_seed():
    for seed in (0, 1):
        (split,) = splits(SplitSpec("file"), "arts", 5, 2, seed)
        assert_array_equal(split.train, [0, 1])
        assert_array_equal(split.test, [2, 3, 4])


def test_repeats_differ_and_more_repeats_keep_the_earlier_ones():
    few = checksums(SplitSpec("random", train=0.5, repeats=2), "arts", 40, None, 0)
    more = checksums(SplitSpec("random", train=0.5, repeats=4), "arts", 40, None, 0)
    assert more[:2] == few
    assert len(set(more)) == 4


def test_each_repeat_of_a_kfold_split_gives_all_its_folds():
    found = splits(SplitSpec("kfold", folds=3, repeats=2), "arts", 12, None, 0)
    assert len(found) == 6
    for folds in (found[:3], found[3:]):
        tested = np.concatenate([split.test for split in folds])
        assert_array_equal(np.sort(tested), np.arange(12))
    assert checksum(found[0]) != checksum(found[3])


def test_the_rows_depend_on_name_and_base_seed_and_not_on_an_own_split():
    spec = SplitSpec("random", train=20, test=10)
    arts = checksums(spec, "arts", 40, None, 0)
    assert checksums(spec, "arts", 40, 7, 0) == arts
    assert checksums(spec, "health", 40, None, 0) != arts
    assert checksums(spec, "arts", 40, None, 1) != arts


def test_the_rows_of_a_known_split_are_the_same_on_every_machine():
    (split,) = splits(SplitSpec("random", train=5, test=4), "arts", 100, None, 0)
    assert split.train.tolist() == [51, 75, 82, 85, 86]
    assert split.test.tolist() == [20, 33, 67, 83]


def test_a_data_set_without_own_split_is_named_with_what_to_do():
    sentence = "^emotions: there is no split of its own, use a random or kfold split$"
    with pytest.raises(ValueError, match=sentence):
        splits(SplitSpec("file"), "emotions", 5, None, 0)


def test_a_size_too_large_for_a_data_set_is_reported_with_its_name():
    with pytest.raises(ValueError, match="^flags: cannot draw 2000 for training"):
        splits(SplitSpec("random", train=2000, test=3000), "flags", 194, None, 0)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"kind": "radnom"}, "unknown kind of split 'radnom', did you mean 'random'?"),
        ({"kind": "random"}, "a random split needs 'train'"),
        ({"kind": "kfold"}, "a kfold split needs 'folds'"),
        ({"kind": "kfold", "folds": 5, "test": 3}, "a kfold split has no 'test'"),
        ({"kind": "random", "train": 5, "folds": 3}, "a random split has no 'folds'"),
        ({"kind": "file", "train": 5}, "a file split has no 'train'"),
        ({"kind": "file", "repeats": 3}, "a file split is one split, .*got 3"),
        (
            {"kind": "kfold", "folds": 5, "repeats": 0},
            "repeats must be at least 1, got 0",
        ),
    ],
)
def test_a_setting_the_kind_does_not_have_is_refused(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        SplitSpec(**settings)


def test_a_seed_is_the_first_63_bits_of_the_sha256_of_the_json():
    text = '["split", "d\\u00e9j\\u00e0", 3, {"a": 1, "b": [0.1, null]}]'
    assert json.loads(text) == ["split", "déjà", 3, {"a": 1, "b": [0.1, None]}]
    bits = int(hashlib.sha256(text.encode("ascii")).hexdigest(), 16)
    seed = stable_seed("split", "déjà", 3, {"b": [0.1, None], "a": 1})
    assert seed == bits >> (256 - 63)


def test_seeds_of_different_parts_differ():
    parts = [(), ("a",), ("a", 0), ("a0",), ("a", "0"), ("a", 0, 1), (0, "a")]
    assert len({stable_seed(*part) for part in parts}) == len(parts)


def test_a_checksum_is_over_the_training_count_and_the_little_endian_indices():
    split = Split(np.array([0, 300]), np.array([2], dtype=np.int32))
    expected = hashlib.sha256(struct.pack("<qqqq", 2, 0, 300, 2)).hexdigest()
    assert checksum(split) == expected


def test_a_checksum_notices_a_sample_that_changes_sides():
    one = Split(np.array([0, 1]), np.array([2]))
    other = Split(np.array([0]), np.array([1, 2]))
    assert checksum(one) != checksum(other)
