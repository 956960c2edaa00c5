"""The data the jobs run on: real sets at the sizes of the papers."""

import os
from functools import cache
from pathlib import Path

import numpy as np

from mlbench.data.load import load
from mlbench.data.preprocess import Preprocess
from mlbench.data.splits import SplitSpec, splits
from mlbench.pipeline import prepare


def folder() -> Path:
    """The data directory; without one there is nothing to measure on."""
    name = os.environ.get("MLBENCH_DATA")
    if not name:
        raise SystemExit("bench: set MLBENCH_DATA to the folder of the data sets")
    return Path(name)


@cache
def arts():
    """yahoo-arts at 10 % of its words, raw counts, 2,000/3,000: the mnmtf paper."""
    dataset = load("yahoo-arts", folder())
    spec = SplitSpec("random", train=2000, test=3000)
    (split,) = splits(spec, dataset.name, len(dataset.Y), None, 0)
    return prepare(dataset, split, Preprocess(keep=0.1))


@cache
def arts_2pct():
    """yahoo-arts at 2 % of its vocabulary, its own split: the mddm paper."""
    dataset = load("yahoo-arts-2pct", folder())
    (split,) = splits(SplitSpec("file"), dataset.name, 5000, dataset.n_train, 0)
    return prepare(dataset, split, Preprocess())


def random_factors(d=2315, J=694, q=26):
    """Positive U (d x J) and S (J x q), as MNMTF starts with."""
    rng = np.random.default_rng(0)
    return rng.uniform(0.1, 1, (d, J)), rng.uniform(0.1, 1, (J, q))
