"""Splits kept in a file: which rows are for training and which for testing.

The file is JSON and says which data it belongs to, so that indices are never applied to
other rows than those they were made for; a SHA-256 over its content tells whether it is
still as it was written.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as short  # cut when it is long
from typing import Any

import numpy as np

from mlbench.data.load import Description
from mlbench.data.splits import Split
from mlbench.errors import DataError

FORMAT = "mlbench splits 1"
MOST_BYTES = 2**28  # of a file: a hundred splits of a quarter of a million samples
MOST_SAMPLES = 2**31
FIELDS = {"format", "dataset", "samples", "data", "splits", "sha256"}


@dataclass(frozen=True, eq=False)  # the arrays of a split have no single truth value
class SplitFile:
    """Splits, and the data set they are of.

    ``samples`` is its number of rows, ``data`` the digest of its parsed arrays
    (:class:`~mlbench.data.load.Description`).
    """

    dataset: str
    samples: int
    data: str
    splits: tuple[Split, ...]


def write_splits(path: Path, known: Description, splits: Sequence[Split]) -> None:
    """Keep the splits of a data set, in place of a file that is there."""
    content: dict[str, Any] = {
        "format": FORMAT,
        "dataset": known.name,
        "samples": known.n,
        "data": known.digest,
        "splits": [
            {"train": split.train.tolist(), "test": split.test.tolist()}
            for split in splits
        ],
    }
    try:
        _parse(content)  # what could not be read is not written
    except ValueError as exc:
        raise DataError(f"{path}: not written: {exc}") from None
    content["sha256"] = _checksum(content)
    _write(path, json.dumps(content, separators=(",", ":")) + "\n")


def read_splits(path: Path, known: Description | None = None) -> SplitFile:
    """The splits of a file, every index checked; of ``known`` data, if that is given.

    A file may name data of another name, as long as the data are the same.
    """
    content = _read(path)
    try:
        _check_fields(content)
        stated = content.pop("sha256")
        if stated != _checksum(content):
            raise ValueError("its SHA-256 is not that of its content, it was changed")
        found = _parse(content)
        if known is not None:
            _check_data(found, known)
    except ValueError as exc:
        raise DataError(f"{path}: {exc}") from None
    return found


def _write(path: Path, text: str) -> None:
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            unfinished.write_text(text, encoding="ascii", newline="\n")
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as exc:
        raise DataError(f"{path}: cannot be written ({exc.strerror})") from exc


def _read(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)  # a device has no size to ask for
    except OSError as exc:
        raise DataError(f"{path}: cannot be read ({exc.strerror})") from exc
    if len(raw) > MOST_BYTES:
        raise DataError(f"{path}: is larger than {MOST_BYTES} bytes, no split file is")
    try:
        return json.loads(raw, object_pairs_hook=_once)
    except (ValueError, RecursionError) as exc:
        reason = " ".join(str(exc).split())
        raise DataError(f"{path}: is not a split file ({reason})") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys stand once: of two, the reader must not choose one."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def _checksum(content: dict[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _check_fields(content: Any) -> None:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"is not a split file, its format must be {FORMAT!r}")
    if set(content) != FIELDS:
        raise ValueError(f"must have the fields {', '.join(sorted(FIELDS))} alone")


def _parse(content: dict[str, Any]) -> SplitFile:
    """What the fields say; a ValueError tells what is wrong."""
    samples, parts = content["samples"], content["splits"]
    for field in ("dataset", "data"):
        if not isinstance(content[field], str):
            raise ValueError(f"{field} must be text, got {short(content[field])}")
    if type(samples) is not int or not 2 <= samples <= MOST_SAMPLES:
        wanted = f"a whole number in 2..{MOST_SAMPLES}"
        raise ValueError(f"samples must be {wanted}, got {short(samples)}")
    if not isinstance(parts, list) or not parts:
        raise ValueError("splits must be a list of at least one split")
    splits = tuple(_split(part, k, samples) for k, part in enumerate(parts))
    return SplitFile(content["dataset"], samples, content["data"], splits)


def _split(part: Any, k: int, samples: int) -> Split:
    if not isinstance(part, dict) or set(part) != {"train", "test"}:
        raise ValueError(f"split {k} must have the fields train and test alone")
    train = _indices(part["train"], f"split {k}: train", samples)
    test = _indices(part["test"], f"split {k}: test", samples)
    both = np.intersect1d(train, test, assume_unique=True)
    if both.size:
        raise ValueError(f"split {k}: sample {both[0]} is both in train and in test")
    return Split(train, test)


def _indices(values: Any, where: str, samples: int) -> np.ndarray:
    """Ascending row numbers without repeats."""
    if not isinstance(values, list) or not values:
        raise ValueError(f"{where} must be a list of at least one index")
    for value in values:
        # bool is a kind of int, and 1.0 == 1: only the type itself will do
        if type(value) is not int or not 0 <= value < samples:
            raise ValueError(
                f"{where} must hold whole numbers in 0..{samples - 1} "
                f"(the samples), got {short(value)}"
            )
    indices = np.array(values, dtype=np.int64)
    wrong = np.flatnonzero(np.diff(indices) <= 0)
    if wrong.size:
        before, after = indices[wrong[0]], indices[wrong[0] + 1]
        raise ValueError(
            f"{where} must be ascending without repeats, got {after} after {before}"
        )
    return indices


def _check_data(found: SplitFile, known: Description) -> None:
    if (found.samples, found.data) != (known.n, known.digest):
        raise ValueError(
            f"is of other data: {short(found.dataset)} with {found.samples} samples, "
            f"digest {short(found.data)}, but {known.name} has {known.n} samples, "
            f"digest {short(known.digest)}"
        )
