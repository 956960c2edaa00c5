"""A data set written to files that other programs read.

What is written is the data, to the last bit of every number; a file appears whole or
not at all.
"""

import csv
import io
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from unicodedata import category
from xml.sax.saxutils import quoteattr

import numpy as np
from scipy.sparse import issparse

from mlbench.data.dataset import Dataset
from mlbench.errors import DataError, unknown

MULAN = "http://mulan.sourceforge.net/labels"  # the namespace of its label files
# No line of text can hold these: line breaks and other controls, halves of characters,
# and the two code points that XML forbids besides.
UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")
FORBIDDEN = "\ufffe\uffff"


def export(dataset: Dataset, path: Path, kind: str) -> list[Path]:
    """Write a data set in another form; gives the files that were written.

    Parameters
    ----------
    dataset : Dataset
        Its values are finite numbers.
    path : Path
        The file to write, in place of one that is there. ``arff`` puts the label file
        beside it, ending in ``.xml``; a set with a split of its own becomes two ARFF
        files, NAME-train and NAME-test, as in the Mulan collection.
    kind : {"arff", "csv", "npz", "svmlight"}
        ``arff``: Mulan's form, sparse rows for a sparse X. ``csv``: a header with
        all names, the labels last. ``npz``: arrays X (or X_data, X_indices, X_indptr
        and X_shape), Y, feature_names, label_names and, if the set has a split of its
        own, n_train; none of them needs pickle. ``svmlight``: ``l1,l2 i:v``, labels
        from 0 and features from 1. It keeps no names, and like ``csv`` no split of its
        own: the training samples come first.
    """
    if kind not in WRITERS:
        raise DataError(unknown("kind of file", kind, WRITERS))
    stored: Any = dataset.X.data if issparse(dataset.X) else dataset.X
    if not np.isfinite(stored).all():
        raise DataError(f"{dataset.name}: X must hold finite numbers to be exported")
    return WRITERS[kind](dataset, Path(path))


# --- ARFF and XML


def _write_arff(dataset: Dataset, path: Path) -> list[Path]:
    _check_printable(dataset)
    _check_label_names(dataset)
    n, own = len(dataset.Y), dataset.n_train
    parts = {path: (0, n)}
    if own is not None:
        parts = {_beside(path, "-train"): (0, own), _beside(path, "-test"): (own, n)}
    for part, rows in parts.items():
        _write_text(part, _arff_lines(dataset, *rows))
    xml = path.with_suffix(".xml")
    _write_text(xml, _xml_lines(dataset.label_names))
    return [*parts, xml]


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.stem + suffix + path.suffix)


def _arff_lines(dataset: Dataset, start: int, stop: int) -> Iterator[str]:
    yield f"@relation {_quoted(dataset.name)}"
    for name in dataset.feature_names:
        yield f"@attribute {_quoted(name)} numeric"
    for name in dataset.label_names:
        yield f"@attribute {_quoted(name)} {{0,1}}"
    yield "@data"
    d = len(dataset.feature_names)
    for i in range(start, stop):
        labels = dataset.Y[i]
        if issparse(dataset.X):
            entries = [*_entries(dataset.X, i), *((d + k, "1") for k in _ones(labels))]
            yield "{" + ",".join(f"{column} {value}" for column, value in entries) + "}"
        else:
            yield ",".join([*map(_number, dataset.X[i].tolist()), *map(str, labels)])


