"""A short run of the fuzzer, and that it would tell."""

from pathlib import Path

import numpy as np
import pytest

from mlbench.data import bulk
from mlbench.data.dataset import Dataset
from mlbench.errors import DataError
from tests.fuzz import run
from tests.fuzz.formats import Format, formats
from tests.fuzz.run import fuzz, outcome_of

FORMS = formats()


@pytest.mark.parametrize("name", FORMS)
def test_sound_files_are_read(tmp_path, name):
    outcomes = [outcome_of(FORMS[name], tmp_path, raw) for raw in FORMS[name].sound]
    assert set(outcomes) == {"read"}


@pytest.mark.parametrize("name", FORMS)
def test_spoilt_files_are_read_or_refused(name):
    outcomes, failures = fuzz(FORMS[name], 60, seed=0)
    assert not failures
    assert outcomes["refused"] > 0


def test_the_same_seed_spoils_in_the_same_way():
    assert fuzz(FORMS["csv"], 40, seed=3)[0] == fuzz(FORMS["csv"], 40, seed=3)[0]


def broken(read) -> Format:
    return Format([b"abc"], read)


def _dataset(**changes):
    parts = {"X": np.ones((2, 1)), "Y": np.ones((2, 1), np.uint8)} | changes
    return Dataset("x", parts["X"], parts["Y"], ("f",), ("l",))


@pytest.mark.parametrize(
    ("read", "outcome"),
    [
        (lambda *_: {}["x"], "KeyError\n"),
        (lambda *_: _dataset(X=np.full((2, 1), np.nan)), "AssertionError\n"),
        (lambda *_: _dataset(Y=np.ones((3, 1), np.uint8)), "AssertionError\n"),
        (lambda *_: _dataset(X=np.full((2, 1), -0.0)), "AssertionError\n"),
    ],
)
def test_any_other_outcome_is_told(tmp_path, read, outcome):
    assert outcome_of(broken(read), tmp_path, b"").startswith(outcome)
    assert len(fuzz(broken(read), 5, seed=0)[1]) == 5


def test_a_number_that_arrays_read_otherwise_is_told(tmp_path, monkeypatch):
    sound = bulk._parse

    def wrong(text, dtype, count):
        values = sound(text, dtype, count)
        return None if values is None else values + 1

    form = FORMS["svmlight"]
    assert outcome_of(form, tmp_path, b"1 1:5\n") == "read"
    monkeypatch.setattr(bulk, "_parse", wrong)
    assert outcome_of(form, tmp_path, b"1 1:5\n").startswith("not the same line by")


def test_an_error_names_the_file(tmp_path):
    def refuse(folder: Path, raw: bytes):
        raise DataError("somewhere, something is wrong")

    assert outcome_of(broken(refuse), tmp_path, b"").startswith("not one line that")


def test_too_much_memory_is_told(monkeypatch):
    monkeypatch.setattr(run, "MEMORY", 2**26)
    outcomes, _ = fuzz(broken(lambda *_: np.ones(2**24)), 1, seed=0)
    assert list(outcomes) in (["MemoryError"], ["_ArrayMemoryError"])


def test_a_hang_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "SECONDS", 0.01)

    def never_ends(*_):
        while True:
            pass

    assert outcome_of(broken(never_ends), tmp_path, b"").startswith("HangError\n")
