"""An experiment becomes trials: what is run, with which seed, under which key.

A trial is one (data set, split, method) over all points of the sweep: the unit of
parallel work. Each of its cells becomes one record. A cell's key is a checksum of
exactly what determines its numbers, so a record is never computed twice, and a
changed file, setting or method is never served a stale one.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlbench.classifiers import CLASSIFIERS
from mlbench.components import fingerprint, import_path, load_object
from mlbench.config import Component, Experiment, Method
from mlbench.config.model import Source
from mlbench.data.load import Description
from mlbench.data.sources import describe
from mlbench.data.splits import SplitSpec, checksum, splits, stable_seed
from mlbench.dims import Dim
from mlbench.errors import ConfigError, unknown
from mlbench.reducers import REDUCERS

PIPELINE = "mlbench.pipeline"  # what every method passes through
MATCHED = "mlbench.reducers.mddm"  # chooses the dimension of a `match`


@dataclass(frozen=True)
class Cell:
    """One point of a trial's sweep, and the key of its record."""

    wish: Dim
    setting: Any  # value of the varied classifier setting, None without one
    key: str
    parts: tuple[tuple[str, str], ...]  # checksums of what the key is made of


@dataclass(frozen=True)
class Trial:
    """One method on one split of one data set: everything needed to repeat it."""

    source: Source
    data: Description  # of the set before preprocessing
    features: int  # after it
    preprocess: dict[str, Any]
    split: SplitSpec
    repeat: int
    seed: int  # of the experiment: decides the splits
    method: str
    reducer: Component
    classifier: Component
    vary: str | None
    cells: tuple[Cell, ...]

    @property
    def label(self) -> str:
        """A name for people."""
        return f"{self.source.name} / {self.method} / split {self.repeat}"

    @property
    def fit_seed(self) -> int:
        """Seed of the method: from the content, not from order or worker count."""
        return _fit_seed(self.seed, self.source.name, self.repeat, self.reducer)


def _fit_seed(seed: int, dataset: str, repeat: int, reducer: Component) -> int:
    # Not from the classifier: two classifiers are compared on the same reduction.
    return stable_seed("fit", seed, dataset, repeat, reducer.model_dump()) % 2**32


def check_methods(experiment: Experiment, trials: list["Trial"]) -> None:
    """Check the methods about to run: their settings, and what data they can take.

    Only here are their classes imported: what was recorded before was checked before.
    """
    checked = set()
    for trial in trials:
        _check_sign(experiment, trial)
        for kind, component, registry in (
            ("reducer", trial.reducer, REDUCERS),
            ("classifier", trial.classifier, CLASSIFIERS),
        ):
            settings = dict(component.settings)
            if kind == "classifier" and trial.vary:
                settings[trial.vary] = None
            mark = (component.name, *settings)
            if mark not in checked:
                _check_settings(experiment, kind, component.name, settings, registry)
            checked.add(mark)


def _check_sign(experiment: Experiment, trial: "Trial") -> None:
    """Raise when a method that needs non-negative features would get others."""
    from mlbench.data.preprocess import Preprocess

    if Preprocess(**trial.preprocess).is_nonnegative(trial.data.minimum):
        return
    reducer = load_object(import_path(trial.reducer.name, REDUCERS))()
    if reducer.__sklearn_tags__().input_tags.positive_only:
        raise ConfigError(
            f"{experiment.name}: methods.{trial.method}: {trial.reducer.name} needs "
            f"non-negative features, {trial.source.name} has values down to "
            f"{trial.data.minimum:g}; preprocess: {{scale: minmax}} makes them so"
        )


def _check_settings(experiment, kind, name, settings, registry) -> None:
    known = load_object(import_path(name, registry))().get_params(deep=False)
    known.pop("n_components", None)  # the sweep's to set
    for setting in settings:
        if setting not in known:
            sentence = unknown("setting", setting, known)
            raise ConfigError(f"{experiment.name}: {kind} {name}: {sentence}")


