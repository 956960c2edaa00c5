"""Comma-separated values with a line of names, some of which are labels."""

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from mlbench.data import limits
from mlbench.data.bulk import dense_rows
from mlbench.data.columns import choose_columns, split_columns
from mlbench.data.dataset import Dataset
from mlbench.data.text import Block, blocks, decode, number, read_text, rows, short
from mlbench.errors import DataError

NO_COMMENT = b"\n"  # no line begins with it

_FIRST = re.compile(rb"[^ \t\n]")


def read_csv(path: Path, labels: int | str | Sequence[str], name: str) -> Dataset:
    """Read rows of numbers between commas; the first line names the columns.

    ``labels`` are the names of the label columns, or the prefix of their names, or
    their number: the first n columns, the last n when it is negative.

    Ours: when every value of the first line is a number it is a row like the others,
    and the columns are named ``c1``, ``c2`` and so on. Blank lines are skipped. Names
    and numbers may stand in double quotes; missing values are refused.
    """
    raw = read_text(path)
    names, start = _names(raw, path)
    limits.check_size(path, "columns", len(names), limits.MOST_COLUMNS)
    where = choose_columns(labels, names, path)
    matrix = _read_rows(raw, start, names, path)
    if not len(matrix):
        raise DataError(f"{path}: no rows after the names, at least one is needed")
    return split_columns([matrix], names, where, [path], name)


def _names(raw: bytes, path: Path) -> tuple[list[str], int]:
    """Names of the columns, and where the rows begin."""
    first = _FIRST.search(raw)
    start = raw.rfind(b"\n", 0, first.start()) + 1 if first else len(raw)
    end = raw.find(b"\n", start) + 1 or len(raw)
    first_line = raw.count(b"\n", 0, start) + 1
    limits.check_size(f"{path}:{first_line}", "bytes", end - start, limits.MOST_LINE)
    found = list(_split(Block(raw[start:end], first_line), path))
    if not found:
        raise DataError(f"{path}: is empty, a line of names and rows are needed")
    names = [field.strip() for field in found[0][1]]
    if all(number(field) is not None for field in names):
        return [f"c{k + 1}" for k in range(len(names))], start
    return names, end


def _read_rows(raw: bytes, start: int, names: list[str], path: Path) -> np.ndarray:
    d, n, parts = len(names), 0, []
    for block in blocks(raw, start, path):
        lines = rows(block, NO_COMMENT)
        part = dense_rows(lines, d) if lines else np.empty((0, d))
        if part is None:
            part = read_carefully(block, names, path)
        n += len(part)
        limits.check_size(path, "values", n * d, limits.MOST_VALUES)
        parts.append(part)
    return np.concatenate(parts) if parts else np.empty((0, d))


def read_carefully(block: Block, names: list[str], path: Path) -> np.ndarray:
    """The rows of a block, one line at a time."""
    found = [
        _values(fields, names, f"{path}:{line}") for line, fields in _split(block, path)
    ]
    return np.array(found, dtype=np.float64).reshape(-1, len(names))


def _split(block: Block, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Line number and fields of each line that is not blank."""
    for line, raw in enumerate(block.raw.split(b"\n"), block.first_line):
        if not raw.strip(b" \t"):
            continue
        try:
            # one line at a time: a name with a line end in it is a quote not closed
            [fields] = csv.reader([decode(raw)], strict=True, skipinitialspace=True)
        except (csv.Error, ValueError) as exc:
            raise DataError(f"{path}:{line}: is not comma-separated ({exc})") from None
        yield line, fields


def _values(fields: list[str], names: list[str], where: str) -> np.ndarray:
    if len(fields) != len(names):
        raise DataError(
            f"{where}: {len(fields)} values, one for each of the {len(names)} columns "
            "is needed"
        )
    values = [number(field.strip(" \t")) for field in fields]
    if None in values:
        wrong = values.index(None)
        raise DataError(
            f"{where}: {short(fields[wrong])} is not a value of column "
            f"{short(names[wrong])}, a number is needed"
        )
    return np.array(values, dtype=np.float64)
