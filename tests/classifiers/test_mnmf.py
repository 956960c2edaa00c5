"""MNMF against its definition, solved the slow way."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlbench.classifiers.mnmf import MNMF
from tests.classifiers.test_factor_contract import parts_of_labels


@parametrize_with_checks([MNMF(n_components=2, max_iter=5, random_state=0)])
def test_keeps_the_sklearn_contract(estimator, check):
    check(estimator)


@pytest.fixture
def data():
    return parts_of_labels()


def test_the_objective_is_that_of_the_weighted_stack(data):
    X, Y = data[0], data[1].astype(float)
    model = MNMF(3, alpha=0.8, random_state=0)
    W_x, W_t, H, objective = model._factors(X, Y, np.random.RandomState(0))
    stack = np.vstack([0.2 * X.T, 0.8 * Y.T])
    made = np.vstack([0.2 * W_x.T, 0.8 * W_t.T]) @ H
    assert_allclose(objective[-1], np.sum((stack - made) ** 2))


def test_a_higher_alpha_fits_the_labels_better(data):
    X, Y = data[0], data[1].astype(float)
    errors = []
    for alpha in (0.1, 0.5, 0.9):
        model = MNMF(2, alpha=alpha, max_iter=500, tol=1e-6)
        _, W_t, H, _ = model._factors(X, Y, np.random.RandomState(0))
        errors.append(np.sum((Y.T - W_t.T @ H) ** 2))
    assert errors[0] > errors[1] > errors[2]


def test_features_twice_as_large_are_features_of_twice_the_weight(data):
    X, Y = data
    # (1 - a) 2 X against a Y is 2 / 3 X against 1 / 3 Y, times 3 / 2, for a = 1 / 2.
    large = MNMF(3, alpha=1 / 2, random_state=0).fit(2 * X, Y)
    heavy = MNMF(3, alpha=1 / 3, random_state=0).fit(X, Y)
    found = large.decision_function(2 * X)
    assert_allclose(found, heavy.decision_function(X), atol=1e-4)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"alpha": 0}, "alpha must be a number above 0, got 0"),
        ({"alpha": 1.0}, r"alpha must be a number below 1, got 1\.0"),
    ],
)
def test_an_impossible_setting_is_refused(data, setting, message):
    with pytest.raises(ValueError, match=message):
        MNMF(**setting).fit(*data)
