"""Numbers that can be compared: every method on every data set, or on every split."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import pandas as pd

from mlbench.config import Experiment
from mlbench.dims import parse_dims
from mlbench.errors import ConfigError, ResultsError, unknown
from mlbench.metrics import METRICS
from mlbench.report.frame import cell_value, latest, of_experiment
from mlbench.store import Record

# Parts of the key that two methods must share on a split to be paired there.
PAIRED = ("data", "split")
RESAMPLED = "corrected resampled t-test"  # over the splits of one data set


@dataclass(frozen=True)
class Paired:
    """Numbers that can be compared: every method on every unit."""

    table: pd.DataFrame  # rows are data sets, or splits; columns are methods
    metric: str
    notes: tuple[str, ...]  # what was left out
    dim: str | None = None  # of the methods that are run at several
    setting: str = ""  # of the classifier, where one is varied
    dataset: str | None = None  # of the splits
    sizes: tuple[int, int] = (0, 0)  # training and test samples of a split

    @property
    def names(self) -> list[str]:
        """The methods."""
        return [str(name) for name in self.table.columns]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every two of the methods."""
        return list(combinations(self.names, 2))

    @property
    def better(self) -> str:
        """Which numbers are the good ones."""
        return METRICS[self.metric].better

    @property
    def units(self) -> str:
        """What the rows are, counted."""
        n = len(self.table)
        if self.dataset is None:
            return f"{n} data sets"
        return f"{n} random splits of {self.dataset}"


def paired_numbers(
    experiment: Experiment,
    records: Iterable[Record],
    metric: str,
    dim: str | None,
    setting: str | None,
    dataset: str | None,
    methods: Sequence[str] | None,
    over_splits: bool,
) -> Paired:
    """The numbers of the methods that stand on the same data and splits."""
    kept = _of_methods(experiment, latest(records), methods)
    kept, label = _at_dim(experiment, kept, dim)
    kept, varied = _with_setting(experiment, kept, setting)
    frame = _numbers(experiment, kept, metric)
    if over_splits:
        numbers = _over_splits(experiment, frame, metric, dataset, methods)
    else:
        numbers = _over_datasets(experiment, frame, metric, methods)
    return replace(numbers, dim=label, setting=varied)


def _of_methods(experiment: Experiment, records: list[Record], methods) -> list[Record]:
    """The records of the methods, those of a method's own dimension if it has one."""
    chosen = methods or experiment.methods
    kept = []
    for record in of_experiment(experiment, records):
        method = experiment.methods[record["method"]]
        own = experiment.dims_of(method, record["dataset"])
        if record["method"] in chosen and (
            experiment.sweeps(method)
            or record["request"] in [each.label for each in own]
        ):
            kept.append(record)
    if not kept:
        raise ResultsError(
            f"{experiment.name}: no records of these methods; make some with: "
            f"mlbench run {experiment.name}"
        )
    return kept


def _at_dim(
    experiment: Experiment, records: list[Record], dim: str | None
) -> tuple[list[Record], str | None]:
    """The records at one dimension, and its label; None where nothing is swept."""
    swept = {
        name for name, each in experiment.methods.items() if experiment.sweeps(each)
    }
    sizes: dict[str, int] = {}
    for record in records:
        if record["method"] in swept:
            label, size = record["request"], record["dim"] or 0
            sizes[label] = max(size, sizes.get(label, 0))
    chosen = _dim(experiment, sorted(sizes, key=lambda label: sizes[label]), dim)
    kept = [
        record
        for record in records
        if record["method"] not in swept or record["request"] == chosen
    ]
    return kept, chosen


def _dim(experiment: Experiment, labels: list[str], dim: str | None) -> str | None:
    """The one of some dimensions to compare at, as records name it."""
    if dim is None and len(labels) < 2:
        return labels[0] if labels else None
    if dim is None:
        raise ConfigError(
            f"{experiment.name}: recorded at {len(labels)} dimensions ({labels[0]} to "
            f"{labels[-1]}), choose one of them with --dim"
        )
    if not labels:
        raise ConfigError(
            f"{experiment.name}: each of these methods has a dimension of its own, "
            "leave --dim out"
        )
    for label in (str(dim), _label(dim)):
        if label in labels:
            return label
    raise ConfigError(f"{experiment.name}: {unknown('dimension', str(dim), labels)}")


def _label(dim: str) -> str | None:
    """A dimension as records name it."""
    try:
        wish, *others = parse_dims(dim)
    except ValueError:
        return None
    return None if others else wish.label


def _with_setting(
    experiment: Experiment, records: list[Record], setting: str | None
) -> tuple[list[Record], str]:
    """The records of one value of the varied setting, and its name, if there is one."""
    of_value: dict[str, list[Record]] = {}
    for record in records:
        of_value.setdefault(cell_value(record, "setting"), []).append(record)
    if setting is None and len(of_value) == 1:
        return records, next(iter(of_value))
    if list(of_value) == [""]:
        raise ConfigError(
            f"{experiment.name}: no setting is varied here, leave --setting out"
        )
    if setting is None:
        raise ConfigError(
            f"{experiment.name}: recorded with several settings "
            f"({'; '.join(of_value)}), choose one of them with --setting"
        )
    for name, kept in of_value.items():
        if name.replace(" ", "") == setting.replace(" ", ""):
            return kept, name
    raise ConfigError(f"{experiment.name}: {unknown('setting', setting, of_value)}")


