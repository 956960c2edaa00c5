"""The data the jobs run on: real sets at the sizes of the papers."""

import os
from functools import cache
from pathlib import Path

import numpy as np

from mlbench.data.load import load
from mlbench.data.preprocess import Preprocess
from mlbench.data.splits import SplitSpec, splits
from mlbench.errors import DataError
from mlbench.pipeline import Arrays, prepare


def folder() -> Path:
    """The data directory; without one there is nothing to measure on."""
    name = os.environ.get("MLBENCH_DATA")
    if not name or not Path(name).is_dir():
        raise DataError("bench: set MLBENCH_DATA to the folder of the data sets")
    return Path(name)


@cache
def arts() -> Arrays:
    """yahoo-arts at 10 % of its words, raw counts, 2,000/3,000: the mnmtf paper."""
    spec = SplitSpec("random", train=2000, test=3000)
    return _prepared("yahoo-arts", spec, Preprocess(keep=0.1))


@cache
def arts_2pct() -> Arrays:
    """yahoo-arts at 2 % of its vocabulary, its own split: the mddm paper."""
    return _prepared("yahoo-arts-2pct", SplitSpec("file"), Preprocess())


@cache
def mediamill() -> Arrays:
    """mediamill, 30,993 random training samples, 120 dense features, 101 labels."""
    return _prepared("mediamill", SplitSpec("random", train=30_993), Preprocess())


def random_factors(d=2315, J=694, q=26):
    """Positive U (d x J) and S (J x q), as MNMTF starts with."""
    rng = np.random.default_rng(0)
    return rng.uniform(0.1, 1, (d, J)), rng.uniform(0.1, 1, (J, q))


def _prepared(name: str, spec: SplitSpec, preprocess: Preprocess) -> Arrays:
    dataset = load(name, folder())
    (split,) = splits(spec, dataset.name, len(dataset.Y), dataset.n_train, 0)
    return prepare(dataset, split, preprocess)
