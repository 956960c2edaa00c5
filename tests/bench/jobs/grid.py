"""The whole quickstart grid, from the command line to the records."""

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tests.bench.checks import same
from tests.bench.job import Job, Rival, Way


def quickstart(workers: int) -> Way:
    """``mlbench run quickstart`` into an empty folder, with an empty cache."""

    def act():
        with TemporaryDirectory() as folder:
            place = Path(folder)
            command = [sys.executable, "-m", "mlbench", "run", "quickstart"]
            options = ["-q", "-j", str(workers), "--results", str(place / "results")]
            cache = {"MLBENCH_CACHE": str(place / "cache")}
            subprocess.run(
                [*command, *options],
                env=os.environ | cache,
                check=True,
                stdout=subprocess.DEVNULL,
            )
            return (place / "results" / "quickstart" / "records.jsonl").read_text()

    return Way(act, _metrics)


def _metrics(lines: str):
    records = sorted(map(json.loads, lines.splitlines()), key=lambda each: each["key"])
    return {"metrics": np.array([list(each["metrics"].values()) for each in records])}


JOBS = {
    "quickstart": Job(
        "mlbench run quickstart with 2 workers",
        lambda: quickstart(2),
        (
            Rival(
                "with 1 worker",
                lambda: quickstart(1),
                same(0),
                "the speed-up; memory is that of the largest process",
            ),
        ),
    ),
}
