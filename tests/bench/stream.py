"""OMMF on a stream: whether time grows as the samples do, and memory not at all.

The samples are made batch by batch, and the time that takes is not counted. Each
length runs in a process of its own, so that its peak memory is its own.
"""

from collections.abc import Iterator
from time import perf_counter

import numpy as np
from scipy.sparse import csr_array

from tests.bench.growth import exponent
from tests.bench.worker import in_a_process

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


def run() -> dict:
    """A row for each length, and the power of n that time grows with."""
    rows = [in_a_process("stream", str(n)) for n in LENGTHS]
    lengths, seconds = ([row[key] for row in rows] for key in ("n", "seconds"))
    return {"rows": rows, "exponent": exponent(lengths, seconds)}
