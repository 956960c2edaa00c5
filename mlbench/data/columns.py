"""One matrix with named columns, some of which are labels, as a data set."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array, issparse, vstack

from mlbench.data import limits
from mlbench.data.dataset import Dataset
from mlbench.data.text import hint, short
from mlbench.errors import DataError


def split_columns(
    matrices: Sequence[np.ndarray | csr_array],
    names: Sequence[str],
    where: Sequence[int],
    paths: Sequence[Path],
    name: str,
) -> Dataset:
    """The data set whose labels are the columns ``where``, in that order.

    Several matrices are stacked, the first being the training samples.
    """
    rest = np.delete(np.arange(len(names)), where).tolist()
    if not rest:
        raise DataError(f"{paths[0]}: every attribute is a label, none a feature")
    labels = tuple(names[column] for column in where)
    blocks = [
        label_block(_chosen(matrix, where), labels, path)
        for path, matrix in zip(paths, matrices, strict=True)
    ]
    return Dataset(
        name=name,
        X=stacked([_chosen(matrix, rest) for matrix in matrices]),
        Y=np.concatenate(blocks),
        feature_names=tuple(map(names.__getitem__, rest)),
        label_names=labels,
        n_train=len(blocks[0]) if len(blocks) > 1 else None,
    )


def label_columns(labels: Sequence[str], names: Sequence[str], path: Path) -> list[int]:
    """Column of each label among the names; one that is not there is refused."""
    columns = {name: column for column, name in enumerate(names)}
    repeated = _repeated(names)
    for label in labels:
        if label not in columns:
            close = hint(label, columns)
            raise DataError(f"{path}: no column is named {short(label)}{close}")
        if label in repeated:
            raise DataError(f"{path}: label {short(label)} is declared more than once")
    if twice := _repeated(labels):
        raise DataError(f"{path}: label {short(min(twice))} is asked for twice")
    return [columns[label] for label in labels]


def choose_columns(
    labels: int | str | Sequence[str], names: Sequence[str], path: Path
) -> list[int]:
    """The label columns: the first n, the last n if negative, by prefix, or by name.

    >>> names, path = ["a", "b", "label: x", "label: y"], Path("t.csv")
    >>> choose_columns(1, names, path), choose_columns(-2, names, path)
    ([0], [2, 3])
    >>> choose_columns("label: ", names, path), choose_columns(["b"], names, path)
    ([2, 3], [1])
    """
    d = len(names)
    if isinstance(labels, int):
        if not 1 <= abs(labels) < d:
            raise DataError(
                f"{path}: {labels} labels of {d} columns, the number must be in "
                f"1..{d - 1}, or as much below zero for the last ones"
            )
        found = list(range(labels) if labels > 0 else range(d + labels, d))
        if twice := _repeated([names[column] for column in found]):
            raise DataError(f"{path}: label {short(min(twice))} is declared twice")
        return found
    if not isinstance(labels, str):
        return label_columns(labels, names, path)
    found = [column for column, name in enumerate(names) if name.startswith(labels)]
    if not found or not labels:
        raise DataError(f"{path}: no column begins with {short(labels)}")
    return label_columns([names[column] for column in found], names, path)


def label_block(values, labels: Sequence[str], path: Path) -> np.ndarray:
    """The label columns as a dense matrix of 0/1."""
    n, q = values.shape
    limits.check_size(path, "labels of samples", n * q, limits.MOST_LABELS)
    entries = values.data if issparse(values) else values
    wrong = (entries != 0) & (entries != 1)
    if wrong.any():
        at = np.argwhere(wrong)[0]
        column = values.indices[at[0]] if issparse(values) else at[1]
        raise DataError(
            f"{path}: label {short(labels[column])} has the value "
            f"{entries[tuple(at)]:g}, a label is 0 or 1"
        )
    if not issparse(values):
        return values.astype(np.uint8, "C")
    Y = np.zeros((n, q), dtype=np.uint8)
    Y[np.repeat(np.arange(n), np.diff(values.indptr)), values.indices] = entries
    return Y


def stacked(blocks: list) -> np.ndarray | csr_array:
    """The blocks one below the other; sparse if one of them is."""
    if len(blocks) == 1:
        return blocks[0]
    if any(issparse(block) for block in blocks):
        return csr_array(vstack([csr_array(block) for block in blocks], format="csr"))
    return np.ascontiguousarray(np.concatenate(blocks))


def _chosen(matrix, columns: Sequence[int]):
    first, last = columns[0], columns[-1] + 1
    if len(columns) == last - first and np.all(np.diff(columns) == 1):
        part = matrix[:, first:last]  # the usual case, and fast
        return part if issparse(part) else np.ascontiguousarray(part)
    return matrix[:, columns] if issparse(matrix) else np.take(matrix, columns, axis=1)


def _repeated(names: Sequence[str]) -> set[str]:
    if len(set(names)) == len(names):
        return set()
    return {name for name, times in Counter(names).items() if times > 1}
