"""Comma-separated numbers with the class last, as in the KEEL collection."""

from pathlib import Path

import numpy as np

from mlbench.data.arff import number, short
from mlbench.data.dataset import Dataset
from mlbench.errors import DataError


def read_table(path: Path, name: str) -> Dataset:
    """Read rows of numbers that end in a class; one label for each class.

    Header lines, which begin with ``@``, and blank lines are skipped. Classes are in
    numerical order if all are numbers, else in alphabetical order.
    """
    rows: list[list[float | None]] = []
    classes: list[str] = []
    for line_number, line in _lines(path):
        *fields, last = (field.strip() for field in line.split(","))
        values = [number(field) for field in fields]
        width = len(rows[0]) if rows else max(len(fields), 1)
        if None in values or not last or len(values) != width:
            problem = _problem(fields, last, width)
            raise DataError(f"{path}:{line_number}: {problem}")
        rows.append(values)
        classes.append(last)
    if not rows:
        raise DataError(f"{path}: no rows, at least one is needed")
    labels = _sorted_classes(set(classes))
    column = {label: k for k, label in enumerate(labels)}
    codes = [column[text] for text in classes]
    return Dataset(
        name=name,
        X=np.array(rows, dtype=np.float64),
        Y=np.eye(len(labels), dtype=np.uint8)[codes],
        feature_names=tuple(f"f{k + 1}" for k in range(len(rows[0]))),
        label_names=tuple(labels),
    )


def _lines(path: Path) -> list[tuple[int, str]]:
    """Lines that are rows, with their line numbers."""
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as exc:
        raise DataError(f"{path}: cannot be read ({exc.strerror})") from exc
    except UnicodeDecodeError as exc:
        raise DataError(f"{path}: is not UTF-8 text ({exc.reason})") from exc
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = enumerate(text.split("\n"), start=1)
    return [(k, line) for k, line in lines if line.strip() and line.lstrip()[0] != "@"]


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


def _sorted_classes(classes: set[str]) -> list[str]:
    """Classes in the order of their numbers, or of their names.

    >>> _sorted_classes({"10", "9"}), _sorted_classes({"10", "9", "b"})
    (['9', '10'], ['10', '9', 'b'])
    """
    numbers = {text: number(text) for text in classes}
    if None in numbers.values():
        return sorted(classes)
    return sorted(classes, key=lambda text: (numbers[text], text))
