"""Memory of this process: the most it used, and the most it may use."""

import contextlib
import resource
import sys
from collections.abc import Iterator
from pathlib import Path

MEGABYTE = 2**20
_STATUS = Path("/proc/self/status")


def forget_peak() -> None:
    """Start measuring the peak anew, where the system can (Linux)."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_mb() -> float:
    """The most memory this process held, in MB, since :func:`forget_peak`."""
    with contextlib.suppress(OSError):
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return round(int(line.split()[1]) * 1024 / MEGABYTE, 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak * (1 if sys.platform == "darwin" else 1024) / MEGABYTE, 1)


@contextlib.contextmanager
def at_most(megabytes: int | None) -> Iterator[None]:
    """Let an allocation past the limit fail in this process, as a MemoryError."""
    if megabytes is None:
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (megabytes * MEGABYTE, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
