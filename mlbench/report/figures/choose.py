"""Which figures an experiment has, and what they show: from its records."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from mlbench.config import Experiment
from mlbench.config.paper import OVER_DATASETS
from mlbench.metrics import METRICS
from mlbench.report.features import studies
from mlbench.report.figures.boxes import over_datasets
from mlbench.report.figures.columns import columns_against_fisher
from mlbench.report.figures.lines import over_dimension, over_setting
from mlbench.report.figures.printed import beside_printed
from mlbench.report.figures.ranks import critical_difference
from mlbench.report.figures.style import slug
from mlbench.report.figures.timing import against_time
from mlbench.report.frame import measured
from mlbench.report.published import Comparison
from mlbench.stats import friedman
from mlbench.store import Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_PANELS = 6  # data sets shown each by itself; of more, the mean
LEAST_RANKED = 3  # methods, for a test of their ranks
LEAST_BOX = 3  # data sets, for a box to have a meaning
MOST_BOXES = 4  # dimensions or settings at which boxes are drawn
CELL = ["method", "request", "setting"]


def figures_of(
    experiment: Experiment, frame: pd.DataFrame, records: Iterable[Record]
) -> "dict[str, Figure]":
    """All figures of an experiment, by a name fit for a file.

    ==================  ======================================================
    where there are     a figure, for each metric
    ==================  ======================================================
    dimensions swept    over the dimension, one for each value of a setting
    a setting varied    over the setting, if no dimension is swept
    3 data sets         boxes, at 4 of the dimensions or settings at most
    seconds             against time
    3 methods, no sweep average ranks and critical difference
    ==================  ======================================================

    A study of features has one figure for each factorization instead. Up to 6 data
    sets have a panel each; of more, the mean is shown.

    Parameters
    ----------
    experiment : Experiment
    frame : DataFrame
        What was measured, as in the report of the experiment.
    records : iterable of Record
    """
    records = list(records)
    found = _features(experiment, records)
    seconds = _seconds(experiment, records)
    for metric in experiment.metrics:
        here = frame[(frame["metric"] == metric) & frame["mean"].notna()]
        if not here.empty:
            found |= _swept(experiment, metric, here)
            found |= _boxes(experiment, metric, here)
            found |= _timed(experiment, metric, here, seconds)
            found |= _ranked(experiment, metric, here)
    return found


def printed_figures(
    experiment: Experiment, against: Iterable[Comparison]
) -> "dict[str, Figure]":
    """A figure for every table that a paper printed, ours beside it."""
    blocks: dict[tuple[str, str], list[Comparison]] = {}
    for item in against:
        if item.measured is not None:
            blocks.setdefault((item.where, item.dataset), []).append(item)
    found = {}
    for (where, dataset), items in blocks.items():
        over = "mean over the data sets" if dataset == OVER_DATASETS else dataset
        title = f"{where}, {over}"
        name = slug([where, "" if dataset == OVER_DATASETS else dataset, "printed"])
        found[name] = beside_printed(items, list(experiment.methods), title)
    return found


def _ranked(experiment: Experiment, metric: str, frame) -> "dict[str, Figure]":
    """The critical-difference diagram, where each method has one number a data set."""
    wide = _shared(frame).pivot_table(
        index="dataset", columns="method", values="mean", sort=False
    )
    methods = [name for name in experiment.methods if name in wide]
    swept = any(experiment.sweeps(experiment.methods[name]) for name in methods)
    k, n = len(methods), len(wide)
    if swept or frame["setting"].nunique() > 1 or k < LEAST_RANKED or n < LEAST_BOX:
        return {}
    numbers = wide[methods].to_numpy()
    found = friedman(numbers, METRICS[metric].better, methods).diagram
    if found.cd >= k - 1:  # no two of them could ever be told apart
        return {}
    ranks = dict(zip(found.names, found.ranks, strict=True))
    title = f"{METRICS[metric].title}, {n} data sets"
    drawn = critical_difference(ranks, found.cd, found.groups, title)
    return {slug([metric, "ranks"]): drawn}


def _swept(experiment: Experiment, metric: str, frame) -> "dict[str, Figure]":
    """Over the dimension where that was swept, else over the setting that was."""
    methods = list(experiment.methods)
    moving = [name for name in methods if experiment.sweeps(experiment.methods[name])]
    points = by_panel(frame)
    requests = points.loc[points["method"].isin(moving), "request"].unique()
    if len(requests) > 1:
        points, unit = _along(points, moving, requests)
        return {
            slug([metric, "over-dimension", str(setting)]): over_dimension(
                part, methods, metric, unit
            )
            for setting, part in points.groupby("setting", sort=False)
        }
    for setting, values in experiment.vary.items():
        known = {f"{setting} = {value}": value for value in values}
        along = points[points["setting"].isin([*known, ""])]  # "": it has none
        along = along.assign(x=along["setting"].map(known))
        if along["setting"].nunique() > 1:
            name = slug([metric, "over", setting])
            return {name: over_setting(along, methods, metric, setting)}
    return {}


def _along(points, moving: list[str], requests) -> tuple[pd.DataFrame, str]:
    """Put swept methods at their dimensions, in the unit these were asked for."""
    if all("." in request for request in requests):
        x, unit = points["request"].where(points["method"].isin(moving)), "% of all"
        x = 100 * pd.to_numeric(x)
    else:
        x, unit = points["dim"].where(points["method"].isin(moving)), "number"
    return points.assign(x=x.round(6)), unit


def by_panel(frame: pd.DataFrame) -> pd.DataFrame:
    """One panel a data set; of many data sets one panel, the mean over them.

    The mean has only what is there for every data set. Its deviation over the splits
    is sqrt(sum of squares) / count of theirs: the splits of different data sets are
    drawn independently.
    """
    count = frame["dataset"].nunique()
    if count <= MOST_PANELS:
        return frame.assign(panel=frame["dataset"])
    return (
        _shared(frame)
        .groupby(CELL, sort=False, as_index=False)
        .agg(
            dim=("dim", "mean"),
            mean=("mean", "mean"),
            deviation=(
                "deviation",
                lambda s: np.sqrt((s**2).sum(skipna=False)) / count,
            ),
        )
        .assign(panel=f"mean over {count} data sets")
    )


def _shared(frame: pd.DataFrame) -> pd.DataFrame:
    """Only what is there for every data set: over fewer it would mislead."""
    found = frame.groupby(CELL)["dataset"].transform("nunique")
    return frame[found == frame["dataset"].nunique()]


def _boxes(experiment: Experiment, metric: str, frame) -> "dict[str, Figure]":
    """Boxes at some of the dimensions and settings, evenly from first to last."""
    frame = _shared(frame)
    if frame["dataset"].nunique() < LEAST_BOX:
        return {}
    methods = list(experiment.methods)
    fixed = [m for m in methods if not experiment.sweeps(experiment.methods[m])]
    swept = frame[~frame["method"].isin(fixed)]
    cells = (swept if len(swept) else frame).sort_values("dim", kind="stable")
    places = cells[["request", "setting"]].drop_duplicates()
    if swept.empty:  # each stands at its own dimension: settings alone make places
        places = places.drop_duplicates("setting")
    picked = np.unique(np.linspace(0, len(places) - 1, MOST_BOXES).round().astype(int))
    shown = []
    for request, setting in places.iloc[picked].itertuples(index=False):
        here = frame[frame["setting"] == setting]
        here = here[here["method"].isin(fixed) | (here["request"] == request)]
        shown.append(here.assign(panel=_place(request, setting, places)))
    return {slug([metric, "boxes"]): over_datasets(pd.concat(shown), methods, metric)}


def _place(request: str, setting: str, places: pd.DataFrame) -> str:
    """What of a place is not the same at all of them."""
    dimension = _dimension(request) if places["request"].nunique() > 1 else ""
    varied = setting if places["setting"].nunique() > 1 else ""
    return ", ".join(filter(None, [dimension, varied]))


def _dimension(request: str) -> str:
    if "." in request:
        return f"{100 * float(request):g} % of all dimensions"
    return f"dimension {request}"


def _seconds(experiment: Experiment, records: list[Record]) -> pd.DataFrame:
    """Mean over the splits of the seconds of every cell; no rows where none are known.

    The seconds take the place of a metric, so that cells are told apart exactly as
    those of the numbers they are held against.
    """
    timed: list[dict[str, Any]] = [
        record | {"metrics": {experiment.metrics[0]: sum(record["seconds"].values())}}
        for record in records
        if experiment.metrics and record.get("seconds")
    ]
    found = measured(experiment, timed)[["dataset", *CELL, "mean"]]
    return found.rename(columns={"mean": "seconds"})


def _timed(experiment: Experiment, metric: str, frame, seconds) -> "dict[str, Figure]":
    both = frame.merge(seconds, on=["dataset", *CELL])
    both = both[both["seconds"] > 0]  # a clock too coarse has no place on a log axis
    points = by_panel(both)
    if points.empty:
        return {}
    if "seconds" not in points:
        mean = by_panel(both.assign(mean=both["seconds"]))
        points = points.assign(seconds=mean["mean"])
    points = points.sort_values(["dim", "setting"], kind="stable")
    name = slug([metric, "against-time"])
    return {name: against_time(points, list(experiment.methods), metric)}


def _features(experiment: Experiment, records: list[Record]) -> "dict[str, Figure]":
    """The columns of each factorization; large ones are not in the records."""
    found = {}
    for record in studies(experiment, records):
        columns = record["features"].get("columns", [])[:MOST_PANELS]
        kept = [column for column in columns if "values" in column]
        if kept:
            name = slug([record["dataset"], record["method"], "fisher"])
            found[name] = columns_against_fisher(
                [(column["values"], column["fisher"]) for column in kept],
                [(column["ends"] or {}).get("rho") for column in kept],
                f"{record['method']} on {record['dataset']}",
            )
    return found
