"""ML-kNN against the algorithm as its paper states it, written out."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.io import loadmat
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlbench.classifiers.mlknn import MLkNN
from mlbench.neighbours import nearest


@parametrize_with_checks([MLkNN(k=3)])
def test_keeps_the_sklearn_contract(estimator, check):
    check(estimator)


def plain_neighbours(X, x, k, leave_out=None):
    """The k nearest rows of X, nearest first, ties by index.

    Rounded: pages of unit length that share no word are all equally far.
    """
    order = sorted(
        (round(float(np.sum((row - x) ** 2)), 9), index)
        for index, row in enumerate(X)
        if index != leave_out
    )
    return [index for _, index in order[:k]]


def plain_mlknn(X, Y, queries, k, s):
    """Posteriors by the pseudo-code of the paper: label by label, count by count."""
    n, q = Y.shape
    near = [plain_neighbours(X, X[i], k, leave_out=i) for i in range(n)]
    posterior = np.zeros((len(queries), q))
    for label in range(q):
        prior = (s + sum(int(Y[i, label]) for i in range(n))) / (s * 2 + n)
        c, c_without = [0] * (k + 1), [0] * (k + 1)
        for i in range(n):
            delta = sum(int(Y[j, label]) for j in near[i])
            if Y[i, label] == 1:
                c[delta] += 1
            else:
                c_without[delta] += 1
        for t, x in enumerate(queries):
            j = sum(int(Y[i, label]) for i in plain_neighbours(X, x, k))
            given_label = (s + c[j]) / (s * (k + 1) + sum(c))
            given_none = (s + c_without[j]) / (s * (k + 1) + sum(c_without))
            yes, no = prior * given_label, (1 - prior) * given_none
            posterior[t, label] = yes / (yes + no)
    return posterior


@st.composite
def problems(draw):
    """Small integer data, so that ties and duplicates abound."""
    seed = draw(st.integers(0, 2**32 - 1))
    n, m, q = draw(st.integers(3, 14)), draw(st.integers(1, 5)), draw(st.integers(1, 4))
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, 2)).astype(float)
    Y = (rng.uniform(size=(n, q)) < draw(st.sampled_from([0.0, 0.3, 1.0]))).astype(int)
    queries = rng.integers(0, 3, (m, 2)).astype(float)
    return X, Y, queries, draw(st.integers(1, n - 1)), draw(st.sampled_from([0.5, 1.0]))


@settings(deadline=None)
@given(problems())
def test_posteriors_are_those_of_the_algorithm_as_printed(problem):
    X, Y, queries, k, s = problem
    model = MLkNN(k=k, s=s).fit(X, Y)
    expected = plain_mlknn(X, Y, queries, k, s)
    assert_allclose(model.decision_function(queries), expected, rtol=1e-12)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    Y = (X[:, :3] + rng.normal(scale=0.3, size=(60, 3)) > 0.5).astype(int)
    return X, Y


def test_a_label_is_predicted_when_its_posterior_is_above_one_half(data):
    model = MLkNN(k=5).fit(*data)
    scores = model.decision_function(data[0])
    assert_array_equal(model.predict(data[0]), scores > 0.5)
    assert_array_equal(model.labels_from(np.array([[0.5, 0.51]])), [[0, 1]])


def test_neighbours_for_a_larger_k_serve_a_smaller_one(data):
    X, Y = data
    near = nearest(X, 9)
    for k in (1, 4, 9):
        alone = MLkNN(k=k).fit(X, Y)
        shared = MLkNN(k=k).fit_neighbours(near, Y)
        assert_array_equal(shared.likelihood_, alone.likelihood_)
        queries = nearest(X, 9, query=X[:7] + 0.1)
        assert_array_equal(
            shared.score_neighbours(queries), alone.decision_function(X[:7] + 0.1)
        )


def test_sparse_and_dense_features_give_the_same(data):
    X, Y = np.round(data[0]), data[1]
    dense, sparse = MLkNN().fit(X, Y), MLkNN().fit(csr_array(X), Y)
    assert_array_equal(
        dense.decision_function(X), sparse.decision_function(csr_array(X))
    )


def test_a_label_without_any_sample_is_never_predicted(data):
    X, Y = data
    Y = np.column_stack([Y, np.zeros(len(Y), dtype=int)])
    assert MLkNN().fit(X, Y).predict(X)[:, -1].sum() == 0


def test_duplicates_of_a_sample_are_its_neighbours():
    X = np.array([[0.0], [0.0], [9.0], [9.0]])
    Y = np.array([[1], [1], [0], [0]])
    assert_array_equal(MLkNN(k=1).fit(X, Y).predict(X), Y)


@pytest.mark.parametrize("k", [0, 60, 2.5, True, None])
def test_an_impossible_k_is_refused(data, k):
    with pytest.raises(ValueError, match=r"k must be in 1\.\.59"):
        MLkNN(k=k).fit(*data)


@pytest.mark.parametrize("s", [0, -1.0, float("nan"), "1"])
def test_an_impossible_smoothing_is_refused(data, s):
    with pytest.raises(ValueError, match="s must be a positive number"):
        MLkNN(s=s).fit(*data)


def test_fewer_neighbours_than_k_are_refused(data):
    X, Y = data
    with pytest.raises(ValueError, match=r"must have 4 columns \(k\) or more, got 3"):
        MLkNN(k=4).fit_neighbours(nearest(X, 3), Y)
    with pytest.raises(ValueError, match=r"must have 4 columns \(k\) or more, got 3"):
        MLkNN(k=4).fit(X, Y).score_neighbours(nearest(X, 3))


def test_neighbours_of_other_samples_than_those_of_the_labels_are_refused(data):
    X, Y = data
    with pytest.raises(ValueError, match="must have 60 rows, as Y has, got 50"):
        MLkNN(k=3).fit_neighbours(nearest(X[:50], 3), Y)


def test_a_model_without_features_does_not_answer_from_those_of_an_earlier_fit(data):
    X, Y = data
    model = MLkNN(k=3).fit(X, Y).fit_neighbours(nearest(X[:50], 3), Y[:50])
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_a_model_that_has_learnt_nothing_does_not_score():
    with pytest.raises(NotFittedError):
        MLkNN(k=1).score_neighbours([[0]])


def test_a_model_can_be_cloned_and_pickled(data):
    model = MLkNN(k=4).fit(*data)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict(data[0]), model.predict(data[0]))
    assert clone(model).get_params() == {"k": 4, "s": 1.0}


@pytest.mark.real
def test_on_real_pages_it_is_the_algorithm_as_printed(real_data):
    arts = loadmat(real_data / "lamda" / "arts.mat")
    X, Y = arts["train_data"][:400], (arts["train_target"].T[:400] > 0).astype(int)
    queries = arts["test_data"][:30]
    found = MLkNN().fit(X, Y).decision_function(queries)
    assert_allclose(found, plain_mlknn(X, Y, queries, 10, 1.0), rtol=1e-9)
