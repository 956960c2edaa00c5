import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from mlbench.reducers.fisher import Fisher, fisher_scores


def sample(n=40, d=6, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 5
    Y = X[:, np.arange(q) % d] + rng.normal(size=(n, q)) > 5
    return X, Y.astype(int)


def literal_score(x, y):
    """Fisher score of one feature for one label."""
    between = within = 0.0
    for side in (x[y == 1], x[y == 0]):
        between += len(side) * (side.mean() - x.mean()) ** 2
        within += len(side) * side.var()
    return between / within


def test_scores_are_the_mean_over_labels_of_the_definition():
    X, Y = sample()
    expected = [np.mean([literal_score(x, y) for y in Y.T]) for x in X.T]
    assert_allclose(fisher_scores(X, Y), expected)
    assert_allclose(fisher_scores(csr_array(X), Y), expected)


def test_the_features_kept_are_those_of_highest_score_as_they_are():
    X, Y = sample()
    model = Fisher(n_components=3).fit(X, Y)
    best = np.argsort(-model.scores_)[:3]
    assert np.array_equal(model.transform(X), X[:, best])
    assert np.array_equal(model.transform(csr_array(X)), X[:, best])
    assert np.array_equal(X @ model.components_.T, X[:, best])


def test_features_of_equal_score_keep_their_order():
    X, Y = sample()
    same = np.hstack([X, 0.7 * X + 0.3, -3 * X])  # a score has no origin and no unit
    ranking = Fisher(1).fit(same, Y).ranking_.reshape(6, 3)
    for best, triple in zip(Fisher(1).fit(X, Y).ranking_, ranking, strict=True):
        assert list(triple) == [best, best + 6, best + 12]


def test_a_feature_constant_on_both_sides_of_a_label_comes_first():
    X, Y = sample(q=1)
    values = np.random.default_rng(0).uniform(size=(2, 20))
    separating = np.where(Y == 1, *values)
    for kind in (np.asarray, csr_array):
        model = Fisher(1).fit(kind(np.hstack([X, separating])), Y)
        assert list(model.ranking_[:20]) == list(range(6, 26))
        assert np.isinf(model.scores_[6:]).all()


def test_a_constant_feature_comes_last_with_score_zero():
    X, Y = sample()
    constant = np.ones((len(X), 20)) * np.random.default_rng(0).uniform(size=20)
    for kind in (np.asarray, csr_array):
        model = Fisher(26).fit(kind(np.hstack([constant, X])), Y)
        assert np.all(model.scores_[:20] == 0)
        assert list(model.ranking_[6:]) == list(range(20))
        assert model.rank_ == 6


def test_a_feature_that_varies_with_no_label_has_no_score():
    X = np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 3.0], [1.0, 3.5]])
    model = Fisher(2).fit(X, [[0], [0], [1], [1]])
    assert model.scores_[0] == 0
    assert model.rank_ == 1


def test_labels_that_do_not_vary_are_left_out():
    X, Y = sample()
    extended = np.column_stack([np.zeros(len(Y)), Y, np.ones(len(Y))])
    assert_allclose(fisher_scores(X, extended), fisher_scores(X, Y))
    assert np.all(fisher_scores(X, np.ones((len(X), 2))) == 0)


@pytest.mark.parametrize("shift", [0.0, 1e5])
def test_scores_do_not_depend_on_origin_and_unit(shift):
    X, Y = sample()
    moved = fisher_scores(1e-3 * X + shift, Y)
    assert_allclose(moved, fisher_scores(X, Y), rtol=1e-5)
