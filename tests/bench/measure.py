"""Time and memory of one way to do a job, measured in this process."""

import contextlib
import ctypes
import resource
import statistics
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from mlbench.runner.memory import MEGABYTE, forget_peak, peak_mb
from tests.bench.job import Way

LONG = 2.0  # seconds: a first run that takes as long is no warm-up, it counts
ENOUGH = 1.0  # seconds of repeated runs in one process
MOST = 15  # repeated runs in one process
SIDE = 1000  # of the square matrices that show how fast products can be
PRODUCTS = 5


def measure(way: Way) -> tuple[dict, Any]:
    """Seconds, memory added and share of product speed; and what the way gave.

    Memory is that of the first run: later ones find it in the hands of the allocator.
    Of a way that starts processes it is the memory of the largest of them.
    """
    _give_back()
    forget_peak()
    before = peak_mb()
    first, came = timed(way.act)
    added = max(peak_mb() - before, _largest_child_mb())
    seconds = [first] if first >= LONG else []
    while sum(seconds) < ENOUGH and len(seconds) < MOST:
        seconds.append(timed(way.act)[0])
    taken = statistics.median(seconds) / way.part
    found = {"seconds": taken, "spent": first + sum(seconds), "mb": round(added, 1)}
    if way.flops is not None:
        found["of_products"] = way.flops / taken / flops_per_second()
    return found, came


def timed(act: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds that it took, and what it returned."""
    start = perf_counter()
    came = act()
    return perf_counter() - start, came


def flops_per_second() -> float:
    """Floating-point operations a second of a matrix product, here and now."""
    A, B = np.random.default_rng(0).uniform(size=(2, SIDE, SIDE))
    runs = [timed(lambda: A @ B)[0] for _ in range(PRODUCTS)]
    return 2 * SIDE**3 / statistics.median(runs)


def _give_back() -> None:
    """Return freed memory to the system, where the C library can (glibc)."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def _largest_child_mb() -> float:
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / MEGABYTE
