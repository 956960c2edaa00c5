"""The multi-label form of SVMlight and LIBSVM: ``label,label index:value ...``."""

import re
from array import array
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mlbench.data import limits
from mlbench.data.bulk import (
    NUMBER_BYTES,
    TO_BLANKS,
    Entries,
    in_order,
    numbers,
    whole_columns,
)
from mlbench.data.dataset import Dataset
from mlbench.data.text import Block, blocks, hint, map_rows, number, read_text, short
from mlbench.errors import DataError

COMMENT = b"#"
_BLANKS = re.compile(r"[ \t]+")
# Features with their numbers deleted, one line for each sample: ": : :".
_ROWS = re.compile(rb"(?:(?::(?: :)*+)?+\n)*+")


def read_svmlight(
    path: Path, name: str, labels: Sequence[str] | None = None
) -> Dataset:
    """Read rows of labels and features; the features are sparse.

    A row is the labels between commas, a blank, and the features as ``index:value``
    with rising or other indices, each once. A row without labels begins with its
    features. What follows ``#`` is a comment.

    ``labels`` gives the columns of ``Y`` and their order; without it there is one for
    each label that occurs, in numerical order if all are numbers, else alphabetical.

    Ours: blank lines are skipped, so that a sample has a label or a feature; a file in
    which the index 0 occurs counts from 0, any other from 1; the largest index decides
    the number of features.
    """
    raw = read_text(path)
    found = _Labels()
    entries = Entries(path)
    for block in blocks(raw, 0, path):
        entries.add(*_read_block(block, path, found))
        found.check(path)
    if not entries.size:
        raise DataError(f"{path}: no features, rows like '3,5 1:0.5 7:2' are needed")
    label_names = _label_names(found.columns, labels, path)
    base, d = _count_from(entries)
    return Dataset(
        name=name,
        X=entries.matrix(d),
        Y=found.matrix(label_names, path),
        feature_names=tuple(f"f{k + base}" for k in range(d)),
        label_names=tuple(label_names),
    )


def _count_from(entries: Entries) -> tuple[int, int]:
    """The index of the first feature, now taken off all of them; and their number."""
    blocks_with_any = [columns for columns in entries.columns if len(columns)]
    base = min(1, *(int(columns.min()) for columns in blocks_with_any))
    for columns in blocks_with_any:
        columns -= base
    return base, max(int(columns.max()) for columns in blocks_with_any) + 1


class _Labels:
    """Labels of the rows so far, as numbers in the order of their first appearance."""

    def __init__(self):
        self.columns: dict[str, int] = {}
        self.counts: array[int] = array("i")  # of each row
        self.codes: array[int] = array("i")  # of all rows, one after the other

    def add(self, text: str) -> None:
        """One more row, with the labels written in the text."""
        labels = text.split(",") if text else []
        if "" in labels or ":" in text or len(set(labels)) < len(labels):
            raise ValueError(
                f"{short(text)} is not a list of labels, the form is: 3,5 1:0.5 7:2"
            )
        columns = self.columns
        self.codes.extend(columns.setdefault(label, len(columns)) for label in labels)
        self.counts.append(len(labels))

    def forget(self, n: int) -> None:
        """Forget all rows but the first n."""
        extra = sum(self.counts[n:])
        del self.codes[len(self.codes) - extra :], self.counts[n:]

    def check(self, path: Path) -> None:
        """Refuse more than a file may hold."""
        limits.check_size(path, "labels", len(self.columns), limits.MOST_COLUMNS)
        limits.check_size(path, "labels of rows", len(self.codes), limits.MOST_ENTRIES)

    def matrix(self, names: list[str], path: Path) -> np.ndarray:
        """Y with a column for each of the names."""
        n, q = len(self.counts), len(names)
        limits.check_size(path, "labels of samples", n * q, limits.MOST_LABELS)
        column = {label: k for k, label in enumerate(names)}
        place = np.array([column[label] for label in self.columns], dtype=np.int64)
        Y = np.zeros((n, q), dtype=np.uint8)
        Y[np.repeat(np.arange(n), self.counts), place[np.array(self.codes)]] = 1
        return Y


