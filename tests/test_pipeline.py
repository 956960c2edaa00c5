"""One method on one split: the cheap sweep gives what the plain one gives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from mlbench.classifiers.mlknn import MLkNN
from mlbench.data.dataset import Dataset
from mlbench.data.preprocess import Preprocess
from mlbench.data.splits import Split
from mlbench.data.synthetic import yahoo_like
from mlbench.dims import parse_dims
from mlbench.metrics.evaluate import evaluate
from mlbench.pipeline import Arrays, prepare, sweep
from mlbench.reducers.mddm import MDDM, choose_dimension
from mlbench.reducers.none import Identity
from mlbench.reducers.pca import PCA


@pytest.fixture(scope="module")
def data():
    corpus = yahoo_like(n=150, d=40, q=5, seed=3)
    split = Split(np.arange(80), np.arange(80, 150))
    return prepare(corpus, split, Preprocess(scale="l2"))


def plainly(data, reducer, dim, k=10):
    """Fit, transform, fit, predict, measure, with nothing shared."""
    if dim is not None:
        reducer.set_params(n_components=dim)
    reducer.fit(data.X_train, data.Y_train)
    model = MLkNN(k=k).fit(reducer.transform(data.X_train), data.Y_train)
    Z = reducer.transform(data.X_test)
    return evaluate(data.Y_test, model.predict(Z), model.decision_function(Z))


@pytest.mark.parametrize("reducer", [MDDM, PCA])
def test_a_nested_sweep_equals_a_fit_for_each_dimension(data, reducer):
    dims = parse_dims("1,3,7,20,40")
    found = list(sweep(data, reducer(), MLkNN(), dims))
    assert [outcome.dim for outcome in found] == [1, 3, 7, 20, 40]
    assert {outcome.fit_serves for outcome in found} == {5}
    for outcome in found:
        assert outcome.metrics == plainly(data, reducer(), outcome.dim)


def test_a_sweep_over_k_shares_its_neighbours_and_nothing_else(data):
    dims = parse_dims("3,7")
    found = list(sweep(data, MDDM(), MLkNN(), dims, "k", (2, 5, 10)))
    assert [(o.dim, o.setting) for o in found] == [
        (dim, k) for dim in (3, 7) for k in (2, 5, 10)
    ]
    for outcome in found:
        assert outcome.metrics == plainly(data, MDDM(), outcome.dim, k=outcome.setting)


def test_without_reduction_there_is_one_outcome_with_all_features(data):
    (outcome,) = sweep(data, Identity(), MLkNN(), parse_dims("1.0"))
    assert outcome.dim == 40
    assert outcome.metrics == plainly(data, Identity(), None)


def test_a_match_takes_the_dimension_mddm_chooses(data):
    wish = parse_dims({"match": "mddm", "threshold": 0.9, "of": "eigenvalues"})
    (outcome,) = sweep(data, PCA(), MLkNN(), wish)
    expected = choose_dimension(data.X_train, data.Y_train, 0.9, of="eigenvalues")
    assert outcome.dim == expected
    assert outcome.metrics == plainly(data, PCA(), expected)


def test_two_wishes_that_mean_the_same_dimension_are_both_answered(data):
    wishes = (*parse_dims("4"), *parse_dims("0.1"))
    found = list(sweep(data, PCA(), MLkNN(), wishes))
    assert [outcome.wish for outcome in found] == list(wishes)
    assert found[0].metrics == found[1].metrics


def test_a_classifier_without_neighbours_is_fitted_on_each_reduction(data):
    class Constant(MLkNN):
        """Scores by the training frequency of a label."""

        uses_neighbours = False

        def fit(self, X, Y):
            self.share_ = Y.mean(axis=0)
            self.seen_ = X.shape[1]
            return self

        def decision_function(self, X):
            assert X.shape[1] == self.seen_
            return np.tile(self.share_, (X.shape[0], 1))

        def predict(self, X):
            return (self.decision_function(X) > 0.5).astype(np.uint8)

    found = list(sweep(data, PCA(), Constant(), parse_dims("2,5")))
    scores = np.tile(data.Y_train.mean(axis=0), (len(data.Y_test), 1))
    expected = evaluate(data.Y_test, (scores > 0.5).astype(np.uint8), scores)
    assert [outcome.metrics for outcome in found] == [expected, expected]


def test_the_rank_of_a_sweep_is_told_point_by_point(data):
    found = list(sweep(data, MDDM(), MLkNN(), parse_dims("2,20")))
    assert [outcome.rank for outcome in found] == [2, 5]


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
