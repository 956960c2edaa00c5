"""Work in parallel, each worker in a lane of its own.

A pool of many processes breaks as a whole when one of them dies. Here every lane is
a pool of one: when its process is killed, by the system for want of memory or by us
because its time is up, we know which piece of work it had, and the others go on.
"""

import ctypes
import importlib
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from joblib.externals.loky import ProcessPoolExecutor

PR_SET_PDEATHSIG = 1  # of prctl(2): a signal for when the parent dies
WORK = "mlbench.by_neighbours"
ATTEMPTS = 2  # a worker lost once may be bad luck; lost twice, it is the work

# One BLAS thread a worker: several workers would fight for the cores, and a sum
# whose order depends on the thread count is not the same number.
LIBRARIES = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR")
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in LIBRARIES}


class Lost(Exception):  # noqa: N818  an outcome that is handed on, not raised
    """A piece of work that came to no end: why, in words."""


@dataclass
class _Lane:
    executor: ProcessPoolExecutor
    ready: Future  # done when the worker has imported what it needs
    item: Any = None
    kind: Any = None  # of the last item it had
    deadline: float | None = None


def _begin(parent: int) -> None:
    """What a worker does first."""
    # Ctrl-C goes to the whole group; the parent decides what becomes of the work.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        # Work that nobody waits for ends when the parent is killed.
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it was killed before we could ask for the signal
        os._exit(1)


def _get_ready() -> None:
    """Import what all work needs, which takes a second or two."""
    importlib.import_module(WORK)


class Lanes:
    """Worker processes that can each be lost without losing the rest.

    A worker is given items of one ``kind`` as long as there are any: it may have kept
    what they have in common.
    """

    def __init__(
        self,
        jobs: int,
        timeout: float | None = None,
        kind: Callable[[Any], Any] = lambda item: None,
    ):
        # A worker that has grown is replaced between two trials; nobody need know.
        warnings.filterwarnings("ignore", message="A worker stopped while some jobs")
        self.jobs = jobs
        self.timeout = timeout
        self.kind = kind
        self._idle: list[_Lane] = []
        self._busy: dict[Future, _Lane] = {}

    def __enter__(self):
        # The workers import what they need while the parent goes on.
        self._idle += [self._new_lane() for _ in range(self.jobs)]
        return self

    def __exit__(self, *exc_info):
        for lane in [*self._idle, *self._busy.values()]:
            lane.executor.shutdown(wait=False, kill_workers=True)

    def provide(self, files: dict[str, Path]) -> None:
        """Let the workers have these files: they are on this machine, they do."""

    def map(
        self,
        function: Callable,
        items: Sequence,
        started: Callable[[Any], None] = lambda item: None,
    ) -> Iterator[tuple[Any, Any]]:
        """Yield (item, result) as work ends; a :class:`Lost` in place of a result."""
        waiting = [(item, 1) for item in items]
        attempts = {}
        while waiting or self._busy:
            while waiting and len(self._busy) < self.jobs:
                lane = self._idle.pop() if self._idle else self._new_lane()
                item, attempt = waiting.pop(self._next(lane, waiting))
                future = self._start(lane, function, item)
                lane.kind = self.kind(item)
                attempts[future] = attempt
                started(item)
            for future, lane in self._ended():
                attempt = attempts.pop(future)
                outcome = self._outcome(future, lane)
                if isinstance(outcome, _Killed) and attempt < ATTEMPTS:
                    waiting.insert(0, (lane.item, attempt + 1))
                    continue
                yield lane.item, outcome

    def _next(self, lane: _Lane, waiting: list) -> int:
        """Place of the item for a lane: of its kind, else of one nobody is at."""
        kinds = [self.kind(item) for item, _ in waiting]
        if lane.kind in kinds:
            return kinds.index(lane.kind)
        taken = {other.kind for other in self._busy.values()}
        return next((at for at, each in enumerate(kinds) if each not in taken), 0)

    def _start(self, lane: _Lane, function: Callable, item: Any) -> Future:
        try:
            future = lane.executor.submit(function, item)
        except BrokenExecutor:  # killed while it was idle: nothing was lost
            fresh = self._new_lane()
            lane.executor, lane.ready = fresh.executor, fresh.ready
            future = lane.executor.submit(function, item)
        lane.item, lane.deadline = item, None
        self._busy[future] = lane
        return future

    def _new_lane(self) -> _Lane:
        executor = ProcessPoolExecutor(
            max_workers=1,
            initializer=_begin,
            initargs=(os.getpid(),),
            env=ONE_THREAD,
        )
        return _Lane(executor, executor.submit(_get_ready))

    def _ended(self) -> list[tuple[Future, _Lane]]:
        """Wait until some work has ended, or has had its time."""
        starting = self._set_deadlines()
        deadlines = [lane.deadline for lane in self._busy.values() if lane.deadline]
        patience = max(0.0, min(deadlines) - monotonic()) if deadlines else None
        done, _ = wait(
            [*self._busy, *starting], timeout=patience, return_when=FIRST_COMPLETED
        )
        done = done & self._busy.keys()
        now = monotonic()
        late = [
            future
            for future, lane in self._busy.items()
            if future not in done and lane.deadline and lane.deadline <= now
        ]
        return [(future, self._busy.pop(future)) for future in [*done, *late]]

    def _set_deadlines(self) -> list[Future]:
        """Let the time of work run whose worker is ready; what others wait for."""
        if not self.timeout:
            return []
        starting = []
        for lane in self._busy.values():
            if not lane.ready.done():
                starting.append(lane.ready)
            elif lane.deadline is None:
                lane.deadline = monotonic() + self.timeout
        return starting

    def _outcome(self, future: Future, lane: _Lane) -> Any:
        if not future.done():
            lane.executor.shutdown(wait=False, kill_workers=True)
            return Lost(f"stopped after {self.timeout:g} s, its --timeout")
        try:
            result = future.result()
        except BrokenExecutor:
            lane.executor.shutdown(wait=False, kill_workers=True)
            return _Killed("its worker process was killed, perhaps for want of memory")
        self._idle.append(lane)
        return result


class _Killed(Lost):
    """The worker died; another attempt may do."""
