"""Every way to divide a data set: drawn, stratified by its labels, or from a file."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mlbench.data.load import Description
from mlbench.data.splits import Split, SplitSpec, splits, stable_seed


@dataclass(frozen=True)
class Stratified:
    """Parts with the labels spread evenly over them (iterative stratification)."""

    train: float | None = None  # share of the samples; or
    folds: int | None = None  # number of parts, each once for testing
    repeats: int = 1
    kind: str = "stratified"


@dataclass(frozen=True)
class Imported:
    """The splits that a file holds; they are of one data set."""

    path: Path
    kind: str = "import"


Division = SplitSpec | Stratified | Imported


def divide(
    how: Division, known: Description, labels: Callable[[], np.ndarray], seed: int
) -> list[Split]:
    """All splits of a data set, one repeat after the other.

    ``labels`` gives its Y; only stratification asks for it.
    """
    if isinstance(how, SplitSpec):
        return splits(how, known.name, known.n, known.n_train, seed)
    if isinstance(how, Imported):
        from mlbench.data.split_files import read_splits

        return list(read_splits(how.path, known).splits)
    return _stratified(how, known.name, labels(), seed)


def _stratified(how: Stratified, name: str, Y: np.ndarray, seed: int) -> list[Split]:
    from mlbench.data.stratification import stratified_kfold, stratified_split

    found: list[Split] = []
    for repeat in range(how.repeats):
        one_seed = stable_seed("stratified", name, repeat, seed) % 2**32
        if how.folds is not None:
            found += stratified_kfold(Y, how.folds, one_seed)
        elif how.train is not None:
            found.append(stratified_split(Y, how.train, one_seed))
    return found
