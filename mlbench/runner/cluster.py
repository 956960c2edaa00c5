"""Work on a Dask cluster: one that is there, or a small one of our own.

The same interface as :class:`mlbench.runner.lanes.Lanes`. A worker that is lost loses
nothing but time: Dask gives its work to another, and gives up on work that took
several workers down.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from distributed import (
    CancelledError,
    Client,
    Future,
    KilledWorker,
    LocalCluster,
    WorkerPlugin,
    wait,
)

from mlbench.components import fingerprint
from mlbench.data.locate import place
from mlbench.errors import MlbenchError
from mlbench.runner.lanes import Lost

PATIENCE = 1.0  # seconds between looks at what is late, and at new workers
CONNECTING = 20  # seconds to wait for a scheduler
CODE = "mlbench.runner.trial"  # whose fingerprint must be the same on every worker


def _all_there(paths: list[str]) -> bool:
    return all(Path(path).is_file() for path in paths)


class _Shipment(WorkerPlugin):
    """Files that each worker puts where it looks for data by default."""

    def __init__(self, contents: dict[str, bytes]):
        self.contents = contents

    def setup(self, worker) -> None:
        for name, content in self.contents.items():
            place(name, content)


class Cluster:
    """Workers of a Dask cluster."""

    def __init__(
        self, jobs: int, timeout: float | None = None, scheduler: str | None = None
    ):
        self.timeout = timeout
        # Losing a worker is our daily bread: it is not for the user's screen.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        self._own: LocalCluster | None = None
        if scheduler is None:
            self._own = LocalCluster(
                n_workers=jobs, threads_per_worker=1, dashboard_address=None
            )
            self.client = Client(self._own)
            return
        try:
            self.client = Client(scheduler, timeout=CONNECTING)
        except (OSError, TimeoutError, ValueError) as exc:
            raise MlbenchError(
                f"--scheduler: no Dask scheduler answers at {scheduler}; "
                "start one with: dask scheduler"
            ) from exc

    def __enter__(self):
        self._check_code()
        return self

    def __exit__(self, *exc_info):
        self.client.close()
        if self._own is not None:
            self._own.close()

    def _check_code(self) -> None:
        """Refuse workers whose code would give other numbers under our keys."""
        here = fingerprint(CODE)
        try:
            there = self.client.run(fingerprint, CODE)
        except (ImportError, AttributeError) as exc:
            raise MlbenchError(
                f"--scheduler: mlbench is not installed on the workers ({exc})"
            ) from exc
        for worker, code in there.items():
            if code != here:
                raise MlbenchError(
                    f"--scheduler: worker {worker} has another version of mlbench; "
                    "install the same one there"
                )

    def provide(self, files: dict[str, Path]) -> None:
        """Let every worker have these files, now or when it joins.

        A worker that sees them where we do, in a shared folder, reads them there.
        """
        seen = self.client.run(_all_there, [str(path) for path in files.values()])
        if not all(seen.values()):
            contents = {name: path.read_bytes() for name, path in files.items()}
            self.client.register_plugin(_Shipment(contents))

    def map(
        self,
        function: Callable,
        items: Sequence,
        started: Callable[[Any], None] = lambda item: None,
    ) -> Iterator[tuple[Any, Any]]:
        """Yield (item, result) as work ends; a :class:`Lost` in place of a result."""
        waiting = deque(items)
        busy: dict[Future, tuple[Any, float]] = {}
        while waiting or busy:
            # No more than there are threads: what is submitted is running.
            while waiting and len(busy) < max(1, sum(self.client.nthreads().values())):
                item = waiting.popleft()
                busy[self.client.submit(function, item, pure=False)] = item, monotonic()
                started(item)
            for future in self._ended(busy):
                item, _ = busy.pop(future)
                yield item, self._outcome(future)

    def _ended(self, busy: dict[Future, tuple[Any, float]]) -> list[Future]:
        with suppress(TimeoutError):  # then see what is late, look for new workers
            wait(list(busy), timeout=PATIENCE, return_when="FIRST_COMPLETED")
        latest = monotonic() - (self.timeout or float("inf"))
        return [
            future
            for future, (_, start) in busy.items()
            if future.done() or start < latest
        ]

    def _outcome(self, future: Future) -> Any:
        if not future.done():
            self._stop(future)
            return Lost(f"stopped after {self.timeout:g} s, its --timeout")
        try:
            return future.result()
        except KilledWorker:
            return Lost("its worker processes were killed, perhaps for want of memory")
        except CancelledError:
            return Lost("its work was cancelled on the cluster")
        finally:
            future.release()

    def _stop(self, future: Future) -> None:
        """Stop work that runs; a thread cannot be stopped, but its worker can."""
        workers = [
            worker
            for worker, keys in self.client.processing().items()
            if future.key in keys
        ]
        future.cancel(force=True)
        if workers:
            self.client.restart_workers(workers, raise_for_error=False)
