"""A config changed from the command line is an experiment of its own."""

import json
from pathlib import Path

import pytest
import yaml

from mlbench.config import find_config, load_experiment
from mlbench.config.derive import Changes, derived
from mlbench.errors import ConfigError
from tests.shell import CONFIG, one_line_error

MINE = """\
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin


class MyReducer(TransformerMixin, BaseEstimator):
    def __init__(self, n_components=2):
        self.n_components = n_components

    def fit(self, X, Y):
        self.order_ = np.argsort(-(X != 0).mean(axis=0), kind="stable")
        return self

    def transform(self, X):
        return X[:, self.order_[: self.n_components]]
"""


@pytest.fixture
def changed(tmp_path):
    """The values of the toy config with some overrides."""
    config = tmp_path / "toy.yaml"

    def change(*overrides, text=CONFIG, **more):
        config.write_text(text)
        changes = Changes(overrides=overrides, **more)
        _, made = derived(config, changes, tmp_path / "results")
        return yaml.safe_load(made)

    return change


@pytest.mark.parametrize(
    ("override", "key", "value"),
    [
        ("seed=3", "seed", 3),
        ("dims=0.1:0.5", "dims", "0.1:0.5"),
        ("dims=[2, 4]", "dims", [2, 4]),
        ("classifier=ova", "classifier", "ova"),
        ("classifier.k=8", "classifier", {"mlknn": {"k": 8}}),
        ("classifier.mlknn.k=8", "classifier", {"mlknn": {"k": 8}}),
        ("preprocess.scale=l2", "preprocess", {"scale": "l2"}),
        ("title=1e-3", "title", "1e-3"),
    ],
)
def test_an_override_sets_one_value(changed, override, key, value):
    if key == "title":
        pytest.raises(ConfigError, changed, override).match("0.001 is not text")
        return
    assert changed(override)[key] == value


@pytest.mark.parametrize(
    ("method", "override", "expected"),
    [
        ("mddm", "kernel=rbf", {"reducer": {"mddm": {"kernel": "rbf"}}}),
        ("mddm", "reducer.kernel=rbf", {"reducer": {"mddm": {"kernel": "rbf"}}}),
        ("mddm", "reducer.mddm.kernel=rbf", {"reducer": {"mddm": {"kernel": "rbf"}}}),
        (
            "{mddm: {kernel: linear, fill: random}}",
            "kernel=rbf",
            {"reducer": {"mddm": {"kernel": "rbf", "fill": "random"}}},
        ),
        ("{mddm: }", "kernel=rbf", {"reducer": {"mddm": {"kernel": "rbf"}}}),
        ("mddm", "dims=5", {"reducer": "mddm", "dims": 5}),
        (
            "{reducer: mddm, classifier: ova}",
            "classifier.C=2",
            {"reducer": "mddm", "classifier": {"ova": {"C": 2}}},
        ),
    ],
)
def test_a_setting_of_a_method_is_reached_in_every_form(
    changed, method, override, expected
):
    text = CONFIG.replace("MDDM: mddm", f"MDDM: {method}")
    found = changed(f"methods.MDDM.{override}", text=text)
    assert found["methods"]["MDDM"] == expected
    assert found["methods"]["PCA"] == "pca"


def test_an_override_of_methods_or_data_drops_what_the_paper_says_of_its_own(tmp_path):
    path = find_config("yahoo_mddm")
    _, kept = derived(path, Changes(overrides=("classifier.k=8",)), tmp_path)
    _, dropped = derived(path, Changes(datasets=("scene",)), tmp_path)
    assert "published" in yaml.safe_load(kept)
    assert "published" not in yaml.safe_load(dropped)


def test_the_name_tells_the_changes_and_two_changes_never_share_one(tmp_path):
    path = find_config("quickstart")
    names = [
        derived(path, Changes(overrides=(text,)), tmp_path)[0]
        for text in ("seed=1", "seed=2", f"title={90 * 'x'}y", f"title={90 * 'x'}z")
    ]
    assert names[0] == "quickstart-seed-1"
    assert len(set(names)) == 4
    assert max(map(len, names)) < 100
    assert derived(path, Changes(overrides=("name=mine",)), tmp_path)[0] == "mine"


def test_the_title_tells_the_changes(changed):
    assert changed("seed=3", text=CONFIG + "title: Toys\n")["title"] == "Toys (seed=3)"


