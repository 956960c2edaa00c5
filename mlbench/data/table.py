"""Comma-separated numbers with the class last, as in the KEEL collection."""

from array import array
from pathlib import Path

import numpy as np

from mlbench.data import limits
from mlbench.data.bulk import dense_rows
from mlbench.data.dataset import Dataset
from mlbench.data.text import Block, blocks, map_rows, number, read_text, short
from mlbench.data.text import rows as lines_of
from mlbench.errors import DataError

HEADER = b"@"  # what a line to be skipped begins with


def read_table(path: Path, name: str) -> Dataset:
    """Read rows of numbers that end in a class; one label for each class.

    Header lines, which begin with ``@``, and blank lines are skipped. Classes are in
    numerical order if all are numbers, else in alphabetical order.
    """
    raw = _read(path)
    rows = _Rows()
    for block in blocks(raw, 0, path):
        if not rows.add_block(block):
            found = list(map_rows(block, HEADER, path, rows.parse))
            values = np.array([row for row, _ in found]).reshape(-1, rows.width)
            rows.extend(values, [last for _, last in found])
        limits.check_size(path, "values", rows.size, limits.MOST_VALUES)
        limits.check_size(path, "classes", len(rows.classes), limits.MOST_COLUMNS)
    n, q = len(rows.codes), len(rows.classes)
    if not n:
        raise DataError(f"{path}: no rows, at least one is needed")
    limits.check_size(path, "samples times classes", n * q, limits.MOST_LABELS)
    labels = _sorted_classes(rows.classes)
    column = np.empty(q, dtype=np.int64)
    column[[rows.classes[label] for label in labels]] = np.arange(q)
    Y = np.zeros((n, q), dtype=np.uint8)
    Y[np.arange(n), column[np.array(rows.codes)]] = 1
    return Dataset(
        name=name,
        X=np.concatenate(rows.parts),
        Y=Y,
        feature_names=tuple(f"f{k + 1}" for k in range(rows.width)),
        label_names=tuple(labels),
    )


class _Rows:
    """The rows so far: their numbers, and the class of each in order of appearance."""

    def __init__(self):
        self.parts: list[np.ndarray] = []
        self.codes: array[int] = array("i")
        self.classes: dict[str, int] = {}
        self.width = 0  # features; not known before the first row
        self.size = 0  # numbers

    def add_block(self, block: Block) -> bool:
        """Add rows that are plainly well-formed, all at once; or none of them."""
        pairs = [line.rpartition(b",") for line in lines_of(block, HEADER)]
        classes = [last.decode("utf-8").strip() for _, _, last in pairs]
        if not pairs or "" in classes:
            return not pairs
        width = self.width or pairs[0][0].count(b",") + 1
        values = dense_rows([features for features, _, _ in pairs], width)
        if values is None:
            return False
        self.extend(values, classes)
        return True

    def parse(self, row: str) -> tuple[list[float], str]:
        """Numbers and class of one row; or what is wrong with it."""
        *fields, last = (field.strip() for field in row.split(","))
        numbers = (number(field) for field in fields)
        values = [value for value in numbers if value is not None]
        self.width = self.width or max(len(fields), 1)
        if not last or not len(fields) == len(values) == self.width:
            raise ValueError(_problem(fields, last, self.width))
        return values, last

    def extend(self, values: np.ndarray, classes: list[str]) -> None:
        """Add rows of numbers, and the class of each."""
        self.width = values.shape[1]
        self.size += values.size
        self.parts.append(values)
        known = self.classes
        self.codes.extend(known.setdefault(name, len(known)) for name in classes)


def _read(path: Path) -> bytes:
    raw = read_text(path)
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as exc:
        line = raw.count(b"\n", 0, exc.start) + 1
        raise DataError(f"{path}:{line}: is not UTF-8 text ({exc.reason})") from exc
    return raw


def _problem(fields: list[str], last: str, width: int) -> str:
    """What is wrong with a row, and what would be right."""
    if len(fields) != width:
        return f"{len(fields)} values before the class, {width} are needed"
    if not last:
        return "no class, the last value of a row is its class"
    wrong = next(field for field in fields if number(field) is None)
    if wrong in ("?", "<null>"):
        return f"a value is missing ({short(wrong)}), missing values are not supported"
    return f"{short(wrong)} is not a number, all values but the class are"


def _sorted_classes(classes: dict[str, int] | set[str]) -> list[str]:
    """Classes in the order of their numbers, or of their names.

    >>> _sorted_classes({"10", "9"}), _sorted_classes({"10", "9", "b"})
    (['9', '10'], ['10', '9', 'b'])
    """
    numbers = {text: number(text) for text in classes}
    if None in numbers.values():
        return sorted(classes)
    return sorted(classes, key=lambda text: (numbers[text], text))
