"""Measure the jobs, or those named, against their rivals: ``python -m tests.bench``.

The figures are kept job by job, beside those of jobs measured before. With ``--check``
ratios are measured and compared with the kept ones, and nothing is written.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from mlbench.errors import ConfigError, MlbenchError, unknown
from tests.bench import data, growth, guard, stream, turns
from tests.bench.figures import keep, what
from tests.bench.jobs import JOBS
from tests.bench.page import page
from tests.bench.worker import in_a_process

# What has no rival, and so no ratio to guard.
TABLES: dict[str, Callable] = {"growth": growth.run, "stream": stream.run}
FAILED, USAGE = 1, 2  # exit codes: a check failed; something the user can fix


def main(arguments: list[str]) -> int:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("jobs", nargs="*", metavar="JOB", help="all without one")
    parser.add_argument("--check", action="store_true", help="guard the kept ratios")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("results/bench"),
        metavar="FOLDER",
        help="where the figures are kept, results/bench without one",
    )
    options = parser.parse_args(arguments)
    known = [*JOBS] if options.check else [*JOBS, *TABLES]
    try:
        for name in options.jobs:
            if name not in known:
                raise ConfigError(f"bench: {unknown('job', name, known)}")
        data.folder()
        wanted = options.jobs or known
        lines = (guard.check if options.check else run)(wanted, options.out, say)
    except MlbenchError as exc:
        say(str(exc))
        return USAGE
    for line in lines:
        say(line)
    return FAILED if lines else 0


def run(names: list[str], folder: Path, say: Callable[[str], None]) -> list[str]:
    """Measure, keep and print; a line for each result that is not what it should be."""
    machine = in_a_process("machine")
    wrong: list[dict] = []
    for name in names:
        found = _table(name, say) if name in TABLES else _rows(name, say)
        kept = keep({"machine": machine} | found, folder)
        wrong += [row for row in found.get("rows", []) if not row["holds"]]
    sys.stdout.write(page(kept))
    return [f"{what(row)}: not the right result, {row['check']}" for row in wrong]


def _table(name: str, say: Callable[[str], None]) -> dict:
    say(f"{name} ...")
    return {name: TABLES[name]()}


def _rows(name: str, say: Callable[[str], None]) -> dict:
    job = JOBS[name]
    rows = turns.compare(name, job, range(1, len(job.rivals) + 1), turns.ROUNDS)
    for row in rows:
        say(f"{what(row)}: {row['ratio']:g}x, {row['check']}")
    return {"rows": rows}


def say(line: str) -> None:
    """Tell the user something, beside the page."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
