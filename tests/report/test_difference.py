"""Two result folders: what changed, and what is only noise."""

import json
import shutil

import pytest

from mlbench.errors import ResultsError
from mlbench.report.difference import changes, difference_text
from mlbench.store import Store


def write(folder, losses, name="toy"):
    store = Store(folder / name)
    with store.writing():
        store.append(
            {
                "key": f"{method}{split}",
                "dataset": "arts",
                "method": method,
                "repeat": split,
                "request": "0.3",
                "setting": {},
                "status": "ok",
                "metrics": {"hamming_loss": loss, "coverage": None},
            }
            for method, row in losses.items()
            for split, loss in enumerate(row)
        )
    return folder


def verdicts(found):
    return {change.cell[1]: change.verdict for change in found}


@pytest.fixture
def folders(tmp_path):
    old = {
        "SAME": [0.1, 0.2],
        "NOISY": [0.1, 0.2, 0.3],
        "MOVED": [0.1, 0.2, 0.3],
        "SINGLE": [0.1],
        "GONE": [0.1],
    }
    new = {
        "SAME": [0.1, 0.2],
        "NOISY": [0.2, 0.1, 0.31],
        "MOVED": [0.15, 0.251, 0.352],
        "SINGLE": [0.1001],
        "ADDED": [0.1],
    }
    return write(tmp_path / "old", old), write(tmp_path / "new", new)


def test_every_number_is_judged(folders):
    assert verdicts(changes(*folders)) == {
        "SAME": "same",
        "NOISY": "within noise",
        "MOVED": "beyond noise",
        "SINGLE": "beyond noise",
        "GONE": "only in one",
        "ADDED": "only in one",
    }


def test_a_folder_against_itself_has_no_changes(folders):
    old, _ = folders
    assert {change.verdict for change in changes(old, old)} == {"same"}
    assert "| nothing" in difference_text(old, old, changes(old, old))


def test_the_text_shows_what_moved_and_counts_the_rest(folders):
    text = difference_text(*folders, changes(*folders))
    assert "| MOVED" in text
    assert "0.2000 | 0.2510" in text
    assert "| NOISY" not in text
    assert "1 same, 1 within noise, 2 beyond noise, 2 only in one." in text
    assert f"toy: 1 numbers only in {folders[0]}" in text.replace("\\_", "_")


def test_a_folder_of_one_experiment_can_be_given(folders):
    old, new = folders
    assert verdicts(changes(old / "toy", new / "toy")) == verdicts(changes(*folders))


@pytest.mark.parametrize(
    ("make", "hint"), [(False, "no such folder"), (True, "no rec")]
)
def test_a_folder_without_records_is_refused(folders, tmp_path, make, hint):
    empty = tmp_path / "empty"
    if make:
        empty.mkdir()
    with pytest.raises(ResultsError, match=hint):
        changes(folders[0], empty)


def test_the_command_prints_it_and_json_too(done):
    results, other = done.folder / "results", done.folder / "other"
    shutil.copytree(results, other)
    text = done("report", "--diff", results, other)
    assert text.exit_code == 0, text.output
    assert "| nothing" in text.output
    found = json.loads(done("report", "--diff", results, other, "--json").output)
    assert {change["verdict"] for change in found} == {"same"}
