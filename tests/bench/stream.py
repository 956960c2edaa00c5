"""OMMF on a stream: whether time grows as the samples do, and memory not at all.

``python -m tests.bench.stream [N...]`` prints the table. The samples are made batch by
batch, and the time that takes is not counted. Each length runs in a process of its own
with one thread, so that its peak memory is its own.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from time import perf_counter

import numpy as np
from scipy.sparse import csr_array

LENGTHS = (10_000, 100_000, 1_000_000)
FEATURES, LABELS, COMPONENTS = 1000, 100, 50
WORDS = 10  # of the features a sample has: a density of 1 %
TOPICS = 20
BATCH = 1000


def batches(n: int, seed: int = 0) -> Iterator[tuple[csr_array, np.ndarray]]:
    """So many samples of a stream, up to BATCH at a time.

    A sample has a topic, which makes some features and labels likelier than others:
    half of its words come from the topic's own fifty, and each of the topic's five
    labels is there with probability 0.6, any other one with 0.01.
    """
    rng = np.random.default_rng(seed)
    own, owned = FEATURES // TOPICS, LABELS // TOPICS
    for start in range(0, n, BATCH):
        m = min(BATCH, n - start)
        topic = rng.integers(TOPICS, size=m)
        words = rng.integers(FEATURES, size=(m, WORDS))
        half = WORDS // 2
        words[:, :half] = topic[:, None] * own + rng.integers(own, size=(m, half))
        counts = (np.ones(m * WORDS), words.ravel(), np.arange(0, m * WORDS + 1, WORDS))
        X = csr_array(counts, shape=(m, FEATURES))
        X.sum_duplicates()
        likely = np.arange(LABELS) // owned == topic[:, None]
        Y = rng.uniform(size=(m, LABELS)) < np.where(likely, 0.6, 0.01)
        yield X, Y.astype(np.uint8)


def measure(n: int) -> dict:
    """Seconds of learning and peak memory of one pass over n samples, here and now."""
    from mlbench.classifiers.ommf import OMMF
    from mlbench.runner.memory import peak_mb

    model = OMMF(COMPONENTS)
    for X, Y in batches(BATCH, seed=1):  # warm up: imports, caches
        OMMF(COMPONENTS).partial_fit(X, Y)
    learning = 0.0
    for X, Y in batches(n):
        start = perf_counter()
        model.partial_fit(X, Y)
        learning += perf_counter() - start
    return {
        "n": n,
        "seconds": round(learning, 3),
        "peak_mb": peak_mb(),
        "seconds_per_1000": round(1000 * learning / n, 5),
    }


def in_a_process(n: int) -> dict:
    """The same in a fresh process with one thread."""
    threads = {f"{lib}_NUM_THREADS": "1" for lib in ("OMP", "OPENBLAS", "MKL")}
    command = [sys.executable, "-m", "tests.bench.stream", "--measure", str(n)]
    done = subprocess.run(
        command, env=os.environ | threads, check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


def run(lengths: tuple[int, ...] = LENGTHS) -> list[dict]:
    """A row for each length: n, seconds, peak_mb (all of it) and seconds_per_1000."""
    return [in_a_process(n) for n in lengths]


def exponent(rows: list[dict]) -> float:
    """Power of n that the seconds grow with, by least squares: 1 is linear."""
    n, seconds = (np.log([row[key] for row in rows]) for key in ("n", "seconds"))
    return float(np.polyfit(n, seconds, 1)[0])


def table(rows: list[dict]) -> str:
    """The figures as a Markdown table."""
    lines = [
        "| samples | learning | per 1,000 | peak MB |",
        "| --- | --- | --- | --- |",
    ]
    for row in rows:
        lines.append(
            f"| {row['n']:,} | {row['seconds']:.2f} s "
            f"| {row['seconds_per_1000']:.4f} s | {row['peak_mb']:.0f} |"
        )
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    """Measure one length here, or all of them and print their table."""
    if arguments[:1] == ["--measure"]:
        sys.stdout.write(json.dumps(measure(int(arguments[1]))))
        return
    rows = run(tuple(map(int, arguments)) or LENGTHS)
    sys.stdout.write(f"{table(rows)}\n")
    if len(rows) > 1:
        sys.stdout.write(f"\nTime grows as n^{exponent(rows):.2f}.\n")


if __name__ == "__main__":
    main(sys.argv[1:])
