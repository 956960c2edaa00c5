"""Dense rows of an ARFF file: a value for every attribute, between commas."""

from operator import itemgetter
from pathlib import Path

import numpy as np

from mlbench.data import limits
from mlbench.data.arff_header import Attribute, fields, levels, value_of
from mlbench.data.bulk import dense_rows
from mlbench.data.text import Block, blocks, map_rows, rows

COMMENT = b"%"


def read_dense(
    raw: bytes, start: int, attributes: tuple[Attribute, ...], path: Path
) -> np.ndarray:
    """The matrix of the rows from ``start`` on."""
    d = len(attributes)
    binary = binary_columns(attributes)
    matrix = np.empty((_most_rows(raw, start, d), d))
    n = 0
    for block in blocks(raw, start, path):
        part = _fast(block, d, binary)
        if part is None:
            part = read_carefully(block, attributes, path)
        limits.check_size(path, "values", (n + len(part)) * d, limits.MOST_VALUES)
        matrix[n : n + len(part)] = part
        n += len(part)
    return matrix if n == len(matrix) else matrix[:n].copy()


def binary_columns(attributes: tuple[Attribute, ...]) -> np.ndarray | None:
    """Mask of the 0/1 attributes; None if there are categories of another kind."""
    kinds = list(map(itemgetter(1), attributes))
    if any(kind and set(levels(kind)) != {0.0, 1.0} for kind in set(kinds)):
        return None
    return np.fromiter(map(bool, kinds), dtype=bool, count=len(kinds))


def all_binary(values: np.ndarray) -> bool:
    """Whether every value is 0 or 1."""
    return bool(((values == 0) | (values == 1)).all())


def read_carefully(
    block: Block, attributes: tuple[Attribute, ...], path: Path
) -> np.ndarray:
    """The rows of a block, one line at a time."""
    found = list(map_rows(block, COMMENT, path, lambda row: _row(row, attributes)))
    return np.array(found, dtype=np.float64).reshape(-1, len(attributes))


def _most_rows(raw: bytes, start: int, d: int) -> int:
    """How many rows there can be: a value takes two bytes or more."""
    by_lines = raw.count(b"\n", start) + 1
    by_bytes = (len(raw) - start + 1) // (2 * d)
    return min(by_lines, by_bytes, limits.MOST_VALUES // d)


def _fast(block: Block, d: int, binary: np.ndarray | None) -> np.ndarray | None:
    """The rows of a block, or None when they are not plainly well-formed numbers."""
    lines = rows(block, COMMENT)
    if binary is None:
        return None
    if not lines:
        return np.empty((0, d))
    part = dense_rows(lines, d)
    return part if part is not None and all_binary(part[:, binary]) else None


def _row(row: str, attributes: tuple[Attribute, ...]) -> np.ndarray:
    if row.startswith("{"):
        raise ValueError("a sparse row in a file of dense rows, one form is needed")
    found = fields(row)
    if len(found) != len(attributes):
        raise ValueError(
            f"{len(found)} values, one for each of the {len(attributes)} attributes "
            "is needed"
        )
    return np.array([value_of(*pair) for pair in zip(found, attributes, strict=True)])
