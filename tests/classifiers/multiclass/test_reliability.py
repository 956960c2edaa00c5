"""SRM and DRM against equations 3.1 to 3.8, written out."""

from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import SVC, LinearSVC

from mlbench.classifiers.multiclass.oaa import OneAgainstAll
from mlbench.classifiers.multiclass.reliability import (
    DRMSVM,
    SRMSVM,
    soft_decision,
)

GAMMA = 0.5


def plus(u):
    """(u)+ = u if u >= 0 and 0 if u < 0, below equation 3.1."""
    return u if u >= 0 else 0.0


def sign(f):
    return int(f > 0) - int(f < 0)


def machine(X, y, C, kernel):
    """The f and ||w||^2 of a support vector machine of scikit-learn."""
    if kernel == "linear":
        svm = LinearSVC(C=C, dual=False, max_iter=10_000).fit(X, y)
        return svm.decision_function, float((svm.coef_**2).sum())
    svm = SVC(C=C, gamma=GAMMA).fit(X, y)
    norm = 0.0
    for a, x in zip(svm.dual_coef_[0], svm.support_vectors_, strict=True):
        for b, z in zip(svm.dual_coef_[0], svm.support_vectors_, strict=True):
            norm += a * b * exp(-GAMMA * np.sum((x - z) ** 2))
    return svm.decision_function, norm


def srm(norm, f_train, y, C):
    """Equations 3.1 and 3.2."""
    N = len(y)
    objective = 0.5 * norm + C * sum(plus(1 - y[i] * f_train[i]) for i in range(N))
    return exp(-objective / (C * N))


def drm(norm, f_train, y, C, X, x, f, k):
    """Equations 3.4 and 3.5; ours: SRM where no neighbour is on the side of x."""
    N = len(y)
    near = sorted((round(float(np.sum((X[i] - x) ** 2)), 9), i) for i in range(N))[:k]
    same = [i for _, i in near if (f_train[i] > 0) == (f > 0)]
    if not same:
        return srm(norm, f_train, y, C)
    local = sum(plus(1 - y[i] * f_train[i]) for i in same)
    return exp(-(norm / (2 * C * N) + local / len(same)))


def plain_scores(X, classes, queries, C, kernel, k=None):
    """Weighted soft decisions, class by class, sample by sample."""
    scores = np.zeros((len(queries), classes.max() + 1))
    for label in range(classes.max() + 1):
        y = np.where(classes == label, 1, -1)
        f, norm = machine(X, y, C, kernel)
        f_train, f_query = f(X), f(queries)
        for t, x in enumerate(queries):
            soft = sign(f_query[t]) * (1 - exp(-abs(f_query[t])))  # 3.6
            if k is None:
                reliability = srm(norm, f_train, y, C)
            else:
                reliability = drm(norm, f_train, y, C, X, x, f_query[t], k)
            scores[t, label] = reliability * soft
    return scores


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes = draw(st.integers(2, 4))
    n = draw(st.integers(2 * n_classes, 20))
    classes = np.arange(n) % n_classes
    X = rng.normal(size=(n_classes, 2))[classes] + rng.normal(size=(n, 2))
    C = draw(st.sampled_from([0.01, 1.0, 30.0]))
    kernel = draw(st.sampled_from(["linear", "rbf"]))
    return X, classes, rng.normal(scale=2, size=(6, 2)), C, kernel


@settings(deadline=None, max_examples=25)
@given(problems())
def test_static_scores_are_those_of_the_equations(problem):
    X, classes, queries, C, kernel = problem
    model = SRMSVM(C, kernel=kernel, gamma=GAMMA).fit(X, np.eye(4)[classes])
    found = model.decision_function(queries)[:, : classes.max() + 1]
    assert_allclose(found, plain_scores(*problem), rtol=1e-8, atol=1e-12)
    label = plain_scores(*problem).argmax(axis=1)  # 3.7
    assert_array_equal(model.predict(queries), np.eye(4)[label])


@settings(deadline=None, max_examples=25)
@given(problems(), st.integers(1, 4))
def test_dynamic_scores_are_those_of_the_equations(problem, k):
    X, classes, queries, C, kernel = problem
    model = DRMSVM(C, k=k, kernel=kernel, gamma=GAMMA).fit(X, np.eye(4)[classes])
    found = model.decision_function(queries)[:, : classes.max() + 1]
    assert_allclose(found, plain_scores(*problem, k=k), rtol=1e-8, atol=1e-12)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    classes = np.arange(60) % 3
    X = 2 * rng.normal(size=(3, 2))[classes] + rng.normal(size=(60, 2))
    return X, np.eye(3)[classes]


def test_the_static_measure_is_used_where_no_neighbour_is_on_the_side_of_the_sample(
    data,
):
    X, Y = data
    model = DRMSVM(k=1).fit(X, Y)
    values = OneAgainstAll().fit(X, Y).decision_function(X)
    # Far from every sample of their side: the nearest one is on the other.
    static = SRMSVM().fit(X, Y).reliability_
    model.positive_ = ~model.positive_
    assert_allclose(model.decision_function(X), soft_decision(values) * static)


def test_with_all_samples_as_neighbours_the_measure_is_that_of_the_side(data):
    X, Y = data
    model = DRMSVM(k=60).fit(X, Y)
    scores, values = model.decision_function(X), model.deciders_[1].values(X)
    loss = np.maximum(0, 1 - (2 * Y[:, 1] - 1) * values)
    for side in (values > 0, values <= 0):
        norm = model.deciders_[1].squared_norm / (2 * 60)
        expected = soft_decision(values[side]) * np.exp(-norm - loss[side].mean())
        assert_allclose(scores[side, 1], expected)


def test_equal_reliabilities_give_the_conventional_rule(data):
    X, Y = data
    model = SRMSVM().fit(X, Y)
    model.reliability_ = np.full(3, 0.4)
    assert_array_equal(model.predict(X), OneAgainstAll().fit(X, Y).predict(X))  # 3.8


def test_a_separable_class_has_the_reliability_of_its_margin():
    X = np.array([[-5.0], [-4.0], [4.0], [5.0]])
    Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    model = SRMSVM(C=1e4, kernel="rbf", gamma=0.1).fit(X, Y)
    norms = np.array([each.squared_norm for each in model.deciders_])
    assert_allclose(model.reliability_, np.exp(-norms / (2e4 * 4)), rtol=1e-3)  # 3.3


@settings(deadline=None)
@given(st.floats(-30, 30))
def test_a_soft_decision_has_the_sign_of_f_and_is_within_one(f):
    soft = soft_decision(np.array([f]))[0]
    assert sign(soft) == sign(f)
    assert abs(soft) <= 1
    assert soft == pytest.approx(sign(f) * (1 - exp(-abs(f))))


@pytest.mark.parametrize("k", [0, 2.5, True, None])
def test_an_impossible_k_is_refused(data, k):
    with pytest.raises(ValueError, match="k must be a whole number from 1 on"):
        DRMSVM(k=k).fit(*data)


def test_more_neighbours_than_samples_are_refused(data):
    with pytest.raises(ValueError, match=r"k must be in 1\.\.60 \(the training"):
        DRMSVM(k=61).fit(*data)
