"""What every classifier of scores inherits, shown on the plainest one."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csc_array, csr_array, csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlbench.classifiers.base import LabelClassifier


class Frequent(LabelClassifier):
    """Score a label by its share among the training samples, plus an offset."""

    def __init__(self, offset=0.0, threshold=0.5, top=None):
        self.offset = offset
        self.threshold = threshold
        self.top = top

    def _fit(self, X, Y) -> None:
        self.given_ = X, Y
        self.share_ = Y.mean(axis=0) + self.offset

    def _score(self, X):
        self.asked_ = X
        return np.tile(self.share_, (X.shape[0], 1))


class Pedantic(Frequent):
    """The same for features of 0 or more."""

    nonnegative = True


# ``Frequent`` itself keeps what it was given, to be looked at below.
class Forgetful(Frequent):
    """The same, without a trace of what it was given."""

    def _fit(self, X, Y) -> None:
        self.share_ = Y.mean(axis=0) + self.offset

    def _score(self, X):
        return np.tile(self.share_, (X.shape[0], 1))


class ForgetfulPedantic(Forgetful):
    """That, for features of 0 or more."""

    nonnegative = True


@parametrize_with_checks([Forgetful(), ForgetfulPedantic()])
def test_keeps_the_sklearn_contract(estimator, check):
    check(estimator)


X = np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 3.0]])
Y = np.array([[1, 0], [1, 1], [1, 0]], dtype=np.uint8)


@pytest.mark.parametrize("form", [np.asarray, csr_array, csr_matrix, csc_array, list])
def test_a_method_gets_dense_floats_or_a_csr_array(form):
    given = X.tolist() if form is list else form(X)
    model = Frequent().fit(given, Y)
    model.decision_function(given)
    expected = np.ndarray if form in (np.asarray, list) else csr_array
    for seen in (model.given_[0], model.asked_):
        assert isinstance(seen, expected)
        assert seen.dtype == np.float64
        assert_array_equal(seen.toarray() if expected is csr_array else seen, X)


@pytest.mark.parametrize(
    "labels", [Y, Y.astype(bool), 7 * Y, 2.0 * Y - 1, csr_array(Y), Y.tolist()]
)
def test_a_method_gets_labels_of_zero_and_one(labels):
    seen = Frequent().fit(X, labels).given_[1]
    assert seen.dtype == np.float64
    assert_array_equal(seen, Y)


def test_a_vector_of_labels_is_one_column():
    model = Frequent().fit(X, Y[:, 0])
    assert model.predict(X).shape == (3, 1)


def test_labels_are_cut_from_the_scores_by_threshold_or_top():
    model = Frequent().fit(X, Y)  # shares 1 and 1/3
    assert_array_equal(model.predict(X), [[1, 0]] * 3)
    assert_array_equal(model.set_params(threshold=0.2).predict(X), [[1, 1]] * 3)
    assert_array_equal(model.set_params(threshold=5.0).predict(X), [[0, 0]] * 3)
    assert_array_equal(model.set_params(top=1).predict(X), [[1, 0]] * 3)
    assert model.predict(X).dtype == np.uint8


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"threshold": "a"}, "threshold must be a number from -inf on, got 'a'"),
        ({"top": 0}, "top must be a whole number from 1 on, got 0"),
    ],
)
def test_an_impossible_cut_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        Frequent(**wrong).fit(X, Y).predict(X)


def test_fits_with_many_settings_are_fitted_copies_in_order():
    model = Frequent(offset=1.0)
    wanted = [{"offset": 2.0}, {}, {"top": 1}]
    copies = list(model.fit_many(X, Y, iter(wanted)))
    assert [copy.offset for copy in copies] == [2.0, 1.0, 1.0]
    assert [copy.top for copy in copies] == [None, None, 1]
    assert [copy.share_[0] for copy in copies] == [3.0, 2.0, 2.0]
    assert not hasattr(model, "share_")
    assert model.get_params() == {"offset": 1.0, "threshold": 0.5, "top": None}


def test_copies_are_fitted_one_at_a_time_as_they_are_asked_for():
    def settings():
        yield {"offset": 1.0}
        raise AssertionError("the second was not asked for")

    assert next(Frequent().fit_many(X, Y, settings())).share_[0] == 2.0


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_a_method_that_needs_features_of_zero_or_more_refuses_others(form):
    with pytest.raises(ValueError, match="Pedantic, which needs features of 0 or more"):
        Pedantic().fit(form(-X), Y)
    model = Pedantic().fit(form(X), Y)
    with pytest.raises(ValueError, match="Pedantic, which needs features of 0 or more"):
        model.predict(form(-X))
    Frequent().fit(form(-X), Y).predict(form(-X))


def test_a_model_that_has_learnt_nothing_does_not_score():
    with pytest.raises(NotFittedError):
        Frequent().decision_function(X)


def test_other_features_than_those_learnt_from_are_refused():
    model = Frequent().fit(X, Y)
    with pytest.raises(ValueError, match="3 features, but Frequent is expecting 2"):
        model.predict(np.ones((1, 3)))


def test_as_many_labels_as_samples_are_asked_for():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        Frequent().fit(X, Y[:2])


def test_a_clone_knows_the_settings_and_nothing_else():
    model = Frequent(offset=3.0, top=2).fit(X, Y)
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "share_")
