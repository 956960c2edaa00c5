"""The command line, as a user meets it."""

import json
import os
import subprocess
import sys

import click
import pytest

from mlbench.cli import main
from tests.shell import CONFIG, one_line_error


def test_run_computes_each_record_once(mlbench):
    first = mlbench.run("-j", "2")
    assert first.exit_code == 0, first.output
    assert "10 records computed, 0 already there, 0 failed" in first.output
    again = mlbench.run()
    assert "0 records computed, 10 already there, 0 failed" in again.output
    assert len({record["key"] for record in mlbench.records}) == 10


def test_a_record_says_what_it_is(done):
    record = done.records[0]
    assert record["status"] == "ok"
    assert set(record["metrics"]) >= {"hamming_loss", "one_error", "micro_f1"}
    for field in ("dataset", "method", "repeat", "dim", "key", "seconds", "peak_mb"):
        assert record[field] is not None
    assert record["provenance"]["versions"]["numpy"]


def test_one_and_two_workers_give_the_same_numbers(mlbench):
    found = []
    for jobs in (1, 2):
        results = mlbench.folder / f"jobs{jobs}"
        mlbench("run", mlbench.config, "--results", results, "-j", jobs)
        lines = (results / "toy" / "records.jsonl").read_text().splitlines()
        records = [json.loads(line) for line in lines]
        found.append({record["key"]: record["metrics"] for record in records})
    assert found[0] == found[1]
    assert len(found[0]) == 10


def test_a_changed_setting_is_run_again(done):
    again = done.run("-q", text=CONFIG + "classifier: {mlknn: {k: 3}}\n")
    assert "10 records computed, 0 already there" in again.output


def test_sweep_runs_other_dimensions_beside_the_known_ones(done):
    results = ["--results", done.folder / "results"]
    swept = done("sweep", done.config, "--dims", "3:9:3", *results)
    assert "4 records computed, 10 already there" in swept.output


def test_a_failing_trial_does_not_stop_the_others(mlbench):
    (mlbench.folder / "badmethod.py").write_text(
        "from mlbench.reducers.pca import PCA\n"
        "class Bad(PCA):\n"
        "    def fit(self, X, Y=None):\n"
        "        raise ValueError('no good\\nat all')\n"
    )
    path = os.pathsep.join([str(mlbench.folder), os.environ.get("PYTHONPATH", "")])
    text = CONFIG.replace("PCA: pca", "BAD: badmethod:Bad")
    mlbench.config.write_text(text)
    command = [sys.executable, "-m", "mlbench", "run", str(mlbench.config), "-j", "2"]
    result = subprocess.run(
        command,
        cwd=mlbench.folder,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 3, result.stderr
    assert "6 records computed, 0 already there, 4 failed" in result.stdout
    assert "ValueError: no good at all" in result.stderr
    failed = [r for r in mlbench.records if r["status"] == "failed"]
    assert {r["method"] for r in failed} == {"BAD"}
    assert "no good" in mlbench.report().output


def test_report_prints_and_writes_the_tables(done):
    shown = done.report()
    assert shown.exit_code == 0, shown.output
    assert "### Hamming loss (lower is better)" in shown.output
    assert "| data set | dim | ORI" in shown.output
    folder = done.folder / "results" / "toy"
    assert (folder / "report.md").read_text() == shown.output
    assert (folder / "table.csv").read_text().startswith("dataset,method,request")


def test_report_in_json_has_the_means_of_the_records(done):
    (found,) = json.loads(done.report("--json").output)
    values = [
        record["metrics"]["coverage"]
        for record in done.records
        if record["method"] == "MDDM" and record["dim"] == 3
    ]
    (cell,) = [
        cell
        for cell in found["cells"]
        if (cell["method"], cell["request"], cell["metric"])
        == ("MDDM", "3", "coverage")
    ]
    assert cell["mean"] == pytest.approx(sum(values) / 2)
    assert cell["n"] == 2


def test_report_is_the_same_twice(done):
    assert done.report().output == done.report().output


def test_report_without_config_takes_all_results(done):
    shown = done("report", "--results", done.folder / "results")
    assert shown.exit_code == 0, shown.output
    assert "### Coverage" in shown.output


def test_report_without_records_says_how_to_make_some(mlbench):
    assert "mlbench run toy" in one_line_error(mlbench.report())


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (CONFIG.replace("mddm", "mdmd"), "did you mean 'mddm'?"),
        (CONFIG.replace("[3, 6]", "[3, 60]"), "60 is more than the 40 features of toy"),
        (CONFIG.replace("[3, 6]", "[3, 6"), "not valid YAML"),
        (CONFIG.replace("train: 60", "train: 90"), "split"),
        (CONFIG + "classifier: {mlknn: {kk: 3}}\n", "unknown setting 'kk'"),
    ],
)
def test_a_wrong_config_is_one_line(mlbench, text, hint):
    assert hint in one_line_error(mlbench.run(text=text))


