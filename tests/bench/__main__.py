"""Run the jobs, print the table, keep it under results/bench.

``python -m tests.bench [JOB...]`` runs all jobs or those named. Each side of each job
runs in a process of its own, on one core, so that peak memory is its own too.
"""

import json
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path
from time import perf_counter

from tests.bench import stream

RESULTS = Path("results/bench")
SIDES = ("ours", "rival")
STREAM = "stream"  # not a job: it has no rival, and three sizes


def measure(name: str, side: str) -> dict:
    """Times and peak memory of one side of a job, in this process."""
    from mlbench.runner.memory import forget_peak, peak_mb
    from tests.bench.jobs import JOBS

    job = JOBS[name]
    action = job.prepare()[SIDES.index(side)]
    action()  # warm up: imports, caches
    forget_peak()
    before = peak_mb()
    seconds = []
    for _ in range(job.repeats):
        start = perf_counter()
        action()
        seconds.append(perf_counter() - start)
    return {"seconds": seconds, "peak_mb": round(peak_mb() - before, 1)}


def in_a_process(name: str, side: str) -> dict:
    """The same in a fresh process with one thread."""
    threads = {f"{lib}_NUM_THREADS": "1" for lib in ("OMP", "OPENBLAS", "MKL")}
    command = [sys.executable, "-m", "tests.bench", "--measure", name, side]
    done = subprocess.run(
        command, env=os.environ | threads, check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


def run(names: list[str]) -> list[dict]:
    """Measure the jobs, one side after the other."""
    from tests.bench.jobs import JOBS

    rows = []
    for name in names:
        found = {side: in_a_process(name, side) for side in SIDES}
        ours, rival = (statistics.median(found[side]["seconds"]) for side in SIDES)
        row = {
            "job": name,
            "title": JOBS[name].title,
            "rival": JOBS[name].rival,
            "ours_seconds": round(ours, 5),
            "rival_seconds": round(rival, 5),
            "ratio": round(rival / ours, 2),
            "ours_mb": found["ours"]["peak_mb"],
            "rival_mb": found["rival"]["peak_mb"],
        }
        rows.append(row)
        sys.stderr.write(f"{row['title']}: {row['ratio']}x {row['rival']}\n")
    return rows


def machine() -> dict:
    """What the figures were measured on."""
    from mlbench.runner.provenance import provenance

    about = provenance()
    wanted = ("cpu", "machine", "versions", "blas", "commit", "started")
    return {key: about[key] for key in wanted} | {"cores": os.cpu_count()}


def table(rows: list[dict]) -> str:
    """The figures as a Markdown table."""
    head = "| job | ours | rival | rival's time | ratio | ours MB | rival MB |"
    lines = [head, "| --- | --- | --- | --- | --- | --- | --- |"]
    for row in rows:
        lines.append(
            f"| {row['title']} | {row['ours_seconds']:.4f} s | {row['rival']} "
            f"| {row['rival_seconds']:.4f} s | {row['ratio']:.1f}x "
            f"| {row['ours_mb']:.0f} | {row['rival_mb']:.0f} |"
        )
    return "\n".join(lines)


def page(kept: dict) -> str:
    """All figures in Markdown."""
    about = kept["machine"]
    text = (
        "# Speed\n\nMade by `make bench`. Medians of repeated runs on one core of "
        f"{about['cpu']} ({platform.system()}, {about['cores']} cores); memory is what "
        f"the job adds.\n\n{table(kept['jobs'])}\n"
    )
    if streamed := kept.get("stream"):
        text += (
            f"\n## One pass of OMMF over a stream\n\n{stream.table(streamed['rows'])}"
            f"\n\nTime grows as n^{streamed['exponent']:.2f}.\n"
        )
    return text


def main(arguments: list[str]) -> None:
    """Measure one side; or run the jobs named, or all, and keep their table."""
    if arguments[:1] == ["--measure"]:
        sys.stdout.write(json.dumps(measure(*arguments[1:])))
        return
    from tests.bench.jobs import JOBS

    known = [*JOBS, STREAM]
    names = arguments or known
    kept: dict = {"machine": machine(), "jobs": run([n for n in names if n in JOBS])}
    if STREAM in names:
        rows = stream.run()
        kept["stream"] = {"rows": rows, "exponent": stream.exponent(rows)}
    sys.stdout.write(page(kept))
    keep(kept)


def keep(found: dict) -> None:
    """Leave the figures, beside those of other jobs measured on the same machine."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / "bench.json"
    before = json.loads(path.read_text()) if path.exists() else {"machine": {}}
    if before["machine"].get("cpu") == found["machine"]["cpu"]:
        jobs = {row["job"]: row for row in [*before["jobs"], *found["jobs"]]}
        found = before | found | {"jobs": list(jobs.values())}
    path.write_text(json.dumps(found, indent=1) + "\n")
    (RESULTS / "bench.md").write_text(page(found))


if __name__ == "__main__":
    main(sys.argv[1:])
