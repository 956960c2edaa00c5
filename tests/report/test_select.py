"""A part of a report, and the commands that ask for one."""

import json

import pytest
import yaml

from mlbench.config import load_experiment
from mlbench.config.papers import ALL, configs_of, papers
from mlbench.errors import ConfigError, MlbenchError
from mlbench.report.select import EVERYTHING, Selection
from tests.report.test_report import CONFIG, PUBLISHED, records
from tests.shell import one_line_error


@pytest.fixture
def experiment(tmp_path):
    claims = [{"says": "it", "kind": "first", "methods": ["B", "A"]}]
    text = yaml.safe_dump(CONFIG | {"published": PUBLISHED, "claims": claims})
    (tmp_path / "toy.yaml").write_text(text)
    return load_experiment(tmp_path / "toy.yaml")


def test_everything_is_what_there_is(experiment):
    assert EVERYTHING.of_experiment(experiment) == experiment
    assert not EVERYTHING


def test_only_what_is_asked_for_is_left(experiment):
    chosen = Selection(
        metrics=("coverage", "hamming_loss"), datasets=("emotions",), methods=("ORI",)
    ).of_experiment(experiment)
    assert chosen.metrics == ("coverage", "hamming_loss")
    assert [source.name for source in chosen.datasets] == ["emotions"]
    assert list(chosen.methods) == ["ORI"]
    (block,) = chosen.published  # the mean over all sets cannot be had
    assert block.values == {"hamming_loss": {"ORI": (0.3, 0.1)}}
    assert chosen.claims == ()


def test_one_dimension_leaves_what_is_not_swept(experiment):
    kept = Selection(dim="4").of_records(experiment, list(records()))
    assert {(r["method"], r["request"]) for r in kept} == {
        ("ORI", "1.0"),
        ("A", "4"),
        ("B", "4"),
    }


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ({"methods": ("MDM",)}, "unknown method 'MDM'"),
        ({"datasets": ("emotion",)}, "did you mean 'emotions'"),
    ],
)
def test_an_unknown_name_is_refused(experiment, asked, hint):
    with pytest.raises(MlbenchError, match=hint):
        Selection(**asked).of_experiment(experiment)


def test_a_part_is_printed_and_not_written(done):
    part = done.report("--metrics", "micro_f1", "--methods", "PCA,ORI", "--dim", "3")
    assert part.exit_code == 0, part.output
    assert "Micro F1" in part.output
    assert "MDDM" not in part.output
    assert not (done.folder / "results" / "toy" / "report.md").exists()
    assert done.report().exit_code == 0
    assert (done.folder / "results" / "toy" / "report.md").exists()


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        (("--metrics", "micro"), "unknown metric 'micro'"),
        (("--dim", "9"), "unknown dimension '9'"),
    ],
)
def test_a_wrong_part_is_one_line(done, option, hint):
    assert hint in one_line_error(done.report(*option))


def test_only_the_verdicts_can_be_asked_for(done):
    text = done.report("--against").output
    assert text.startswith("# toy")
    assert "| data set" not in text


def test_every_paper_has_its_configs():
    assert set(papers()) == {"mnmtf", "mddm", "ommf", "snmf", "nmfsvm"}
    assert [path.stem for path in configs_of("mnmtf")] == ["yahoo_mnmtf"]
    assert len(configs_of(ALL)) == sum(map(len, papers().values()))
    with pytest.raises(ConfigError, match="did you mean 'mddm'"):
        configs_of("mdm")


def test_reproduce_shows_the_plan_runs_and_judges(mlbench, monkeypatch):
    text = mlbench.config.read_text() + "paper: toys\n"
    mlbench.config.write_text(text)
    names = {"toy": mlbench.config}
    monkeypatch.setattr("mlbench.config.papers.config_names", lambda: names)
    options = ("--results", mlbench.folder / "results", "-j", "1", "-q")
    dry = mlbench("reproduce", "toys", "--dry-run", *options)
    assert "6 trials" in dry.output
    found = mlbench("reproduce", "toys", *options)
    assert found.exit_code == 0, found.output
    assert "# toy" in found.output
    assert len(mlbench.records) == 10


def test_compare_is_wired(done):
    command = ("compare", done.config, "--results", done.folder / "results")
    assert "choose one of them with --dim" in one_line_error(done(*command))
    at_three = done(*command, "--dim", "3")
    assert "data set" in one_line_error(at_three)  # one is too few
    asked = ("--dim", "3", "--test", "resampled", "--dataset", "toy")
    assert "split" in one_line_error(done(*command, *asked))


def test_a_comparison_is_printed_and_json_too(tmp_path, mlbench):
    from mlbench.store import Store

    config = {**CONFIG, "dims": 2}
    mlbench.config.write_text(yaml.safe_dump(config))
    store = Store(tmp_path / "results" / "toy")
    with store.writing():
        store.append(
            r | {"split": {"kind": "random"}, "n_train": 50, "n_test": 50}
            for r in records()
            if r["request"] in ("1.0", "2")
        )
    results = ("--results", tmp_path / "results")
    text = mlbench("compare", mlbench.config, *results)
    assert text.exit_code == 0, text.output
    assert "Hamming loss" in text.output
    found = mlbench("compare", mlbench.config, "--json", *results)
    assert isinstance(json.loads(found.output), dict)
