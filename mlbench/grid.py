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

from mlbench.classifiers import BY_NEIGHBOURS
from mlbench.components import fingerprint
from mlbench.config import Component, Experiment, Method
from mlbench.config.source import Source
from mlbench.data.division import Division, Imported, Stratified, divide
from mlbench.data.load import Description
from mlbench.data.sources import describe, load
from mlbench.data.splits import Split, SplitSpec, checksum, stable_seed
from mlbench.dims import Dim
from mlbench.errors import ConfigError, unknown
from mlbench.methods import new_method, path_of

# What a method passes through: neighbours alone, a fit, a choice, or a ranking.
BY_NEIGHBOURS_ALONE = "mlbench.by_neighbours"
FITTING = "mlbench.fitting"
TUNING = "mlbench.tuning"
STUDY = "mlbench.feature_study"
ALL_SAMPLES = "all samples"  # in place of the checksum of a split
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
    split: Division | None  # None: all samples, to rank features
    repeat: int
    seed: int  # of the experiment: decides the splits
    method: str
    reducer: Component
    classifier: Component
    size: str | None  # setting of the classifier that a dimension drives
    vary: str | None
    tuning: dict[str, Any] | None  # grid, folds and metric of an inner choice
    cells: tuple[Cell, ...]

    @property
    def by_neighbours(self) -> bool:
        """Whether neighbours are all that the classifier needs."""
        return self.tuning is None and self.classifier.name in BY_NEIGHBOURS

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
        for kind, component, more in (
            ("reducer", trial.reducer, _settings_of_reducer(trial)),
            ("classifier", trial.classifier, _settings_of_classifier(trial)),
        ):
            names = [*component.settings, *more]
            mark = (kind, component.name, *names)
            if mark not in checked:
                _check_settings(experiment, kind, component.name, names)
            checked.add(mark)


def _settings_of_reducer(trial: "Trial") -> list[str]:
    """Settings of the reducer that a run sets: its size, unless it has none."""
    if trial.split is None or not reduces(trial.reducer):
        return []
    model = new_method("reducer", trial.reducer.name)
    return ["n_components"] if getattr(model, "reduces", True) else []


def _settings_of_classifier(trial: "Trial") -> list[str]:
    """Settings of the classifier that a run sets: varied, chosen, or driven by dims."""
    chosen = dict(trial.tuning["grid"]) if trial.tuning else {}
    if chosen.pop("cut", None):
        chosen |= {"threshold": None, "top": None}
    return list(filter(None, [trial.vary, trial.size, *chosen]))


def _check_sign(experiment: Experiment, trial: "Trial") -> None:
    """Raise when a method that needs non-negative features would get others."""
    from mlbench.data.preprocess import Preprocess

    if Preprocess(**trial.preprocess).is_nonnegative(trial.data.minimum):
        return
    kind, component = "reducer", trial.reducer
    if not reduces(component):
        kind, component = "classifier", trial.classifier
    model = new_method(kind, component.name)
    if model.__sklearn_tags__().input_tags.positive_only:
        raise ConfigError(
            f"{experiment.name}: methods.{trial.method}: {component.name} needs "
            f"non-negative features, {trial.source.name} has values down to "
            f"{trial.data.minimum:g}; preprocess: {{scale: minmax}} makes them so"
        )


def _check_settings(experiment, kind: str, name: str, settings: list[str]) -> None:
    known = new_method(kind, name).get_params(deep=False)
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
    known = describe(source.name, source.recipe, folder)
    check_dims(experiment, known)
    how = division(experiment)
    sums = _checksums(experiment, source, known, folder)
    for name, method in experiment.methods.items():
        for repeat, split_sum in enumerate(sums):
            yield _trial(
                experiment, source, known, how, repeat, split_sum, name, method
            )


def splits_of(
    experiment: Experiment, name: str, folder: Path
) -> tuple[Description, list[Split]]:
    """How an experiment divides one of its data sets."""
    for source in experiment.datasets:
        if source.name == name:
            known = describe(source.name, source.recipe, folder)
            return known, _splits(experiment, source, known, folder)
    known_names = [source.name for source in experiment.datasets]
    raise ConfigError(unknown("data set of this config", name, known_names))


def _splits(
    experiment: Experiment, source: Source, known: Description, folder: Path
) -> list[Split]:
    how = division(experiment)
    if how is None:
        raise ConfigError(f"{experiment.name}: split: a study of features has none")
    labels = lambda: load(source.name, source.recipe, folder).Y  # noqa: E731  one use
    try:
        return divide(how, known, labels, experiment.seed)
    except ValueError as exc:
        raise ConfigError(f"{experiment.name}: split: {exc}") from exc


