"""Measured beside published: every printed number of a paper, and how far we are."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from decimal import Decimal
from math import sqrt
from typing import Any

import pandas as pd
from scipy.stats import spearmanr

from mlbench.config import Experiment
from mlbench.config.paper import OVER_DATASETS, Published
from mlbench.metrics import METRICS
from mlbench.report.tables import Table, over_datasets

REPRODUCED, CLOSE, BETTER = "reproduced", "close", "better"
DIFFERS, WRONG, OPEN = "differs", "cannot be right", "not measured"
VERDICTS = (REPRODUCED, CLOSE, BETTER, DIFFERS, WRONG, OPEN)
NEAR, QUITE_NEAR = 0.02, 0.05  # relative differences: reproduced, close
STANDARD_ERRORS = 2  # over random splits


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
    unit: float = 0.0  # of the last digit that is printed
    splits: int = 1  # that the measured deviation is over
    missing: tuple[str, ...] = ()  # data sets a mean over all would need
    impossible: str | None = None  # why the printed number cannot be right

    @property
    def difference(self) -> float | None:
        """Relative difference, measured against published."""
        if self.measured is None or self.published == 0:
            return None
        return self.measured / self.published - 1

    @property
    def verdict(self) -> str:
        """Reproduced, close, better, differs, cannot be right, or not measured.

        Reproduced: within 2 %, half a unit of the last printed digit, or two standard
        errors of the measured mean over random splits. Close: within 5 %.
        """
        if self.measured is None:
            return OPEN
        if self.impossible:
            return WRONG
        apart = abs(self.measured - self.published)
        if apart <= max(self.unit / 2, NEAR * abs(self.published), self._noise):
            return REPRODUCED
        if apart <= QUITE_NEAR * abs(self.published):
            return CLOSE
        lower = METRICS[self.metric].better == "lower"
        return BETTER if (self.measured < self.published) == lower else DIFFERS

    @property
    def _noise(self) -> float:
        """Two standard errors; of a mean over data sets none is known."""
        if self.dataset == OVER_DATASETS or self.measured_deviation is None:
            return 0.0
        return STANDARD_ERRORS * self.measured_deviation / sqrt(self.splits)

    def as_dict(self) -> dict[str, Any]:
        """The comparison for scripts."""
        more = {"difference": self.difference, "verdict": self.verdict}
        return asdict(self) | more


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
                        _measured(block, metric, row),
                        _number(row),
                        _unit(values),
                        1 if row is None else int(row["n"]),
                        lacking,
                        _impossible(block, metric, method, floors),
                    )
                )
    return found


def _measured(block: Published, metric: str, row: pd.Series | None) -> float | None:
    """Our number, in the paper's way of counting."""
    return None if row is None else float(row["mean"]) + block.offset.get(metric, 0.0)


def _impossible(block: Published, metric, method, floors) -> str | None:
    """Why a printed average precision contradicts the one-error printed with it.

    A sample whose top label is right has an average precision of at least 1/|Y_i|,
    so the mean is at least mean(1/|Y_i|) minus the one-error.
    """
    top = block.values.get("one_error", {}).get(method)
    floor = _floor(block.dataset, floors)
    if metric != "average_precision" or top is None or floor is None:
        return None
    least = floor - top[0] - _unit(block.values["one_error"])
    printed = block.values[metric][method][0]
    if printed >= least:
        return None
    return (
        f"{block.where}, {block.dataset}: average precision {printed:g} of {method} "
        f"cannot go with its one-error {top[0]:g}: mean(1/|Y|) = {floor:.3f} on this "
        f"data, so it is at least {floor - top[0]:.3f}"
    )


def _unit(values: dict[str, tuple[float, float | None]]) -> float:
    """Unit of the last digit of a row of printed numbers.

    A trailing zero is lost when a number is read, but not in the whole row.
    """
    exponents = [Decimal(repr(mean)).as_tuple().exponent for mean, _ in values.values()]
    return 10.0 ** min(e for e in exponents if isinstance(e, int))


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
            rows.append([METRICS[metric].title, *cells, _order(by_method.values())])
        notes = [
            "measured / published (difference, verdict); order: Spearman's correlation "
            "of the methods' order, measured against published",
            f"{summary(chosen)}.",
        ]
        notes += [
            f"{METRICS[metric].title}: measured {offset:+g}, as the paper counts."
            for metric, offset in _offsets(experiment, where, dataset).items()
        ]
        notes += [item.impossible for item in chosen if item.impossible]
        lacking = sorted({name for item in chosen for name in item.missing})
        if lacking:
            notes.append(f"no mean over all sets, missing: {', '.join(lacking)}")
        head = ["criterion", *methods, "order"]
        made.append(Table(f"{where}, {over}", head, rows, notes))
    return made


def _offsets(experiment: Experiment, where: str, dataset: str) -> dict[str, float]:
    for block in experiment.published:
        if (block.where, block.dataset) == (where, dataset):
            return block.offset
    return {}


def summary(found: Iterable[Comparison]) -> str:
    """How many of each verdict."""
    counted = Counter(item.verdict for item in found)
    parts = [
        f"{counted[verdict]} {verdict}" for verdict in VERDICTS if counted[verdict]
    ]
    return f"{', '.join(parts)} of {sum(counted.values())}"


def rank_correlation(found: Iterable[Comparison]) -> float | None:
    """Spearman's correlation of measured with published over the methods.

    None with fewer than three methods, or where one side does not vary.
    """
    pairs = [(i.published, i.measured) for i in found if i.measured is not None]
    printed, measured = zip(*pairs, strict=True) if pairs else ((), ())
    if len(pairs) < 3 or len(set(printed)) == 1 or len(set(measured)) == 1:
        return None
    return float(spearmanr(printed, measured).statistic)


def _order(found: Iterable[Comparison]) -> str:
    correlation = rank_correlation(found)
    return "" if correlation is None else f"{correlation:+.2f}"


def _text(item: Comparison | None) -> str:
    if item is None:
        return ""
    if item.measured is None or item.difference is None:
        return f"- / {item.published:g}"
    measured = f"{item.measured:.4f} / {item.published:g}"
    return f"{measured} ({item.difference:+.1%}, {item.verdict})"
