"""The data sets we know by name: their files, where those come from, their shape."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from operator import itemgetter

from mlbench.errors import DataError, unknown

ALL = "all"
FORMATS = {".arff": "mulan", ".mat": "mat", ".dat": "table"}  # by ending of a file


@dataclass(frozen=True)
class FileEntry:
    """One file: its place under the data folder, its size, checksum and addresses.

    ``mirrors`` are further addresses of the same bytes; in ``catalogue.csv`` they
    follow the first one after a blank.
    """

    path: str
    bytes: int
    sha256: str
    url: str
    mirrors: tuple[str, ...] = ()

    @property
    def addresses(self) -> tuple[str, ...]:
        """Every address of the file, the preferred one first."""
        return (self.url, *self.mirrors)


@dataclass(frozen=True)
class Entry:
    """One data set: its files in reading order, and the shape they should give."""

    name: str
    files: tuple[FileEntry, ...]
    instances: int
    features: int
    labels: int
    cardinality: float
    format: str


@cache
def catalogue() -> dict[str, Entry]:
    """Every known data set by its name, in the order of ``catalogue.csv``.

    >>> catalogue()["scene"].format, catalogue()["scene"].instances
    ('mulan', 2407)
    """
    text = files("mlbench.data").joinpath("catalogue.csv").read_text(encoding="utf-8")
    by_name = groupby(csv.DictReader(text.splitlines()), key=itemgetter("dataset"))
    return {name: _entry(name, list(rows)) for name, rows in by_name}


def entry_named(name: str) -> Entry:
    """The data set of that name, or a hint at the one that may be meant."""
    if name not in catalogue():
        raise DataError(unknown("data set", name, catalogue()))
    return catalogue()[name]


def named_or_grouped(asked: Iterable[str]) -> list[str]:
    """Names of data sets from names, folders of the catalogue (``yahoo``), or ``all``.

    >>> named_or_grouped(["keel", "scene"])[-2:]
    ['segment', 'scene']
    """
    known = catalogue()
    groups: dict[str, list[str]] = {ALL: list(known)}
    for entry in known.values():
        groups.setdefault(entry.files[0].path.partition("/")[0], []).append(entry.name)
    found: list[str] = []
    for name in asked:
        if name not in known and name not in groups:
            raise DataError(unknown("data set", name, [*known, *groups]))
        found += groups.get(name, [name])
    return list(dict.fromkeys(found))


def _entry(name: str, rows: list[dict[str, str]]) -> Entry:
    """The data set described by its rows, one row for each file."""
    first = rows[0]
    ending = "." + first["file"].rpartition(".")[2]
    return Entry(
        name=name,
        files=tuple(_file_entry(row) for row in rows),
        instances=int(first["instances"]),
        features=int(first["features"]),
        labels=int(first["labels"]),
        cardinality=float(first["cardinality"]),
        format=FORMATS[ending],
    )


def _file_entry(row: dict[str, str]) -> FileEntry:
    """The file described by a row.

    >>> row = {"file": "a.dat", "bytes": "9", "sha256": "", "url": "http://x http://y"}
    >>> _file_entry(row).addresses
    ('http://x', 'http://y')
    """
    url, *mirrors = row["url"].split()
    return FileEntry(row["file"], int(row["bytes"]), row["sha256"], url, tuple(mirrors))
