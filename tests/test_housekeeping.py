"""Records looked after: listed, shown, merged, pruned, packed."""

import gzip
import json
import shutil

import pytest

from tests.shell import CONFIG, one_line_error


def keys(shell):
    return {record["key"] for record in shell.records}


def test_list_says_what_is_there(done):
    shown = done("results", "list").output
    assert "toy                  10 records, 0 failed; 1 data sets, 3 methods" in shown


def test_show_prints_the_record_of_a_key(done):
    record = done.records[3]
    shown = done("results", "show", record["key"][:20])
    assert json.loads(shown.output) == record
    assert "no record has a key" in one_line_error(done("results", "show", "xyz"))
    assert "10 records have a key" in one_line_error(done("results", "show", ""))


@pytest.fixture
def other(done):
    """The same records on another machine, half of which we do not have."""
    folder = done.folder / "other"
    shutil.copytree(done.folder / "results", folder)
    path = done.folder / "results" / "toy" / "records.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:5]))
    return folder


def test_merge_takes_over_what_is_not_there(done, other):
    assert len(keys(done)) == 5
    assert "toy: 5 records taken over" in done("results", "merge", other).output
    assert len(done.records) == len(keys(done)) == 10
    assert "toy: 0 records taken over" in done("results", "merge", other).output


def test_merge_refuses_records_that_contradict_ours(done, other):
    path = other / "toy" / "records.jsonl"
    first, *rest = path.read_text().splitlines(keepends=True)
    changed = json.loads(first)
    changed["metrics"]["coverage"] += 0.5
    path.write_text(json.dumps(changed) + "\n" + "".join(rest))
    line = one_line_error(done("results", "merge", other))
    assert "has other metrics than ours; nothing was merged" in line
    assert len(keys(done)) == 5


def test_merge_prefers_success_to_failure(done, other):
    path = done.folder / "results" / "toy" / "records.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    failed = records[0] | {"status": "failed", "metrics": {}, "error": "no"}
    path.write_text(json.dumps(failed) + "\n")
    assert "10 records taken over" in done("results", "merge", other).output
    assert {record["status"] for record in done.records[1:]} == {"ok"}
    assert "0 records computed, 10 already there, 0 failed" in done.run("-q").output


def test_prune_drops_what_the_config_no_longer_asks_for(done):
    text = CONFIG.replace("[3, 6]", "[3]").replace(", PCA: pca", "")
    done.config.write_text(text)
    shown = done("results", "prune", done.config, "--dry-run").output
    assert "toy: 6 records would be removed" in shown
    assert len(keys(done)) == 10
    assert "toy: 6 records removed" in done("results", "prune", done.config).output
    assert {(r["method"], r["request"]) for r in done.records} == {
        ("ORI", "1.0"),
        ("MDDM", "3"),
    }
    assert "0 records computed, 4 already there" in done.run("-q").output


def test_pack_compresses_the_records_and_nothing_else_changes(done):
    before = done.report().output
    assert done("results", "pack", "toy").exit_code == 0
    folder = done.folder / "results" / "toy"
    assert not (folder / "records.jsonl").exists()
    packed = gzip.decompress((folder / "records.jsonl.gz").read_bytes())
    assert packed.count(b"\n") == 10
    assert done.report().output == before
    assert "0 records computed, 10 already there" in done.run("-q").output
    line = one_line_error(done("results", "pack", "toi"))
    assert "did you mean 'toy'" in line
