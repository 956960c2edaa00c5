"""The data sets we know by name: their files, where those come from, their shape."""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from operator import itemgetter

from mlbench.errors import DataError, unknown

FORMATS = {".arff": "mulan", ".mat": "mat", ".dat": "table"}  # by ending of a file


@dataclass(frozen=True)
class FileEntry:
    """One file: its place under the data folder, its size, checksum and address."""

    path: str
    bytes: int
    sha256: str
    url: str


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


def _entry(name: str, rows: list[dict[str, str]]) -> Entry:
    """The data set described by its rows, one row for each file."""
    first = rows[0]
    ending = "." + first["file"].rpartition(".")[2]
    return Entry(
        name=name,
        files=tuple(
            FileEntry(row["file"], int(row["bytes"]), row["sha256"], row["url"])
            for row in rows
        ),
        instances=int(first["instances"]),
        features=int(first["features"]),
        labels=int(first["labels"]),
        cardinality=float(first["cardinality"]),
        format=FORMATS[ending],
    )