def test_a_missing_config_is_one_line(mlbench):
    assert "no such file" in one_line_error(mlbench("run", "none.yaml"))


def test_missing_data_is_named_before_any_work(mlbench):
    text = CONFIG.replace("datasets:\n", "datasets:\n  - yahoo-arts\n")
    mlbench.config.write_text(text)
    empty = mlbench.folder / "empty"
    empty.mkdir()
    results = mlbench.folder / "results"
    options = ["--data-dir", empty, "--results", results]
    line = one_line_error(mlbench("run", mlbench.config, *options))
    assert "yahoo-arts.arff" in line
    assert str(empty) in line
    assert not results.exists()
    rest = mlbench("run", mlbench.config, *options, "--skip-missing", "-q")
    assert rest.exit_code == 0, rest.output
    assert "10 records computed" in rest.output
    assert "Missing data sets" in mlbench.report().output


def commands(group=main, names=()):
    """Every command there is, as the words that call it."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*names, name))
        else:
            yield [*names, name]


@pytest.mark.parametrize("command", [[], *commands()], ids=" ".join)
def test_every_help_shows_an_example(mlbench, command):
    shown = mlbench(*command, "--help")
    assert shown.exit_code == 0
    assert "Example:\n" in shown.output
    assert "mlbench " in shown.output.partition("Example:")[2]


@pytest.mark.parametrize(
    ("what", "name"),
    [
        ("reducers", "mddm"),
        ("classifiers", "mlknn"),
        ("metrics", "one_error"),
        ("configs", "quickstart"),
    ],
)
def test_list_names_what_there_is_with_a_word_about_it(mlbench, what, name):
    lines = mlbench("list", what).output.splitlines()
    assert all(len(line.split(maxsplit=1)) == 2 for line in lines)
    assert name in [line.split()[0] for line in lines]


def test_data_list_and_path_work_without_data(mlbench):
    empty = mlbench.folder / "empty"
    empty.mkdir()
    listed = mlbench("data", "list", "--data-dir", empty)
    assert "yahoo-arts-2pct" in listed.output
    assert "here: yes" not in listed.output
    assert mlbench("data", "path", "--data-dir", empty).output == f"{empty}\n"
    one_line_error(mlbench("data", "path", "emotions", "--data-dir", empty))
    one_line_error(mlbench("data", "info", "emotion", "--data-dir", empty))


@pytest.mark.real
def test_data_info_gives_the_statistics_people_cite(mlbench, real_data):
    shown = mlbench("data", "info", "emotions", "--data-dir", real_data)
    assert "cardinality            1.868" in shown.output


def test_help_and_a_cached_run_import_nothing_heavy(done):
    code = (
        "import sys; from mlbench.cli import main\n"
        "main(sys.argv[1:], standalone_mode=False)\n"
        "heavy = {'sklearn', 'pandas', 'scipy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    help_code = code.replace("'scipy'}", "'scipy', 'numpy', 'pydantic'}")
    for text, arguments in (
        (help_code, ["--help"]),
        (code, ["run", str(done.config), "-q"]),
    ):
        result = subprocess.run(
            [sys.executable, "-c", text, *arguments],
            cwd=done.folder,
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, result.stderr


ARFF = """\
@relation toy
@attribute f1 numeric
@attribute f2 numeric
@attribute happy {0,1}
@data
0.5,1.5,1
-0.5,2.5,0
"""
XML = (
    '<labels xmlns="http://mulan.sourceforge.net/labels"><label name="happy"/></labels>'
)


@pytest.fixture
def emotions(mlbench):
    """A data folder whose emotions set is what the test says it is."""
    folder = mlbench.folder / "data" / "mulan"
    folder.mkdir(parents=True)

    def write(arff=ARFF, xml=XML):
        (folder / "emotions.arff").write_text(arff)
        (folder / "emotions.xml").write_text(xml)
        return folder.parent

    return write


@pytest.mark.parametrize(
    ("arff", "xml", "where"),
    [
        (ARFF.replace("-0.5,2.5,0", "-0.5,2."), XML, "emotions.arff:7: "),
        (ARFF.replace("0.5,1.5,1\n", "{0 1,9 1}\n"), XML, "emotions.arff:6: "),
        (ARFF.replace("1.5", "?"), XML, "emotions.arff:6: "),
        (ARFF.partition("@data")[0], XML, "emotions.arff"),
        (ARFF, XML.replace("happy", "sad"), "emotions.xml"),
        (ARFF, XML[:-5], "emotions.xml"),
        ("\x00\x01", XML, "emotions.arff"),
    ],
)
def test_a_broken_data_file_is_one_line_that_names_it(
    mlbench, emotions, arff, xml, where
):
    folder = emotions(arff, xml)
    assert where in one_line_error(
        mlbench("data", "info", "emotions", "--data-dir", folder)
    )
    text = CONFIG.replace(
        "  - {name: toy, synthetic: {n: 120, d: 40, q: 5}}", "  - emotions"
    )
    assert where in one_line_error(mlbench.run("--data-dir", folder, text=text))


def test_a_mat_file_without_its_arrays_is_one_line(mlbench):
    from scipy.io import savemat

    folder = mlbench.folder / "data" / "lamda"
    folder.mkdir(parents=True)
    savemat(folder / "arts.mat", {"train_data": [[1.0]]})
    arguments = ["data", "info", "yahoo-arts-2pct", "--data-dir", folder.parent]
    assert "arts.mat" in one_line_error(mlbench(*arguments))


def test_negative_data_for_a_method_that_cannot_take_it_is_one_line(mlbench, emotions):
    text = """\
