"""Records on disk: nothing lost, nothing twice, nothing half."""

import gzip
import json

import pytest

from mlbench.errors import ResultsError
from mlbench.store import Store


def record(key, value=1.0, status="ok"):
    return {"key": key, "status": status, "metrics": {"coverage": value}}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "toy")


def test_what_is_appended_is_read_back_in_order(store):
    with store.writing():
        store.append([record("b"), record("a")])
        store.append([record("c")])
    assert list(Store(store.folder).records()) == ["b", "a", "c"]


def test_the_newest_record_of_a_key_counts(store):
    with store.writing():
        store.append([record("a", status="failed")])
        store.append([record("a", 2.0)])
    assert store.records()["a"]["metrics"] == {"coverage": 2.0}


def test_an_empty_store_has_no_records(store):
    assert store.records() == {}


@pytest.mark.parametrize("cut", [1, 2, 10, 30, 50])
def test_a_torn_last_line_is_dropped_with_a_notice_and_mended(store, cut):
    with store.writing():
        store.append([record("a"), record("b")])
    data = store.path.read_bytes()
    store.path.write_bytes(data[:-cut])
    again = Store(store.folder)
    kept = list(again.records())
    whole = cut == 1  # only the end of the line is gone: the record is all there
    assert kept == (["a", "b"] if whole else ["a"])
    assert bool(again.notices) != whole
    with again.writing():
        again.append([record("c")])
    assert list(Store(store.folder).records()) == [*kept, "c"]
    assert all(json.loads(line) for line in store.path.read_text().splitlines())


def test_a_broken_line_in_the_middle_is_an_error_that_names_it(store):
    with store.writing():
        store.append([record("a")])
    store.path.write_text("{half\n" + store.path.read_text())
    with pytest.raises(ResultsError, match=r"records.jsonl:1: not a record"):
        store.records()


def test_packed_records_are_read_first_and_new_ones_win(store):
    store.folder.mkdir()
    lines = "".join(json.dumps(record(key)) + "\n" for key in "ab")
    (store.folder / "records.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    with store.writing():
        store.append([record("b", 5.0)])
    found = store.records()
    assert list(found) == ["a", "b"]
    assert found["b"]["metrics"]["coverage"] == 5.0


def test_damaged_packed_records_are_one_line(store):
    store.folder.mkdir()
    (store.folder / "records.jsonl.gz").write_bytes(b"no gzip")
    with pytest.raises(ResultsError, match="cannot be read"):
        store.records()


def test_two_writers_at_once_are_refused(store):
    with (
        store.writing(),
        pytest.raises(ResultsError, match="another run is writing here"),
        Store(store.folder).writing(),
    ):
        pass


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(ResultsError, match="cannot be written"),
        Store(tmp_path / "file" / "toy").writing(),
    ):
        pass


def test_not_a_number_is_never_written(store):
    with store.writing(), pytest.raises(ValueError, match="not JSON compliant"):
        store.append([record("a", float("nan"))])
    assert store.records() == {}
