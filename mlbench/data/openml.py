"""Data sets of OpenML, through scikit-learn: a class a sample, or label columns."""

from http.client import HTTPException

import numpy as np

from mlbench.data.dataset import Dataset
from mlbench.errors import DataError

PREFIX = "openml:"  # before the name of a set, in a config
# How scikit-learn says that the network, the server or the set is not as it should be.
FAILURES = (OSError, ValueError, EOFError, LookupError, HTTPException)
YES, NO = {"true", "1", "1.0", "yes"}, {"false", "0", "0.0", "no"}


def read_openml(name: str) -> Dataset:
    """The set ``openml:NAME``, or ``openml:NAME@VERSION``; without one, version 1.

    Several target columns are labels, and hold yes or no in one of the usual words. A
    single one is a class: a label for each of its values. Words among the features
    become a feature for each word; a missing value is an error.
    """
    from sklearn.datasets import fetch_openml

    wanted, _, version = name.removeprefix(PREFIX).partition("@")
    if version and not version.isdigit():
        raise DataError(f"{name}: the version must be a number, as in {PREFIX}letter@1")
    try:
        found = fetch_openml(
            name=wanted, version=int(version or 1), as_frame=True, parser="auto"
        )
    except FAILURES as exc:
        raise DataError(f"{name}: cannot be had from OpenML ({exc})") from exc
    X, feature_names = _features(name, found.data)
    Y, label_names = _labels(name, found.target)
    return Dataset(name, X, Y, feature_names, label_names)


def _features(name: str, frame) -> tuple[np.ndarray, tuple[str, ...]]:
    import pandas as pd

    if frame.isna().any(axis=None):
        column = frame.columns[frame.isna().any()][0]
        raise DataError(f"{name}: feature {column!r} has missing values")
    words = [
        column for column in frame if not pd.api.types.is_numeric_dtype(frame[column])
    ]
    wide = pd.get_dummies(frame, columns=words, prefix_sep="=") if words else frame
    X = wide.to_numpy(dtype=np.float64)
    if not np.isfinite(X).all():
        raise DataError(f"{name}: the features must be finite numbers")
    return X, tuple(map(str, wide.columns))


def _labels(name: str, target) -> tuple[np.ndarray, tuple[str, ...]]:
    if target is None:
        raise DataError(f"{name}: has no target on OpenML")
    if getattr(target, "ndim", 1) == 1:
        words = target.astype(str).to_numpy()
        classes = sorted(set(words))
        return (words[:, None] == np.array(classes)).astype(np.uint8), tuple(classes)
    words = target.astype(str).map(str.lower) if len(target) else target
    for column in words:
        odd = set(words[column]) - YES - NO
        if odd:
            raise DataError(
                f"{name}: label {column!r} holds {sorted(odd)[0]!r}, not yes or no"
            )
    return words.isin(YES).to_numpy(dtype=np.uint8), tuple(map(str, target.columns))