def _read_block(block: Block, path: Path, labels: _Labels) -> tuple:
    """Counts, columns and values of the rows of a block."""
    before = len(labels.counts)
    try:
        part = _fast(block, labels)
    except ValueError:  # of the labels; the careful way knows the line
        part = None
    if part is not None:
        return part
    labels.forget(before)
    found = list(map_rows(block, COMMENT, path, lambda row: _row(row, labels)))
    columns = np.concatenate([np.empty(0, np.int32), *(row[0] for row in found)])
    values = np.concatenate([np.empty(0), *(row[1] for row in found)])
    return np.array([len(row[0]) for row in found], dtype=np.int64), columns, values


def _fast(block: Block, labels: _Labels) -> tuple | None:
    """The rows of a block, or None when they are not plainly well-formed."""
    if COMMENT in block.raw or b"\t" in block.raw or b"  " in block.raw:
        return None
    features = []
    for line in block.raw.split(b"\n"):
        row = line.strip(b" ")
        if row:
            first, _, rest = row.partition(b" ")
            has_labels = b":" not in first
            labels.add(first.decode("utf-8") if has_labels else "")
            features.append(rest if has_labels else row)
    chunk = b"\n".join(features) + b"\n" if features else b""
    skeleton = chunk.translate(None, NUMBER_BYTES)
    if not _ROWS.fullmatch(skeleton):
        return None
    marks = np.frombuffer(skeleton, np.uint8)
    ends, colons = np.flatnonzero(marks == ord("\n")), np.flatnonzero(marks == ord(":"))
    counts = np.diff(np.searchsorted(colons, ends), prepend=0)
    if np.count_nonzero(counts == 0) != features.count(b""):
        return None  # a number without a colon, which could stand in for a missing one
    return _entries(chunk, counts)


def _entries(chunk: bytes, counts: np.ndarray) -> tuple | None:
    """Counts, columns and values; at most one number stands on each side of a colon."""
    tokens = numbers(chunk.translate(TO_BLANKS), 2 * int(counts.sum()))
    columns = None
    if tokens is not None:
        columns = whole_columns(tokens[::2], limits.MOST_COLUMNS + 1)
    if tokens is None or columns is None:
        return None
    return in_order(counts, columns, tokens[1::2].copy())


def _row(row: str, labels: _Labels) -> tuple[np.ndarray, np.ndarray]:
    """Columns in order, and their values."""
    words = [word for word in _BLANKS.split(row.partition("#")[0]) if word]
    has_labels = bool(words) and ":" not in words[0]
    labels.add(words[0] if has_labels else "")
    values: dict[int, float] = {}
    for word in words[1:] if has_labels else words:
        index, value = _entry(word)
        if index in values:
            raise ValueError(f"index {index} stands twice in a row, once is allowed")
        values[index] = value
    columns = sorted(values)
    found = [values[column] for column in columns]
    return np.array(columns, dtype=np.int32), np.array(found, dtype=np.float64)


def _entry(word: str) -> tuple[int, float]:
    before, colon, after = word.partition(":")
    index, value = number(before), number(after)
    if not colon or value is None:
        raise ValueError(
            f"{short(word)} is not a feature, the form is index:value with a number"
        )
    if index is None or index % 1 or not 0 <= index <= limits.MOST_COLUMNS:
        raise ValueError(
            f"{short(before)} is not the index of a feature, "
            f"those are 0..{limits.MOST_COLUMNS}"
        )
    return int(index), value


def _label_names(
    found: dict[str, int], wanted: Sequence[str] | None, path: Path
) -> list[str]:
    """Names of the labels, in the order of their columns."""
    if wanted is None:
        if not found:
            raise DataError(f"{path}: no row has a label, one at least is needed")
        numeric = all(number(label) is not None for label in found)
        return sorted(found, key=lambda label: (number(label) if numeric else 0, label))
    if missing := sorted(set(found) - set(wanted)):
        close = hint(missing[0], wanted)
        raise DataError(f"{path}: label {short(missing[0])} is not a known one{close}")
    if not wanted or len(set(wanted)) < len(wanted):
        raise DataError(f"{path}: a label is asked for twice, or none is")
    return list(wanted)
