"""Trials, seeds and keys: same content, same key; anything else, another."""

from pathlib import Path

import pytest
import yaml

from mlbench.components import fingerprint
from mlbench.config.load import load_experiment
from mlbench.errors import ConfigError
from mlbench.grid import _sum, check_methods, trials

BASE = {
    "datasets": [{"name": "toy", "synthetic": {"n": 60, "d": 30, "q": 4}}],
    "split": {"kind": "random", "train": 30, "test": 20, "repeats": 2},
    "dims": "2,4",
    "methods": {"ORI": "none", "MDDM": "mddm", "PCA": "pca"},
    "metrics": ["hamming_loss"],
}


@pytest.fixture
def grid(tmp_path):
    def grid(**changes):
        path = tmp_path / "toy.yaml"
        path.write_text(yaml.safe_dump(BASE | changes, sort_keys=False))
        return trials(load_experiment(path), Path())

    return grid


def keys(found):
    return {
        (t.source.name, t.method, t.repeat, c.wish.label): c.key
        for t in found
        for c in t.cells
    }


def test_a_trial_covers_all_dims_of_a_method_on_a_split(grid):
    found = grid()
    assert [(t.method, t.repeat) for t in found] == [
        (method, repeat) for method in ("ORI", "MDDM", "PCA") for repeat in (0, 1)
    ]
    assert [c.wish.label for c in found[2].cells] == ["2", "4"]


def test_what_does_not_reduce_has_one_cell(grid):
    assert [c.wish.label for c in grid()[0].cells] == ["1.0"]


def test_keys_are_distinct_and_repeatable(grid):
    first, again = keys(grid()), keys(grid())
    assert first == again
    assert len(set(first.values())) == len(first)


def test_a_fraction_and_a_count_that_mean_the_same_share_their_key(grid):
    by_count = keys(grid(dims="3"))
    by_fraction = keys(grid(dims="0.1"))
    assert by_count["toy", "PCA", 0, "3"] == by_fraction["toy", "PCA", 0, "0.1"]


def test_adding_a_method_or_metric_leaves_the_other_keys(grid):
    before = keys(grid())
    after = keys(
        grid(
            methods=BASE["methods"] | {"P2": "pca"},
            metrics=["coverage"],
        )
    )
    assert before.items() <= after.items()


@pytest.mark.parametrize(
    ("change", "untouched"),
    [
        ({"preprocess": {"scale": "l2"}}, set()),
        ({"seed": 1}, set()),
        ({"split": BASE["split"] | {"train": 31}}, set()),
        ({"classifier": {"mlknn": {"k": 7}}}, set()),
        (
            {"datasets": [{"name": "toy", "synthetic": {"n": 60, "d": 31, "q": 4}}]},
            set(),
        ),
        ({"methods": BASE["methods"] | {"PCA": "mddm"}}, {"ORI", "MDDM"}),
        ({"split": BASE["split"] | {"repeats": 3}}, {"ORI", "MDDM", "PCA"}),
    ],
)
def test_a_change_of_content_changes_just_the_keys_it_concerns(grid, change, untouched):
    before, after = keys(grid()), keys(grid(**change))
    same = {place[1] for place in before if before[place] == after.get(place)}
    assert same == untouched


def test_the_code_of_a_method_is_part_of_its_keys_and_a_comment_is_not(
    grid, tmp_path, monkeypatch
):
    monkeypatch.syspath_prepend(str(tmp_path))

    def keys_with(code):
        (tmp_path / "mymethod.py").write_text(code)
        fingerprint.cache_clear()
        found = keys(grid(methods={"MINE": "mymethod:Mine", "PCA": "pca"}))
        fingerprint.cache_clear()
        return {place[1]: key for place, key in found.items()}

    before = keys_with("class Mine:\n    step = 1\n")
    same = keys_with("class Mine:\n    step = 1  # of one\n")
    other = keys_with("class Mine:\n    step = 2\n")
    assert before == same
    assert before["MINE"] != other["MINE"]
    assert before["PCA"] == other["PCA"]


