"""A data set in memory: what every reader returns and every method is given."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array


@dataclass(frozen=True)
class Dataset:
    """Features and labels of one data set, one sample per row.

    ``X`` is (n, d) float64, dense or CSR; ``Y`` is (n, q) uint8 of 0/1. A set that
    comes with its own split has its training samples first: ``n_train`` of them.
    """

    name: str
    X: np.ndarray | csr_array
    Y: np.ndarray
    feature_names: tuple[str, ...]
    label_names: tuple[str, ...]
    n_train: int | None = None
