"""Tables in the shape of the papers', from the frame of measured numbers."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import pandas as pd

from mlbench.config import Experiment
from mlbench.config.paper import OVER_DATASETS
from mlbench.metrics import METRICS

MEAN = "mean"
DIGITS = 4
MOST_ROWS = 100  # of a table that is to be read


@dataclass(frozen=True)
class Value:
    """One number in a table."""

    mean: float
    deviation: float | None = None
    best: bool = False

    @property
    def text(self) -> str:
        """The number as printed, with its deviation where there is one."""
        if self.deviation is None or pd.isna(self.deviation):
            return f"{self.mean:.{DIGITS}f}"
        return f"{self.mean:.{DIGITS}f} ± {self.deviation:.{DIGITS}f}"


@dataclass(frozen=True)
class Table:
    """Rows of words and numbers under a heading."""

    title: str
    head: list[str]
    rows: list[list["str | Value"]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def over_datasets(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean over the data sets of a frame, and the spread between them (n - 1)."""
    keys = ["metric", "request", "setting", "method"]
    found = frame.groupby(keys, sort=False, as_index=False).agg(
        dim=("dim", "mean"),
        deviation=("mean", "std"),
        n=("mean", "size"),
        mean=("mean", "mean"),
    )
    return found.assign(dataset=OVER_DATASETS)


def tables(experiment: Experiment, frame: pd.DataFrame) -> list[Table]:
    """All tables of an experiment: one a metric."""
    made = []
    for metric in experiment.metrics:
        chosen = frame[frame["metric"] == metric]
        if not chosen.empty:
            made.append(_table(experiment, metric, chosen))
    return made


def _table(experiment: Experiment, metric: str, frame: pd.DataFrame) -> Table:
    """Rows are data sets (and dimensions, and settings), columns are methods."""
    about = METRICS[metric]
    arrow = "lower is better" if about.better == "lower" else "higher is better"
    datasets = list(dict.fromkeys(frame["dataset"]))
    if len(datasets) > 1:
        mean = over_datasets(_complete(frame, datasets))
        frame = pd.concat([frame, mean], ignore_index=True)
    methods = [name for name in experiment.methods if name in set(frame["method"])]
    rows: list[list] = []
    for dataset in dict.fromkeys(frame["dataset"]):
        chosen = frame[frame["dataset"] == dataset]
        rows += _rows(experiment, chosen, methods, about.better)
    notes = [about.convention]
    if len(rows) > MOST_ROWS and len(datasets) > 1:
        rows = [row for row in rows if row[0] == MEAN]
        notes.append("Only the mean over the data sets; each of them is in table.csv.")
    keys = ["data set", *_swept(experiment, frame)]
    return Table(f"{about.title} ({arrow})", [*keys, *methods], rows, notes)


def _complete(frame: pd.DataFrame, datasets: list[str]) -> pd.DataFrame:
    """Only what is there for every data set: a mean over fewer would mislead."""
    keys = ["method", "request", "setting"]
    count = frame.groupby(keys)["dataset"].transform("nunique")
    return frame[count == len(datasets)]


def _swept(experiment: Experiment, frame: pd.DataFrame) -> list[str]:
    swept = ["dim"] if len(_requests(experiment, frame)) > 1 else []
    return swept + (["setting"] if frame["setting"].nunique() > 1 else [])


def _requests(experiment: Experiment, frame: pd.DataFrame) -> list[str]:
    """The dimensions that make rows: those that some method is swept over."""
    own = [name for name in frame["method"].unique() if _fixed(experiment, name)]
    swept = frame[~frame["method"].isin(own)]
    ordered = swept.sort_values("dim", kind="stable")
    return list(dict.fromkeys(ordered["request"]))


def _fixed(experiment: Experiment, name: str) -> bool:
    """Whether a method stands at one dimension of its own in every row."""
    return not experiment.sweeps(experiment.methods[name])


def _rows(experiment: Experiment, frame: pd.DataFrame, methods, better) -> Iterable:
    """The rows of one data set: every dimension, every setting."""
    keys = _swept(experiment, frame)
    requests = _requests(experiment, frame)
    fixed = {name: not requests or _fixed(experiment, name) for name in methods}
    numbers = _numbers(frame, fixed)
    dataset = frame["dataset"].iloc[0]
    name = MEAN if dataset == OVER_DATASETS else dataset
    for request in requests or [""]:
        for setting in dict.fromkeys(frame["setting"]):
            values = [
                numbers.get((setting, method, None if fixed[method] else request), "")
                for method in methods
            ]
            labels = {"dim": request, "setting": setting}
            yield [name, *(labels[key] for key in keys), *_mark(values, better)]


def _numbers(frame: pd.DataFrame, fixed: dict[str, bool]) -> dict[tuple, "Value"]:
    """Numbers by setting, method and dimension; None for one that stands anywhere."""
    columns = ["setting", "method", "request", "mean", "deviation"]
    found: dict[tuple, Value] = {}
    for setting, method, request, mean, deviation in frame[columns].itertuples(
        index=False
    ):
        if not pd.isna(mean):
            place = (setting, method, None if fixed[method] else request)
            found.setdefault(place, Value(float(mean), float(deviation)))
    return found


def _mark(values: list, better: str) -> list:
    """Mark the best, and whatever cannot be told from it in print."""
    numbers = [round(value.mean, DIGITS) for value in values if value != ""]
    if len(numbers) < 2:
        return values
    best = min(numbers) if better == "lower" else max(numbers)
    return [
        value
        if value == "" or round(value.mean, DIGITS) != best
        else Value(value.mean, value.deviation, best=True)
        for value in values
    ]