def _numbers(experiment: Experiment, records: list[Record], metric) -> pd.DataFrame:
    """One row for every split and method that has a number."""
    rows = [
        {
            "dataset": record["dataset"],
            "method": record["method"],
            "repeat": record["repeat"],
            "x": record["metrics"][metric],
            "kind": record["split"]["kind"],
            "sizes": (record["n_train"], record["n_test"]),
        }
        | {part: record["parts"].get(part) for part in PAIRED}
        for record in records
        if record["status"] == "ok" and record["metrics"].get(metric) is not None
    ]
    if not rows:
        raise ResultsError(
            f"{experiment.name}: no record has a number of {metric}; make some with: "
            f"mlbench run {experiment.name}"
        )
    return pd.DataFrame(rows).astype({"x": float})


def _wide(experiment: Experiment, frame: pd.DataFrame, methods) -> pd.DataFrame:
    """Rows are (data set, split), columns are the methods that have numbers."""
    for (dataset, repeat), part in frame.groupby(["dataset", "repeat"], sort=False):
        for name in PAIRED:
            if part[name].nunique(dropna=False) > 1:
                raise ResultsError(
                    f"{dataset}: split {repeat} differs in {name} between the "
                    "methods; run the config again first"
                )
    wide = frame.pivot_table(
        index=["dataset", "repeat"], columns="method", values="x", sort=False
    )
    present = [name for name in methods or experiment.methods if name in wide]
    return wide[list(dict.fromkeys(present))]


def _absent(experiment: Experiment, wide: pd.DataFrame, methods) -> list[str]:
    """A note on the methods without any number; an error if they were asked for."""
    absent = [name for name in methods or experiment.methods if name not in wide]
    if len(wide.columns) < 2 or (absent and methods):
        raise ResultsError(
            f"{experiment.name}: no numbers of {', '.join(absent)} to compare; make "
            f"some with: mlbench run {experiment.name}"
            if absent
            else f"{experiment.name}: one method has nothing to be compared with"
        )
    return [f"Left out, without records: {', '.join(absent)}."] if absent else []


def _over_datasets(experiment, frame: pd.DataFrame, metric, methods) -> Paired:
    """Means over the splits that all methods have, on the sets where there are any."""
    wide = _wide(experiment, frame, methods)
    notes = _absent(experiment, wide, methods)
    rows = {}
    for source in experiment.datasets:
        here = wide[wide.index.get_level_values("dataset") == source.name]
        common = here.dropna()
        if common.empty:
            notes.append(f"Left out: {source.name}, {_lacking(here)}.")
            continue
        rows[source.name] = common.mean()
        if len(common) < len(here):
            notes.append(
                f"{source.name}: only the {len(common)} of {len(here)} splits that "
                "all methods have numbers of."
            )
    table = pd.DataFrame(rows, index=wide.columns).T
    return Paired(table, metric, tuple(notes))


def _lacking(here: pd.DataFrame) -> str:
    if here.empty:
        return "without records"
    without = [str(name) for name in here if here[name].isna().all()]
    if without:
        return f"no numbers of {', '.join(without)} there"
    return "there is no split that all methods have numbers of"


def _over_splits(experiment, frame: pd.DataFrame, metric, dataset, methods) -> Paired:
    """The splits of one data set that all methods have."""
    _check_random(experiment, frame)
    dataset = dataset or _only(experiment, frame)
    here = frame[frame["dataset"] == dataset]
    if here.empty:
        raise ResultsError(
            f"{dataset}: no records to compare; make some with: "
            f"mlbench run {experiment.name}"
        )
    if here["sizes"].nunique() > 1:
        raise ResultsError(
            f"{dataset}: the splits differ in size, the {RESAMPLED} needs "
            "them alike; run the config again first"
        )
    wide = _wide(experiment, here, methods).droplevel("dataset").sort_index()
    notes = _absent(experiment, wide, methods)
    table = wide.dropna()
    if len(table) < len(wide):
        notes.append(
            f"Only the {len(table)} of {len(wide)} splits that all methods have "
            "numbers of."
        )
    sizes = here["sizes"].iloc[0]
    return Paired(table, metric, tuple(notes), dataset=dataset, sizes=sizes)


def _only(experiment: Experiment, frame: pd.DataFrame) -> str:
    names = list(dict.fromkeys(frame["dataset"]))
    if len(names) > 1:
        raise ConfigError(
            f"{experiment.name}: the {RESAMPLED} is over the splits of one "
            f"data set, choose one with --dataset ({', '.join(names)})"
        )
    return names[0]


def _check_random(experiment: Experiment, frame: pd.DataFrame) -> None:
    """Raise unless the splits are random ones."""
    reasons = {
        "kfold": "are of folds, whose test parts never overlap, so the correction for "
        "random splits does not hold",
        "file": "are of the one split that comes with the data",
    }
    for kind, reason in reasons.items():
        if kind in set(frame["kind"]):
            raise ResultsError(
                f"{experiment.name}: the records {reason}; the {RESAMPLED} "
                "needs split: {kind: random, train: 0.5, repeats: 10}, say"
            )
