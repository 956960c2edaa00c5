"""One trial, in a worker process: its records, or one failed record a cell."""

import json
import math
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any

from mlbench.config import Component
from mlbench.data.catalogue import entry_named
from mlbench.data.division import Division, Imported, divide
from mlbench.data.locate import missing_files, own_data_dir
from mlbench.data.sources import load, planted_features
from mlbench.grid import Cell, Trial
from mlbench.methods import new_method
from mlbench.runner.memory import at_most, forget_peak, peak_mb
from mlbench.runner.provenance import provenance
from mlbench.store import Record


@dataclass(frozen=True)
class Job:
    """A trial and what a worker needs to know to do it."""

    experiment: str
    trial: Trial
    folder: Path
    max_memory: int | None = None  # MB


def run_job(job: Job) -> list[Record]:
    """All records of a trial. A failure becomes records too, and never an exception."""
    from threadpoolctl import threadpool_limits

    forget_peak()
    start = perf_counter()
    done: list[Record] = []
    with threadpool_limits(1):
        try:
            with at_most(job.max_memory):
                for record in _records(job):
                    done.append(record)
        except MemoryError:
            limit = f"the {job.max_memory} MB of --max-memory"
            reason = (
                f"out of memory: more than {limit if job.max_memory else 'there is'}"
            )
            return done + failed_records(job, reason, done)
        except Exception as exc:  # noqa: BLE001  a failure is a result
            reason = f"{type(exc).__name__}: {exc}"
            return done + failed_records(job, reason, done, traceback.format_exc())
    whole = {"peak_mb": peak_mb(), "trial_seconds": round(perf_counter() - start, 3)}
    return [record | whole for record in done]


def failed_records(
    job: Job, reason: str, done: Iterable[Record] = (), trace: str | None = None
) -> list[Record]:
    """A failed record for every cell of a trial that has none yet."""
    have = {record["key"] for record in done}
    fault = {"error": " ".join(reason.split())} | ({"trace": trace} if trace else {})
    return [
        _head(job, cell) | {"dim": None, "status": "failed", "metrics": {}} | fault
        for cell in job.trial.cells
        if cell.key not in have
    ]


def _head(job: Job, cell: Cell) -> Record:
    """What is known of a record before any work is done."""
    trial = job.trial
    return {
        "experiment": job.experiment,
        "dataset": trial.source.name,
        "method": trial.method,
        "repeat": trial.repeat,
        "request": cell.wish.label,
        "setting": {trial.vary: cell.setting} if trial.vary else {},
        "key": cell.key,
        "parts": dict(cell.parts),
        "reducer": {trial.reducer.name: trial.reducer.settings},
        "classifier": {trial.classifier.name: trial.classifier.settings},
        "preprocess": trial.preprocess,
        "split": _plain(trial.split) if trial.split else {},
        "seed": trial.fit_seed,
        "data": trial.data.digest,
        "provenance": provenance(),
    }


def _plain(how: Division) -> dict[str, Any]:
    if isinstance(how, Imported):  # not the path: that is this machine's
        return {"kind": how.kind, "file": how.path.name}
    return {key: value for key, value in vars(how).items() if value is not None}


def _records(job: Job) -> Iterator[Record]:
    how = job.trial.split
    return _ranked(job) if how is None else _measured(job, how)


def _ranked(job: Job) -> Iterator[Record]:
    """The record of a study of features: one cell, on all samples."""
    from mlbench.data.preprocess import Preprocess
    from mlbench.feature_study import features_of, study

    trial = job.trial
    dataset = _loaded(trial, _folder_here(job))
    X = features_of(dataset, Preprocess(**trial.preprocess))
    reducer = _build("reducer", trial.reducer, trial.fit_seed)
    start = perf_counter()
    found = study(X, dataset.Y, reducer, planted_features(trial.source.recipe))
    for feature in found["top"]:
        feature["name"] = dataset.feature_names[feature["feature"]]
    for cell in trial.cells:
        yield _head(job, cell) | {
            "dim": trial.features,
            "status": "ok",
            "metrics": {},
            "features": found,
            "seconds": {"fit": round(perf_counter() - start, 6)},
        }


