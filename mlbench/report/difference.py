"""Two result folders side by side: what changed, and whether beyond noise."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mlbench.errors import ResultsError
from mlbench.report import markdown
from mlbench.report.frame import CELL, cell_value, latest
from mlbench.report.tables import DIGITS, Table
from mlbench.stats import ALPHA, paired_t
from mlbench.store import PACKED, RECORDS, Record, Store

SAME, NOISE, BEYOND, ONLY = "same", "within noise", "beyond noise", "only in one"

Place = tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """One cell and metric in both folders."""

    experiment: str
    cell: tuple[str, ...]  # data set, method, dimension, setting
    metric: str
    before: float | None
    after: float | None
    p: float | None  # of a paired t-test over the splits; None where there is none
    verdict: str


def changes(before: Path, after: Path) -> list[Change]:
    """Every cell and metric that either folder has."""
    olds, news = _experiments(before), _experiments(after)
    found = []
    for name in dict.fromkeys([*olds, *news]):
        old, new = _values(olds.get(name, ())), _values(news.get(name, ()))
        for place in dict.fromkeys([*old, *new]):
            *cell, metric = place
            found.append(
                _change(name, tuple(cell), metric, old.get(place), new.get(place))
            )
    return found


def _experiments(folder: Path) -> dict[str, list[Record]]:
    """The records of every experiment under a folder; of one, if it is one."""
    if not folder.is_dir():
        raise ResultsError(f"{folder}: no such folder")
    stores = [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]
    found = {
        store.name: list(Store(store).records().values())
        for store in stores
        if (store / RECORDS).exists() or (store / PACKED).exists()
    }
    if not found:
        raise ResultsError(f"{folder}: no records here")
    return found


def _values(records: Iterable[Record]) -> dict[Place, dict[int, float]]:
    """Numbers by cell and metric, then by split."""
    found: dict[Place, dict[int, float]] = {}
    for record in latest(records):
        for metric, value in record["metrics"].items():
            if value is not None:
                place = (*(str(cell_value(record, name)) for name in CELL), metric)
                found.setdefault(place, {})[record["repeat"]] = value
    return found


def _change(name, cell, metric, old, new) -> Change:
    if old is None or new is None:
        return Change(name, cell, metric, _mean(old), _mean(new), None, ONLY)
    before, after = _mean(old), _mean(new)
    if old == new:
        return Change(name, cell, metric, before, after, None, SAME)
    shared = sorted(set(old) & set(new))
    if len(shared) < 2:  # one number a side: there is no noise to compare with
        return Change(name, cell, metric, before, after, None, BEYOND)
    olds, news = ([side[split] for split in shared] for side in (old, new))
    p = paired_t(news, olds, better="lower").p
    return Change(name, cell, metric, before, after, p, BEYOND if p < ALPHA else NOISE)


def _mean(values: dict[int, float] | None) -> float | None:
    return None if values is None else float(np.mean(list(values.values())))


def difference_text(before: Path, after: Path, found: list[Change]) -> str:
    """What changed, in Markdown: counts, then every change beyond noise."""
    rows: list[list] = [
        [
            change.experiment,
            *change.cell,
            change.metric,
            _text(change.before),
            _text(change.after),
            "" if change.p is None else f"{change.p:.2g}",
        ]
        for change in found
        if change.verdict == BEYOND
    ]
    head = ["experiment", "data set", "method", "dim", "setting", "metric"]
    table = Table(
        f"Changed beyond noise: {before} against {after}",
        [*head, "before", "after", "p"],
        rows or [["nothing", *[""] * 8]],
        [
            "Numbers: " + ", ".join(_counts(found)) + ".",
            *_in_one_only(before, after, found),
            f"p: paired t-test over the splits, beyond noise below {ALPHA:g}; with one "
            "split any change counts.",
        ],
    )
    return markdown.table(table)


def _counts(found: list[Change]) -> list[str]:
    counted = Counter(change.verdict for change in found)
    order = (SAME, NOISE, BEYOND, ONLY)
    return [f"{counted[verdict]} {verdict}" for verdict in order if counted[verdict]]


def _in_one_only(before: Path, after: Path, found: list[Change]) -> list[str]:
    """A line for every experiment that has numbers on one side alone."""
    counted = Counter(
        (change.experiment, after if change.before is None else before)
        for change in found
        if change.verdict == ONLY
    )
    return [
        f"{name}: {count} numbers only in {folder}"
        for (name, folder), count in counted.items()
    ]


def _text(value: float | None) -> str:
    return "-" if value is None else f"{value:.{DIGITS}f}"


def difference_data(found: list[Change]) -> list[dict[str, Any]]:
    """The same for scripts."""
    return [asdict(change) for change in found]
