"""MATLAB files of the LAMDA group: training and test samples, labels of -1 and +1.

The arrays are taken from the file here rather than with SciPy, whose reader takes the
process down with it when certain bytes of a file are damaged.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array, issparse

from mlbench.data import limits
from mlbench.data.columns import stacked
from mlbench.data.compressed import read_bytes
from mlbench.data.dataset import Dataset
from mlbench.errors import DataError

ARRAYS = ("train_data", "train_target", "test_data", "test_target")
# Codes of the MATLAB 5 format, which MATLAB 6 and 7 write as well.
INTEGERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 12: "i8", 13: "u8"}
NUMBERS = INTEGERS | {7: "f4", 9: "f8"}
MATRIX, COMPRESSED = 14, 15
SPARSE, NUMERIC = 5, range(6, 16)
COMPLEX = 0x800
MOST_ARRAYS = 1000  # in a file


class Array(NamedTuple):
    """A named array of a MATLAB file; no values if it is not one of numbers."""

    name: str
    values: np.ndarray | csc_array | None


def read_mat(path: Path, name: str) -> Dataset:
    """Read a MATLAB file of the form the ML-kNN and MDDM papers used.

    ============  =======  ==========================================
    file          shape    here
    ============  =======  ==========================================
    train_data    n1 x d   the first ``n_train`` rows of ``X``
    train_target  q x n1   ``Y`` of these samples: +1 is 1, -1 is 0
    test_data     n2 x d   the other rows of ``X``
    test_target   q x n2   ``Y`` of these samples
    ============  =======  ==========================================
    """
    arrays = read_arrays(path)
    for key in ARRAYS:
        _check_matrix(arrays, key, path)
    train, train_target, test, test_target = (arrays[key] for key in ARRAYS)
    _check_shapes(path, *(arrays[key].shape for key in ARRAYS))
    _check_sizes(path, train, train_target, test, test_target)
    labels = [
        _labels(train_target, f"{path}: train_target"),
        _labels(test_target, f"{path}: test_target"),
    ]
    return Dataset(
        name=name,
        X=stacked(
            [
                _features(train, f"{path}: train_data"),
                _features(test, f"{path}: test_data"),
            ]
        ),
        Y=np.concatenate(labels),
        feature_names=tuple(f"f{k + 1}" for k in range(train.shape[1])),
        label_names=tuple(f"label{k + 1}" for k in range(labels[0].shape[1])),
        n_train=len(labels[0]),
    )


# --- the arrays as they are


def read_arrays(path: Path) -> dict:
    """Every array of numbers in a MATLAB file by its name; None for other contents."""
    raw = read_bytes(path)
    if raw.startswith((b"\x89HDF", b"MATLAB 7.3")):
        raise DataError(f"{path}: is a MATLAB 7.3 file, save it in MATLAB with -v7")
    order = {b"IM": "<", b"MI": ">"}.get(raw[126:128])
    if order is None:
        raise DataError(f"{path}: is not a MATLAB file, one saved with -v7 is needed")
    try:
        elements = _expanded(_elements(memoryview(raw)[128:], order), order)
        arrays = [_array(data, order) for data in elements]
    except (ValueError, IndexError, OverflowError, struct.error, zlib.error) as exc:
        raise DataError(
            f"{path}: is damaged ({exc}), get the file anew or save it with -v7"
        ) from exc
    return {array.name: array.values for array in arrays}


def _expanded(elements: Iterable, order: str) -> Iterator[memoryview]:
    """Bytes of the arrays, those compressed expanded, up to the limit for a file.

    A small file may hold, in compressed form, more than the memory does.
    """
    left = limits.MOST_BYTES
    for count, (kind, data) in enumerate(elements):
        if count == MOST_ARRAYS:
            raise ValueError(f"it holds more than {MOST_ARRAYS} arrays")
        if kind == COMPRESSED:
            expanded = zlib.decompressobj().decompress(data, left)
            left -= len(expanded)
            if left <= 0:
                raise ValueError(f"it holds more than {limits.MOST_BYTES} bytes")
            [(kind, data)] = _elements(memoryview(expanded), order)
        if kind != MATRIX:
            raise ValueError("it holds something that is not an array")
        yield data


def _elements(data: memoryview, order: str) -> Iterator[tuple[int, memoryview]]:
    """Kind and bytes of the elements that stand one after the other in the data."""
    start = 0
    while start < len(data):
        kind, size = struct.unpack_from(f"{order}II", data, start)
        body = start + 8
        start = body + size
        if kind >> 16:  # up to four bytes fit into the tag itself
            kind, size, start = kind & 0xFFFF, kind >> 16, body
            body -= 4
        elif kind != COMPRESSED:
            start += -size % 8  # the next element begins at a multiple of eight
        if body + size > min(start, len(data)):
            raise ValueError("it ends within an array")
        yield kind, data[body : body + size]


def _array(data: memoryview, order: str) -> Array:
    # a list of cells would go on: what we read has at most four elements of values
    flags, shape, name, *values = islice(_elements(data, order), 7)
    code = int(_numbers(flags, order, INTEGERS)[0])
    dims = tuple(_numbers(shape, order, INTEGERS).tolist())
    numeric = code & 0xFF == SPARSE or code & 0xFF in NUMERIC
    return Array(
        name=bytes(name[1]).decode("latin-1"),
        values=_values(code, dims, values, order) if numeric else None,
    )


def _values(code: int, dims: tuple[int, ...], elements: list, order: str):
    if code & COMPLEX:
        return None
    if min(dims) < 0:
        raise ValueError(f"{dims} is not a shape")
    if code & 0xFF != SPARSE:
        return _numbers(elements[0], order).reshape(dims, order="F")
    return _sparse(dims, elements, order)


def _sparse(dims: tuple[int, ...], elements: list, order: str) -> csc_array:
    """The matrix with non-zeros at ``rows[starts[j]:starts[j + 1]]`` of column j."""
    rows, starts = (_numbers(part, order, INTEGERS) for part in elements[:2])
    values = _numbers(elements[2], order)
    if max(*dims, len(rows), len(values)) > limits.MOST_ENTRIES:
        raise ValueError(f"a sparse array has more than {limits.MOST_ENTRIES} values")
    rows, starts = rows.astype(np.int64), starts.astype(np.int64)
    values = values.astype(np.float64)
    used = starts[-1]  # MATLAB may set aside more than it uses
    rows, values = rows[:used], values[:used]
    # a wild index would be a crash later on, and SciPy does not look at all of them
    if (
        len(starts) != dims[1] + 1
        or starts[0] != 0
        or (np.diff(starts) < 0).any()
        or not len(rows) == len(values) == used
        or ((rows < 0) | (rows >= dims[0])).any()
    ):
        raise ValueError("the indices of a sparse array do not fit together")
    return csc_array((values, rows, starts), shape=dims)


def _numbers(
    element: tuple[int, memoryview], order: str, kinds: dict[int, str] = NUMBERS
) -> np.ndarray:
    kind, data = element
    if kind not in kinds:
        raise ValueError(f"numbers of kind {kind} where there can be none")
    return np.frombuffer(data, dtype=order + kinds[kind])


# --- as a data set


def _check_matrix(arrays: dict, key: str, path: Path) -> None:
    if key not in arrays:
        raise DataError(f"{path}: no {key}, it must hold {', '.join(ARRAYS)}")
    values = arrays[key]
    if values is None:
        raise DataError(f"{path}: {key} holds no real numbers, a matrix is needed")
    if values.ndim != 2 or min(values.shape) < 1:
        raise DataError(f"{path}: {key} has shape {values.shape}, a matrix is needed")


def _check_shapes(path: Path, train, train_target, test, test_target) -> None:
    for part, data, target in [
        ("train", train, train_target),
        ("test", test, test_target),
    ]:
        if data[0] != target[1]:
            raise DataError(
                f"{path}: {part}_target has {target[1]} columns, one for each of the "
                f"{data[0]} rows of {part}_data is needed"
            )
    if train[1] != test[1] or train_target[0] != test_target[0]:
        raise DataError(
            f"{path}: {train[1]} features and {train_target[0]} labels for training "
            f"but {test[1]} and {test_target[0]} for testing, the same are needed"
        )


def _check_sizes(path: Path, train, train_target, test, test_target) -> None:
    """Refuse what would be larger here than it was in the file."""
    mixed = issparse(train) != issparse(test)  # then the dense one becomes sparse
    most = limits.MOST_ENTRIES if mixed else limits.MOST_VALUES
    values = sum(X.nnz if issparse(X) else X.size for X in (train, test))
    limits.check_size(f"{path}: train_data and test_data", "values", values, most)
    limits.check_size(path, "features", train.shape[1], limits.MOST_COLUMNS)
    for part, Y in [("train_target", train_target), ("test_target", test_target)]:
        cells = Y.shape[0] * Y.shape[1]  # for a sparse matrix, not its size
        limits.check_size(f"{path}: {part}", "labels", cells, limits.MOST_VALUES)


def _features(values, where: str) -> np.ndarray | csr_array:
    X = values.astype(np.float64)
    if issparse(X):
        X = csr_array(X)
        X.sum_duplicates()
        X.eliminate_zeros()
    else:
        X += 0.0  # makes minus zero zero
    if not np.isfinite(X.data if issparse(X) else X).all():
        raise DataError(f"{where} holds NaN or infinity, finite numbers are needed")
    return X


def _labels(values, where: str) -> np.ndarray:
    """Samples by labels, 0/1, from labels by samples, -1/+1."""
    target = values.toarray() if issparse(values) else values
    wrong = (target != 1) & (target != -1)
    if wrong.any():
        raise DataError(f"{where} holds {float(target[wrong][0])}, a label is -1 or +1")
    return (target.T == 1).astype(np.uint8, "C")
