"""The report of a study of features: where a factorization puts the ones that count."""

from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from mlbench.config import Experiment
from mlbench.config.paper import Claim
from mlbench.report.claims import FAILS, HOLDS, UNDECIDED, Finding, Judgement
from mlbench.report.frame import latest, of_experiment
from mlbench.report.tables import Table
from mlbench.stats import ALPHA
from mlbench.store import Record

COLUMNS = [
    "dataset",
    "method",
    "column",
    "planted",
    "at_top",
    "at_bottom",
    "rest_mean",
    "rest_variance",
    "ends_rho",
    "ends_p",
]


def studies(experiment: Experiment, records: Iterable[Record]) -> list[Record]:
    """The records that hold a study, in the order of the experiment."""
    found = [
        record
        for record in of_experiment(experiment, latest(records))
        if record["status"] == "ok" and "features" in record
    ]
    datasets = [source.name for source in experiment.datasets]
    methods = list(experiment.methods)
    return sorted(
        found,
        key=lambda r: (datasets.index(r["dataset"]), methods.index(r["method"])),
    )


def column_frame(experiment: Experiment, records: Iterable[Record]) -> pd.DataFrame:
    """One row for every column of W."""
    rows = []
    for record in studies(experiment, records):
        for number, column in enumerate(record["features"].get("columns", ()), start=1):
            ends = column["ends"] or {"rho": None, "p": None}
            rows.append(
                {
                    "dataset": record["dataset"],
                    "method": record["method"],
                    "column": number,
                    "ends_rho": ends["rho"],
                    "ends_p": ends["p"],
                }
                | {key: column.get(key) for key in COLUMNS if key in column}
                | {"planted": len(column.get("planted", ()))}
            )
    return pd.DataFrame(rows, columns=COLUMNS)


def feature_tables(experiment: Experiment, records: list[Record]) -> list[Table]:
    """Everything a study has to show, as tables."""
    frame = column_frame(experiment, records)
    made = [_planted_table(frame), _ends_table(frame), *_published(experiment, records)]
    return [table for table in made if table.rows]


def _planted_table(frame: pd.DataFrame) -> Table:
    rows: list[list] = []
    known = frame[frame["planted"] > 0]
    for (dataset, method), part in known.groupby(["dataset", "method"], sort=False):
        ends = [_end(row) for row in _rows(part)]
        together = sum(end in ("top", "bottom") for end in ends)
        rows.append([dataset, method, f"{together} of {len(ends)}", ", ".join(ends)])
    return Table(
        "Planted features in the sorted columns of W",
        [
            "data set",
            "method",
            "columns with all at one end",
            "where, column by column",
        ],
        rows,
        ["A fraction: the most of them at one end, where they do not fill it."],
    )


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {str(key): value for key, value in row.items()}
        for row in frame.to_dict(orient="records")
    ]


def _end(row: dict[str, Any]) -> str:
    """The end of a column that the planted features fill, or how many of it."""
    if row["at_top"] == row["planted"]:
        return "top"
    if row["at_bottom"] == row["planted"]:
        return "bottom"
    return f"{max(row['at_top'], row['at_bottom']):.0f}/{row['planted']}"


def _ends_table(frame: pd.DataFrame) -> Table:
    rows: list[list] = []
    known = frame[frame["ends_rho"].notna()]
    for (dataset, method), part in known.groupby(["dataset", "method"], sort=False):
        values = [f"{rho:+.3f}" for rho in part["ends_rho"]]
        rows.append([dataset, method, ", ".join(values)])
    return Table(
        "Fisher score at the ends of the sorted columns of W",
        ["data set", "method", "rank correlation, column by column"],
        rows,
        [
            "Spearman's correlation of a feature's Fisher score with its distance, in "
            "places, from the middle of the sorted column."
        ],
    )


