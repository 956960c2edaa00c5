"""Read spoilt files, and look at what comes of it: a data set, an error, or worse.

Each is read twice, the second time without array operations: both ways must give the
same bytes, or refuse it in the same words.
"""

import os
import random
import resource
import signal
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from mlbench.data import bulk
from mlbench.data.dataset import Dataset
from mlbench.errors import DataError
from tests.fuzz.formats import Format
from tests.fuzz.mutate import mutated

# A disk would be waited for at every file.
IN_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
SECONDS = 10  # a file of a few kilobytes that takes longer hangs
MEMORY = 2**30  # bytes a file may take, beyond what the process has


class HangError(BaseException):
    """Reading took too long; not an Exception, so that no reader catches it."""


def fuzz(form: Format, count: int, seed: int) -> tuple[Counter[str], list[tuple]]:
    """How often a spoilt file was read or refused; and those with another outcome."""
    rng = random.Random(seed)
    outcomes: Counter[str] = Counter()
    failures = []
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as name, _limited_memory():
        for _ in range(count):
            raw = mutated(rng.choice(form.sound), form.sound, rng)
            outcome = outcome_of(form, Path(name), raw)
            outcomes[outcome.partition("\n")[0]] += 1
            if outcome not in ("read", "refused"):
                failures.append((raw, outcome))
    return outcomes, failures


def outcome_of(form: Format, folder: Path, raw: bytes) -> str:
    """``read`` or ``refused``; else what went wrong, with its traceback."""
    try:
        with _limited_time():
            outcome = _read(form, folder, raw)
            with _one_line_at_a_time():
                slow = _read(form, folder, raw)
    except (Exception, HangError) as exc:  # noqa: BLE001 - what the fuzzer is there for
        return f"{type(exc).__name__}\n{traceback.format_exc()}"
    if outcome != slow:
        return f"not the same line by line\n{outcome}\n{slow}"
    if not isinstance(outcome, str):
        return "read"
    sound = "\n" not in outcome and str(folder) in outcome
    return "refused" if sound else f"not one line that names the file: {outcome!r}"


def _read(form: Format, folder: Path, raw: bytes) -> tuple | str:
    """What the file holds, in a form that can be compared, or why it is refused."""
    try:
        dataset = form.read(folder, raw)
    except DataError as exc:
        return str(exc)
    check(dataset)
    X: Any = dataset.X
    parts = (X.data, X.indices, X.indptr) if issparse(X) else (X,)
    arrays = [(part.shape, part.tobytes()) for part in (*parts, dataset.Y)]
    names = (dataset.feature_names, dataset.label_names, dataset.n_train)
    return (*arrays, *names)


@contextmanager
def _one_line_at_a_time() -> Iterator[None]:
    """Array operations decline every number, and the careful readers take over."""
    before = bulk._parse
    bulk._parse = lambda *_: None
    try:
        yield
    finally:
        bulk._parse = before


def check(dataset: Dataset) -> None:
    """What is true of every data set, whatever file it came from."""
    X, Y = dataset.X, dataset.Y
    values = X.data if issparse(X) else X
    assert X.ndim == Y.ndim == 2
    assert len(Y) == X.shape[0] >= 1
    assert X.shape[1] == len(dataset.feature_names) >= 1
    assert Y.shape[1] == len(dataset.label_names) >= 1
    assert len(set(dataset.label_names)) == len(dataset.label_names)
    assert X.dtype == np.float64
    assert Y.dtype == np.uint8
    assert np.isfinite(values).all()
    assert Y.max() <= 1
    assert not np.signbit(values[values == 0]).any()
    assert Y.flags.c_contiguous
    if issparse(X):
        X.check_format(full_check=True)
        assert X.has_canonical_format
    else:
        assert X.flags.c_contiguous


@contextmanager
def _limited_time() -> Iterator[None]:
    def stop(*_):
        raise HangError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _limited_memory() -> Iterator[None]:
    """Taking more is a MemoryError, and so a failure."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = pages * os.sysconf("SC_PAGESIZE") + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
