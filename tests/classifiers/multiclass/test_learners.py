"""Base learners against scikit-learn's and the definition; training only once."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.svm import SVC, LinearSVC

from mlbench.classifiers.multiclass import lda, learners
from mlbench.classifiers.multiclass.codes import one_against_one, random_code
from mlbench.classifiers.multiclass.lda import LDA
from mlbench.classifiers.multiclass.learners import (
    SVM,
    Trainings,
    decisions,
    forget_trainings,
    trainings_of,
)

EVERY_CODE = [random_code(5, 9, 0), one_against_one(5), np.array([[1, -1, 0, 1, -1]]).T]


@pytest.fixture(autouse=True)
def _fresh_memo():
    forget_trainings()


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    classes = np.arange(80) % 5
    X = rng.normal(size=(5, 4))[classes] + rng.normal(size=(80, 4)) + 3
    return X, classes


def plain_lda(X, sides, shift):
    """The definition: means and scatter of the two sides, sample by sample."""
    plus, minus = X[sides == 1], X[sides == -1]
    n = len(plus) + len(minus)
    within = np.zeros((X.shape[1], X.shape[1]))
    for side in (plus, minus):
        for x in side:
            within += np.outer(x - side.mean(axis=0), x - side.mean(axis=0))
    w = np.linalg.solve(
        within / n + shift * np.eye(X.shape[1]), plus.mean(axis=0) - minus.mean(axis=0)
    )
    middle = (plus.mean(axis=0) + minus.mean(axis=0)) / 2
    return w, np.log(len(plus) / len(minus)) - w @ middle


@pytest.mark.parametrize("ridge", [1e-6, 0.5])
@pytest.mark.parametrize("code", EVERY_CODE, ids=["random", "pairs", "ternary"])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_lda_is_fishers_discriminant_of_the_two_sides(data, code, ridge, form):
    X, classes = data
    shift = ridge * X.var(axis=0).mean()
    trained = Trainings(LDA(ridge)).of(form(X), classes, code)
    for column, found in zip(code.T, trained, strict=True):
        w, b = plain_lda(X, column[classes], shift)
        assert_allclose(found.decider.w, w, rtol=1e-8)
        assert_allclose(found.decider.b, b, rtol=1e-8)
        assert_allclose(found.values, X @ w + b, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("code", EVERY_CODE, ids=["random", "pairs", "ternary"])
def test_lda_is_scikit_learns_when_the_ridge_vanishes(data, code):
    X, classes = data
    trained = Trainings(LDA(1e-13)).of(X, classes, code)
    for column, found in zip(code.T, trained, strict=True):
        used = column[classes] != 0
        theirs = LinearDiscriminantAnalysis(solver="lsqr")
        theirs.fit(X[used], column[classes][used])
        assert_allclose(found.decider.w, theirs.coef_[0], rtol=1e-8)
        assert_allclose(found.decider.b, theirs.intercept_[0], rtol=1e-8)


def test_lda_of_sides_that_are_perfectly_apart_stays_finite():
    classes = np.arange(6) % 2
    X = np.column_stack([classes, np.zeros(6)])
    found = Trainings(LDA()).of(X, classes, [[1], [-1]])[0]
    assert_array_equal(found.values > 0, classes == 0)
    assert np.isfinite(found.values).all()
    w, b = plain_lda(X, np.where(classes == 0, 1, -1), 1e-6 * X.var(axis=0).mean())
    assert_allclose(found.decider.w, w, rtol=1e-6)
    assert_allclose(found.decider.b, b, rtol=1e-6)


@pytest.mark.parametrize("code", EVERY_CODE, ids=["random", "pairs", "ternary"])
@pytest.mark.parametrize("value", [0.0, 0.1, 1e6 / 3])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_lda_of_constant_features_goes_by_the_counts(code, value, form):
    classes = np.r_[np.arange(40) % 5, np.zeros(7, int)]
    X = form(np.full((47, 3), value))
    for column, found in zip(
        code.T, Trainings(LDA()).of(X, classes, code), strict=True
    ):
        plus, minus = ((column[classes] == side).sum() for side in (1, -1))
        assert_allclose(found.values, np.log(plus / minus), atol=1e-6)
        assert_allclose(found.decider.values(X * 2), found.values, atol=1e-2)


@pytest.mark.parametrize("code", EVERY_CODE, ids=["random", "pairs", "ternary"])
def test_the_linear_svm_is_scikit_learns_on_the_classes_that_take_part(data, code):
    X, classes = data
    trained = Trainings(SVM(C=0.3)).of(X, classes, code)
    for column, found in zip(code.T, trained, strict=True):
        used = column[classes] != 0
        theirs = LinearSVC(C=0.3, dual=False).fit(X[used], column[classes][used])
        assert_array_equal(found.decider.w, theirs.coef_[0])
        assert_allclose(found.values, theirs.decision_function(X), atol=1e-12)
        assert found.decider.squared_norm == pytest.approx((theirs.coef_**2).sum())


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_the_rbf_svm_is_scikit_learns_and_its_norm_that_of_w(data, form):
    X, classes = data
    column = np.array([1, 1, -1, 0, -1])
    found = Trainings(SVM(2.0, "rbf", 0.4)).of(form(X), classes, column[:, None])[0]
    used = column[classes] != 0
    theirs = SVC(C=2.0, gamma=0.4).fit(X[used], column[classes][used])
    assert_allclose(found.values, theirs.decision_function(X), rtol=1e-9)
    weights = theirs.dual_coef_[0]
    norm = 0.0
    for i, x in enumerate(theirs.support_vectors_):
        for j, z in enumerate(theirs.support_vectors_):
            norm += weights[i] * weights[j] * np.exp(-0.4 * np.sum((x - z) ** 2))
    assert found.decider.squared_norm == pytest.approx(norm)


def test_decisions_of_many_learners_are_those_of_each(data):
    X, classes = data
    for learner in (LDA(), SVM(kernel="rbf")):
        trained = Trainings(learner).of(X, classes, EVERY_CODE[0])
        together = decisions([each.decider for each in trained], X)
        alone = np.column_stack([each.values for each in trained])
        assert_allclose(together, alone, atol=1e-12)


def test_a_dichotomy_is_trained_once_for_all_codes_that_have_it(data, counted):
    X, classes = data
    trainings = Trainings(LDA())
    first = trainings.of(X, classes, EVERY_CODE[0])
    again = trainings.of(X, classes, EVERY_CODE[0][:, ::-1])
    assert first == again[::-1]
    assert len(counted) == len(trainings) == 9
    trainings.of(X, classes, EVERY_CODE[1])
    assert len(counted) == 19


@pytest.fixture
def counted(monkeypatch):
    """Every column an LDA learner is trained for."""
    columns = []
    plain = lda._LDATrainer.train

    def train(self, column):
        columns.append(column)
        return plain(self, column)

    monkeypatch.setattr(lda._LDATrainer, "train", train)
    return columns


def test_a_learner_is_the_same_to_the_last_bit_in_every_code(data):
    X, classes = data
    for code in EVERY_CODE:
        whole = Trainings(LDA()).of(X, classes, code)
        for at, found in enumerate(whole):
            alone = Trainings(LDA()).of(X, classes, code[:, [at]])[0]
            assert_array_equal(found.decider.w, alone.decider.w)
            assert found.decider.b == alone.decider.b


def test_trainings_are_found_again_by_the_content_of_the_training_set(data):
    X, classes = data
    found = trainings_of(X, classes, LDA())
    assert trainings_of(X.copy(), classes.copy(), LDA(1e-6)) is found
    assert trainings_of(np.asfortranarray(X), classes, LDA()) is found
    assert trainings_of(X + 1e-9, classes, LDA()) is not found
    one_moved = np.append(classes[:-1], 0)
    assert trainings_of(X, one_moved, LDA()) is not found
    assert trainings_of(X, classes, LDA(1e-5)) is not found
    assert trainings_of(X, classes, SVM()) is not found
    assert trainings_of(csr_array(X), classes, LDA()) is not found
    assert trainings_of(X.reshape(40, 8), classes, LDA()) is not found


def test_what_is_kept_is_bounded_and_the_oldest_goes_first(data, monkeypatch):
    X, classes = data
    first, second = (trainings_of(X, classes, LDA(ridge)) for ridge in (1.0, 2.0))
    for trainings in (first, second):
        trainings.of(X, classes, EVERY_CODE[0])
    assert first.nbytes == 9 * (80 + 4) * 8
    monkeypatch.setattr(learners, "MEMO_BYTES", first.nbytes)
    trainings_of(X, classes, LDA(1.0))  # used again, so the other one is the older
    assert trainings_of(X, classes, LDA(1.0)) is first
    assert trainings_of(X, classes, LDA(2.0)) is not second


@pytest.mark.parametrize("ridge", [0, -1.0, "1"])
def test_an_impossible_ridge_is_refused(ridge):
    with pytest.raises(ValueError, match="ridge must be a number above 0"):
        LDA(ridge)