def _published(experiment: Experiment, records: list[Record]) -> Iterator[Table]:
    """Printed columns of W beside ours, scaled to [0, 1] as the paper does."""
    found = studies(experiment, records)
    for block in experiment.published_columns:
        rows: list[list] = []
        for record in found:
            if (record["dataset"], record["method"]) != (block.dataset, block.method):
                continue
            for number, (ours, printed) in enumerate(
                zip(record["features"]["columns"], block.columns, strict=False), start=1
            ):
                rows.append(
                    [
                        str(number),
                        _numbers(ours["planted"]),
                        _numbers(printed.planted),
                        f"{ours['rest_mean']:.3f} / {printed.rest_mean:.3f}",
                        f"{ours['rest_variance']:.3f} / {printed.rest_variance:.3f}",
                    ]
                )
        head = ["column", "planted: measured", "published", "mean of the rest"]
        yield Table(
            f"{block.where}, {block.dataset}: measured / published",
            [*head, "variance of the rest"],
            rows,
            ["Which component is which column is arbitrary in the paper and here."],
        )


def _numbers(values: Iterable[float]) -> str:
    return " ".join(f"{value:.3f}" for value in values)


def feature_judgements(
    experiment: Experiment, records: list[Record]
) -> list[Judgement]:
    """The claims of a study, judged."""
    frame = column_frame(experiment, records)
    judges = {"planted": _planted, "ends": _ends}
    return [
        Judgement(claim.says, tuple(judges[claim.kind](claim, frame)))
        for claim in experiment.claims
    ]


def _of_claim(claim: Claim, frame: pd.DataFrame):
    """The columns of each data set that a claim is about."""
    chosen = frame[frame["method"] == claim.methods[0]]
    if claim.dataset is not None:
        chosen = chosen[chosen["dataset"] == claim.dataset]
    return chosen.groupby("dataset", sort=False)


def _planted(claim: Claim, frame: pd.DataFrame) -> Iterator[Finding]:
    for dataset, part in _of_claim(claim, frame[frame["planted"] > 0]):
        ends = [_end(row) for row in _rows(part)]
        wanted = ("top", "bottom") if claim.end == "either" else ("top",)
        together = sum(end in wanted for end in ends)
        where = "one end" if claim.end == "either" else "the top"
        yield Finding(
            f"{dataset}: {claim.methods[0]} has all of them at {where} of {together} "
            f"of {len(ends)} columns; claimed: {claim.least} or more",
            HOLDS if together >= claim.least else FAILS,
        )


def _ends(claim: Claim, frame: pd.DataFrame) -> Iterator[Finding]:
    for dataset, part in _of_claim(claim, frame[frame["ends_rho"].notna()]):
        for row in _rows(part):
            decided = row["ends_p"] < ALPHA
            yield Finding(
                f"{dataset}, column {row['column']}: rank correlation "
                f"{row['ends_rho']:+.3f}, p = {row['ends_p']:.2g}",
                (HOLDS if row["ends_rho"] > 0 else FAILS) if decided else UNDECIDED,
            )


def ranking_tables(
    experiment: Experiment, records: list[Record], top: int
) -> list[Table]:
    """The best features of every data set and method, beside the Fisher score."""
    made = []
    for record in studies(experiment, records):
        rows: list[list] = [
            [
                str(place),
                feature["name"],
                f"{feature['score']:.4g}",
                f"{feature['fisher']:.4g}",
                str(feature["fisher_place"]),
            ]
            for place, feature in enumerate(record["features"]["top"][:top], start=1)
        ]
        agreement = record["features"]["agreement"]
        notes = []
        if agreement is not None:
            notes.append(
                "Rank correlation of the scores with Fisher's over all features: "
                f"{agreement['rho']:+.3f}."
            )
        made.append(
            Table(
                f"{record['dataset']}, {record['method']}",
                ["place", "feature", "score", "Fisher score", "its place"],
                rows,
                notes,
            )
        )
    return made
