"""Handwritten digits: the set that comes with scikit-learn, and needs no file."""

import numpy as np
from sklearn.datasets import load_digits

from mlbench.data.dataset import Dataset


def digits(name="digits") -> Dataset:
    """1,797 images of 8 x 8 pixels, ten classes.

    References
    ----------
    E. Alpaydin and C. Kaynak. Optical recognition of handwritten digits. UCI Machine
    Learning Repository, 1998.

    Examples
    --------
    >>> digits().X.shape
    (1797, 64)
    """
    images = load_digits()
    return Dataset(
        name=name,
        X=images.data.astype(np.float64),
        Y=np.eye(10, dtype=np.uint8)[images.target],
        feature_names=tuple(images.feature_names),
        label_names=tuple(map(str, range(10))),
    )
