"""What a run would do: the trials to compute, the records that are there, and why."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from statistics import mean
from typing import Any

from mlbench.config import Experiment
from mlbench.data.catalogue import entry_named
from mlbench.data.locate import find_files
from mlbench.errors import DataError
from mlbench.grid import Cell, Trial, trials
from mlbench.reducers import SQUARE
from mlbench.runner.trial import only
from mlbench.store import Record, Store


@dataclass(frozen=True)
class Plan:
    """What there is to do, and what is there already."""

    experiment: Experiment
    folder: Path  # of the data
    store: Store
    pending: list[Trial]  # with only the cells still to compute
    trials: int  # of the whole experiment
    cached: list[Record]
    others: list[Record]  # of this experiment's folder, under keys no longer asked for

    @property
    def failed(self) -> int:
        """How many of the records that are there say that a trial failed."""
        return sum(record["status"] == "failed" for record in self.cached)

    @property
    def cells(self) -> int:
        """How many records are to be computed."""
        return sum(len(trial.cells) for trial in self.pending)


def available(
    experiment: Experiment, folder: Path, skip_missing: bool
) -> tuple[Experiment, list[str]]:
    """The experiment with the data sets that are here, and why others are not.

    Without ``skip_missing`` an absent data set is an error, before any work.
    """
    absent = {}
    for source in experiment.datasets:
        if source.recipe is None:
            try:
                find_files(entry_named(source.name), folder)
            except DataError as exc:
                absent[source.name] = str(exc)
    rest = tuple(s for s in experiment.datasets if s.name not in absent)
    if absent and not (skip_missing and rest):
        hint = "; --skip-missing runs the rest" if rest else ""
        raise DataError(f"{_absence(absent, folder)}{hint}")
    return experiment.model_copy(update={"datasets": rest}), list(absent.values())


def _absence(absent: dict[str, str], folder: Path) -> str:
    """Why some data sets cannot be had; of several not every address."""
    if len(absent) == 1:
        return next(iter(absent.values()))
    return (
        f"{', '.join(absent)}: not in {folder}, set --data-dir or MLBENCH_DATA to a "
        f"folder that has them, or fetch them with: mlbench data get {' '.join(absent)}"
    )


def plan(
    experiment: Experiment, results: Path, folder: Path, retry_failed: bool = False
) -> Plan:
    """Compare the trials of an experiment with the records that are there."""
    store = Store(results / experiment.name)
    records = store.records()
    every = trials(experiment, folder)
    wanted = {cell.key for trial in every for cell in trial.cells}
    have = {
        key: record
        for key, record in records.items()
        if key in wanted and (record["status"] == "ok" or not retry_failed)
    }
    missing = wanted - set(have)
    pending = [
        only(trial, missing)
        for trial in every
        if any(cell.key in missing for cell in trial.cells)
    ]
    others = [record for key, record in records.items() if key not in wanted]
    return Plan(
        experiment, folder, store, pending, len(every), list(have.values()), others
    )


def expected_seconds(work: Plan) -> float | None:
    """Processor time of what is pending, judging by earlier records; None without.

    A trial is taken to last as long as others of its data set and method did, else
    as others of its method, else as any other.
    """
    known: dict[tuple, list[float]] = defaultdict(list)
    for record in [*work.cached, *work.others]:
        if seconds := record.get("trial_seconds"):
            dataset, method = record["dataset"], record["method"]
            for place in ((dataset, method), (method,), ()):
                known[place].append(seconds)
    if not known:
        return None
    total = 0.0
    for trial in work.pending:
        places = ((trial.source.name, trial.method), (trial.method,), ())
        total += mean(next(known[place] for place in places if place in known))
    return total


def plan_data(work: Plan) -> dict[str, Any]:
    """The plan in numbers."""
    array = largest_array(work)
    return {
        "experiment": work.experiment.name,
        "trials": work.trials,
        "records_there": len(work.cached),
        "failed_before": work.failed,
        "trials_to_compute": len(work.pending),
        "records_to_compute": work.cells,
        "expected_seconds": expected_seconds(work) if work.pending else 0.0,
        "tuning_fits": tuning_fits(work),
        "largest_array_mb": array.megabytes if array else 0.0,
    }


def describe_plan(work: Plan) -> list[str]:
    """The plan in a few lines."""
    failed = f" ({work.failed} of them failed)" if work.failed else ""
    lines = [
        f"{work.experiment.name}: {work.trials} trials, {len(work.cached)} records "
        f"already there{failed}, {len(work.pending)} trials with {work.cells} records "
        "to compute"
    ]
    if work.pending:
        seconds = expected_seconds(work)
        time = "unknown, no earlier records" if seconds is None else f"{seconds:.0f} s"
        lines.append(f"expected time on one worker: {time}")
    if tuned := tuning_fits(work):
        lines.append(f"choosing settings on inner folds takes up to {tuned} fits")
    if array := largest_array(work):
        rows, columns = array.shape
        size = f"{array.megabytes:.0f} MB"
        lines.append(f"largest array: {array.what}, {rows} x {columns}, {size}")
    return lines


def tuning_fits(work: Plan) -> int:
    """Fits that the pending trials take only to choose settings."""
    total = 0
    for trial in work.pending:
        if trial.tuning:
            grid = trial.tuning["grid"].items()
            tries = prod(len(values) for name, values in grid if name != "cut")
            total += tries * trial.tuning["folds"] * len(trial.cells)
    return total


@dataclass(frozen=True)
class Array:
    """The largest array a trial can need."""

    what: str
    shape: tuple[int, int]

    @property
    def megabytes(self) -> float:
        """Its size, in float64."""
        return self.shape[0] * self.shape[1] * 8 / 2**20


def largest_array(work: Plan) -> Array | None:
    """The largest dense array that any pending trial can need; None without any."""
    found = []
    for trial in work.pending:
        n, d = trial.data.n, trial.features
        found.append(Array(f"features of {trial.source.name}", (n, d)))
        if trial.reducer.name in SQUARE:
            found.append(Array(f"features by features of {trial.source.name}", (d, d)))
    return max(found, key=lambda array: array.megabytes, default=None)


def reasons(work: Plan) -> dict[str, list[str]]:
    """For every pending trial, by its label, why its records are not there."""
    earlier = {_place(record): record for record in work.others}
    found = {}
    for trial in work.pending:
        why = [
            _why(earlier.get(_cell_place(trial, cell)), cell) for cell in trial.cells
        ]
        found[trial.label] = list(dict.fromkeys(why))
    return found


def _why(before: Record | None, cell: Cell) -> str:
    if before is None:
        return "never run"
    now = dict(cell.parts)
    changed = changes(before["parts"], now)
    return f"changed: {', '.join(changed)}" if changed else "failed before"


def changes(before: dict[str, str], now: dict[str, str]) -> Iterable[str]:
    """Names of the parts of a key that differ."""
    names = sorted({*before, *now})
    return [name for name in names if before.get(name) != now.get(name)]


def _place(record: Record) -> tuple:
    setting = tuple(record["setting"].values())
    place = (record["dataset"], record["method"], record["repeat"], record["request"])
    return (*place, setting)


def _cell_place(trial: Trial, cell: Cell) -> tuple:
    setting = (cell.setting,) if trial.vary else ()
    place = (trial.source.name, trial.method, trial.repeat, cell.wish.label)
    return (*place, setting)
