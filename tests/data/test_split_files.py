"""Split files give back what was written, and nothing that was tampered with."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from mlbench.data import split_files
from mlbench.data.load import Description, describe
from mlbench.data.split_files import read_splits, write_splits
from mlbench.data.splits import Split, SplitSpec, checksum, kfold, splits
from mlbench.errors import DataError

TOY = Description("tüy", 10, 3, 2, None, "ab" * 32, 0.0, False)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "toy.json"


def written(path):
    write_splits(path, TOY, kfold(10, 3, 0))
    return json.loads(path.read_text())


def sealed(content):
    """The content with the checksum it would be written with, written out here."""
    content = {key: value for key, value in content.items() if key != "sha256"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return content | {"sha256": hashlib.sha256(text.encode()).hexdigest()}


def refusal(path, text, known=None):
    """The one line with which a text is refused."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(DataError) as caught:
        read_splits(path, known)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    assert len(message) < len(str(path)) + 320
    return message.removeprefix(f"{path}: ")


@settings(deadline=None, max_examples=40)
@given(
    n=st.integers(2, 60),
    folds=st.integers(2, 5),
    seed=st.integers(0, 2**32),
    name=st.text(max_size=10),
)
def test_what_was_written_is_read(tmp_path_factory, n, folds, seed, name):
    known = replace(TOY, n=n, name=name)
    path = tmp_path_factory.getbasetemp() / "any.json"
    made = kfold(n, min(folds, n), seed)
    write_splits(path, known, made)
    found = read_splits(path, known)
    assert (found.dataset, found.samples, found.data) == (name, n, TOY.digest)
    assert [checksum(s) for s in found.splits] == [checksum(s) for s in made]
    assert found.splits[0].train.dtype == np.int64


def test_a_part_of_the_samples_may_be_left_out(path):
    write_splits(path, TOY, [Split(np.array([9]), np.array([0, 5]))])
    (split,) = read_splits(path).splits
    assert_array_equal(split.test, [0, 5])


def test_the_file_is_plain_json_with_a_checksum_of_its_content(path):
    content = written(path)
    assert content == sealed(content)
    assert content["dataset"] == "tüy"
    assert content["samples"] == 10
    assert content["splits"][0]["test"] == kfold(10, 3, 0)[0].test.tolist()
    assert path.read_bytes().isascii()


def test_the_same_splits_are_the_same_bytes(path):
    written(path)
    before = path.read_bytes()
    written(path)
    assert path.read_bytes() == before
    assert [other.name for other in path.parent.iterdir()] == ["toy.json"]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"samples": 11}, "its SHA-256 is not that of its content, it was changed"),
        ({"data": "cd" * 32}, "its SHA-256 is not that of its content"),
        ({"dataset": "other"}, "its SHA-256 is not that of its content"),
        ({"splits": []}, "its SHA-256 is not that of its content"),
        ({"sha256": "0" * 64}, "its SHA-256 is not that of its content"),
        ({"sha256": None}, "its SHA-256 is not that of its content"),
        ({"format": "mlbench splits 2"}, "is not a split file, its format must be"),
    ],
)
def test_a_changed_field_is_found_by_the_checksum(path, changed, reason):
    assert reason in refusal(path, json.dumps(written(path) | changed))


def test_any_changed_index_is_found_by_the_checksum(path):
    content = written(path)
    train = content["splits"][1]["train"]
    test = content["splits"][1]["test"]
    train[0], test[0] = test[0], train[0]
    assert "SHA-256" in refusal(path, json.dumps(content))


def with_split(path, train, test=(9,)):
    content = written(path)
    content["splits"][1] = {"train": train, "test": list(test)}
    return json.dumps(sealed(content))