def division(experiment: Experiment) -> Division | None:
    """How the data sets of an experiment are divided; None if they are not."""
    if experiment.split is None:
        return None
    given = experiment.split.model_dump(exclude_none=True)
    kind, path = given["kind"], given.pop("path", None)
    if kind == "import":
        return Imported(Path(path))
    return Stratified(**given) if kind == "stratified" else SplitSpec(**given)


def _checksums(
    experiment: Experiment, source: Source, known: Description, folder: Path
) -> list[str]:
    """A checksum for every time that a data set is divided."""
    if experiment.split is None:
        return [ALL_SAMPLES]
    return [checksum(part) for part in _splits(experiment, source, known, folder)]


def features_kept(experiment: Experiment, known: Description) -> int:
    """Number of features after preprocessing."""
    keep = experiment.preprocess.keep
    return known.d if keep is None else max(1, round(keep * known.d))


def check_dims(experiment: Experiment, known: Description) -> None:
    """Raise when a reducer is asked for more dimensions than there are features.

    A latent space may be larger: it has its own limits, which its class states.
    """
    features = features_kept(experiment, known)
    for name, method in experiment.methods.items():
        dims = experiment.dims_of(method, known.name)
        size = experiment.size_of(method)
        for dim in [*(dims if size is None else ()), *filter(None, [method.own_size])]:
            if (dim.resolve(features) or 0) > features:
                raise ConfigError(
                    f"{experiment.name}: dims: {dim.label} is more than the "
                    f"{features} features of {known.name}"
                )
        for dim in dims if size is not None else ():
            if dim.resolve(features) is None:
                raise ConfigError(
                    f"{experiment.name}: methods.{name}: dims: a match is for "
                    "reducers, a latent space needs numbers"
                )


def _trial(
    experiment: Experiment,
    source: Source,
    known: Description,
    how: Division | None,
    repeat: int,
    split_sum: str,
    name: str,
    method: Method,
) -> Trial:
    features = features_kept(experiment, known)
    reducer, classifier = _sized(method, features), experiment.classifier_of(method)
    size, tuning = experiment.size_of(method), _tuning(experiment, method)
    vary, values = next(iter(experiment.vary.items()), (None, (None,)))
    preprocess = experiment.preprocess.model_dump()
    fixed = {
        "data": known.digest,
        "preprocess": preprocess,
        "split": split_sum,
        "reducer": [path_of("reducer", reducer.name), reducer.settings],
        "seed": _fit_seed(experiment.seed, source.name, repeat, reducer),
        **_code(reducer, classifier, _passes(how, classifier, tuning)),
    }
    if tuning is not None:
        fixed["tuning"] = tuning
    whole = features if size is None else known.q  # a fraction is of this
    cells = []
    for wish in experiment.dims_of(method, source.name):
        for value in values:
            settings = classifier.settings | ({vary: value} if vary else {})
            varied = {
                "classifier": [path_of("classifier", classifier.name), settings],
                "dim": wish.resolve(whole) or [wish.label, fingerprint(MATCHED)],
            }
            cells.append(Cell(wish, value, *_key(fixed | varied)))
    return Trial(
        source=source,
        data=known,
        features=features,
        preprocess=preprocess,
        split=how,
        repeat=repeat,
        seed=experiment.seed,
        method=name,
        reducer=reducer,
        classifier=classifier,
        size=size,
        vary=vary,
        tuning=tuning,
        cells=tuple(cells),
    )


def reduces(reducer: Component) -> bool:
    """Whether a reducer takes a number of dimensions at all."""
    return reducer.name != "none"


def _sized(method: Method, features: int) -> Component:
    """The reducer of a method, with a size that is stated as a number."""
    if method.own_size is None:
        return method.reducer
    number = {"n_components": method.own_size.resolve(features)}
    return Component(
        name=method.reducer.name, settings=method.reducer.settings | number
    )


def _tuning(experiment: Experiment, method: Method) -> dict[str, Any] | None:
    if not method.tune:
        return None
    grid = {name: list(values) for name, values in method.tune.items()}
    return {"grid": grid, **experiment.tuning.model_dump()}


def _passes(how, classifier: Component, tuning: dict[str, Any] | None) -> str:
    """The module that a trial passes through."""
    if how is None:
        return STUDY
    if tuning is not None:
        return TUNING
    return BY_NEIGHBOURS_ALONE if classifier.name in BY_NEIGHBOURS else FITTING


def _code(reducer: Component, classifier: Component, passes: str) -> dict[str, str]:
    modules = {
        "code of the reducer": path_of("reducer", reducer.name),
        "code of the classifier": path_of("classifier", classifier.name),
        "code of the pipeline": passes,
    }
    return {what: fingerprint(path.partition(":")[0]) for what, path in modules.items()}


def _key(parts: dict[str, Any]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The key of a cell, and a short checksum of every part of it."""
    sums = tuple((name, _sum(parts[name])[:16]) for name in sorted(parts))
    return _sum(parts), sums


def _sum(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
