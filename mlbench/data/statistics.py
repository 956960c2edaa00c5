"""The figures people cite when they describe a multi-label data set."""

import numpy as np
from scipy.sparse import issparse

from mlbench.data.dataset import Dataset


def statistics(dataset: Dataset) -> dict[str, float | int | str | None]:
    """Sizes, label cardinality and density, distinct label sets, sparsity."""
    n, d = dataset.X.shape
    q = dataset.Y.shape[1]
    stored = dataset.X.data if issparse(dataset.X) else dataset.X
    nonzero = np.count_nonzero(stored)
    cardinality = float(dataset.Y.sum(dtype=np.int64) / n)
    return {
        "name": dataset.name,
        "instances": n,
        "features": d,
        "labels": q,
        "own training part": dataset.n_train,
        "cardinality": round(cardinality, 3),
        "density": round(cardinality / q, 4),
        "distinct label sets": len(np.unique(dataset.Y, axis=0)),
        "without any label": int((dataset.Y.sum(axis=1, dtype=int) == 0).sum()),
        "nonzero features": f"{nonzero / (n * d):.2%}",
    }
