"""Measured beside published: every printed number of a paper, and how far we are."""

from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from mlbench.config import Experiment
from mlbench.config.model import OVER_DATASETS, Published
from mlbench.metrics import METRICS
from mlbench.report.tables import Table, over_datasets

HALF_A_UNIT = 0.0005  # of the last digit the papers print


@dataclass(frozen=True)
class Comparison:
    """One printed number and ours."""

    where: str
    dataset: str
    metric: str
    method: str
    published: float
    published_deviation: float | None
    measured: float | None
    measured_deviation: float | None
    missing: tuple[str, ...] = ()  # data sets a mean over all would need
    impossible: str | None = None  # why the printed number cannot be right

    @property
    def difference(self) -> float | None:
        """Relative difference, measured against published."""
        if self.measured is None or self.published == 0:
            return None
        return self.measured / self.published - 1

    def as_dict(self) -> dict[str, Any]:
        """The comparison for scripts."""
        return asdict(self) | {"difference": self.difference}


def comparisons(
    experiment: Experiment, frame: pd.DataFrame, floors: dict[str, float]
) -> list[Comparison]:
    """Every published number of an experiment with its measured counterpart.

    ``floors`` holds, for each data set, the mean of 1/|Y_i| over the test samples.
    """
    whole = {source.name for source in experiment.datasets}
    missing = tuple(sorted(whole - set(frame["dataset"])))
    mean = over_datasets(frame) if not missing else frame.head(0)
    every = pd.concat([frame, mean], ignore_index=True)
    found = []
    for block in experiment.published:
        for metric, values in block.values.items():
            for method, (published, deviation) in values.items():
                row = _row(experiment, every, block, metric, method)
                lacking = missing if block.dataset == OVER_DATASETS else ()
                found.append(
                    Comparison(
                        block.where,
                        block.dataset,
                        metric,
                        method,
                        published,
                        deviation,
                        None if row is None else float(row["mean"]),
                        _number(row),
                        lacking,
                        _impossible(block, metric, method, floors),
                    )
                )
    return found


def _impossible(block: Published, metric, method, floors) -> str | None:
    """Why a printed average precision contradicts the one-error printed with it.

    A sample whose top label is right has an average precision of at least 1/|Y_i|,
    so the mean is at least mean(1/|Y_i|) minus the one-error.
    """
    top = block.values.get("one_error", {}).get(method)
    floor = _floor(block.dataset, floors)
    if metric != "average_precision" or top is None or floor is None:
        return None
    least = floor - top[0] - 2 * HALF_A_UNIT
    printed = block.values[metric][method][0]
    if printed >= least:
        return None
    return (
        f"{block.where}, {block.dataset}: average precision {printed:g} of {method} "
        f"cannot go with its one-error {top[0]:g}: mean(1/|Y|) = {floor:.3f} on this "
        f"data, so it is at least {floor - top[0]:.3f}"
    )


def _floor(dataset: str, floors: dict[str, float]) -> float | None:
    if dataset == OVER_DATASETS and floors:
        return sum(floors.values()) / len(floors)
    return floors.get(dataset)


def _number(row: pd.Series | None) -> float | None:
    return None if row is None or pd.isna(row["deviation"]) else float(row["deviation"])


def _row(experiment, frame, block, metric, method) -> pd.Series | None:
    chosen = frame[
        (frame["dataset"] == block.dataset)
        & (frame["metric"] == metric)
        & (frame["method"] == method)
    ]
    if block.dim is not None and experiment.sweeps(experiment.methods[method]):
        chosen = chosen[chosen["request"] == block.dim]
    return chosen.iloc[0] if len(chosen) == 1 else None


def comparison_tables(experiment: Experiment, found: list[Comparison]) -> list[Table]:
    """The published tables of an experiment, measured beside printed."""
    made = []
    for block in dict.fromkeys((item.where, item.dataset) for item in found):
        where, dataset = block
        chosen = [item for item in found if (item.where, item.dataset) == block]
        over = "mean over the data sets" if dataset == OVER_DATASETS else dataset
        methods = list(dict.fromkeys(item.method for item in chosen))
        rows: list = []
        for metric in dict.fromkeys(item.metric for item in chosen):
            by_method = {i.method: i for i in chosen if i.metric == metric}
            cells = [_text(by_method.get(name)) for name in methods]
            rows.append([METRICS[metric].title, *cells])
        notes = ["measured / published (difference); !: cannot be right as printed"]
        notes += [item.impossible for item in chosen if item.impossible]
        lacking = sorted({name for item in chosen for name in item.missing})
        if lacking:
            notes.append(f"no mean over all sets, missing: {', '.join(lacking)}")
        made.append(Table(f"{where}, {over}", ["criterion", *methods], rows, notes))
    return made


def _text(item: Comparison | None) -> str:
    if item is None:
        return ""
    mark = " !" if item.impossible else ""
    if item.measured is None or item.difference is None:
        return f"- / {item.published:g}{mark}"
    return f"{item.measured:.4f} / {item.published:g} ({item.difference:+.1%}){mark}"