datasets: [emotions]
split: {kind: kfold, folds: 2}
dims: 1
methods: {MNMTF: mnmtf}
metrics: [coverage]
"""
    line = one_line_error(mlbench.run("--data-dir", emotions(), text=text))
    assert "mnmtf needs non-negative features, emotions has values down to -0.5" in line
    assert "minmax" in line


def test_plan_says_what_a_run_would_do(mlbench):
    results = ["--results", mlbench.folder / "results"]
    shown = mlbench("plan", mlbench.config, *results).output
    assert "6 trials, 0 records already there, 6 trials with 10 records" in shown
    assert "expected time on one worker: unknown, no earlier records" in shown
    assert "largest array: features of toy, 120 x 40, 0 MB" in shown
    assert mlbench.run("--dry-run").output == shown
    assert not (mlbench.folder / "results").exists()


def test_plan_says_why_a_trial_would_run_again(done):
    results = ["--results", done.folder / "results"]
    done.config.write_text(CONFIG + "classifier: {mlknn: {k: 7}}\n")
    shown = done("plan", done.config, "--why", *results).output
    assert "expected time on one worker: unknown" not in shown
    assert "toy / MDDM / split 1: changed: classifier\n" in shown
    done.config.write_text(CONFIG.replace("PCA: pca", "LSI: lsi"))
    shown = done("plan", done.config, "--why", *results).output
    assert "toy / LSI / split 0: never run" in shown
    assert "MDDM" not in shown