def _measured(job: Job, how: Division) -> Iterator[Record]:
    """A record for every point of a sweep."""
    trial = job.trial
    data = _arrays(trial, how, _folder_here(job))
    reducer = _build("reducer", trial.reducer, trial.fit_seed)
    classifier = _build("classifier", trial.classifier, trial.fit_seed)
    cells = {(cell.wish, cell.setting): cell for cell in trial.cells}
    sizes = {
        "n_train": data.X_train.shape[0],
        "n_test": data.X_test.shape[0],
        "n_features": data.X_train.shape[1],
        "n_labels": data.Y_train.shape[1],
        "mean_inverse_cardinality": _mean_inverse_cardinality(data.Y_test),
    }
    for outcome, setting in _outcomes(trial, data, reducer, classifier):
        cell = cells.get((outcome.wish, setting))
        if cell is None:
            continue  # recorded before; only computed along
        yield _head(job, cell) | {
            "dim": outcome.dim,
            "status": "ok",
            "metrics": {
                name: None if math.isnan(value) else value
                for name, value in outcome.metrics.items()
            },
            "rank": outcome.rank,
            "seconds": {what: round(s, 6) for what, s in outcome.seconds.items()},
            "fit_serves": outcome.fit_serves,
            **_choice(outcome),
            **sizes,
        }


def _outcomes(trial: Trial, data, reducer, classifier) -> Iterator[tuple[Any, Any]]:
    """What each point of a trial gave, with the value of its varied setting."""
    # Imported here: the parent process, which only writes, does without them.
    from mlbench.by_neighbours import sweep as sweep_by_neighbours
    from mlbench.fitting import sweep as fitted_sweep
    from mlbench.tuning import Tuning, tuned_sweep

    wishes = tuple(dict.fromkeys(cell.wish for cell in trial.cells))
    values = tuple(dict.fromkeys(cell.setting for cell in trial.cells))
    if trial.by_neighbours:
        for outcome in sweep_by_neighbours(
            data, reducer, classifier, wishes, trial.vary, values
        ):
            yield outcome, outcome.setting
        return
    varied = tuple({trial.vary: value} if trial.vary else {} for value in values)
    method = (data, reducer, classifier, wishes, trial.size, varied)
    outcomes: Iterator[Any]
    if trial.tuning:
        outcomes = tuned_sweep(*method, Tuning(seed=trial.fit_seed, **trial.tuning))
    else:
        outcomes = fitted_sweep(*method)
    for outcome in outcomes:
        yield outcome, outcome.setting.get(trial.vary)


def _choice(outcome: Any) -> dict[str, Any]:
    """What was chosen inside the training part, where anything was."""
    chosen = getattr(outcome, "chosen", None)
    return {"chosen": chosen, "reached": outcome.reached} if chosen else {}


def _folder_here(job: Job) -> Path:
    """The data folder on this machine: a worker elsewhere may have been sent files."""
    if job.trial.source.recipe is not None:
        return job.folder
    absent = missing_files(entry_named(job.trial.source.name), job.folder)
    return own_data_dir() if absent else job.folder


def _mean_inverse_cardinality(Y) -> float | None:
    """Mean of 1/|Y_i| over the samples average precision is defined on.

    With one-error e, average precision is at least this minus e: a sample whose top
    label is right scores 1/|Y_i| or more.
    """
    cardinality = Y.sum(axis=1, dtype=int)
    covered = cardinality[(cardinality > 0) & (cardinality < Y.shape[1])]
    return float((1 / covered).mean()) if covered.size else None


def _build(kind: str, component: Component, seed: int):
    model = new_method(kind, component.name, component.settings)
    if (
        "random_state" in model.get_params()
        and "random_state" not in component.settings
    ):
        model.set_params(random_state=seed)
    return model


def _arrays(trial: Trial, how: Division, folder: Path):
    from mlbench.data.preprocess import Preprocess
    from mlbench.pipeline import prepare

    dataset = _loaded(trial, folder)
    parts = divide(how, trial.data, lambda: dataset.Y, trial.seed)
    return prepare(dataset, parts[trial.repeat], Preprocess(**trial.preprocess))


def _loaded(trial: Trial, folder: Path):
    source = trial.source
    recipe = json.dumps(source.recipe)
    return _dataset(source.name, recipe, folder, trial.data.digest)


@lru_cache(maxsize=1)
def _dataset(name: str, recipe: str, folder: Path, digest: str):
    """A data set, kept while trials of it follow one another (``digest``: this one)."""
    return load(name, json.loads(recipe), folder)


def only(trial: Trial, keys: set[str]) -> Trial:
    """The same trial with only the cells of these keys."""
    cells = tuple(cell for cell in trial.cells if cell.key in keys)
    return replace(trial, cells=cells)
