"""From records to tables, comparisons and verdicts: by hand on a few records."""

import json

import pandas as pd
import pytest
import yaml

from mlbench.config import load_experiment
from mlbench.errors import ResultsError
from mlbench.report.build import build
from mlbench.report.claims import FAILS, HOLDS, UNDECIDED
from mlbench.report.markdown import escape
from mlbench.report.published import Comparison
from mlbench.store import Store

CONFIG = {
    "title": "Toy",
    "datasets": ["emotions", "yeast", "scene"],
    "split": {"kind": "random", "train": 0.5, "repeats": 2},
    "dims": "2,4",
    "methods": {"ORI": "none", "A": "pca", "B": "mddm"},
    "metrics": ["hamming_loss", "average_precision"],
}
# Hamming loss by data set and method; ORI has one number, A and B one a dimension.
LOSSES = {
    "emotions": {"ORI": [0.30], "A": [0.20, 0.25], "B": [0.10, 0.15]},
    "yeast": {"ORI": [0.40], "A": [0.35, 0.30], "B": [0.20, 0.22]},
    "scene": {"ORI": [0.35], "A": [0.25, 0.26], "B": [0.15, 0.18]},
}


def record(dataset, method, repeat, request, loss, **more):
    parts = {"data": dataset, "reducer": method, "dim": request, "split": str(repeat)}
    return {
        "dataset": dataset,
        "method": method,
        "repeat": repeat,
        "request": request,
        "setting": {},
        "dim": 10 if request == "1.0" else int(request),
        "status": "ok",
        "key": f"{dataset}/{method}/{repeat}/{request}",
        "parts": parts,
        "metrics": {"hamming_loss": loss, "average_precision": 1 - loss},
        "mean_inverse_cardinality": 0.9,
    } | more


def records(datasets=tuple(LOSSES)):
    for dataset in datasets:
        for method, losses in LOSSES[dataset].items():
            for request, loss in zip(
                ["1.0"] if method == "ORI" else ["2", "4"], losses, strict=True
            ):
                for repeat, shift in ((0, -0.01), (1, 0.01)):
                    yield record(dataset, method, repeat, request, loss + shift)


@pytest.fixture
def report(tmp_path):
    def report(written=None, **changes):
        config = tmp_path / "toy.yaml"
        config.write_text(yaml.safe_dump(CONFIG | changes, sort_keys=False))
        store = Store(tmp_path / "results" / "toy")
        with store.writing():
            store.append(records() if written is None else written)
        return build(load_experiment(config), tmp_path / "results")

    return report


def line(text, *cells):
    """The line of a Markdown table that begins with these cells."""
    for found in text.splitlines():
        parts = [part.strip() for part in found.strip("|").split("|")]
        if tuple(parts[: len(cells)]) == cells:
            return parts[len(cells) :]
    raise AssertionError(f"no line {cells} in\n{text}")


def test_a_cell_is_mean_and_deviation_over_the_splits(report):
    cells = line(report().text, "emotions", "2")
    assert cells == ["0.3000 ± 0.0141", "0.2000 ± 0.0141", "**0.1000 ± 0.0141**"]


def test_the_last_rows_are_mean_and_spread_over_the_data_sets(report):
    values = pd.Series([0.10, 0.20, 0.15])
    cells = line(report().text, "mean", "2")
    assert cells[2] == f"**{values.mean():.4f} ± {values.std(ddof=1):.4f}**"


def test_one_split_has_no_deviation(report):
    text = report(r for r in records() if r["repeat"] == 0).text
    assert line(text, "emotions", "2")[0] == "0.2900"


def test_the_best_is_the_highest_where_higher_is_better(report):
    text = report().text.partition("### Average precision")[2]
    assert line(text, "yeast", "4") == [
        "0.6000 ± 0.0141",
        "0.7000 ± 0.0141",
        "**0.7800 ± 0.0141**",
    ]


def test_there_is_no_mean_over_data_sets_a_method_lacks(report):
    some = [r for r in records() if (r["dataset"], r["method"]) != ("yeast", "B")]
    assert line(report(some).text, "mean", "2")[2] == ""


def test_failed_and_missing_are_listed(report):
    bad = record("yeast", "A", 0, "2", 0, status="failed", error="ValueError: no")
    text = report([*records(["emotions"]), bad]).text
    assert "### Missing data sets\n\n- scene" in text
    assert "- yeast / A / 2: ValueError: no" in text


def test_splits_made_by_different_code_are_not_mixed(report):
    mixed = list(records())
    mixed[-1]["parts"] = mixed[-1]["parts"] | {"code of the reducer": "other"}
    with pytest.raises(ResultsError, match="differ in code of the reducer"):
        report(mixed)


def test_the_newest_record_of_a_cell_counts(report):
    newer = record("emotions", "A", 0, "2", 0.5, key="newer")
    newer_too = record("emotions", "A", 1, "2", 0.5, key="newer too")
    text = report([*records(), newer, newer_too]).text
    assert line(text, "emotions", "2")[1] == "0.5000 ± 0.0000"


