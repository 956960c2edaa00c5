"""Parsed data kept as plain arrays, so that a file is parsed once.

An entry is a folder of ``.npy`` files and a ``meta.json`` with their checksums. It
appears whole, by renaming, or not at all. What cannot be read, or is damaged, is as
good as absent, and what cannot be written is not kept: the cache is never the reason
for an error.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from mlbench.data.locate import cache_dir

if TYPE_CHECKING:
    import numpy as np


def entry_key(sources: Iterable[str], code: str) -> str:
    """Name of an entry: it follows from the sources' checksums and the reading code."""
    return hashlib.sha256("\n".join([*sources, code]).encode()).hexdigest()


def file_checksum(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_meta(key: str) -> dict | None:
    """The notes kept with the arrays; None if there is no sound entry."""
    record = _read_record(key)
    return None if record is None else record["meta"]


def read_arrays(key: str) -> dict[str, "np.ndarray"] | None:
    """The arrays, mapped from disk and read-only; None if there is no sound entry."""
    import numpy as np

    record = _read_record(key)
    if record is None:
        return None
    arrays = {}
    for name, checksum in record["checksums"].items():
        path = _folder(key) / f"{name}.npy"
        try:
            if file_checksum(path) != checksum:
                return None
            mapped = np.load(path, mmap_mode="r", allow_pickle=False)
        except OSError:
            return None
        arrays[name] = mapped.view(np.ndarray)
    return arrays


def write(key: str, arrays: dict[str, "np.ndarray"], meta: dict) -> None:
    """Keep arrays and notes under the key, in place of what was there."""
    with suppress(OSError):
        parent = _folder(key).parent
        parent.mkdir(parents=True, exist_ok=True)
        workplace = Path(tempfile.mkdtemp(prefix="unfinished-", dir=parent))
        try:
            _fill(workplace / "new", arrays, meta)
            with suppress(FileNotFoundError):
                _folder(key).rename(workplace / "old")
            # Another process may just have put its own in place, and renaming fails:
            # no loss, the same key means the same content.
            (workplace / "new").rename(_folder(key))
        finally:
            shutil.rmtree(workplace, ignore_errors=True)


def _folder(key: str) -> Path:
    return cache_dir() / "parsed" / key


def _fill(folder: Path, arrays: dict[str, "np.ndarray"], meta: dict) -> None:
    import numpy as np

    folder.mkdir()
    checksums = {}
    for name, values in arrays.items():
        path = folder / f"{name}.npy"
        np.save(path, values, allow_pickle=False)
        checksums[name] = file_checksum(path)
    record = {"meta": meta, "checksums": checksums}
    text = json.dumps([_checksum(record), record])
    (folder / "meta.json").write_text(text, encoding="utf-8")


def _read_record(key: str) -> dict | None:
    try:
        text = (_folder(key) / "meta.json").read_text(encoding="utf-8")
        checksum, record = json.loads(text)
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    return record if checksum == _checksum(record) else None


def _checksum(record: dict) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
