"""Records to a table of numbers: one row for each measured cell and metric."""

from collections.abc import Iterable

import pandas as pd

from mlbench.config import Experiment
from mlbench.errors import ResultsError
from mlbench.store import Record

CELL = ["dataset", "method", "request", "setting"]
OWN = "own"  # in place of dimensions that differ between the data sets
# Parts of the key that differ between the splits of one cell; all others must agree.
DIFFERENT = {"split", "seed"}


def latest(records: Iterable[Record]) -> list[Record]:
    """The newest record of every (cell, repeat), in order of appearance."""
    newest: dict[tuple, Record] = {}
    for record in records:
        place = (*(cell_value(record, name) for name in CELL), record["repeat"])
        newest[place] = record
    return list(newest.values())


def cell_value(record: Record, name: str):
    """What names a cell, as text where it is a mapping."""
    value = record[name]
    if name == "setting":
        return ", ".join(f"{key} = {item}" for key, item in value.items())
    return value


def measured(experiment: Experiment, records: Iterable[Record]) -> pd.DataFrame:
    """Mean and deviation over the splits, for every cell and metric.

    Columns: dataset, method, request, setting, metric, dim, labels (how many the data
    set has), mean, deviation, n.
    Rows are in the order of the experiment's data sets, methods and dimensions.
    """
    rows = []
    apart = _own_for_each_dataset(experiment)
    for record in of_experiment(experiment, latest(records)):
        if record["status"] == "ok":
            cell = {name: cell_value(record, name) for name in CELL}
            if record["method"] in apart:
                cell["request"] = OWN
            for metric, value in record["metrics"].items():
                more = {"dim": record["dim"], "labels": record.get("n_labels")}
                rows.append(cell | more | {"metric": metric, "x": value})
    columns = [*CELL, "dim", "labels", "metric", "x"]
    frame = pd.DataFrame(rows, columns=columns).astype({"x": float})
    found = frame.groupby([*CELL, "metric"], sort=False, as_index=False).agg(
        dim=("dim", "mean"),
        labels=("labels", "first"),
        mean=("x", "mean"),
        deviation=("x", "std"),  # n - 1 in the denominator
        n=("x", "size"),
    )
    return _in_order(experiment, found)


def _own_for_each_dataset(experiment: Experiment) -> set[str]:
    """Methods with one dimension on each data set, not the same on all of them."""
    return {
        name
        for name, method in experiment.methods.items()
        if isinstance(method.dims, dict) and not experiment.sweeps(method)
    }


def failures(experiment: Experiment, records: Iterable[Record]) -> list[str]:
    """A line for every cell that has a failed record."""
    failed: dict[str, int] = {}
    for record in of_experiment(experiment, latest(records)):
        if record["status"] == "failed":
            where = " / ".join(str(cell_value(record, name)) for name in CELL[:3])
            line = f"{where}: {record['error']}"
            failed[line] = failed.get(line, 0) + 1
    return [
        line if count == 1 else f"{line} ({count} splits)"
        for line, count in failed.items()
    ]


def floors(experiment: Experiment, records: Iterable[Record]) -> dict[str, float]:
    """Mean over the splits of each data set's mean of 1/|Y_i| (see the records)."""
    values: dict[str, dict[int, float]] = {}
    for record in of_experiment(experiment, latest(records)):
        if (value := record.get("mean_inverse_cardinality")) is not None:
            values.setdefault(record["dataset"], {})[record["repeat"]] = value
    return {name: sum(v.values()) / len(v) for name, v in values.items()}


def absent(experiment: Experiment, records: Iterable[Record]) -> list[str]:
    """The data sets of an experiment that no record speaks of."""
    have = {record["dataset"] for record in records}
    return [source.name for source in experiment.datasets if source.name not in have]


def of_experiment(experiment: Experiment, records: list[Record]) -> list[Record]:
    """The records of the experiment's own data sets and methods, one kind a cell."""
    datasets = {source.name for source in experiment.datasets}
    kept = [
        record
        for record in records
        if record["dataset"] in datasets and record["method"] in experiment.methods
    ]
    kinds: dict[tuple, Record] = {}
    for record in kept:
        cell = tuple(cell_value(record, name) for name in CELL)
        other = kinds.setdefault(cell, record)
        for part in sorted({*record["parts"], *other["parts"]} - DIFFERENT):
            if record["parts"].get(part) != other["parts"].get(part):
                raise ResultsError(
                    f"{' / '.join(map(str, cell[:3]))}: splits {other['repeat']} and "
                    f"{record['repeat']} differ in {part}; run the config again first"
                )
    return kept


def _in_order(experiment: Experiment, frame: pd.DataFrame) -> pd.DataFrame:
    orders = {
        "dataset": [source.name for source in experiment.datasets],
        "method": list(experiment.methods),
        "metric": list(experiment.metrics),
    }
    for column, order in orders.items():
        frame = frame[frame[column].isin(order)]
        # Copied: a categorical column of a view is set with a warning.
        frame = frame.assign(**{column: pd.Categorical(frame[column], order)})
    frame = frame.sort_values(
        ["metric", "dataset", "dim", "method"], kind="stable", ignore_index=True
    )
    return frame.astype(dict.fromkeys(orders, str))
