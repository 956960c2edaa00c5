"""Records on disk: appended, never edited; what is written survives a crash.

``results/<name>/records.jsonl`` holds one JSON object a line. ``records.jsonl.gz``
beside it, if there, holds earlier ones. Only the process that holds the folder's
lock writes. A line cut short by a crash is dropped with a notice when the file is
next opened.
"""

import contextlib
import gzip
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from mlbench.errors import ResultsError

Record = dict[str, Any]
RECORDS = "records.jsonl"
PACKED = "records.jsonl.gz"
CONFIG = "config.yaml"  # of an experiment that does not come with mlbench
LOCK = ".lock"


class Store:
    """The records of one experiment."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.path = folder / RECORDS
        self.notices: list[str] = []  # what had to be mended, for the user to read

    def records(self) -> dict[str, Record]:
        """The newest record of every key, in the order they were first written."""
        found: dict[str, Record] = {}
        for path in (self.folder / PACKED, self.path):
            if path.exists():
                for record in self._read(path):
                    found[record["key"]] = record
        return found

    def _read(self, path: Path) -> Iterator[Record]:
        try:
            data = path.read_bytes()
            text = gzip.decompress(data) if path.suffix == ".gz" else data
        except (OSError, EOFError, zlib.error) as exc:
            raise ResultsError(f"{path}: cannot be read ({exc})") from exc
        lines = text.split(b"\n")
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            record = _parse(line)
            if record is not None:
                yield record
            elif number == len(lines):
                self.notices.append(f"{path}:{number}: torn last line dropped")
            else:
                raise ResultsError(
                    f"{path}:{number}: not a record; remove the line to go on"
                )

    @contextmanager
    def writing(self):
        """Hold the folder for this process, and mend what a crash left behind."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with FileLock(self.folder / LOCK, timeout=0):
                self._mend()
                yield self
        except Timeout:
            raise ResultsError(
                f"{self.folder}: another run is writing here; wait for it to end, "
                "or use another --results folder"
            ) from None
        except OSError as exc:
            raise ResultsError(_unwritable(self.folder, exc)) from exc

    def _mend(self) -> None:
        """Cut a torn last line off, or finish one that only lacks its end."""
        if not self.path.exists():
            return
        with self.path.open("rb+") as file:
            data = file.read()
            whole = data.rfind(b"\n") + 1
            tail = data[whole:]
            if not tail:
                return
            if _parse(tail) is not None:
                file.write(b"\n")
            else:
                file.truncate(whole)
                self.notices.append(f"{self.path}: torn last line dropped")

    def append(self, records: Iterable[Record]) -> None:
        """Write records and wait until they are on the disk."""
        try:
            with self.path.open("ab") as file:
                file.write(_lines(records))
                file.flush()
                os.fsync(file.fileno())
        except OSError as exc:
            raise ResultsError(_unwritable(self.folder, exc)) from exc

    def replace(self, records: Iterable[Record], packed: bool) -> None:
        """Put these records, compressed or not, in the place of all that are there."""
        keep, drop = self.folder / PACKED, self.path
        content = _lines(records)
        if packed:
            content = gzip.compress(content, mtime=0)  # the same bytes whenever made
        else:
            keep, drop = drop, keep
        unfinished = keep.with_name(f".{keep.name}.unfinished")
        try:
            unfinished.write_bytes(content)
            unfinished.replace(keep)
            drop.unlink(missing_ok=True)
        except OSError as exc:
            raise ResultsError(_unwritable(self.folder, exc)) from exc

    @property
    def packed(self) -> bool:
        """Whether there are compressed records."""
        return (self.folder / PACKED).exists()


def _lines(records: Iterable[Record]) -> bytes:
    return "".join(
        json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n"
        for record in records
    ).encode()


def place_config(text: str, folder: Path) -> Path:
    """Put the text of a config where its records will be."""
    target = folder / CONFIG
    try:
        folder.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    except OSError as exc:
        raise ResultsError(f"{target}: cannot be written ({exc.strerror})") from exc
    return target


def keep_config(source: Path, folder: Path) -> bool:
    """Leave a copy of a user's config beside its records, for later reports.

    Returns whether there was none before.
    """
    target = folder / CONFIG
    new = not target.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    except OSError as exc:
        raise ResultsError(_unwritable(folder, exc)) from exc
    return new


def withdraw_config(folder: Path) -> None:
    """Take a config back that was kept for a run which came to nothing."""
    if not Store(folder).records():
        with contextlib.suppress(OSError):
            for name in (CONFIG, LOCK):
                (folder / name).unlink(missing_ok=True)
            folder.rmdir()


def _parse(line: bytes) -> Record | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) and "key" in record else None


def _unwritable(folder: Path, exc: OSError) -> str:
    return (
        f"{folder}: cannot be written ({exc.strerror or exc}); records so far are kept"
    )
