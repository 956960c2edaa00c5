"""Configs: what is read, and what is said of mistakes."""

import pytest

from mlbench.config import config_names, find_config, load_experiment
from mlbench.errors import ConfigError

GOOD = """\
title: Toy
datasets:
  - emotions
  - {name: toy, synthetic: {n: 60, d: 30, q: 4}}
preprocess: {keep: 0.5, by: count, scale: l2}
split: {kind: random, train: 30, test: 20, repeats: 2}
dims: 0.1:0.3
classifier: {mlknn: {k: 5}}
methods:
  ORI: none
  MDDM: {mddm: {}}
  WIDE: {reducer: pca, dims: 5}
metrics: [hamming_loss, coverage]
assumptions:
  - {what: this, why: that}
published:
  - where: Table 1
    dataset: emotions
    dim: 0.3
    values:
      coverage: {MDDM: [1.5, 0.1], ORI: 2}
"""


@pytest.fixture
def load(tmp_path):
    def load(text):
        path = tmp_path / "toy.yaml"
        path.write_text(text, encoding="utf-8")
        return load_experiment(path)

    return load


def test_a_good_config_is_read_whole(load):
    experiment = load(GOOD)
    assert experiment.name == "toy"
    assert [source.name for source in experiment.datasets] == ["emotions", "toy"]
    assert experiment.datasets[1].synthetic.n == 60
    assert [dim.label for dim in experiment.dims] == ["0.1", "0.2", "0.3"]
    assert experiment.methods["MDDM"].reducer.name == "mddm"
    wide = experiment.methods["WIDE"]
    assert [dim.count for dim in experiment.dims_of(wide, "toy")] == [5]
    assert experiment.classifier_of(wide).settings == {"k": 5}
    assert experiment.published[0].values["coverage"]["MDDM"] == (1.5, 0.1)
    assert experiment.published[0].values["coverage"]["ORI"] == (2.0, None)


def test_a_range_of_counts_is_not_read_in_base_sixty(load):
    experiment = load(GOOD.replace("0.1:0.3", "10:30:10"))
    assert [dim.count for dim in experiment.dims] == [10, 20, 30]


def test_an_import_path_is_a_name(load):
    experiment = load(GOOD.replace("ORI: none", "ORI: my.module:Mine"))
    assert experiment.methods["ORI"].reducer.name == "my.module:Mine"


@pytest.mark.parametrize(
    ("change", "line", "hint"),
    [
        (("title: Toy", "titel: Toy"), 1, "unknown key 'titel', did you mean 'title'?"),
        (("- emotions", "- emotion"), 3, "unknown data set 'emotion', did you mean"),
        (("q: 4", "q: 0"), 4, "0 is below 1"),
        (("q: 4", "qq: 4"), 4, "unknown key 'qq', did you mean 'q'?"),
        (("keep: 0.5", "keep: 50"), 5, "50 is above 1"),
        (
            ("by: count", "by: counts"),
            5,
            "'counts' is not one of 'count' or 'documents'",
        ),
        (("scale: l2", "scale: 2"), 5, "2 is not one of"),
        (("train: 30", "train: many"), 6, "'many'"),
        (("train: 30, ", ""), 6, "a random split needs 'train'"),
        (("kind: random", "kind: file"), 6, "a file split has no"),
        (("repeats: 2", "repeats: 0"), 6, "0 is below 1"),
        (("0.1:0.3", "0.3:0.1"), 7, "'0.3:0.1' is empty"),
        (("0.1:0.3", "1.5"), 7, "not a fraction"),
        (("{mlknn: {k: 5}}", "mlkn"), 8, "unknown classifier 'mlkn', did you mean"),
        (
            ("{mddm: {}}", "{mdmd: {}}"),
            11,
            "unknown reducer 'mdmd', did you mean 'mddm'?",
        ),
        (("{mddm: {}}", "{mddm: 3}"), 11, "3 is not a mapping of settings"),
        (("ORI: none", "ORI: 3"), 10, "3 is not a reducer"),
        (("reducer: pca, dims", "reducer: pca, dim"), 12, "unknown key 'dim', did you"),
        (
            ("[hamming_loss", "[haming_loss"),
            13,
            "unknown metric 'haming_loss', did you",
        ),
        (("metrics: [hamming_loss, coverage]", "metrics: []"), 13, "is empty"),
        (("metrics: [", "metrics: coverage #["), 13, "'coverage' is not a list"),
        (("what: this, ", ""), 15, "what: is missing"),
        (("dataset: emotions", "dataset: scene"), 18, "unknown data set 'scene'"),
        (("coverage: {MDDM", "cover: {MDDM"), 21, "unknown metric 'cover'"),
        (("MDDM: [1.5", "MDM: [1.5"), 21, "unknown method 'MDM', did you mean 'MDDM'?"),
        (("ORI: 2", "ORI: two"), 21, "'two' is not a number"),
        (("- emotions", "- emotions\n  - emotions"), 4, "'emotions' is listed twice"),
        (("title: Toy", "title: Toy\ntitle: Toy"), 2, "'title' stands here twice"),
        (("title: Toy", "title: [Toy"), 2, "not valid YAML"),
        (
            ("title: Toy", "title: &a Toy\nreference: *a"),
            2,
            "aliases (*a) are not read",
        ),
        (("title: Toy", "name: ../up"), 1, "'../up' is not a file name"),
        (("title: Toy", "vary: {k: 3}"), 1, "3 is not a list of values"),
        (("title: Toy", "vary: {k: [[1]]}"), 1, "[1] is not a number or a word"),
        (("title: Toy", "seed: -1"), 1, "-1 is below 0"),
    ],
)
def test_a_mistake_is_one_line_with_file_line_and_remedy(load, change, line, hint):
    assert change[0] in GOOD
    with pytest.raises(ConfigError) as caught:
        load(GOOD.replace(*change))
    message = str(caught.value)
    assert "\n" not in message
    assert f"toy.yaml:{line}: " in message
    assert hint in message