def _quoted(name: str) -> str:
    r"""A name as ARFF can hold it.

    >>> print(_quoted("plain"), _quoted("it's {new}, 100%"))
    plain 'it\'s {new}, 100%'
    """
    if name.isascii() and name.isalnum():
        return name
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _xml_lines(names: Iterable[str]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="utf-8"?>'
    yield f'<labels xmlns="{MULAN}">'
    for name in names:
        yield f"<label name={quoteattr(name)}></label>"
    yield "</labels>"


# --- CSV


def _write_csv(dataset: Dataset, path: Path) -> list[Path]:
    _check_printable(dataset)
    if all(map(_reads_as_number, dataset.feature_names + dataset.label_names)):
        raise DataError(
            f"{dataset.name}: all names are numbers, as the header of a CSV file they "
            "would be taken for a row"
        )
    _write_text(path, _csv_lines(dataset))
    return [path]


def _csv_lines(dataset: Dataset) -> Iterator[str]:
    header = io.StringIO()
    names = [*dataset.feature_names, *dataset.label_names]
    csv.writer(header, lineterminator="").writerow(names)
    yield header.getvalue()
    for i, labels in enumerate(dataset.Y):
        row: Any = dataset.X[[i]]  # one row at a time is ever dense
        values = (row.toarray() if issparse(row) else row)[0]
        yield ",".join([*map(_number, values.tolist()), *map(str, labels)])


def _reads_as_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


# --- NumPy


def _write_npz(dataset: Dataset, path: Path) -> list[Path]:
    X: Any = dataset.X
    if issparse(X):
        parts = {"X_data": X.data, "X_indices": X.indices, "X_indptr": X.indptr}
        arrays = parts | {"X_shape": np.array(X.shape)}
    else:
        arrays = {"X": X}
    arrays |= {
        "Y": dataset.Y,
        "feature_names": np.array(dataset.feature_names, dtype=str),
        "label_names": np.array(dataset.label_names, dtype=str),
    }
    if dataset.n_train is not None:
        arrays["n_train"] = np.array(dataset.n_train)
    with _placed(path) as file:
        np.savez_compressed(file, **arrays)
    return [path]


# --- svmlight


def _write_svmlight(dataset: Dataset, path: Path) -> list[Path]:
    _write_text(path, _svmlight_lines(dataset))
    return [path]


def _svmlight_lines(dataset: Dataset) -> Iterator[str]:
    """One line for each sample.

    The last feature is written in the first line even if it is 0, or its number, which
    is that of the features, could not be told; and a sample without labels and features
    has a 0 written, or readers would take its line for an empty one.
    """
    d = dataset.X.shape[1]
    for i, labels in enumerate(dataset.Y):
        entries = {column + 1: value for column, value in _entries(dataset.X, i)}
        if i == 0:
            entries.setdefault(d, "0")
        if not entries and not labels.any():
            entries[1] = "0"
        pairs = [f"{column}:{value}" for column, value in entries.items()]
        yield " ".join([",".join(map(str, _ones(labels))), *pairs])


# --- rows, numbers and names


def _entries(X, i: int) -> list[tuple[int, str]]:
    """Column and value of what is not 0 in a row, columns ascending."""
    if issparse(X):
        part = slice(X.indptr[i], X.indptr[i + 1])
        columns, values = X.indices[part], X.data[part]
        order = np.argsort(columns, kind="stable")
        columns, values = columns[order], values[order]
    else:
        columns, values = np.arange(X.shape[1]), X[i]
    kept = values != 0
    pairs = zip(columns[kept].tolist(), values[kept].tolist(), strict=True)
    return [(column, _number(value)) for column, value in pairs]


def _ones(labels: np.ndarray) -> list[int]:
    return np.flatnonzero(labels).tolist()


def _number(value: float) -> str:
    """The shortest decimal that reads as the same number.

    >>> _number(3.0), _number(0.1), _number(-1e-300)
    ('3', '0.1', '-1e-300')
    """
    return repr(value + 0.0).removesuffix(".0")  # minus zero becomes zero


def _check_printable(dataset: Dataset) -> None:
    for name in (dataset.name, *dataset.feature_names, *dataset.label_names):
        if any(category(c) in UNPRINTABLE or c in FORBIDDEN for c in name):
            raise DataError(f"{name!r}: a name must be one line of text to be exported")


def _check_label_names(dataset: Dataset) -> None:
    """Labels are found by their names: each must be there, and be the only one."""
    seen = {*dataset.feature_names, ""}
    for name in dataset.label_names:
        if name in seen:
            raise DataError(
                f"{name!r}: a label must have a name of its own to be exported as ARFF"
            )
        seen.add(name)


# --- files


def _write_text(path: Path, lines: Iterable[str]) -> None:
    with _placed(path) as file:
        for line in lines:
            file.write(line.encode() + b"\n")


@contextmanager
def _placed(path: Path) -> Iterator[BinaryIO]:
    """A file that takes its name when it is finished."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            with unfinished.open("wb") as file:
                yield file
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as exc:
        reason = exc.strerror or exc
        raise DataError(f"{path}: cannot be written ({reason})") from exc


WRITERS: dict[str, Callable[[Dataset, Path], list[Path]]] = {
    "arff": _write_arff,
    "csv": _write_csv,
    "npz": _write_npz,
    "svmlight": _write_svmlight,
}
