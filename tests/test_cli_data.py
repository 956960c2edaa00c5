"""Data sets at the command line: get, verify, info, export, own files, splits."""

import csv
import hashlib
import json

import numpy as np
import pytest
from sklearn.utils import Bunch

from mlbench.config import source
from mlbench.data import catalogue as known
from mlbench.data.catalogue import Entry, FileEntry
from mlbench.errors import DataError
from tests.data.http_server import serving
from tests.shell import CONFIG, one_line_error

ROWS = "1.5,0,2,a\n0,1,0,b\n3,0.5,1,a\n1,1,1,b\n"


@pytest.fixture
def toy(monkeypatch):
    """A catalogue of one set, and the server it comes from."""
    monkeypatch.setenv("no_proxy", "*")
    content = ROWS.encode()
    with serving(content) as web:
        file = FileEntry(
            "own/toy.dat",
            len(content),
            hashlib.sha256(content).hexdigest(),
            f"{web.address}/toy",
        )
        entry = Entry("toy", (file,), 4, 3, 2, 1.0, "table")
        for place in (known, source):
            monkeypatch.setattr(place, "catalogue", lambda: {"toy": entry})
        yield web


def test_a_set_is_fetched_verified_and_described(mlbench, toy):
    folder = ("--data-dir", mlbench.folder / "data")
    first = mlbench("data", "get", "toy", *folder)
    assert first.exit_code == 0, first.output
    assert "fetched" in first.output
    again = mlbench("data", "get", "all", *folder)
    assert "nothing to fetch" in again.output
    assert len(toy.requests) == 1
    found = mlbench("data", "verify", *folder)
    assert found.exit_code == 0, found.output
    assert "wrong" not in found.output
    about = json.loads(mlbench("data", "info", "toy", "--json", *folder).output)
    assert about["instances"] == 4


def test_a_file_that_is_not_the_catalogues_is_said_to_be_wrong(mlbench, toy):
    place = mlbench.folder / "data" / "own" / "toy.dat"
    place.parent.mkdir(parents=True)
    place.write_text(ROWS + "5,5,5,a\n")
    folder = ("--data-dir", mlbench.folder / "data")
    found = mlbench("data", "verify", "toy", *folder)
    assert "are not as they should be" in one_line_error(found)
    assert "wrong: toy: instances: 5, the catalogue says 4" in found.output
    assert "notice: " in mlbench("data", "info", "toy", *folder).output
    assert "another checksum" in one_line_error(mlbench("data", "get", "toy", *folder))
    assert mlbench("data", "get", "toy", "--overwrite", *folder).exit_code == 0
    assert place.read_text() == ROWS


CATALOGUED = """\
datasets: [toy]
split: {kind: random, train: 0.5}
methods: {OAA: {classifier: oaa}}
metrics: [accuracy]
"""


def test_a_run_fetches_only_when_it_is_told_to(mlbench, toy):
    (mlbench.folder / "data").mkdir()
    options = ("--data-dir", mlbench.folder / "data", "-j", "1", "-q")
    for more in ((), ("--offline",)):
        refused = mlbench.run(*options, *more, text=CATALOGUED)
        assert "mlbench data get toy" in one_line_error(refused)
    assert toy.requests == []
    found = mlbench.run(*options, "--download")
    assert "fetched" in found.output
    assert (mlbench.folder / "data" / "own" / "toy.dat").read_text() == ROWS


def test_an_unknown_set_to_get_is_one_line(mlbench):
    hint = one_line_error(mlbench("data", "get", "emotion"))
    assert "unknown data set 'emotion', did you mean 'emotions'?" in hint