@pytest.mark.parametrize(
    ("train", "reason"),
    [
        (
            [0, 10],
            "split 1: train must hold whole numbers in 0..9 (the samples), got 10",
        ),
        ([-1, 3], "got -1"),
        ([0, 10**30], "got 1000000000000000000000000000000"),
        ([0, 1.0], "got 1.0"),
        ([0, 1.5], "got 1.5"),
        ([0, True], "got True"),
        ([0, "1"], "got '1'"),
        ([0, None], "got None"),
        ([0, [1]], "got [1]"),
        ([0, float("nan")], "got nan"),
        ([3, 3], "split 1: train must be ascending without repeats, got 3 after 3"),
        ([4, 3], "split 1: train must be ascending without repeats, got 3 after 4"),
        ([1, 9], "split 1: sample 9 is both in train and in test"),
        ([], "split 1: train must be a list of at least one index"),
        ("01", "split 1: train must be a list of at least one index"),
        ({"0": 1}, "split 1: train must be a list of at least one index"),
        (None, "split 1: train must be a list of at least one index"),
    ],
)
def test_wrong_indices_are_refused_even_with_the_right_checksum(path, train, reason):
    assert reason in refusal(path, with_split(path, train))


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"samples": 1}, "samples must be a whole number in 2..2147483648, got 1"),
        ({"samples": 10**40}, "samples must be a whole number in 2.."),
        (
            {"samples": 10.0},
            "samples must be a whole number in 2..2147483648, got 10.0",
        ),
        ({"samples": True}, "got True"),
        ({"dataset": ["x"]}, "dataset must be text, got ['x']"),
        ({"data": 3}, "data must be text, got 3"),
        ({"splits": []}, "splits must be a list of at least one split"),
        ({"splits": {"train": [0]}}, "splits must be a list of at least one split"),
        ({"splits": [[0, 1]]}, "split 0 must have the fields train and test alone"),
        ({"splits": [{"train": [0]}]}, "split 0 must have the fields train and test"),
        ({"more": 1}, "must have the fields data, dataset, format, samples, sha256, "),
    ],
)
def test_wrong_fields_are_refused_even_with_the_right_checksum(path, changed, reason):
    assert reason in refusal(path, json.dumps(sealed(written(path) | changed)))


def test_a_missing_field_is_refused(path):
    content = written(path)
    for field in content:
        rest = {key: value for key, value in content.items() if key != field}
        reason = "its format must be" if field == "format" else "must have the fields"
        assert reason in refusal(path, json.dumps(rest))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        '"text"',
        "3",
        "{}",
        "{",
        "[" * 100_000,
        '{"format": ' + "9" * 5000 + "}",
        b"\xff\xfe",
        b"\x80abc",
        b"\0" * 10,
        "<html>\n\n</html>",
    ],
)
def test_what_is_no_split_file_is_refused_in_one_line(path, text):
    assert "is not a split file" in refusal(path, text)


def test_a_key_that_stands_twice_is_refused(path):
    written(path)
    text = path.read_text().replace('"samples":10', '"samples":9,"samples":10')
    assert "a key stands twice" in refusal(path, text)


def test_a_huge_file_is_refused_before_it_is_parsed(path, monkeypatch):
    text = json.dumps(written(path))
    monkeypatch.setattr(split_files, "MOST_BYTES", len(text))
    path.write_text(text)
    read_splits(path)
    assert "is larger than" in refusal(path, text + " ")


@pytest.mark.parametrize("changed", [{"n": 11}, {"digest": "cd" * 32}])
def test_splits_of_other_data_are_refused(path, changed):
    written(path)
    message = refusal(path, path.read_text(), replace(TOY, **changed))
    assert message.startswith("is of other data: 'tüy' with 10 samples")


def test_the_same_data_may_have_another_name(path):
    written(path)
    assert len(read_splits(path, replace(TOY, name="other")).splits) == 3


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        ([], "not written: splits must be a list of at least one split"),
        (
            [Split(np.array([0]), np.array([10]))],
            "not written: split 0: test must hold",
        ),
        ([Split(np.array([0]), np.array([0]))], "sample 0 is both in train and in"),
        ([Split(np.array([1, 0]), np.array([2]))], "must be ascending without repeats"),
        ([Split(np.array([0.5]), np.array([2]))], "got 0.5"),
    ],
)
def test_what_could_not_be_read_is_not_written(path, made, reason):
    with pytest.raises(DataError) as caught:
        write_splits(path, TOY, made)
    assert reason in str(caught.value)
    assert not path.exists()


def test_a_file_that_cannot_be_opened_is_one_line(path):
    with pytest.raises(DataError, match=r"cannot be read \(No such file or directory"):
        read_splits(path)
    with pytest.raises(DataError, match=r"cannot be written \(No such file or dir"):
        write_splits(path.parent / "none" / "toy.json", TOY, kfold(10, 3, 0))


@pytest.mark.real
def test_splits_of_a_real_set_go_through_a_file(path, real_data):
    known = describe("emotions", real_data)
    spec = SplitSpec("random", train=0.5, repeats=2)
    made = splits(spec, "emotions", known.n, known.n_train, 0)
    write_splits(path, known, made)
    found = read_splits(path, known)
    assert [checksum(s) for s in found.splits] == [checksum(s) for s in made]
