"""Every way to divide a data set, behind one door."""

from pathlib import Path

import numpy as np
import pytest

from mlbench.data.division import Imported, Stratified, divide
from mlbench.data.load import Description
from mlbench.data.split_files import write_splits
from mlbench.data.splits import SplitSpec, splits

KNOWN = Description("toy", 40, 3, 2, None, "digest", 0.0, False)


def labels():
    return (np.random.default_rng(0).uniform(size=(40, 2)) < 0.4).astype(np.uint8)


def no_labels():
    raise AssertionError("asked for labels")


def rows(found):
    return [(tuple(part.train), tuple(part.test)) for part in found]


def test_drawn_splits_are_those_of_their_own_module():
    how = SplitSpec("random", train=0.5, repeats=2)
    assert rows(divide(how, KNOWN, no_labels, 3)) == rows(
        splits(how, "toy", 40, None, 3)
    )


@pytest.mark.parametrize(
    ("how", "parts", "size"),
    [
        (Stratified(folds=4, repeats=2), 8, 30),
        (Stratified(train=0.5, repeats=2), 2, 20),
    ],
)
def test_stratified_repeats_and_seeds_differ_and_come_again(how, parts, size):
    found = rows(divide(how, KNOWN, labels, 0))
    assert len(found) == parts
    assert len(set(found)) == parts
    for train, test in found:
        assert abs(len(train) - size) <= 2
        assert sorted([*train, *test]) == list(range(40))
    assert rows(divide(how, KNOWN, labels, 0)) == found
    assert not set(rows(divide(how, KNOWN, labels, 1))) & set(found)


def test_imported_splits_are_those_of_the_file(tmp_path):
    drawn = divide(SplitSpec("kfold", folds=4), KNOWN, no_labels, 0)
    path = Path(tmp_path) / "toy.splits.json"
    write_splits(path, KNOWN, drawn)
    assert rows(divide(Imported(path), KNOWN, no_labels, 9)) == rows(drawn)
