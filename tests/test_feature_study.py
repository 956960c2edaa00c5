"""Studies of features: where planted ones stand, and what a user is shown."""

import json
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import rankdata, spearmanr

from mlbench.config import load_experiment
from mlbench.config.study import feature_study
from mlbench.data.dataset import Dataset
from mlbench.data.preprocess import Preprocess
from mlbench.data.simulated import planted
from mlbench.feature_study import column, features_of, study
from mlbench.reducers.fisher import Fisher
from mlbench.reducers.snmf import SNMF
from tests.shell import CONFIG, one_line_error

STUDY = """\
study: features
datasets:
  - {name: coins, synthetic: {kind: chance, n: 60, d: 20}}
  - {name: hidden, synthetic: {kind: planted, n: 80, d: 30}}
dims: 6
methods: {SNMF: snmf, NMF: {snmf: {gamma: 0, lam: 0}}, FISHER: fisher}
published_columns:
  - where: Table 1
    dataset: hidden
    method: SNMF
    columns: [{planted: [1, 1, 1, 1, 1, 1], rest_mean: 0.8, rest_variance: 0.01}]
claims:
  - {says: ends are high, kind: ends, methods: [SNMF], dataset: coins}
  - {says: all stand together, kind: planted, methods: [SNMF], least: 4}
  - {says: all stand on top, kind: planted, methods: [SNMF], least: 4, end: top}
"""


def test_a_column_is_scaled_and_its_ends_are_counted():
    values = np.array([5.0, 1.0, 4.0, 2.0, 3.0])
    found = column(values, np.array([9.0, 8.0, 3.0, 2.0, 1.0]), planted=[0, 2])
    assert found["planted"] == [1.0, 0.75]
    assert found["at_top"] == 2
    assert found["at_bottom"] == 0
    assert_allclose(found["rest_mean"], (0.0 + 0.25 + 0.5) / 3)
    assert_allclose(found["rest_variance"], 0.0625)
    # Distances from the middle, written out: places 4, 0, 3, 1, 2 of 0..4.
    expected = spearmanr([2, 2, 1, 1, 0], [9, 8, 3, 2, 1])
    assert_allclose(found["ends"]["rho"], expected.statistic)


def test_an_end_that_others_share_is_not_filled():
    values = np.array([1.0, 1.0, 1.0, 0.0])
    found = column(values, np.arange(4.0), planted=[0, 1])
    assert found["at_top"] == 1


def test_a_column_that_does_not_vary_says_nothing():
    found = column(np.ones(4), np.arange(4.0), planted=[0])
    assert found["planted"] == [0.0]
    assert column(np.arange(4.0), np.ones(4))["ends"] is None


def test_a_ranking_stands_beside_the_fisher_score():
    data = planted(n=80, d=30, seed=1)
    found = study(data.X, data.Y, SNMF(6, random_state=0), data.relevant)
    fisher = Fisher(6).fit(data.X, data.Y)
    places = rankdata(-fisher.scores_, method="ordinal")
    for feature in found["top"]:
        assert feature["fisher"] == fisher.scores_[feature["feature"]]
        assert feature["fisher_place"] == places[feature["feature"]]
    assert sorted(found["planted_places"]) == [1, 2, 3, 4, 5, 6]
    assert len(found["columns"]) == 4
    assert "columns" not in study(data.X, data.Y, Fisher(6))


def test_all_samples_are_looked_at_and_not_copied_without_need():
    X, Y = np.arange(12.0).reshape(4, 3), np.eye(4, 2, dtype=np.uint8)
    dataset = Dataset("toy", X, Y, ("a", "b", "c"), ("x", "y"))
    assert features_of(dataset, Preprocess()) is dataset.X
    scaled = features_of(dataset, Preprocess(scale="l2"))
    assert_allclose(np.linalg.norm(scaled, axis=1), 1)
    assert scaled.shape == X.shape


@pytest.fixture
def studied(mlbench):
    result = mlbench.run("-q", "-j", "1", text=STUDY)
    assert result.exit_code == 0, result.output
    return mlbench


def test_a_study_is_run_recorded_and_reported(studied):
    assert len(studied.records) == 6
    text = studied.report().output
    assert "**holds** (2 of 2)" in text  # ends
    assert re.search("hidden: SNMF has all .* of 4 columns; claimed: 4 or more", text)
    assert "Table 1, hidden: measured / published" in text
    again = studied.run("-q")
    assert "0 records computed, 6 already there" in again.output
    data = json.loads(studied.report("--json").output)
    assert len([c for c in data[0]["cells"] if c["dataset"] == "hidden"]) == 8


def test_the_ranking_is_printed_for_any_config(mlbench):
    results = ("--results", mlbench.folder / "results")
    found = mlbench("features", mlbench.config, "--top", 2, "-q", *results)
    assert found.exit_code == 0, found.output
    assert "### toy, SNMF" in found.output
    assert found.output.count("| word") == 2
    as_json = mlbench("features", mlbench.config, "--json", "-q", *results)
    (ranking,) = json.loads(as_json.output)
    assert ranking["top"][0].keys() >= {"name", "score", "fisher", "fisher_place"}


def test_the_rankers_of_a_config_are_the_ones_that_rank(tmp_path):
    path = tmp_path / "toy.yaml"
    path.write_text(CONFIG.replace("PCA: pca", "FISHER: fisher"))
    experiment = load_experiment(path)
    assert list(feature_study(experiment).methods) == ["FISHER"]
    path.write_text(STUDY)
    experiment = load_experiment(path)
    assert feature_study(experiment) is experiment


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        (("study: features\n", ""), "split: is missing"),
        (("dims: 6", "dims: 6\nmetrics: [coverage]"), "no meaning in a study"),
        (("kind: ends", "kind: first"), "'first' is not for this study"),
        (("d: 20}", "d: 20, q: 3}"), "a set of kind 'chance' has no 'q'"),
        (("method: SNMF\n", "method: SNM\n"), "unknown method 'SNM'"),
        (("dataset: hidden", "dataset: hiden"), "unknown data set 'hiden'"),
    ],
)
def test_a_mistake_in_a_study_is_one_line(mlbench, change, hint):
    assert change[0] in STUDY
    result = mlbench.run("-q", text=STUDY.replace(*change, 1))
    assert hint in one_line_error(result)