PUBLISHED = [
    {
        "where": "Table 9",
        "dataset": "emotions",
        "dim": 4,
        "values": {
            "hamming_loss": {"B": 0.12, "ORI": [0.3, 0.1]},
            "average_precision": {"B": 0.5, "ORI": 0.75},
            "one_error": {"B": 0.1, "ORI": 0.2},
        },
    },
    {"where": "Table 9", "values": {"hamming_loss": {"ORI": 0.35}}},
]


def test_measured_stands_beside_published(report):
    text = report(published=PUBLISHED).text
    assert line(text, "Hamming loss") == [
        "0.1500 / 0.12 (+25.0%, differs)",
        "0.3000 / 0.3 (+0.0%, reproduced)",
        "",
    ]
    over_all = text.partition("### Table 9, mean over the data sets")[2]
    assert line(over_all, "Hamming loss") == ["0.3500 / 0.35 (+0.0%, reproduced)", ""]


def test_a_published_number_without_counterpart_is_shown_as_such(report):
    text = report(records(["emotions"]), published=PUBLISHED).text
    over_all = text.partition("### Table 9, mean over the data sets")[2]
    assert line(over_all, "Hamming loss") == ["- / 0.35", ""]
    assert "missing: scene, yeast" in text


def comparison(published, measured, **more):
    given = {"metric": "hamming_loss", "deviation": None} | more
    return Comparison(
        "Table 1",
        given.pop("dataset", "emotions"),
        given.pop("metric"),
        "A",
        published,
        None,
        measured,
        given.pop("deviation"),
        **given,
    )


@pytest.mark.parametrize(
    ("verdict", "found"),
    [
        ("reproduced", comparison(0.100, 0.102)),  # 2 %
        ("close", comparison(0.100, 0.1021)),
        ("close", comparison(0.100, 0.105)),
        ("differs", comparison(0.100, 0.1051)),
        ("better", comparison(0.100, 0.0949)),
        ("differs", comparison(0.5, 0.47, metric="average_precision")),
        ("better", comparison(0.5, 0.53, metric="average_precision")),
        ("reproduced", comparison(0.01, 0.0149, unit=0.01)),  # half a unit
        ("differs", comparison(0.01, 0.0151, unit=0.01)),
        ("reproduced", comparison(0.1, 0.119, deviation=0.02, splits=4)),
        ("differs", comparison(0.1, 0.121, deviation=0.02, splits=4)),
        ("differs", comparison(0.1, 0.119, deviation=0.02, splits=4, dataset="all")),
        ("not measured", comparison(0.1, None)),
        ("cannot be right", comparison(0.1, 0.1, impossible="because")),
    ],
)
def test_a_verdict_follows_from_the_difference(verdict, found):
    assert found.verdict == verdict


def test_the_unit_of_a_row_is_that_of_its_longest_number(report):
    values = {"hamming_loss": {"B": 0.1, "ORI": 0.28, "A": 0.3}}
    block = {"where": "T", "dataset": "emotions", "dim": 4, "values": values}
    units = {item.method: item.unit for item in report(published=[block]).against}
    assert units == pytest.approx({"B": 0.01, "ORI": 0.01, "A": 0.01})


def test_the_order_of_the_methods_is_compared(report):
    values = {"hamming_loss": {"B": 0.1, "ORI": 0.21, "A": 0.3}}
    block = {"where": "T", "dataset": "emotions", "dim": 4, "values": values}
    text = report(published=[block]).text
    assert line(text, "Hamming loss")[-1] == "+0.50"  # B, A, ORI against B, ORI, A
    assert "1 better, 2 differs of 3." in text


def test_a_paper_that_counts_from_one_is_met_there(report):
    values = {"hamming_loss": {"B": 1.15}}
    block = {"where": "T", "dataset": "emotions", "dim": 4, "values": values}
    found = report(published=[block | {"offset": {"hamming_loss": 1}}])
    assert found.against[0].verdict == "reproduced"
    assert "Hamming loss: measured +1, as the paper counts." in found.text


def test_an_average_precision_below_its_bound_cannot_be_right(report):
    found = {
        (item.method, item.metric): item.impossible
        for item in report(published=PUBLISHED).against
    }
    # mean(1/|Y|) is 0.9: with one-error 0.1 at least 0.8, with 0.2 at least 0.7
    assert "at least 0.800" in found["B", "average_precision"]
    assert found["ORI", "average_precision"] is None
    assert found["B", "hamming_loss"] is None


def judge(report, kind, methods, **more):
    claim = {"says": "so", "kind": kind, "methods": methods} | more
    (judged,) = report(claims=[claim]).claims
    return judged


def test_first_means_better_than_each_other_everywhere(report):
    judged = judge(report, "first", ["B", "A", "ORI"])
    assert judged.verdict == HOLDS
    assert len(judged.findings) == 3 * 2 * 2  # data sets, dims, metrics
    one = judge(report, "first", ["A", "B"], dim=2, metrics=["hamming_loss"])
    assert one.verdict == FAILS
    assert one.findings[0].what == (
        "Hamming loss, emotions, dim 2: A 0.2000, best other B 0.1000"
    )


