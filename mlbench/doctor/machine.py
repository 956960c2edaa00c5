"""The machine: cores, the threads of linear algebra, memory."""

import importlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from mlbench.doctor.finding import NOTE, OK, Finding, size

MEMINFO = Path("/proc/meminfo")
# The most a container may take, by the two kinds of control groups.
CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
LITTLE = 1e9  # bytes of free memory: less is hardly enough for a worker
THREADS = {"openblas": "OPENBLAS", "mkl": "MKL", "blis": "BLIS"}  # else OMP


def cores() -> Iterator[Finding]:
    """The cores of the machine, and those that this process may use."""
    from joblib import cpu_count  # it knows of affinities and of containers

    there, usable = os.cpu_count() or 1, cpu_count()
    values = {"cores": there, "usable": usable}
    if usable >= there:
        yield Finding(OK, "cores", f"{there}", values=values)
        return
    text = f"{there}, but this process may use {usable}; a run has a worker for each"
    yield Finding(NOTE, "cores", text, f"mlbench run CONFIG -j {usable}", values)


def blas() -> Iterator[Finding]:
    """The libraries of linear algebra, and whether their threads would be too many."""
    from threadpoolctl import threadpool_info

    for module in ("numpy", "scipy.linalg"):  # each may bring a library of its own
        importlib.import_module(module)
    found = {
        (pool["internal_api"], pool["version"] or "?", pool["num_threads"])
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    }
    names = ("library", "version", "threads")
    libraries = [dict(zip(names, each, strict=True)) for each in sorted(found)]
    text = ", ".join(
        f"{each['library']} {each['version']} with {each['threads']} thread(s)"
        for each in libraries
    )
    values = {"libraries": libraries}
    many = [each for each in libraries if each["threads"] > 1]
    if not many:
        text = text or "none whose threads can be counted"
        yield Finding(OK, "blas", text, values=values)
        return
    text += (
        "; workers of mlbench take one each, or workers times threads would fight for "
        "the cores; parallel scripts of your own need the same"
    )
    fix = f"export {THREADS.get(many[0]['library'], 'OMP')}_NUM_THREADS=1"
    yield Finding(NOTE, "blas", text, fix, values)


def memory() -> Iterator[Finding]:
    """The memory of the machine, or of the container we are in."""
    total, free = _memory()
    for path in CONTAINER_LIMITS:
        with suppress(OSError, ValueError):  # no such file, or "max"
            total = min(total, int(path.read_text(encoding="ascii")))
            free = min(free, total)
    values = {"bytes": total, "free": free}
    text = f"{size(total)}, {size(free)} free"
    if free < LITTLE:
        fix = "mlbench run CONFIG -j 1 --max-memory 500"
        yield Finding(NOTE, "memory", text, fix, values)
    else:
        yield Finding(OK, "memory", text, values=values)


def _memory() -> tuple[int, int]:
    """All memory and what is free of it, in bytes."""
    with suppress(OSError, KeyError):
        lines = MEMINFO.read_text(encoding="ascii").splitlines()
        kilobytes = {line.split()[0]: line.split()[1] for line in lines if line}
        found = [int(kilobytes[name]) for name in ("MemTotal:", "MemAvailable:")]
        return found[0] * 1024, found[1] * 1024
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return pages, pages  # without Linux's file nothing says what is free
