"""What was chosen inside the training parts, over the splits."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from mlbench.config import Experiment
from mlbench.report.frame import CELL, cell_value, latest, of_experiment
from mlbench.report.tables import Table
from mlbench.store import Record

NOTE = (
    "On inner folds of each training part, without its test samples. (n): chosen on so "
    "many of the splits; a range: from the least to the largest of them."
)


def choice_tables(experiment: Experiment, records: Iterable[Record]) -> list[Table]:
    """A table with a row for every cell whose settings were chosen, if any were."""
    found: dict[tuple, list[dict[str, Any]]] = {}
    for record in of_experiment(experiment, latest(records)):
        if record.get("chosen"):
            place = tuple(cell_value(record, name) for name in CELL)
            found.setdefault(place, []).append(record["chosen"])
    if not found:
        return []
    rows: list[list] = []
    for source in experiment.datasets:
        for method in experiment.methods:
            for place, chosen in found.items():
                if place[:2] == (source.name, method):
                    rows.append([*place[:3], _summary(chosen)])
    head = ["data set", "method", "dim", "chosen"]
    return [Table("Chosen settings", head, rows, [NOTE])]


def _summary(chosen: list[dict[str, Any]]) -> str:
    names = dict.fromkeys(name for settings in chosen for name in settings)
    parts = [
        _spread(name, [s[name] for s in chosen if _counts(name, s)]) for name in names
    ]
    return ", ".join(filter(None, parts))


def _counts(name: str, settings: dict[str, Any]) -> bool:
    """Whether a setting was in force: of threshold and top only one is."""
    if name == "threshold":
        return settings.get("top") is None
    return settings.get(name) is not None


def _spread(name: str, values: list[Any]) -> str:
    """``alpha 0.9 (4) or 0.5 (1)``; of a threshold the range."""
    if not values:
        return ""
    if name == "threshold":
        least, most = min(values), max(values)
        return f"threshold {least:.3g} to {most:.3g} ({len(values)})"
    counted = [f"{value} ({count})" for value, count in Counter(values).most_common()]
    return f"{name} {' or '.join(counted)}"