def test_first_in_the_mean_is_one_finding_a_row(report):
    judged = judge(report, "first", ["A", "ORI"], dataset="all", dim=4)
    assert len(judged.findings) == 2
    assert judged.verdict == HOLDS


def test_order_is_that_of_the_means(report):
    assert judge(report, "order", ["B", "A", "ORI"]).verdict == HOLDS
    assert judge(report, "order", ["A", "B", "ORI"]).verdict == FAILS


def test_significant_is_a_paired_test_over_the_data_sets(report):
    judged = judge(report, "significant", ["B", "A"], metrics=["hamming_loss"])
    assert [finding.verdict for finding in judged.findings] == [HOLDS, HOLDS]
    assert "over 3 data sets" in judged.findings[0].what
    # A against ORI: better by 0.10 and 0.05, worse by 0.15
    worse = [record("scene", "A", r, "2", 0.5, key=f"worse {r}") for r in (0, 1)]
    claim = {"says": "so", "kind": "significant", "methods": ["A", "ORI"], "dim": 2}
    (close,) = report([*records(), *worse], claims=[claim]).claims
    assert close.verdict == UNDECIDED


def test_always_compares_the_worst_dimension_with_the_best_of_others(report):
    assert judge(report, "always", ["B", "A"]).verdict == HOLDS
    assert judge(report, "always", ["A", "B"]).verdict == FAILS


def test_a_claim_about_nothing_measured_is_undecided(report):
    assert judge(report, "first", ["A", "B"], dim=9).verdict == UNDECIDED


def test_json_holds_the_same_numbers(report):
    made = report(published=PUBLISHED)
    data = json.loads(json.dumps(made.data))
    assert len(data["cells"]) == len(made.frame)
    assert data["published"][0]["difference"] == pytest.approx(0.25)


def test_what_markdown_would_take_for_markup_is_escaped(report):
    name = "<script>alert(1)</script> a_b|c*d"
    swapped = [r | {"method": name} if r["method"] == "A" else r for r in records()]
    methods = {"ORI": "none", name: "pca", "B": "mddm"}
    text = report(swapped, methods=methods).text
    assert escape(name) in text
    assert name not in text
    assert "\\|" in text


def of_claims(report, **claim):
    made = report(claims=[{"says": "it", "metrics": ["hamming_loss"]} | claim])
    return made.claims[0]


def test_not_worse_allows_for_a_margin(report):
    # A at dim 2 loses to B by 0.1, 0.15 and 0.1.
    near = of_claims(report, kind="not_worse", methods=["A", "B"], dim=2, margin=0.3)
    assert near.verdict == HOLDS
    far = of_claims(report, kind="not_worse", methods=["A", "B"], dim=2, margin=0.01)
    assert far.verdict == FAILS
    between = of_claims(report, kind="not_worse", methods=["A", "B"], dim=2, margin=0.1)
    assert between.verdict == UNDECIDED
    assert "mean difference +0.1167" in between.findings[0].what


def test_a_gain_that_grows_with_the_labels(report):
    sets = {"emotions": 2, "yeast": 5, "scene": 9, "medical": 20, "bibtex": 30}
    written = []
    for step, (name, labels) in enumerate(sets.items()):
        for method, loss in (("A", 0.5), ("B", 0.4 - 0.01 * step)):
            for repeat in (0, 1):
                more = {"n_labels": labels}
                written.append(record(name, method, repeat, "2", loss, **more))
    config = {
        "datasets": list(sets),
        "claims": [
            {
                "says": "it",
                "kind": "grows",
                "methods": ["B", "A"],
                "metrics": ["hamming_loss"],
            },
            {
                "says": "it",
                "kind": "grows",
                "methods": ["A", "B"],
                "metrics": ["hamming_loss"],
            },
        ],
    }
    up, down = report(written, **config).claims
    assert (up.verdict, down.verdict) == (HOLDS, FAILS)
    assert "number of labels +1.00" in up.findings[0].what


def test_methods_at_their_own_dims_stand_in_one_row_and_one_mean(report):
    dims = {"emotions": 3, "yeast": 4, "scene": 5}
    written = [
        record(name, "P", repeat, str(dim), 0.1 * dim)
        for name, dim in dims.items()
        for repeat in (0, 1)
    ]
    made = report(written, methods={"P": {"classifier": "plst", "dims": dims}})
    assert line(made.text, "scene") == ["0.5000 ± 0.0000"]
    assert line(made.text, "mean") == ["0.4000 ± 0.1000"]


def test_what_was_chosen_is_shown_with_its_spread(report):
    chosen = [
        {"alpha": 0.9, "threshold": 0.2, "top": None},
        {"alpha": 0.5, "threshold": 0.5, "top": 3},
    ]
    written = [
        record("emotions", "A", repeat, "2", 0.1, chosen=settings)
        for repeat, settings in enumerate(chosen)
    ]
    found = line(report(written).text, "emotions", "A", "2")
    assert found == ["alpha 0.9 (1) or 0.5 (1), threshold 0.2 to 0.2 (1), top 3 (1)"]
