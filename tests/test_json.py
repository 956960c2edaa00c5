"""What scripts read: JSON, alone on standard output, with keys that stay."""

import json
import shutil
from pathlib import Path

import click
import pytest

from mlbench.cli import data as data_commands
from mlbench.cli import main
from mlbench.data import catalogue as known
from mlbench.data import fetch
from mlbench.data.catalogue import Entry, FileEntry
from tests.shell import CONFIG

# They print what they are for: a script, a record, or nothing but a file's name.
WITHOUT = {"completion", "results show", "results pack", "data export", "data splits"}
OURS = ("completion", "compare", "data", "doctor", "list", "report", "results")


def leaves(group, words=()):
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from leaves(command, (*words, name))
        else:
            yield " ".join((*words, name)), command


def test_every_command_that_tells_something_has_json():
    found = {
        name: {option for each in command.params for option in each.opts}
        for name, command in leaves(main)
        if name.split()[0] in OURS
    }
    assert {name for name, options in found.items() if "--json" not in options} == (
        WITHOUT
    )


def shown(result, code=0):
    """The data on standard output; a key is a lower-case word."""
    assert result.exit_code == code, result.output
    found = json.loads(result.stdout)
    for each in found if isinstance(found, list) else [found]:
        assert all(key.isidentifier() and key.islower() for key in each)
    return found


@pytest.mark.parametrize("what", ["reducers", "classifiers", "metrics", "configs"])
def test_list(mlbench, what):
    found = shown(mlbench("list", what, "--json"))
    lines = mlbench("list", what).output.splitlines()
    assert [f"{each['name']:20} {each['about']}" for each in found] == lines


@pytest.fixture
def toy(mlbench, monkeypatch):
    """A catalogue of one set whose file is here, with a sample too many."""
    file = FileEntry("own/toy.dat", 24, "0" * 64, "http://localhost/")
    entry = Entry("toy", (file,), 3, 2, 2, 1.0, "table")
    monkeypatch.setattr(known, "catalogue", lambda: {"toy": entry})
    path = mlbench.folder / "data" / "own" / "toy.dat"
    path.parent.mkdir(parents=True)
    path.write_text("1,0,a\n0,1,b\n2,1,a\n1,1,b\n")
    return mlbench


HERE = ("--data-dir", "data")


def test_data_list(toy):
    (found,) = shown(toy("data", "list", "--json", *HERE))
    assert found == {
        "name": "toy",
        "instances": 3,
        "features": 2,
        "labels": 2,
        "cardinality": 1.0,
        "format": "table",
        "bytes": 24,
        "here": True,
    }
    Path("data/own/toy.dat").unlink()
    (found,) = shown(toy("data", "list", "--json", *HERE))
    assert found["here"] is False


def test_data_path(toy):
    files = [str(Path("data/own/toy.dat"))]
    found = shown(toy("data", "path", "toy", "--json", *HERE))
    assert found == {"folder": "data", "files": files}
    found = shown(toy("data", "path", "--json", *HERE))
    assert found == {"folder": "data", "files": []}


def test_data_verify_tells_its_findings_and_still_fails(toy):
    result = toy("data", "verify", "--json", *HERE)
    found = shown(result, code=1)
    wrong = {each["what"] for each in found if not each["ok"]}
    assert wrong == {"SHA-256 of own/toy.dat", "instances"}
    assert "Error: 2 of the findings above" in result.stderr
    (instances,) = [each for each in found if each["what"] == "instances"]
    assert instances == {
        "dataset": "toy",
        "what": "instances",
        "measured": "4",
        "expected": "3",
        "ok": False,
    }


def test_data_info_keeps_its_notice_out_of_the_data(toy):
    result = toy("data", "info", "toy", "--json", *HERE)
    assert shown(result)["instances"] == 4
    assert "notice: toy: " in result.stderr


@pytest.fixture
def fetched(monkeypatch):
    """A download that needs no network."""

    def get(names, folder, show, overwrite):
        show(5, 10)
        return [folder / f"{name}.dat" for name in names]

    monkeypatch.setattr(fetch, "get", get)


def test_data_get(toy, fetched):
    result = toy("data", "get", "toy", "--json", *HERE)
    expected = {"folder": "data", "fetched": [str(Path("data/toy.dat"))]}
    assert shown(result) == expected
    text = toy("data", "get", "toy", *HERE).stdout
    assert text == f"fetched {Path('data/toy.dat')}\n"


def test_what_a_run_fetches_is_not_its_output(fetched, capsys):
    data_commands.fetch_shown(["toy"], Path("data"))
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"fetched {Path('data/toy.dat')}" in captured.err


def test_results_list(done):
    (found,) = shown(done("results", "list", "--json"))
    newest = max(record["provenance"]["started"] for record in done.records)
    assert found == {
        "experiment": "toy",
        "records": 10,
        "failed": 0,
        "datasets": 1,
        "methods": 3,
        "newest": newest,
    }
    assert shown(done("results", "list", "--json", "--results", "nowhere")) == []


def test_a_store_without_records_has_no_newest(mlbench):
    Path("results/empty").mkdir(parents=True)
    Path("results/empty/records.jsonl").touch()
    (found,) = shown(mlbench("results", "list", "--json"))
    assert (found["records"], found["newest"]) == (0, None)
    assert mlbench("results", "list").output.endswith("newest -\n")


def test_results_merge(done):
    shutil.move("results", "other")
    for taken in (10, 0):
        found = shown(done("results", "merge", "other", "--json"))
        assert found == [{"experiment": "toy", "records": taken}]


def test_results_prune(done):
    done.config.write_text(CONFIG.replace("[3, 6]", "[3]"))
    prune = ("results", "prune", done.config, "--json")
    for more, removed in (("--dry-run",), False), ((), True):
        found = shown(done(*prune, *more))
        assert found == [{"experiment": "toy", "records": 4, "removed": removed}]
    assert len(done.records) == 6


def test_report(done):
    (found,) = shown(done.report("--json"))
    assert found["cells"]
    assert shown(done("report", "--diff", "results", "results", "--json"))