@pytest.fixture
def own(mlbench):
    """A folder with a CSV file of 40 samples, 3 features and 2 labels."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(40, 3)).round(3)
    Y = (X[:, :2] > 0.5).astype(int)
    with (mlbench.folder / "mine.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "c", "y one", "y two"])
        writer.writerows([*x, *y] for x, y in zip(X, Y, strict=True))
    return mlbench


OWN = """\
datasets: [{name: mine, path: mine.csv, labels: [y one, y two]}]
split: {kind: stratified, folds: 4}
methods: {OVA: {classifier: ova}}
metrics: [micro_f1]
"""


def test_own_data_is_run_from_its_file_beside_the_config(own, monkeypatch, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    found = own.run("-j", "1", "-q", text=OWN)
    assert found.exit_code == 0, found.output
    assert len(own.records) == 4
    assert own.records[0]["split"] == {"kind": "stratified", "folds": 4, "repeats": 1}
    assert "0 records computed" in own.run("-q").output
    (own.folder / "mine.csv").write_text((own.folder / "mine.csv").read_text() + "\n")
    assert "computed, 4 already" in own.run("-q", "-j", "1").output


def test_splits_are_written_and_taken_from_a_file(own):
    own.config.write_text(OWN)
    written = own("data", "splits", own.config, "mine", "--out", "s.json")
    assert written.exit_code == 0, written.output
    imported = OWN.replace(
        "{kind: stratified, folds: 4}", "{kind: import, path: s.json}"
    )
    first = own.run("-j", "1", "-q", text=OWN)
    assert first.exit_code == 0, first.output
    again = own.run("-j", "1", "-q", text=imported)
    assert "0 records computed, 4 already there" in again.output  # the same splits
    text = (own.folder / "s.json").read_text()
    (own.folder / "s.json").write_text(text.replace("[0,", "[1,", 1))
    assert "s.json" in one_line_error(own.run("-q", text=imported))


def test_a_set_is_written_in_other_forms_and_read_back(own):
    for kind, labels in (("arff", None), ("npz", None), ("csv", "-2")):
        out = own.folder / f"copy.{kind}"
        options = ("--labels", "-2", "--to", kind, "--out", out)
        written = own("data", "export", "mine.csv", *options)
        assert written.exit_code == 0, written.output
        more = ("--labels", labels) if labels else ()
        about = json.loads(own("data", "info", out, "--json", *more).output)
        assert (about["instances"], about["features"], about["labels"]) == (40, 3, 2)


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        (("mine.csv", "mine.xls"), "cannot tell the form by the ending"),
        (("mine.csv", "none.csv"), "none.csv"),
        (("[y one, y two]", "[y three]"), "y three"),
        (("path: mine.csv, ", ""), "goes with a path"),
        (("folds: 4", "folds: 4, train: 0.5"), "either 'folds' or 'train'"),
        (("folds: 4", "train: 7"), "is not a share of the samples"),
        (("{kind: stratified, folds: 4}", "{kind: import}"), "needs 'path'"),
        (("{kind: stratified, folds: 4}", "{kind: import, path: no.json}"), "no.json"),
        (
            ("name: mine, path: mine.csv", "synthetic: {}, name: mine, path: x.csv"),
            "not both",
        ),
    ],
)
def test_a_mistake_with_own_data_is_one_line(own, change, hint):
    assert change[0] in OWN
    assert hint in one_line_error(
        own.run("-q", "-j", "1", text=OWN.replace(*change, 1))
    )


def frame(**columns):
    import pandas as pd

    return pd.DataFrame(columns)


@pytest.fixture
def openml(monkeypatch):
    """OpenML without the network: what it would answer, and what it was asked."""
    asked = []

    def serve(data, target):
        def fetch(**options):
            asked.append(options)
            return Bunch(data=data, target=target)

        monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
        return asked

    return serve


def test_a_class_of_openml_becomes_labels(openml):
    from mlbench.data.openml import read_openml

    target = frame(y=["b", "a", "b"])["y"]
    asked = openml(frame(x=[1.0, 2, 3], colour=["r", "g", "r"]), target)
    found = read_openml("openml:letters-2@3")
    assert asked[0]["name"] == "letters-2"
    assert asked[0]["version"] == 3
    assert found.feature_names == ("x", "colour=g", "colour=r")
    assert found.X.tolist() == [[1, 0, 1], [2, 1, 0], [3, 0, 1]]
    assert found.label_names == ("a", "b")
    assert found.Y.tolist() == [[0, 1], [1, 0], [0, 1]]


def test_label_columns_of_openml_are_labels(openml):
    from mlbench.data.openml import read_openml

    openml(frame(x=[1.0, 2]), frame(one=["TRUE", "FALSE"], two=["1", "0"]))
    assert read_openml("openml:birds").Y.tolist() == [[1, 1], [0, 0]]


@pytest.mark.parametrize(
    ("name", "data", "target", "hint"),
    [
        ("openml:a@x", {"x": [1.0]}, {"y": ["a"]}, "version must be a number"),
        ("openml:a", {"x": [float("nan")]}, {"y": ["1"]}, "'x' has missing values"),
        ("openml:a", {"x": [float("inf")]}, {"y": ["1"]}, "finite numbers"),
        ("openml:a", {"x": [1.0]}, {"y": ["maybe"], "z": ["1"]}, "holds 'maybe'"),
    ],
)
def test_what_openml_holds_amiss_is_one_sentence(openml, name, data, target, hint):
    from mlbench.data.openml import read_openml

    openml(frame(**data), frame(**target))
    with pytest.raises(DataError, match=hint):
        read_openml(name)


def test_a_set_that_openml_does_not_give_is_one_sentence(monkeypatch):
    from mlbench.data.openml import read_openml

    def refuse(**_):
        raise OSError("no network")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", refuse)
    with pytest.raises(
        DataError, match=r"openml:a: cannot be had from OpenML \(no net"
    ):
        read_openml("openml:a")


def test_a_set_of_openml_is_fetched_once(mlbench, openml):
    rng = np.random.default_rng(0)
    X = frame(a=rng.uniform(size=30), b=rng.uniform(size=30))
    asked = openml(X, (X["a"] > 0.5).map({True: "yes", False: "no"}))
    text = OWN.replace(
        "{name: mine, path: mine.csv, labels: [y one, y two]}", "'openml:my-set'"
    )
    mlbench.config.write_text(text)
    for _ in range(2):
        found = mlbench("plan", mlbench.config, "--results", mlbench.folder / "r")
        assert found.exit_code == 0, found.output
        assert "4 trials" in found.output
    assert len(asked) == 1


def test_a_config_is_run_on_a_file_given_at_the_command_line(own):
    text = CONFIG.replace("[3, 6]", "[1, 2]").replace(
        "train: 60, test: 60", "train: 0.5"
    )
    options = ("--dataset", "mine.csv", "--labels", "-2", "-j", "1", "-q")
    found = own.run(*options, text=text)
    assert found.exit_code == 0, found.output
    folder = own.folder / "results" / "toy-mine"
    assert (folder / "records.jsonl").exists()
    shown = own("report", folder / "config.yaml", "--results", own.folder / "results")
    assert "mine" in shown.output
    everything = own("report", "--results", own.folder / "results")
    assert everything.exit_code == 0, everything.output
