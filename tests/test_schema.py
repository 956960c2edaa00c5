"""The JSON Schema says of configs what mlbench itself says."""

import json

import pytest
import yaml
from jsonschema import Draft202012Validator

from mlbench.config import config_names, load_experiment
from mlbench.config.lines import read_yaml
from mlbench.config.schema import schema
from mlbench.errors import ConfigError
from tests.shell import CONFIG


@pytest.fixture(scope="module")
def validator():
    Draft202012Validator.check_schema(schema())
    return Draft202012Validator(schema())


@pytest.mark.parametrize("name", config_names())
def test_every_config_of_ours_is_valid(validator, name):
    values, _ = read_yaml(config_names()[name])
    assert list(validator.iter_errors(values)) == []


GOOD = [
    "dims: 0.1:0.8",
    "dims: 20",
    "dims: {match: mddm, threshold: 0.9, of: eigenvalues}",
    "classifier: ova",
    "classifier: {mlknn: {k: 8}}",
    "classifier: {mlknn: }",
    "classifier: mypackage.mymodule:Mine",
    "classifier: {mymodule:Mine: {depth: 3}}",
    "methods: {A: none, B: {mddm: {kernel: rbf}}, C: {reducer: pca, dims: {toy: 3}}}",
    "methods: {A: {classifier: ommf, tune: {alpha: [0.5, 0.9]}}}",
    "datasets: [emotions, openml:letter, {name: m, path: m.csv, labels: [a, b]}]",
    "vary: {k: [3, 5]}",
    "split: {kind: stratified, folds: 5}",
    "published: [{where: here, values: {coverage: {PCA: [1.5, 0.1], MDDM: 2}}}]",
]
BAD = [
    "dims: {match: pca}",
    "dims: {match: mddm, treshold: 0.9}",
    "classifier: mlkn",
    "classifier: {mlknn: {k: 8}, ova: {}}",
    "methods: {}",
    "methods: {A: mdmd}",
    "methods: {A: {reducer: pca, dim: 3}}",
    "datasets: []",
    "datasets: [emotion]",
    "metrics: [hamming]",
    "split: {kind: randomly, train: 60}",
    "split: {train: 60}",
    "preprocess: {scale: l3}",
    "seed: -1",
    "sede: 1",
    "tuning: {folds: 1}",
    "published: [{where: here, values: {coverage: {PCA: [1, 2, 3]}}}]",
]


def changed(line):
    """The toy config with one line replaced or added."""
    return yaml.safe_load(CONFIG) | yaml.safe_load(line)


@pytest.mark.parametrize("line", GOOD)
def test_what_mlbench_takes_is_valid(validator, line):
    assert list(validator.iter_errors(changed(line))) == []


@pytest.mark.parametrize("line", BAD)
def test_what_mlbench_refuses_is_not_valid(validator, tmp_path, line):
    assert list(validator.iter_errors(changed(line)))
    path = tmp_path / "toy.yaml"
    path.write_text(yaml.safe_dump(changed(line), sort_keys=False))
    with pytest.raises(ConfigError):
        load_experiment(path)


def test_settings_of_a_method_are_known_by_name(validator):
    wrong = changed("classifier: {mlknn: {kk: 8}}")
    assert list(validator.iter_errors(wrong))


def test_the_command_prints_it(mlbench):
    result = mlbench("schema")
    assert result.exit_code == 0
    assert json.loads(result.output) == schema()


def test_keys_tell_what_they_are_for():
    described = schema()["properties"]
    assert "0.1:0.8" in described["dims"]["description"]
    assert "description" in schema()["$defs"]["Splitting"]["properties"]["train"]
