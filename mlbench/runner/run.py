"""Run a plan: compute what is missing in parallel, write each trial as it ends."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from mlbench.data.catalogue import entry_named
from mlbench.errors import MlbenchError
from mlbench.grid import Trial, check_methods
from mlbench.runner.plan import Plan
from mlbench.runner.trial import Job, failed_records, run_job
from mlbench.store import Record


@dataclass(frozen=True)
class Limits:
    """How much a run may use."""

    jobs: int = 1
    timeout: float | None = None  # seconds a trial
    max_memory: int | None = None  # MB a worker
    fail_fast: bool = False  # stop at the first failed trial
    backend: str = "local"  # or "dask"
    scheduler: str | None = None  # address of a Dask scheduler; None starts a cluster


@dataclass
class Summary:
    """How a run ended."""

    done: int = 0  # records computed
    cached: int = 0
    failed: int = 0  # in this run or before
    reasons: list[str] = field(default_factory=list)


class Progress(Protocol):
    """What a run tells of itself while it goes on."""

    def planned(self, plan: Plan) -> None:
        """Called once, before any work."""

    def started(self, trial: Trial) -> None:
        """A worker has begun a trial."""

    def finished(self, trial: Trial, records: list[Record]) -> None:
        """A trial has ended and its records are on the disk."""


def run(work: Plan, limits: Limits, progress: Progress) -> Summary:
    """Compute what is missing; every finished trial is on the disk at once."""
    summary = Summary(cached=len(work.cached), failed=work.failed)
    progress.planned(work)
    if work.pending:
        with work.store.writing():
            _compute(work, limits, progress, summary)
    return summary


def _compute(work: Plan, limits: Limits, progress: Progress, summary: Summary) -> None:
    # Imported here: a run that has nothing to compute does without workers.
    from mlbench.runner.lanes import Lost

    todo = [
        Job(work.experiment.name, trial, work.folder, limits.max_memory)
        for trial in work.pending
    ]
    with _workers(limits, work) as workers:
        check_methods(work.experiment, work.pending)  # while the workers get ready
        workers.provide(_files(work))
        started = lambda job: progress.started(job.trial)  # noqa: E731  one use, here
        for job, outcome in workers.map(run_job, todo, started):
            lost = isinstance(outcome, Lost)
            records = failed_records(job, str(outcome)) if lost else outcome
            work.store.append(records)
            _count(summary, job.trial, records)
            progress.finished(job.trial, records)
            if limits.fail_fast and summary.reasons:
                return


def _kind(job: Job) -> tuple[str, int]:
    """Trials of one split have their data, and perhaps more, in common."""
    return job.trial.source.name, job.trial.repeat


def _workers(limits: Limits, work: Plan):
    """Lanes on this machine, or the workers of a Dask cluster."""
    jobs = min(limits.jobs, len(work.pending))
    if limits.backend == "local":
        from mlbench.runner.lanes import Lanes

        return Lanes(jobs, limits.timeout, _kind)
    try:
        from mlbench.runner.cluster import Cluster
    except ImportError as exc:
        raise MlbenchError(
            f"--backend dask: {exc}; install it with: pip install 'mlbench[dask]'"
        ) from exc
    return Cluster(jobs, limits.timeout, limits.scheduler)


def _files(work: Plan) -> dict[str, Path]:
    """The data files of the pending trials, by their place in a data folder."""
    names = dict.fromkeys(
        trial.source.name for trial in work.pending if trial.source.recipe is None
    )
    return {
        file.path: work.folder / file.path
        for name in names
        for file in entry_named(name).files
    }


def _count(summary: Summary, trial: Trial, records: list[Record]) -> None:
    failed = [record for record in records if record["status"] == "failed"]
    summary.done += len(records) - len(failed)
    summary.failed += len(failed)
    if failed:
        summary.reasons.append(f"{trial.label}: {failed[0]['error']}")