def trials(experiment: Experiment, folder: Path) -> list[Trial]:
    """Every trial of an experiment, one data set after the other."""
    return [
        trial
        for source in experiment.datasets
        for trial in _trials_of(experiment, source, folder)
    ]


def _trials_of(experiment: Experiment, source: Source, folder: Path) -> Iterator[Trial]:
    synthetic = source.synthetic.model_dump() if source.synthetic else None
    known = describe(source.name, synthetic, folder)
    check_dims(experiment, known)
    spec = SplitSpec(**experiment.split.model_dump())
    try:
        parts = splits(spec, source.name, known.n, known.n_train, experiment.seed)
    except ValueError as exc:
        raise ConfigError(f"{experiment.name}: split: {exc}") from exc
    sums = [checksum(part) for part in parts]
    for name, method in experiment.methods.items():
        for repeat, split_sum in enumerate(sums):
            yield _trial(
                experiment, source, known, spec, repeat, split_sum, name, method
            )


def features_kept(experiment: Experiment, known: Description) -> int:
    """Number of features after preprocessing."""
    keep = experiment.preprocess.keep
    return known.d if keep is None else max(1, round(keep * known.d))


def check_dims(experiment: Experiment, known: Description) -> None:
    """Raise when a method is asked for more dimensions than there are features."""
    features = features_kept(experiment, known)
    for method in experiment.methods.values():
        for dim in experiment.dims_of(method):
            if (dim.resolve(features) or 0) > features:
                raise ConfigError(
                    f"{experiment.name}: dims: {dim.label} is more than the "
                    f"{features} features of {known.name}"
                )


def _trial(
    experiment: Experiment,
    source: Source,
    known: Description,
    spec: SplitSpec,
    repeat: int,
    split_sum: str,
    name: str,
    method: Method,
) -> Trial:
    reducer, classifier = method.reducer, experiment.classifier_of(method)
    vary, values = next(iter(experiment.vary.items()), (None, (None,)))
    preprocess = experiment.preprocess.model_dump()
    fixed = {
        "data": known.digest,
        "preprocess": preprocess,
        "split": split_sum,
        "reducer": [import_path(reducer.name, REDUCERS), reducer.settings],
        "seed": _fit_seed(experiment.seed, source.name, repeat, reducer),
        **_code(reducer, classifier),
    }
    wishes = experiment.dims_of(method)
    if not reduces(reducer):
        wishes = (Dim(fraction=1.0),)  # nothing to sweep over
    features = features_kept(experiment, known)
    cells = []
    for wish in wishes:
        for value in values:
            settings = classifier.settings | ({vary: value} if vary else {})
            varied = {
                "classifier": [import_path(classifier.name, CLASSIFIERS), settings],
                "dim": wish.resolve(features) or [wish.label, fingerprint(MATCHED)],
            }
            cells.append(Cell(wish, value, *_key(fixed | varied)))
    return Trial(
        source=source,
        data=known,
        features=features,
        preprocess=preprocess,
        split=spec,
        repeat=repeat,
        seed=experiment.seed,
        method=name,
        reducer=reducer,
        classifier=classifier,
        vary=vary,
        cells=tuple(cells),
    )


def reduces(reducer: Component) -> bool:
    """Whether a reducer takes a number of dimensions at all."""
    return reducer.name != "none"


def _code(reducer: Component, classifier: Component) -> dict[str, str]:
    modules = {
        "code of the reducer": import_path(reducer.name, REDUCERS),
        "code of the classifier": import_path(classifier.name, CLASSIFIERS),
        "code of the pipeline": PIPELINE,
    }
    return {what: fingerprint(path.partition(":")[0]) for what, path in modules.items()}


def _key(parts: dict[str, Any]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The key of a cell, and a short checksum of every part of it."""
    sums = tuple((name, _sum(parts[name])[:16]) for name in sorted(parts))
    return _sum(parts), sums


def _sum(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
