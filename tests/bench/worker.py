"""A process of its own for each measurement, with one thread.

``python -m tests.bench.worker WHAT ARGUMENT...`` measures, and prints JSON.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from mlbench.errors import MlbenchError
from mlbench.runner.lanes import ONE_THREAD

MISTAKE = 2  # exit code: something the user can fix, told in one line


def in_a_process(*arguments: str) -> dict:
    """What the worker with these arguments found, in a fresh process."""
    command = [sys.executable, "-m", "tests.bench.worker", *arguments]
    done = subprocess.run(
        command, env=os.environ | ONE_THREAD, capture_output=True, text=True
    )
    if done.returncode == MISTAKE:
        raise MlbenchError(done.stderr.strip())
    if done.returncode:  # a bug: it keeps its traceback
        raise SystemExit(f"{done.stderr}bench: failed: {' '.join(arguments)}")
    return json.loads(done.stdout.splitlines()[-1])  # rivals may print, too


def _way(name: str, number: str, folder: str) -> dict:
    """One way of a job; what came of it is left in the folder."""
    from tests.bench.jobs import JOBS
    from tests.bench.measure import measure

    way = JOBS[name].way(int(number))
    found, came = measure(way)
    np.savez(Path(folder) / f"{number}.npz", **way.result(came))
    return found


def _growth(method: str, variable: str) -> dict:
    from tests.bench.growth import measure

    return measure(method, variable)


def _stream(length: str) -> dict:
    from tests.bench.stream import measure

    return measure(int(length))


def _machine() -> dict:
    """What the figures are measured on."""
    from mlbench.runner.provenance import provenance
    from tests.bench.measure import flops_per_second

    about = provenance()
    wanted = ("cpu", "machine", "versions", "blas", "commit", "started")
    speed = round(flops_per_second() / 1e9, 1)
    return {key: about[key] for key in wanted} | {
        "cores": os.cpu_count(),
        "gigaflops": speed,
    }


WORK = {"way": _way, "growth": _growth, "stream": _stream, "machine": _machine}


def main(what: str, *arguments: str) -> int:
    """Measure and print; a mistake the user can fix is one line."""
    try:
        found = WORK[what](*arguments)
    except MlbenchError as exc:
        sys.stderr.write(f"{exc}\n")
        return MISTAKE
    sys.stdout.write(f"{json.dumps(found)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
