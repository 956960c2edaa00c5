"""From records to a comparison: the numbers by other means, and the refusals."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import yaml
from numpy.testing import assert_allclose

from mlbench.config import load_experiment
from mlbench.errors import ConfigError, ResultsError
from mlbench.report.compare import compare
from mlbench.report.frame import measured
from mlbench.store import Store

SETS = ["emotions", "yeast", "scene", "flags", "birds", "genbase", "medical", "enron"]
SETS += ["bibtex", "corel5k"]
METHODS = {"ORI": "none", "A": "pca", "B": "mddm"}
ROOT = Path(__file__).parents[2]


def random_losses(n_sets=10, repeats=3, seed=0):
    """Hamming losses, (data sets, splits, methods), B the best and ORI the worst."""
    noise = np.random.default_rng(seed).normal(0, 0.01, (n_sets, repeats, 3))
    return 0.3 + noise - [0, 0.005, 0.05]


def make(losses, request="4", setting=None, kind="random", methods=tuple(METHODS)):
    """Records of losses (data sets, splits, methods) at one dimension."""
    made = []
    for (i, repeat, j), loss in np.ndenumerate(np.asarray(losses, dtype=float)):
        dataset, method = SETS[i], methods[j]
        wish = "1.0" if method == "ORI" else request
        made.append(
            {
                "dataset": dataset,
                "method": method,
                "repeat": repeat,
                "request": wish,
                "setting": setting or {},
                "dim": 10 if wish == "1.0" else int(request),
                "status": "ok",
                "key": f"{dataset}/{method}/{repeat}/{wish}/{setting}",
                "parts": {"data": dataset, "split": f"{dataset} {repeat}"},
                "split": {"kind": kind, "repeats": 1},
                "metrics": {"hamming_loss": loss, "average_precision": 1 - loss},
                "n_train": 200,
                "n_test": 300,
            }
        )
    return made


@pytest.fixture
def toy(tmp_path):
    def toy(**changes):
        config = {
            "datasets": [{"name": name, "synthetic": {}} for name in SETS],
            "split": {"kind": "random", "train": 0.4, "repeats": 3},
            "dims": "2,4",
            "methods": METHODS,
            "metrics": ["hamming_loss", "average_precision"],
        }
        path = tmp_path / "toy.yaml"
        path.write_text(yaml.safe_dump(config | changes, sort_keys=False))
        return load_experiment(path)

    return toy


def pair(comparison, a, b):
    (found,) = [each for each in comparison.pairs if (each.a, each.b) == (a, b)]
    return found


def test_the_unit_is_the_data_set_and_its_number_the_mean_over_the_splits(toy):
    losses = random_losses()
    found = compare(toy(), make(losses), test="t")
    means = losses.mean(axis=1)
    assert_allclose(found.numbers.table.to_numpy(), means)
    for (a, i), (b, j) in (
        (("ORI", 0), ("A", 1)),
        (("ORI", 0), ("B", 2)),
        (("A", 1), ("B", 2)),
    ):
        expected = scipy.stats.ttest_rel(means[:, i], means[:, j])
        assert_allclose(pair(found, a, b).p, expected.pvalue)
        assert_allclose(pair(found, a, b).statistic, expected.statistic)
    assert pair(found, "A", "B").verdict == "worse"
    assert pair(found, "A", "B").winner == "B better"


def test_the_numbers_are_those_of_the_report(toy):
    records = make(random_losses())
    frame = measured(toy(), records)
    frame = frame[frame["metric"] == "hamming_loss"]
    expected = frame.pivot_table(index="dataset", columns="method", values="mean")
    table = compare(toy(), records).numbers.table
    pd.testing.assert_frame_equal(
        table, expected.loc[SETS, list(METHODS)], check_names=False
    )


def test_wilcoxon_is_scipys_with_holm_written_out(toy):
    losses = random_losses()
    found = compare(toy(), make(losses), test="wilcoxon")
    means = losses.mean(axis=1)
    p = [
        scipy.stats.wilcoxon(means[:, i], means[:, j]).pvalue
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    assert_allclose([each.p for each in found.pairs], p)
    low, middle, high = sorted(p)
    holm = [3 * low, max(3 * low, 2 * middle), max(3 * low, 2 * middle, high)]
    assert_allclose(sorted(each.adjusted for each in found.pairs), holm)
    assert pair(found, "ORI", "B").verdict == "worse"


def test_a_pair_below_the_level_only_before_the_correction_is_undecided(toy):
    # ranks of the differences 1..10, only 8 negative: W = 8, and of the 1024 sign
    # patterns 25 have a sum of at most 8, so p = 50 / 1024
    steps = np.array([1, 2, 3, 4, 5, 6, 7, -8, 9, 10]) / 1000
    losses = np.stack([0.3 + steps, np.full(10, 0.3), 0.3 + steps], axis=1)
    records = make(losses[:, None, :])
    tested = pair(compare(toy(), records, test="wilcoxon"), "ORI", "A")
    assert (tested.statistic, tested.p, tested.adjusted) == (8, 50 / 1024, 150 / 1024)
    assert tested.verdict == "undecided"
    alone = compare(toy(), records, test="wilcoxon", methods=["ORI", "A"])
    assert (alone.pairs[0].adjusted, alone.pairs[0].winner) == (50 / 1024, "A better")


def test_friedman_is_scipys_and_pairs_follow_the_critical_difference(toy):
    losses = random_losses()
    found = compare(toy(), make(losses), test="friedman")
    expected = scipy.stats.friedmanchisquare(*losses.mean(axis=1).T)
    assert_allclose(found.friedman.chi2, expected.statistic)
    for each in found.pairs:
        apart = found.ranks[each.a] - found.ranks[each.b]
        assert_allclose(each.statistic, apart)
        told = abs(apart) >= found.friedman.diagram.cd
        assert (each.verdict != "undecided") == told
        assert told == (each.p < 0.05)
        together = any(
            {each.a, each.b} <= set(group) for group in found.friedman.diagram.groups
        )
        assert together == (not told)


def test_without_a_difference_between_the_methods_no_pair_is_told_apart(toy):
    # the ranks of E and D are 2.8 apart, the critical difference is 2.73; yet F = 2.94
    # has p = 0.053
    ranks = [[1, 3, 4, 2, 5], [3, 2, 4, 1, 5], [1, 3, 2, 4, 5], [3, 2, 4, 1, 5]]
    ranks += [[5, 4, 2, 1, 3]]
    records = make(np.array(ranks)[:, None, :] / 10, methods="ABCDE")
    experiment = toy(methods=dict.fromkeys("ABCDE", "pca"))
    found = compare(experiment, records, test="friedman")
    assert found.ranks["E"] - found.ranks["D"] > found.friedman.diagram.cd
    assert not found.friedman.rejected
    assert {each.verdict for each in found.pairs} == {"undecided"}
    assert found.friedman.diagram.groups == (("D", "A", "B", "C", "E"),)
    assert "no difference is shown" in found.text
    assert "With only 5 data sets these p are rough." in found.data["notes"]


def test_the_resampled_test_is_its_formula_over_the_splits_of_one_set(toy):
    losses = random_losses(repeats=6)
    found = compare(toy(), make(losses), test="resampled", dataset="yeast")
    d = losses[1, :, 0] - losses[1, :, 2]
    t = d.mean() / math.sqrt((1 / 6 + 300 / 200) * d.var(ddof=1))
    p = 2 * scipy.stats.t.sf(abs(t), 5)
    assert_allclose(pair(found, "ORI", "B").statistic, t)
    assert_allclose(pair(found, "ORI", "B").p, p)
    assert found.data["units"] == ["0", "1", "2", "3", "4", "5"]
    assert "(1/6 + 300/200)" in found.text


def test_one_data_set_needs_no_naming_for_the_resampled_test(toy):
    found = compare(toy(), make(random_losses(n_sets=1)), test="resampled")
    assert found.numbers.dataset == "emotions"


@pytest.mark.parametrize("test", ["t", "wilcoxon", "friedman", "resampled"])
def test_a_loss_and_its_complement_have_the_same_winners(toy, test):
    losses, one = random_losses(repeats=5), None
    losses[:, :, 2] -= 0.1
    if test == "resampled":
        one = "scene"
    by_loss = compare(toy(), make(losses), "hamming_loss", test=test, dataset=one)
    by_score = compare(toy(), make(losses), "average_precision", test=test, dataset=one)
    for low, high in zip(by_loss.pairs, by_score.pairs, strict=True):
        assert low.verdict == high.verdict
        assert (low.wins, low.losses) == (high.wins, high.losses)
        assert_allclose(low.difference, -high.difference)
    last = pair(by_loss, "A", "B")
    assert (last.verdict, last.wins, last.level) == ("worse", 0, 0)
    assert last.losses == len(by_loss.numbers.table)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "friedman", "resampled"])
def test_two_methods_that_agree_everywhere_are_level_and_undecided(toy, test):
    losses = random_losses(repeats=4)
    losses[:, :, 1] = losses[:, :, 0]
    one = "scene" if test == "resampled" else None
    found = compare(toy(), make(losses), test=test, dataset=one)
    twins = pair(found, "ORI", "A")
    assert (twins.wins, twins.losses) == (0, 0)
    assert twins.level == len(found.numbers.table)
    assert twins.p == 1
    assert twins.verdict == "undecided"
    assert f"Level: ORI and A ({twins.level})" in found.text


@pytest.mark.parametrize("test", ["t", "wilcoxon", "friedman", "resampled"])
def test_the_data_can_be_written_as_json_and_says_what_the_text_says(toy, test):
    losses = np.tile([0.3, 0.2, 0.1], (10, 4, 1))  # t is infinite here
    losses[:, :, 0] += np.arange(10)[:, None] / 1000
    one = "yeast" if test == "resampled" else None
    found = compare(toy(), make(losses), test=test, dataset=one)
    data = json.loads(json.dumps(found.data, allow_nan=False))
    assert data == found.data
    assert data["test"] == test
    assert data["dim"] == "4"
    assert [each["method"] for each in data["methods"]] == list(METHODS)
    assert data["methods"][2]["rank"] == 1
    for note in data["notes"]:
        assert note.split(":")[0] in found.text
    assert "| A      | B " in found.text
    assert "B better" in found.text


def test_a_method_with_one_dimension_stands_at_it_beside_any_other(toy):
    records = make(random_losses(), "2") + make(random_losses(seed=1), "4")
    at_2, at_4 = (compare(toy(), records, dim=dim) for dim in ("2", " 4"))
    assert_allclose(at_2.numbers.table["ORI"], at_4.numbers.table["ORI"])
    assert not np.allclose(at_2.numbers.table["B"], at_4.numbers.table["B"])
    assert "at dim 4" in at_4.text


def test_records_of_a_dimension_a_method_no_longer_has_are_not_taken(toy):
    stale = [
        record | {"request": "7", "key": f"old {record['key']}"}
        for record in make(random_losses(seed=1))
        if record["method"] == "ORI"
    ]
    new = compare(toy(), make(random_losses()))
    assert compare(toy(), make(random_losses()) + stale).data == new.data


def test_a_varied_setting_is_chosen_by_name(toy):
    records = make(random_losses(), setting={"k": 8})
    records += make(random_losses(seed=1), setting={"k": 9})
    experiment = toy(vary={"k": [8, 9]})
    found = compare(experiment, records, setting="k=9")
    assert_allclose(found.numbers.table, random_losses(seed=1).mean(axis=1))
    assert "at dim 4, k = 9" in found.text
    with pytest.raises(ConfigError, match=r"\(k = 8; k = 9\), choose one"):
        compare(experiment, records)
    with pytest.raises(ConfigError, match="unknown setting 'k = 7'"):
        compare(experiment, records, setting="k = 7")
    with pytest.raises(ConfigError, match="no setting is varied here, leave"):
        compare(toy(), make(random_losses()), setting="k = 9")


def test_a_data_set_without_one_of_the_methods_is_left_out_by_name(toy):
    records = [
        record
        for record in make(random_losses())
        if (record["dataset"], record["method"]) != ("yeast", "B")
        and record["dataset"] != "enron"
    ]
    found = compare(toy(), records)
    assert list(found.numbers.table.index) == [
        name for name in SETS if name not in ("yeast", "enron")
    ]
    assert "Left out: yeast, no numbers of B there." in found.data["notes"]
    assert "Left out: enron, without records." in found.data["notes"]
    both = compare(toy(), records, methods=["ORI", "A"])
    assert "yeast" in both.numbers.table.index


def test_only_splits_that_all_methods_have_are_averaged(toy):
    records = make(random_losses())
    (failed,) = [r for r in records if r["key"] == "yeast/B/1/4/None"]
    failed |= {"status": "failed", "metrics": {}}
    found = compare(toy(), records)
    expected = random_losses()[1, [0, 2]].mean(axis=0)
    assert_allclose(found.numbers.table.loc["yeast"], expected)
    assert any("yeast: only the 2 of 3 splits" in note for note in found.data["notes"])
    split = compare(
        toy(), make(random_losses(repeats=5))[:-1], test="resampled", dataset="corel5k"
    )
    assert len(split.numbers.table) == 4
    assert "Only the 4 of 5 splits" in split.data["notes"][0]


def test_a_data_set_without_a_common_split_is_left_out(toy):
    records = [
        record
        for record in make(random_losses(repeats=2))
        if record["dataset"] != "yeast" or (record["method"] == "A") == record["repeat"]
    ]
    notes = compare(toy(), records).data["notes"]
    assert "Left out: yeast, there is no split that all methods" in notes[0]


def test_a_method_without_records_is_left_out_unless_it_is_asked_for(toy):
    records = [r for r in make(random_losses()) if r["method"] != "B"]
    found = compare(toy(), records)
    assert found.numbers.names == ["ORI", "A"]
    assert "Left out, without records: B." in found.data["notes"]
    with pytest.raises(ResultsError, match="no numbers of B to compare; make some"):
        compare(toy(), records, methods=["A", "B"])


def test_methods_come_in_the_order_asked_for(toy):
    found = compare(toy(), make(random_losses()), methods=["B", "ORI", "B"])
    assert found.numbers.names == ["B", "ORI"]
    assert [(each.a, each.b) for each in found.pairs] == [("B", "ORI")]
    assert "not corrected" not in found.text


@pytest.mark.parametrize("part", ["data", "split"])
def test_methods_that_saw_different_samples_are_not_paired(toy, part):
    records = make(random_losses(repeats=1))
    records[-1]["parts"] = records[-1]["parts"] | {part: "other"}
    sentence = f"corel5k: split 0 differs in {part} between the methods; run"
    with pytest.raises(ResultsError, match=sentence):
        compare(toy(), records)


@pytest.mark.parametrize(
    ("n_sets", "test", "methods", "sentence"),
    [
        (2, "t", None, "needs at least 3 data sets .* there are 2 "),
        (5, "wilcoxon", ["A", "B"], r"with 5 no p can be below 0\.062; run"),
        (6, "wilcoxon", None, r"least 7 .*below 0\.031 \(0\.094 by Holm, over 3"),
        (9, "friedman", ["A", "B"], "at least 3 methods, there are 2; use the test"),
        (2, "friedman", None, "with fewer no two of 3 average ranks can be told"),
    ],
)
def test_too_few_data_sets_are_refused_with_the_reason(
    toy, n_sets, test, methods, sentence
):
    with pytest.raises(ResultsError, match=sentence) as caught:
        compare(toy(), make(random_losses(n_sets)), test=test, methods=methods)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("n_sets", "test", "methods"),
    [
        (3, "t", None),
        (6, "wilcoxon", ["A", "B"]),
        (7, "wilcoxon", None),
        (3, "friedman", None),
    ],
)
def test_just_enough_data_sets_that_agree_tell_methods_apart(
    toy, n_sets, test, methods
):
    steps = np.arange(n_sets)[:, None] * [0.004, 0.001, 0]
    losses = np.array([0.3, 0.2, 0.1]) + steps
    found = compare(toy(), make(losses[:, None, :]), test=test, methods=methods)
    assert pair(found, found.numbers.names[0], "B").winner == "B better"


@pytest.mark.parametrize(
    ("n_sets", "test", "split", "helps"),
    [
        (2, "t", {"kind": "random", "train": 0.4, "repeats": 3}, "use the test 'resam"),
        (2, "t", {"kind": "kfold", "folds": 3}, "run more data sets$"),
        (6, "wilcoxon", {"kind": "kfold", "folds": 3}, "or compare fewer methods$"),
        (5, "wilcoxon", {"kind": "kfold", "folds": 3}, "run more data sets$"),
    ],
)
def test_a_refusal_says_what_would_help(toy, n_sets, test, split, helps):
    with pytest.raises(ResultsError, match=helps):
        compare(toy(split=split), make(random_losses(n_sets)), test=test)


@pytest.mark.parametrize(
    ("kind", "repeats", "sentence"),
    [
        ("kfold", 5, "toy: the records are of folds, whose test parts never overlap"),
        ("file", 1, "toy: the records are of the one split that comes with the data"),
        ("random", 2, "yeast: .* at least 3 splits .* there are 2; run more repeats"),
    ],
)
def test_the_resampled_test_takes_three_random_splits_at_least(
    toy, kind, repeats, sentence
):
    records = make(random_losses(repeats=repeats), kind=kind)
    with pytest.raises(ResultsError, match=sentence):
        compare(toy(), records, test="resampled", dataset="yeast")


def test_the_resampled_test_wants_splits_of_one_size(toy):
    records = make(random_losses())
    records[0]["n_test"] = 299
    with pytest.raises(ResultsError, match="emotions: the splits differ in size"):
        compare(toy(), records, test="resampled", dataset="emotions")


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"metric": "hamming"}, "unknown metric 'hamming', did you mean"),
        ({"test": "anova"}, r"unknown test 'anova' \(known: friedman, resampled"),
        ({"methods": ["A", "C"]}, "unknown method 'C'"),
        ({"methods": ["A", "A"]}, "name at least 2 methods"),
        ({"dataset": "arts", "test": "resampled"}, "unknown data set 'arts'"),
        ({"dataset": "yeast"}, "the paired t-test is over data sets and takes no"),
        (
            {"test": "resampled", "dim": "2"},
            r"choose one with --dataset \(emotions, yeast",
        ),
        ({"dim": "3"}, "unknown dimension '3'"),
        ({"dim": "2,4"}, "unknown dimension '2,4'"),
        ({"dim": "wide"}, "unknown dimension 'wide'"),
        ({}, r"recorded at 2 dimensions \(2 to 4\), choose one of them with --dim"),
    ],
)
def test_what_cannot_be_meant_is_an_error_of_one_sentence(toy, asked, sentence):
    records = make(random_losses(), "4") + make(random_losses(), "2")
    with pytest.raises(ConfigError, match=sentence):
        compare(toy(), records, **asked)


def test_a_dimension_is_not_asked_of_methods_that_have_their_own(toy):
    experiment = toy(methods=dict.fromkeys(METHODS, "none"), dims=None)
    records = [r | {"request": "1.0"} for r in make(random_losses())]
    assert compare(experiment, records).data["dim"] is None
    with pytest.raises(ConfigError, match="leave --dim out"):
        compare(experiment, records, dim="4")


@pytest.mark.parametrize(
    ("records", "asked", "sentence"),
    [
        ([], {}, "toy: no records of these methods; make some with: mlbench run toy"),
        (make(random_losses()), {"metric": "coverage"}, "has a number of coverage"),
        (
            make(random_losses(2)),
            {"test": "resampled", "dataset": "scene"},
            "scene: no records to compare",
        ),
        (
            [r for r in make(random_losses()) if r["method"] == "A"],
            {},
            "toy: no numbers of ORI, B to compare",
        ),
    ],
)
def test_records_that_are_not_there_are_missed_by_name(toy, records, asked, sentence):
    with pytest.raises(ResultsError, match=sentence):
        compare(toy(), records, **asked)


def test_a_single_method_has_nothing_to_be_compared_with(toy):
    experiment = toy(methods={"A": "pca"})
    with pytest.raises(ResultsError, match="toy: one method has nothing to be"):
        compare(experiment, make(random_losses()))


def test_a_study_of_features_is_refused(toy):
    experiment = toy(
        study="features", split=None, metrics=[], methods={"S": {"snmf": {}}}
    )
    with pytest.raises(ResultsError, match="a study of features measures nothing"):
        compare(experiment, [])


def test_mddm_is_told_apart_from_pca_lpp_and_ori_in_the_committed_results():
    experiment = load_experiment(ROOT / "configs" / "yahoo_mddm.yaml")
    records = list(Store(ROOT / "results" / "yahoo_mddm").records().values())
    rivals = ["PCA", "LPP", "ORI"]
    for test in ("t", "wilcoxon", "friedman"):
        found = compare(experiment, records, "hamming_loss", test=test)
        assert len(found.numbers.table) == 11
        for rival in rivals:
            assert pair(found, "MDDM", rival).verdict == "better"
    with pytest.raises(ResultsError, match="the one split that comes with the data"):
        compare(experiment, records, test="resampled")
