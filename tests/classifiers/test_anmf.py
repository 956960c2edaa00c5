"""ANMF against its definition, solved the slow way."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import nnls
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlbench.classifiers.anmf import ANMF
from tests.classifiers.test_factor_contract import parts_of_labels


@parametrize_with_checks([ANMF(n_components=2, max_iter=5, random_state=0)])
def test_keeps_the_sklearn_contract(estimator, check):
    check(estimator)


@pytest.fixture
def data():
    return parts_of_labels()


def test_the_parts_features_are_the_exact_fit_to_the_weights_of_the_labels(data):
    X, Y = data
    model = ANMF(3, random_state=0)
    W_x, W_t, H, _ = model._factors(X, Y.astype(float), np.random.RandomState(0))
    expected = np.array([nnls(H.T, feature)[0] for feature in X.T])
    assert_allclose(W_x.T, expected, atol=1e-6)
    model.fit(X, Y)
    usual = np.sqrt((H**2).mean(axis=1))
    assert_allclose(model.components_, usual[:, None] * W_x)
    assert_allclose(model.label_components_, usual[:, None] * W_t)


def test_the_objective_is_that_of_the_labels_alone(data):
    X, Y = data
    model = ANMF(3, random_state=0).fit(X, Y)
    assert model.objective_ == ANMF(3, random_state=0).fit(X**2, Y).objective_


def test_a_sample_without_labels_has_no_weights(data):
    X, Y = data
    *_, H, _ = ANMF(3)._factors(X, Y.astype(float), np.random.RandomState(0))
    assert_array_equal(H[:, -1], 0)


def test_scores_do_not_hang_on_the_scale_of_the_features(data):
    X, Y = data
    model, scaled = (
        ANMF(3, ridge=0.2, random_state=0).fit(c * X, Y) for c in (1.0, 50.0)
    )
    found = scaled.decision_function(50 * X)
    assert_allclose(found, model.decision_function(X), atol=1e-5)
