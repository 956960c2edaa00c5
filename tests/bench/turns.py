"""Ours and the rivals in turns, so that a noisy minute falls on all of them alike."""

import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tests.bench.job import OURS, Job, Result
from tests.bench.worker import in_a_process

ROUNDS = 3
PATIENCE = 10.0  # seconds of one rival's runs after which it has no more turns


def compare(name: str, job: Job, rivals: Sequence[int], rounds: int) -> list[dict]:
    """A row of the table for each of the rivals, by their numbers."""
    with TemporaryDirectory() as folder:

        def run(number: int) -> dict:
            return in_a_process("way", name, str(number), folder)

        runs = in_turns(rivals, rounds, run)
        results = {number: _load(folder, number) for number in runs}
    return [_row(name, job, number, runs, results) for number in rivals]


def in_turns(
    rivals: Sequence[int], rounds: int, run: Callable[[int], dict]
) -> dict[int, list[dict]]:
    """What the runs of every way found; ours is the first of all and the last."""
    found: dict[int, list[dict]] = {number: [] for number in (OURS, *rivals)}
    for _ in range(rounds):
        going = [
            number
            for number in rivals
            if sum(each["spent"] for each in found[number]) < PATIENCE
        ]
        if not going:
            break
        for number in (OURS, *going):
            found[number].append(run(number))
    found[OURS].append(run(OURS))
    return found


def middle(runs: list[dict], key: str) -> float | None:
    """Median over processes; None where a way does not say."""
    values = [run[key] for run in runs if key in run]
    return statistics.median(values) if values else None


def _row(name: str, job: Job, number: int, runs, results: dict[int, Result]) -> dict:
    rival = job.rivals[number - 1]
    ours, theirs = (middle(runs[each], "seconds") for each in (OURS, number))
    verdict = rival.check(results[OURS], results[number])
    share = middle(runs[OURS], "of_products")
    return {
        "job": name,
        "title": job.title,
        "rival": rival.name,
        "ratio": _short(theirs / ours),
        "ours_seconds": _short(ours),
        "rival_seconds": _short(theirs),
        "ours_mb": middle(runs[OURS], "mb"),
        "rival_mb": middle(runs[number], "mb"),
        "of_products": None if share is None else _short(share),
        "holds": verdict.holds,
        "check": verdict.text,
        "note": rival.note,
        "rounds": len(runs[number]),
    }


def _load(folder: str, number: int) -> Result:
    with np.load(Path(folder) / f"{number}.npz") as arrays:
        return dict(arrays)


def _short(value: float) -> float:
    """Three digits: more would be noise."""
    return float(f"{value:.3g}")