@pytest.mark.parametrize("key", ["datasets", "split", "dims", "methods", "metrics"])
def test_a_missing_key_is_named(load, key):
    lines, skip = [], False
    for line in GOOD.splitlines():
        skip = line.startswith(key) or (skip and line.startswith(" "))
        if not skip:
            lines.append(line)
    with pytest.raises(ConfigError, match=f"{key}: is missing"):
        load("\n".join(lines))


@pytest.mark.parametrize(
    "text", ["", "- a\n- b\n", "just text", "\x00", "a: !!python/x 1"]
)
def test_what_is_no_config_at_all_is_one_line(load, text):
    with pytest.raises(ConfigError) as caught:
        load(text)
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load_experiment(path)


def test_deep_nesting_is_refused(load):
    with pytest.raises(ConfigError):
        load("a: " + "[" * 5000)


@pytest.mark.parametrize("name", config_names())
def test_every_config_of_ours_is_valid(name):
    experiment = load_experiment(config_names()[name])
    assert experiment.name == name


def test_a_config_is_found_by_name_or_path(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD)
    assert find_config(path) == path
    assert find_config("quickstart").name == "quickstart.yaml"
    with pytest.raises(ConfigError, match="did you mean 'quickstart'"):
        find_config("quikstart")
    with pytest.raises(ConfigError, match="no such file"):
        find_config("configs/none.yaml")


LATENT = """\
datasets:
  - emotions
  - {name: toy, synthetic: {n: 60, d: 30, q: 4}}
split: {kind: kfold, folds: 5}
tuning: {folds: 4, by: hamming_loss}
methods:
  OVA: {classifier: ova}
  PLST: {classifier: plst, dims: {emotions: 3, toy: 2}, tune: {cut: [threshold, top]}}
  OMMF: {classifier: ommf, tune: {n_components: [2, 3], alpha: [0.5, 0.9]}}
  SIZED: {reducer: {pca: {n_components: 0.5}}, classifier: plst, dims: [1, 2]}
  FIXED: {reducer: {pca: {n_components: 4}}, classifier: ova}
metrics: [micro_f1]
"""


def labels_of(experiment, name, dataset="toy"):
    dims = experiment.dims_of(experiment.methods[name], dataset)
    return [dim.label for dim in dims]


def test_dims_go_to_the_reducer_else_to_the_latent_space_else_nowhere(load):
    experiment = load(LATENT)
    sizes = {name: experiment.size_of(m) for name, m in experiment.methods.items()}
    assert sizes == {
        "OVA": None,
        "PLST": "n_components",
        "OMMF": "n_components",
        "SIZED": "n_components",
        "FIXED": None,
    }
    assert labels_of(experiment, "OVA") == ["1.0"]
    assert labels_of(experiment, "PLST") == ["2"]
    assert labels_of(experiment, "PLST", "emotions") == ["3"]
    assert labels_of(experiment, "OMMF") == ["1.0"]
    assert labels_of(experiment, "SIZED") == ["1", "2"]
    assert labels_of(experiment, "FIXED") == ["4"]
    swept = [name for name, m in experiment.methods.items() if experiment.sweeps(m)]
    assert swept == ["SIZED"]


@pytest.mark.parametrize(
    ("change", "line", "hint"),
    [
        (("emotions: 3", "emotion: 3"), 8, "unknown data set 'emotion', did you mean"),
        (("{emotions: 3, toy: 2}", "{toy: 2}"), 8, "says nothing of 'emotions'"),
        (("emotions: 3", "emotions: x"), 8, "'x' is not a list of dimensions"),
        (("classifier: ova}", "reducer: pca}"), 1, "is missing, and OVA needs it"),
        (("[threshold, top]", "[thresold]"), 8, "'thresold', did you mean 'threshold'"),
        (("[0.5, 0.9]", "0.5"), 9, "0.5 is not a list of values"),
        (("[0.5, 0.9]", "[0.5, [1]]"), 9, "[1] is not a number or a word"),
        (("by: hamming_loss", "by: hamming"), 5, "unknown metric 'hamming'"),
        (("folds: 4", "folds: 1"), 5, "1 is below 2"),
        (("n_components: 0.5", "n_components: '1:9:2'"), 10, "is not one dimension"),
    ],
)
def test_a_mistake_in_a_latent_config_is_named_with_its_line(load, change, line, hint):
    assert change[0] in LATENT
    with pytest.raises(ConfigError) as caught:
        load(LATENT.replace(*change, 1))
    message = str(caught.value)
    assert f"toy.yaml:{line}: " in message
    assert hint in message


def test_other_dims_replace_those_of_single_data_sets(tmp_path):
    path = tmp_path / "toy.yaml"
    path.write_text(LATENT, encoding="utf-8")
    experiment = load_experiment(path, dims="2,4")
    assert labels_of(experiment, "PLST") == ["2", "4"]
    assert labels_of(experiment, "SIZED") == ["1", "2"]