def test_paths_are_as_seen_from_the_new_place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").write_text("a,b,y\n1,2,0\n3,4,1\n5,6,1\n7,8,0\n")
    text = CONFIG.replace(
        "{name: toy, synthetic: {n: 120, d: 40, q: 5}}",
        "{name: mine, path: mine.csv, labels: 1}",
    )
    (tmp_path / "toy.yaml").write_text(text)
    results = Path("results")
    name, made = derived(Path("toy.yaml"), Changes(overrides=("seed=3",)), results)
    (results / name).mkdir(parents=True)
    (results / name / "config.yaml").write_text(made)
    experiment = load_experiment(results / name / "config.yaml")
    path = experiment.datasets[0].path
    assert (tmp_path / path).resolve() == tmp_path / "mine.csv"


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("dims", "-o dims: is not KEY=VALUE, as in classifier.k=8"),
        ("=3", "-o =3: is not KEY=VALUE"),
        ("a..b=3", "is not KEY=VALUE"),
        ("dims=[1", "not valid YAML"),
        ("dimms=3", "unknown key 'dimms', did you mean 'dims'?"),
        ("classifier=mlk", "unknown classifier 'mlk', did you mean 'mlknn'?"),
        ("split.train=-1", "-o split.train=-1: split.train: -1 is not above 0"),
        ("methods.MDM.kernel=rbf", "unknown method 'MDM', did you mean 'MDDM'?"),
        ("dims.a=3", "not a mapping"),
        ("methods=3", "methods"),
        ("classifier.kk=3", "unknown setting 'kk', did you mean 'k'?"),
    ],
)
def test_a_wrong_override_is_one_line_and_leaves_nothing(mlbench, override, said):
    assert said in one_line_error(mlbench.run("-o", override))
    results = mlbench.folder / "results"
    assert not results.exists() or not list(results.iterdir())


def test_a_run_with_changes_is_recorded_and_reported_apart(done):
    before = done.records
    results = ["--results", done.folder / "results"]
    result = done.run("-q", "-o", "classifier.k=3", "--json")
    assert result.exit_code == 0, result.output
    summary = json.loads(result.output)
    assert summary["experiment"] == "toy-classifier.k-3"
    assert (summary["done"], summary["cached"], summary["failed"]) == (10, 0, 0)
    assert done.records == before
    folder = done.folder / "results" / "toy-classifier.k-3"
    assert done("report", folder / "config.yaml", *results).exit_code == 0
    again = done.run("-q", "-o", "classifier.k=3", "--json")
    assert json.loads(again.output)["cached"] == 10


def test_only_to_look_at_a_changed_config_is_not_kept(mlbench):
    found = json.loads(mlbench.run("-o", "seed=3", "--dry-run", "--json").output)
    assert found[0]["experiment"] == "toy-seed-3"
    assert found[0]["records_to_compute"] == 10
    assert not (mlbench.folder / "results").exists()
    plan = mlbench("plan", mlbench.config, "-o", "dims=[2]", "--json")
    assert json.loads(plan.output)[0]["records_to_compute"] == 6


def test_a_reducer_of_ones_own_stands_beside_the_others(mlbench):
    (mlbench.folder / "mine_beside.py").write_text(MINE)
    result = mlbench.run("-j", "2", "--reducer", "mine_beside:MyReducer")
    assert result.exit_code == 0, result.output
    assert "14 records computed" in result.output
    path = mlbench.folder / "results" / "toy-mine_beside-MyReducer" / "config.yaml"
    results = ["--results", mlbench.folder / "results"]
    assert "| MyReducer" in mlbench("report", path, *results).output


def test_a_built_in_method_can_be_a_column_more(mlbench):
    result = mlbench.run("-q", "--reducer", "lpp", "--classifier", "R=ova", "--json")
    assert json.loads(result.output)["done"] == 16
    path = mlbench.folder / "results" / "toy-lpp-R-ova" / "config.yaml"
    assert load_experiment(path).methods.keys() == {"ORI", "MDDM", "PCA", "lpp", "R"}


def test_a_column_of_a_name_that_is_there_is_one_line(mlbench):
    line = one_line_error(mlbench.run("--reducer", "sklearn.decomposition:PCA"))
    assert "--reducer OTHER=sklearn.decomposition:PCA gives it another name" in line


BASE = "from sklearn.base import BaseEstimator\nclass Mine(BaseEstimator):\n"


@pytest.mark.parametrize(
    ("module", "code", "said"),
    [
        ("wrong_1", "", "(module 'wrong_1' has no attribute 'Mine')"),
        ("wrong_2", "class Mine:\n    pass\n", "does not derive from sklearn.base"),
        ("wrong_3", "class Mine(\n", "wrong_3.py:1: is not Python"),
        (
            "wrong_4",
            "raise RuntimeError('no\\ngood')\n",
            "raised RuntimeError: no good",
        ),
        ("wrong_5", BASE + "    def __init__(self, size):\n        pass\n", "be made"),
        ("wrong_6", BASE + "    pass\n", "unknown setting 'n_components'"),
    ],
)
def test_a_wrong_class_is_one_line_and_leaves_nothing(mlbench, module, code, said):
    (mlbench.folder / f"{module}.py").write_text(code)
    text = CONFIG.replace("PCA: pca", f"MINE: {module}:Mine")
    assert said in one_line_error(mlbench.run("-q", "-j", "1", text=text))
    results = mlbench.folder / "results"
    assert not results.exists() or not list(results.iterdir())
