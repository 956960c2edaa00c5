"""The report of an experiment: text to read, CSV and JSON to go on with."""

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from mlbench.config import Experiment, config_names
from mlbench.errors import ResultsError
from mlbench.report import markdown
from mlbench.report.choices import choice_tables
from mlbench.report.claims import FAILS, HOLDS, UNDECIDED, Judgement, judgements
from mlbench.report.features import (
    column_frame,
    feature_judgements,
    feature_tables,
)
from mlbench.report.frame import absent, failures, floors, measured
from mlbench.report.published import (
    Comparison,
    comparison_tables,
    comparisons,
    summary,
)
from mlbench.report.select import EVERYTHING, Selection
from mlbench.report.tables import Table, tables
from mlbench.store import CONFIG, PACKED, RECORDS, Record, Store

MOST_FINDINGS = 40  # of a claim, shown in full


@dataclass(frozen=True)
class Report:
    """What the records of an experiment say."""

    experiment: Experiment
    frame: pd.DataFrame
    against: list[Comparison]
    claims: list[Judgement]
    more: list[Table]  # what was chosen, or what a study of features found
    failed: list[str]
    missing: list[str]
    notices: list[str]
    records: list[Record]

    @property
    def text(self) -> str:
        """The report in Markdown."""
        parts = self._verdicts()
        parts += [markdown.table(made) for made in tables(self.experiment, self.frame)]
        parts += [markdown.table(made) for made in self.more]
        parts += self._remarks()
        return "\n\n".join(parts) + "\n"

    @property
    def against_text(self) -> str:
        """Only what concerns the paper: its numbers, its claims, and the verdicts."""
        return "\n\n".join(self._verdicts()) + "\n"

    def _verdicts(self) -> list[str]:
        parts = [f"# {markdown.escape(self.experiment.title or self.experiment.name)}"]
        if self.experiment.reference:
            parts.append(markdown.escape(self.experiment.reference))
        parts += [f"**{line}**" for line in self.summary]
        against = comparison_tables(self.experiment, self.against)
        parts += [markdown.table(made) for made in against]
        return parts + [_claim(judged) for judged in self.claims]

    @property
    def summary(self) -> list[str]:
        """The verdicts in a line or two: printed numbers, claims."""
        lines = []
        if self.against:
            lines.append(f"Printed numbers: {summary(self.against)}.")
        if self.claims:
            counted = Counter(judged.verdict for judged in self.claims)
            parts = [
                f"{counted[v]} {v}" for v in (HOLDS, FAILS, UNDECIDED) if counted[v]
            ]
            lines.append(f"Claims: {', '.join(parts)} of {len(self.claims)}.")
        return lines

    def _remarks(self) -> list[str]:
        lists = {
            "Missing data sets": self.missing,
            "Failed": self.failed,
            "Assumptions": [f"{a.what}: {a.why}" for a in self.experiment.assumptions],
        }
        return [
            f"### {title}\n\n" + "\n".join(f"- {markdown.escape(x)}" for x in items)
            for title, items in lists.items()
            if items
        ]

    @property
    def data(self) -> dict[str, Any]:
        """The same numbers for scripts."""
        cells = self.frame.astype(object).where(self.frame.notna(), None)
        return {
            "experiment": self.experiment.name,
            "cells": cells.to_dict(orient="records"),
            "published": [item.as_dict() for item in self.against],
            "claims": [
                asdict(judged) | {"verdict": judged.verdict} for judged in self.claims
            ],
            "failed": self.failed,
            "missing": self.missing,
        }


def _claim(judged: Judgement) -> str:
    """A claim with its verdict; of many comparisons only those that do not hold."""
    shown = list(judged.findings)
    if len(shown) > MOST_FINDINGS:
        shown = [finding for finding in shown if finding.verdict != HOLDS]
    head = f"### Claim: {markdown.escape(judged.says)}"
    lines = [f"- {markdown.escape(f.what)}: {f.verdict}" for f in shown]
    return "\n".join([head, "", f"**{judged.verdict}** ({judged.counts})", "", *lines])


def build(
    experiment: Experiment, results: Path, selection: Selection = EVERYTHING
) -> Report:
    """The report of what is recorded under ``results`` for an experiment."""
    folder = results / experiment.name
    store = Store(folder)
    records = list(store.records().values())
    if not records:
        raise ResultsError(
            f"{folder}: no records yet; make some with: mlbench run {experiment.name}"
        )
    records = selection.of_records(experiment, records)
    experiment = selection.of_experiment(experiment)
    if experiment.study == "features":
        return _study(experiment, records, store.notices)
    frame = measured(experiment, records)
    return Report(
        experiment=experiment,
        frame=frame,
        against=comparisons(experiment, frame, floors(experiment, records)),
        claims=judgements(experiment, frame),
        more=choice_tables(experiment, records),
        failed=failures(experiment, records),
        missing=absent(experiment, records),
        notices=store.notices,
        records=records,
    )


def _study(experiment: Experiment, records: list, notices: list[str]) -> Report:
    """The report of a study of features."""
    return Report(
        experiment=experiment,
        frame=column_frame(experiment, records),
        against=[],
        claims=feature_judgements(experiment, records),
        more=feature_tables(experiment, records),
        failed=failures(experiment, records),
        missing=absent(experiment, records),
        notices=notices,
        records=records,
    )


def recorded(results: Path) -> list[Path]:
    """The configs of all experiments that have records under ``results``."""
    known = config_names()
    names = [
        path.parent.name
        for path in sorted(results.glob(f"*/{RECORDS}*"))
        if path.name in (RECORDS, PACKED)
    ]
    if not names:
        raise ResultsError(f"{results}: no records here; mlbench run makes some")
    found = []
    for name in dict.fromkeys(names):
        path = known.get(name, results / name / CONFIG)
        if not path.exists():
            raise ResultsError(
                f"{path}: not there, and no config named {name} comes with mlbench; "
                "give the file to mlbench report"
            )
        found.append(path)
    return found
