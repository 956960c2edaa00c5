"""What every way through one split shares: preparing, and reducing."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, TransformerMixin

from mlbench.data.dataset import Dataset
from mlbench.data.preprocess import Preprocess
from mlbench.data.splits import Split
from mlbench.pipeline import Arrays, as_taken_by, prepare, reductions
from mlbench.reducers.pca import PCA


def test_prepare_learns_on_the_training_part_only():
    X = np.array([[1.0, 0.0], [3.0, 2.0], [9.0, 1.0]])
    dataset = Dataset("toy", X, np.eye(3, dtype=np.uint8), ("a", "b"), ("x", "y", "z"))
    split = Split(np.array([0, 1]), np.array([2]))
    found = prepare(dataset, split, Preprocess(scale="minmax"))
    assert isinstance(found, Arrays)
    assert_allclose(found.X_train, [[0, 0], [1, 1]])
    assert_allclose(found.X_test, [[1, 0.5]])


def test_prepare_keeps_sparse_data_sparse():
    X = csr_array(np.array([[1.0, 0.0, 4.0], [0.0, 2.0, 3.0], [0.0, 1.0, 1.0]]))
    dataset = Dataset("toy", X, np.eye(3, dtype=np.uint8), tuple("abc"), tuple("xyz"))
    split = Split(np.array([0, 2]), np.array([1]))
    found = prepare(dataset, split, Preprocess(keep=0.67, by="count"))
    assert_allclose(found.X_train.toarray(), [[0, 4], [1, 1]])
    assert_allclose(found.X_test.toarray(), [[2, 3]])


class Columns(TransformerMixin, BaseEstimator):
    """The first columns, as a user may write it: for dense features only."""

    def __init__(self, n_components=2):
        self.n_components = n_components

    def fit(self, X, Y):
        assert isinstance(X, np.ndarray)
        return self

    def transform(self, X):
        return X[:, : self.n_components]


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_a_class_that_does_not_say_it_takes_sparse_features_gets_dense_ones(kind):
    X = kind(np.arange(12.0).reshape(4, 3))
    data = Arrays(X, np.eye(4), X[:2], np.eye(4)[:2])
    (found,) = reductions(data, Columns(), [2])
    assert_allclose(found.train, [[0, 1], [3, 4], [6, 7], [9, 10]])
    assert_allclose(found.test, [[0, 1], [3, 4]])


def test_a_class_that_takes_sparse_features_gets_them():
    assert issparse(as_taken_by(PCA(), csr_array(np.eye(3))))
