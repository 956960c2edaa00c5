"""An index of all results: every paper, its tables, and how they came out."""

from collections.abc import Iterable

from mlbench.report import markdown
from mlbench.report.build import Report
from mlbench.report.tables import Table

INTRODUCTION = """\
# Results

Made by `mlbench report` from the records beside it; nothing here is written by hand. In
each folder: `report.md` (tables and verdicts), `report.html` (the same to look at),
`tables.tex`, `figures/`, `table.csv` (the numbers), and the records themselves."""


def overview(reports: Iterable[Report]) -> str:
    """The index in Markdown, one row for every experiment."""
    reports = list(reports)
    rows: list[list] = []
    for paper in dict.fromkeys(report.experiment.paper for report in reports):
        for report in reports:
            if report.experiment.paper == paper:
                rows.append(_row(report))
    head = ["paper", "experiment", "reproduces", "verdicts", "to know"]
    notes = [
        "Reproduced: within 2 %, half a unit of the last printed digit, or two "
        "standard errors over random splits; close: within 5 %."
    ]
    return f"{INTRODUCTION}\n\n{markdown.table(Table('Papers', head, rows, notes))}\n"


def _row(report: Report) -> list:
    experiment = report.experiment
    wheres = [block.where for block in experiment.published]
    wheres += [block.where for block in experiment.published_columns]
    known = [f"missing: {name}" for name in report.missing]
    known += [f"{len(report.failed)} failed cells"] if report.failed else []
    return [
        experiment.paper or "-",
        experiment.name,
        ", ".join(dict.fromkeys(wheres)) or "-",
        " ".join(report.summary) or "-",
        "; ".join(known) or "-",
    ]
