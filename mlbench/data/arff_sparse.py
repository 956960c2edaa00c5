"""Sparse rows of an ARFF file: ``{index value, ...}``, what is not written is 0."""

import re
from operator import itemgetter
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from mlbench.data.arff_dense import COMMENT, all_binary, binary_columns
from mlbench.data.arff_header import (
    QUOTED,
    Attribute,
    levels,
    matches,
    unquoted,
    value_of,
)
from mlbench.data.bulk import (
    NUMBER_BYTES,
    TO_BLANKS,
    Entries,
    in_order,
    numbers,
    whole_columns,
)
from mlbench.data.text import Block, blocks, map_rows, number, rows, short
from mlbench.errors import DataError

_ENTRY = re.compile(rf"[ \t]*+([^\s,]++)[ \t]++(?:{QUOTED}|([^,]*))[ \t]*(,|$)")


def read_sparse(
    raw: bytes, start: int, attributes: tuple[Attribute, ...], path: Path
) -> csr_array:
    """The matrix of the rows from ``start`` on."""
    _check_implied_values(attributes, path)
    binary = binary_columns(attributes)
    entries = Entries(path)
    for block in blocks(raw, start, path):
        part = _fast(block, len(attributes), binary)
        if part is None:
            part = read_carefully(block, attributes, path)
        entries.add(*part)
    return entries.matrix(len(attributes))


def read_carefully(
    block: Block, attributes: tuple[Attribute, ...], path: Path
) -> tuple:
    """The rows of a block, one line at a time, as counts, columns and values."""
    found = list(map_rows(block, COMMENT, path, lambda row: _row(row, attributes)))
    counts = np.array([len(columns) for columns, _ in found], dtype=np.int64)
    columns = np.concatenate([np.empty(0, np.int32), *(row[0] for row in found)])
    values = np.concatenate([np.empty(0), *(row[1] for row in found)])
    return counts, columns, values


def _check_implied_values(attributes: tuple[Attribute, ...], path: Path) -> None:
    """In sparse rows the first category goes unwritten, and we take that for 0."""
    for categories in dict.fromkeys(map(itemgetter(1), attributes)):
        if categories and next(iter(levels(categories).values())) != 0:
            names = [a.name for a in attributes if a.categories == categories]
            raise DataError(
                f"{path}: attribute {short(names[0])}: the first category is "
                f"{short(categories[0])}, in sparse rows it must be '0'"
            )


def _fast(block: Block, d: int, binary: np.ndarray | None) -> tuple | None:
    """The rows of a block, or None when they are not plainly well-formed numbers.

    The proof is that of :func:`mlbench.data.bulk.dense_rows`: a skeleton with one blank
    per entry, at most one number on either side of it, none outside the braces or in
    ``{}``, and twice as many numbers as blanks.
    """
    lines = rows(block, COMMENT)
    if binary is None or not all(row[:1] == b"{" and row[-1:] == b"}" for row in lines):
        return None
    chunk = b"\n".join(lines) + b"\n" if lines else b""
    skeleton = chunk.translate(None, NUMBER_BYTES)
    if not _in_form(skeleton, lines):
        chunk = chunk.replace(b"\t", b" ").replace(b"{ ", b"{")
        chunk = chunk.replace(b" }", b"}").replace(b", ", b",")
        skeleton = chunk.translate(None, NUMBER_BYTES)
        if not _in_form(skeleton, chunk.split(b"\n")):
            return None
    part = _entries(chunk, skeleton, d)
    return part if part is not None and all_binary(part[2][binary[part[1]]]) else None


def _in_form(skeleton: bytes, lines: list[bytes]) -> bool:
    """Whether the rows without their numbers are ``{ , , }``, or ``{}`` if all is 0.

    Each entry but the last takes its blank and comma with it; what is left are lines of
    ``{ }`` and ``{}`` and nothing else, and of the second as many as there were before.
    """
    left = skeleton.replace(b" ,", b"")
    some, none = left.count(b"{ }\n"), left.count(b"{}\n")
    return len(left) == 4 * some + 3 * none and none == lines.count(b"{}")


def _entries(chunk: bytes, skeleton: bytes, d: int) -> tuple | None:
    """Counts, columns and values of rows whose skeleton is in order; or None."""
    tokens = numbers(chunk.translate(TO_BLANKS), 2 * skeleton.count(b" "))
    columns = None if tokens is None else whole_columns(tokens[::2], d)
    if tokens is None or columns is None:
        return None
    marks = np.frombuffer(skeleton, np.uint8)
    at = np.flatnonzero(marks == ord("\n"))
    blanks = np.flatnonzero(marks == ord(" "))
    counts = np.diff(np.searchsorted(blanks, at), prepend=0)
    return in_order(counts, columns, tokens[1::2].copy())


def _row(row: str, attributes: tuple[Attribute, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Columns in order, and their values."""
    if not (row.startswith("{") and row.endswith("}")):
        raise ValueError(f"{short(row)} is not a sparse row, the form is: {{0 1, 5 2}}")
    inside = row[1:-1].strip(" \t")
    values: dict[int, float] = {}
    for match in matches(_ENTRY, inside) if inside else ():
        index = number(match[1])
        if index is None or index % 1 or not 0 <= index < len(attributes):
            raise ValueError(
                f"{short(match[1])} is not the index of an attribute, "
                f"those are 0..{len(attributes) - 1}"
            )
        column = int(index)
        if column in values:
            raise ValueError(f"index {column} stands twice in a row, once is allowed")
        values[column] = value_of(unquoted(*match.groups()[1:4]), attributes[column])
    columns = sorted(values)
    found = [values[column] for column in columns]
    return np.array(columns, dtype=np.int32), np.array(found, dtype=np.float64)