def test_the_code_every_method_passes_through_is_part_of_every_key(grid):
    for trial in grid():
        for cell in trial.cells:
            code = fingerprint("mlbench.by_neighbours")
            assert dict(cell.parts)["code of the pipeline"] == _sum(code)[:16]


def test_every_method_sees_the_same_splits(grid):
    sums = {(t.repeat, dict(c.parts)["split"]) for t in grid() for c in t.cells}
    assert len(sums) == 2


def test_a_varied_setting_makes_cells_of_one_trial(grid):
    trial = grid(vary={"k": [3, 5]})[-1]
    assert [(c.wish.label, c.setting) for c in trial.cells] == [
        ("2", 3),
        ("2", 5),
        ("4", 3),
        ("4", 5),
    ]
    assert len({c.key for c in trial.cells}) == 4


def test_too_many_dimensions_are_an_error_before_any_work(grid):
    with pytest.raises(ConfigError, match="31 is more than the 30 features of toy"):
        grid(dims="31")
    with pytest.raises(ConfigError, match="16 is more than the 15 features of toy"):
        grid(dims="16", preprocess={"keep": 0.5})


def test_an_impossible_split_is_an_error_before_any_work(grid):
    with pytest.raises(ConfigError, match="split"):
        grid(split={"kind": "random", "train": 50, "test": 20})
    with pytest.raises(ConfigError, match="split"):
        grid(split={"kind": "file"})


def test_an_unknown_setting_is_an_error_before_any_work(tmp_path, grid):
    found = grid(methods={"MDDM": {"mddm": {"kernle": "rbf"}}})
    experiment = load_experiment(tmp_path / "toy.yaml")
    with pytest.raises(ConfigError, match="unknown setting 'kernle', did you mean"):
        check_methods(experiment, found)


LATENT = {
    "OVA": {"classifier": "ova"},
    "PLST": {"classifier": "plst", "dims": [2, 3]},
    "TUNED": {"classifier": "plst", "dims": 2, "tune": {"cut": ["top"]}},
}


def test_dims_of_a_latent_space_may_exceed_the_features(grid):
    found = grid(methods=LATENT | {"PLST": {"classifier": "plst", "dims": 99}})
    sizes = {trial.method: trial.size for trial in found}
    assert sizes == {"OVA": None, "PLST": "n_components", "TUNED": "n_components"}
    assert {c.wish.label for t in found if t.method == "PLST" for c in t.cells} == {
        "99"
    }


def test_a_fraction_of_a_latent_space_is_of_the_labels(grid):
    by_count = keys(grid(methods={"PLST": {"classifier": "plst", "dims": 2}}))
    by_fraction = keys(grid(methods={"PLST": {"classifier": "plst", "dims": 0.5}}))
    assert by_count["toy", "PLST", 0, "2"] == by_fraction["toy", "PLST", 0, "0.5"]


def test_what_is_chosen_inside_is_part_of_the_key(grid):
    before = keys(grid(methods=LATENT))
    wider = LATENT | {"TUNED": LATENT["TUNED"] | {"tune": {"cut": ["threshold"]}}}
    after = keys(grid(methods=wider))
    folds = keys(grid(methods=LATENT, tuning={"folds": 5}))
    for other in (after, folds):
        same = {place[1] for place in before if before[place] == other[place]}
        assert same == {"OVA", "PLST"}


def test_a_match_is_for_reducers_only(grid):
    with pytest.raises(ConfigError, match="a latent space needs numbers"):
        grid(methods={"PLST": {"classifier": "plst", "dims": {"match": "mddm"}}})


def test_a_stated_size_of_a_reducer_counts_as_its_dims(grid):
    stated = grid(methods={"PCA": {"pca": {"n_components": 0.1}}})
    assert stated[0].reducer.settings == {"n_components": 3}
    assert [cell.wish.label for cell in stated[0].cells] == ["0.1"]
    with pytest.raises(ConfigError, match="31 is more than the 30 features of toy"):
        grid(methods={"PCA": {"pca": {"n_components": 31}}})
