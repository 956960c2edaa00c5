"""One trial, in a worker process: its records, or one failed record a cell."""

import json
import math
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any

from mlbench.classifiers import CLASSIFIERS
from mlbench.components import import_path, load_object
from mlbench.config import Component
from mlbench.data.catalogue import entry_named
from mlbench.data.locate import missing_files, own_data_dir
from mlbench.data.sources import load
from mlbench.grid import Cell, Trial
from mlbench.reducers import REDUCERS
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
        "split": _plain(trial.split),
        "seed": trial.fit_seed,
        "data": trial.data.digest,
        "provenance": provenance(),
    }


def _plain(spec: Any) -> dict[str, Any]:
    return {key: value for key, value in vars(spec).items() if value is not None}


def _records(job: Job):
    # Imported here: the parent process, which only writes, does without them.
    from mlbench.pipeline import sweep

    trial = job.trial
    data = _arrays(trial, _folder_here(job))
    reducer = _build(trial.reducer, REDUCERS, trial.fit_seed)
    classifier = _build(trial.classifier, CLASSIFIERS, trial.fit_seed)
    cells = {(cell.wish, cell.setting): cell for cell in trial.cells}
    wishes = tuple(dict.fromkeys(cell.wish for cell in trial.cells))
    values = tuple(dict.fromkeys(cell.setting for cell in trial.cells))
    sizes = {
        "n_train": data.X_train.shape[0],
        "n_test": data.X_test.shape[0],
        "n_features": data.X_train.shape[1],
        "n_labels": data.Y_train.shape[1],
        "mean_inverse_cardinality": _mean_inverse_cardinality(data.Y_test),
    }
    for outcome in sweep(data, reducer, classifier, wishes, trial.vary, values):
        cell = cells.get((outcome.wish, outcome.setting))
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
            **sizes,
        }


def _folder_here(job: Job) -> Path:
    """The data folder on this machine: a worker elsewhere may have been sent files."""
    if job.trial.source.synthetic is not None:
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


def _build(component: Component, registry: dict[str, str], seed: int):
    model = load_object(import_path(component.name, registry))(**component.settings)
    if (
        "random_state" in model.get_params()
        and "random_state" not in component.settings
    ):
        model.set_params(random_state=seed)
    return model


def _arrays(trial: Trial, folder: Path):
    from mlbench.data.preprocess import Preprocess
    from mlbench.data.splits import splits
    from mlbench.pipeline import prepare

    synthetic = trial.source.synthetic
    dataset = _dataset(
        trial.source.name,
        synthetic and synthetic.model_dump_json(),
        folder,
        trial.data.digest,
    )
    parts = splits(
        trial.split, dataset.name, len(dataset.Y), dataset.n_train, trial.seed
    )
    return prepare(dataset, parts[trial.repeat], Preprocess(**trial.preprocess))


@lru_cache(maxsize=2)
def _dataset(name: str, synthetic: str | None, folder: Path, digest: str):
    """A data set, kept while trials of it follow one another (``digest``: this one)."""
    return load(name, json.loads(synthetic) if synthetic else None, folder)


def only(trial: Trial, keys: set[str]) -> Trial:
    """The same trial with only the cells of these keys."""
    cells = tuple(cell for cell in trial.cells if cell.key in keys)
    return replace(trial, cells=cells)
