"""What every multi-class classifier keeps to, whatever its method."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlbench.classifiers.multiclass.ecoc import ECOC
from mlbench.classifiers.multiclass.learners import forget_trainings
from mlbench.classifiers.multiclass.oaa import OneAgainstAll
from mlbench.classifiers.multiclass.ovo import OneAgainstOne
from mlbench.classifiers.multiclass.reliability import DRMSVM, SRMSVM

LINEAR = [
    OneAgainstAll(),
    OneAgainstOne(),
    SRMSVM(),
    DRMSVM(k=3),
    ECOC(),
    ECOC("one-against-one", learner="svm", decoder="independent"),
    ECOC("one-against-all", decoder="conditional", keep=0.5),
]
RBF = [OneAgainstAll(kernel="rbf"), SRMSVM(kernel="rbf"), DRMSVM(k=3, kernel="rbf")]
every_model = pytest.mark.parametrize("model", LINEAR + RBF, ids=repr)


def not_applicable(_estimator):
    wide = "wants a number per sample; a sample's answer is a row (own test below)"
    return {
        "check_estimator_sparse_array": wide,
        "check_estimator_sparse_matrix": wide,
    }


@parametrize_with_checks(
    [OneAgainstAll(), OneAgainstOne(), DRMSVM(k=1), ECOC(decoder="conditional")],
    expected_failed_checks=not_applicable,
)
def test_keeps_the_sklearn_contract(estimator, check):
    check(estimator)


def one_hot(classes, n_classes):
    return np.eye(n_classes, dtype=int)[classes]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    classes = np.repeat(np.arange(4), 15)
    centres = rng.normal(scale=2.0, size=(4, 3))
    X = centres[classes] + rng.normal(size=(60, 3))
    return X, one_hot(classes, 4)


@every_model
def test_every_sample_gets_one_class_that_of_the_highest_score(model, data):
    X, Y = data
    model = clone(model).fit(X, Y)
    scores = model.decision_function(X)
    assert scores.shape == Y.shape
    assert np.isfinite(scores).all()
    assert_array_equal(model.predict(X), one_hot(scores.argmax(axis=1), 4))
    assert (model.predict(X) == Y).all(axis=1).mean() > 0.7


def test_of_equal_scores_the_first_wins():
    labels = OneAgainstAll().labels_from(np.array([[1.0, 2.0, 2.0], [0, 0, 0]]))
    assert_array_equal(labels, [[0, 1, 0], [1, 0, 0]])


@every_model
def test_a_class_without_samples_changes_nothing_and_is_never_predicted(model, data):
    X, Y = data
    wide = np.insert(Y, [0, 2], 0, axis=1)  # absent classes first and in the middle
    there = [1, 2, 4, 5]
    plain = clone(model).fit(X, Y).decision_function(X)
    found = clone(model).fit(X, wide).decision_function(X)
    assert_array_equal(found[:, there], plain)
    absent = np.delete(found, there, axis=1)
    assert (absent < plain.min(axis=1, keepdims=True)).all()


@every_model
def test_when_all_samples_are_of_one_class_it_is_always_predicted(model, data):
    X, Y = data
    Y = np.zeros_like(Y)
    Y[:, 2] = 1
    assert_array_equal(clone(model).fit(X, Y).predict(X + 5), Y)


@every_model
def test_two_classes_and_classes_of_one_sample_are_enough(model, data):
    X, _ = data
    Y = one_hot(np.r_[np.zeros(57, int), 1, 1, 2], 3)
    assert clone(model).fit(X, Y).predict(X).sum() == 60
    Y = one_hot(np.repeat([0, 1], 30), 2)
    assert clone(model).fit(X, Y).predict(X).sum() == 60


@every_model
def test_features_that_are_all_constant_leave_the_class_to_the_counts(model, data):
    _, Y = data
    X = np.full((60, 3), 0.1)
    scores = clone(model).fit(X, Y).decision_function(X)
    assert np.isfinite(scores).all()
    assert_array_equal(scores, np.tile(scores[0], (60, 1)))


@every_model
def test_more_features_than_samples_are_no_obstacle(model, data):
    X, Y = data
    X = np.hstack([X, np.random.default_rng(1).normal(size=(60, 90)), X, 0 * X])
    model = clone(model).fit(X[::3], Y[::3])
    assert np.isfinite(model.decision_function(X)).all()


@every_model
def test_sparse_and_dense_features_give_the_same(model, data):
    X, Y = np.round(data[0]), data[1]
    dense = clone(model).fit(X, Y).decision_function(X)
    sparse = clone(model).fit(csr_array(X), Y).decision_function(csr_array(X))
    assert_allclose(sparse, dense, rtol=1e-6, atol=1e-6)


@every_model
def test_a_model_can_be_cloned_and_pickled(model, data):
    fitted = clone(model).fit(*data)
    again = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(
        again.decision_function(data[0]), fitted.decision_function(data[0])
    )
    assert clone(fitted).get_params() == model.get_params()


@every_model
def test_a_second_fit_and_a_forgotten_first_one_give_the_same(model, data):
    X, Y = data
    first = clone(model).fit(X, Y).decision_function(X)
    refit = clone(model).fit(X[::2], Y[::2]).fit(X, Y).decision_function(X)
    forget_trainings()
    fresh = clone(model).fit(X, Y).decision_function(X)
    assert_array_equal(refit, first)
    assert_array_equal(fresh, first)


@every_model
def test_copies_fitted_together_are_those_fitted_alone(model, data):
    X, Y = data
    settings = [{"C": 0.1}, {"C": 10.0}, {}]
    together = list(model.fit_many(X, Y, settings))
    for changed, found in zip(settings, together, strict=True):
        forget_trainings()
        alone = clone(model).set_params(**changed).fit(X, Y)
        assert_array_equal(found.decision_function(X), alone.decision_function(X))
        assert found.n_features_in_ == 3


@pytest.mark.parametrize(("row", "count"), [([0, 0, 0, 0], 0), ([0, 1, 1, 0], 2)])
@every_model
def test_a_row_without_exactly_one_class_is_refused(model, data, row, count):
    X, Y = data
    Y = Y.copy()
    Y[7] = row
    reason = f"every row of Y must have exactly one class, got {count} in row 7"
    with pytest.raises(ValueError, match=reason):
        clone(model).fit(X, Y)
    with pytest.raises(ValueError, match=reason):
        next(model.fit_many(X, Y, [{}]))


def test_a_vector_of_classes_is_their_matrix(data):
    X, Y = data
    names = np.array(["ant", "bee", "cat", "dog"])[Y.argmax(axis=1)]
    assert_array_equal(
        OneAgainstAll().fit(X, names).decision_function(X),
        OneAgainstAll().fit(X, Y).decision_function(X),
    )


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ({"C": 0}, "C must be a number above 0, got 0"),
        ({"kernel": "poly"}, "kernel must be one of linear, rbf, got 'poly'"),
        ({"gamma": -1.0}, "gamma must be a number above 0, got -1.0"),
        ({"gamma": "wide"}, "gamma must be a number above 0, got 'wide'"),
    ],
)
@pytest.mark.parametrize("model", [*LINEAR[:4], LINEAR[5]], ids=repr)
def test_an_impossible_setting_of_the_svm_is_refused(model, data, setting, reason):
    with pytest.raises(ValueError, match=reason):
        clone(model).set_params(**setting).fit(*data)
