"""What ANMF and MNMF have in common: shapes, seeds, degenerate input."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import nnls
from scipy.sparse import csr_array
from sklearn.base import clone

from mlbench.classifiers.anmf import ANMF
from mlbench.classifiers.mnmf import MNMF
from mlbench.data.load import load
from mlbench.metrics.bipartition import micro_f1


def parts_of_labels():
    """Labels that add up to features, with noise; the last sample has no label."""
    rng = np.random.default_rng(0)
    Y = (rng.uniform(size=(60, 4)) < 0.4).astype(int)
    Y[-1] = 0
    parts = rng.uniform(size=(4, 9)) * (rng.uniform(size=(4, 9)) < 0.5)
    X = Y @ parts + 0.05 * rng.uniform(size=(60, 9))
    return X, Y


def plain_scores(X_new, W_x, W_t, ridge, power):
    """``W_t h`` with h of each sample by SciPy, for parts in columns."""
    r = W_x.shape[1]
    stacked = np.vstack([W_x, np.sqrt(ridge * power / r) * np.eye(r)])
    return np.array(
        [W_t @ nnls(stacked, np.concatenate([x, np.zeros(r)]))[0] for x in X_new]
    )


@pytest.fixture
def data():
    return parts_of_labels()


@pytest.fixture(params=[ANMF, MNMF])
def kind(request):
    return request.param


@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_scores_are_those_of_the_definition(kind, data, ridge):
    X, Y = data
    model = kind(4, ridge=ridge, random_state=0).fit(X, Y)
    power = np.mean([x @ x for x in X])
    found = model.decision_function(X[:20])
    W_x, W_t = model.components_.T, model.label_components_.T
    assert_allclose(found, plain_scores(X[:20], W_x, W_t, ridge, power), atol=1e-4)


def test_the_objective_never_increases(kind, data):
    objective = kind(6, tol=0, max_iter=60, random_state=1).fit(*data).objective_
    assert len(objective) == 60
    assert max(np.diff(objective)) <= 1e-10 * objective[0]


def test_labels_that_add_up_to_the_features_are_found_again(kind, data):
    X, Y = data
    predicted = kind(4, ridge=0, max_iter=500, tol=1e-6, random_state=0).fit(
        X[:40], Y[:40]
    )
    assert micro_f1(Y[40:], predicted.predict(X[40:])) > 0.95


def test_sparse_and_dense_features_give_the_same(kind, data):
    X, Y = data
    X = np.where(X > 0.3, X, 0)
    dense = kind(5, random_state=0).fit(X, Y)
    sparse = kind(5, random_state=0).fit(csr_array(X), Y)
    found = sparse.decision_function(csr_array(X))
    assert_allclose(found, dense.decision_function(X), atol=1e-6)


def test_sparse_features_are_never_made_dense(kind, data, monkeypatch):
    X, Y = csr_array(data[0]), data[1]

    def refuse(*_, **__):
        raise AssertionError("made dense")

    monkeypatch.setattr(csr_array, "toarray", refuse)
    monkeypatch.setattr(csr_array, "todense", refuse)
    kind(5, ridge=0.1, random_state=0).fit(X, Y).decision_function(X)


def test_the_same_seed_gives_the_same_scores_and_another_seed_others(kind, data):
    def scores(seed):
        model = kind(3, max_iter=3, random_state=seed).fit(*data)
        return model.decision_function(data[0])

    assert_array_equal(scores(0), scores(0))
    assert not np.allclose(scores(0), scores(1))


def test_a_label_no_sample_has_scores_nothing(kind, data):
    X, Y = data
    Y = np.column_stack([Y, np.zeros(len(Y), dtype=int)])
    scores = kind(6, max_iter=500, tol=1e-6, random_state=0).fit(X, Y)
    assert_allclose(scores.decision_function(X)[:, -1], 0, atol=1e-6)


def test_a_label_every_sample_has_scores_highest_on_average(kind, data):
    X, Y = data
    Y = np.column_stack([Y, np.ones(len(Y), dtype=int)])
    scores = kind(4, random_state=0).fit(X, Y).decision_function(X).mean(axis=0)
    assert scores.argmax() == 4


@pytest.mark.parametrize("r", [1, 9, 30])
def test_any_number_of_parts_will_do(kind, data, r):
    X, Y = data
    model = kind(r, random_state=0).fit(X[:6], Y[:6])  # n < d, r up to 30 > both
    assert model.components_.shape == (r, 9)
    assert model.label_components_.shape == (r, 4)
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("blank", ["X", "Y", "both"])
def test_features_or_labels_of_zeros_alone_give_finite_scores(kind, data, blank):
    X, Y = data
    X = np.zeros_like(X) if blank in ("X", "both") else X
    Y = np.zeros_like(Y) if blank in ("Y", "both") else Y
    scores = kind(5, random_state=0).fit(X, Y).decision_function(data[0])
    assert_allclose(scores, 0, atol=1e-6)


def test_constant_features_give_the_same_scores_to_all(kind, data):
    X = np.ones_like(data[0])
    scores = kind(3, random_state=0).fit(X, data[1]).decision_function(X)
    assert_allclose(scores, np.tile(scores[0], (len(X), 1)))


def test_features_below_zero_are_refused(kind, data):
    X, Y = data
    with pytest.raises(
        ValueError, match=f"{kind.__name__}, which needs features of 0 or more"
    ):
        kind().fit(X - 1, Y)


def test_a_model_can_be_cloned_and_pickled(kind, data):
    model = kind(3, random_state=0).fit(*data)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict(data[0]), model.predict(data[0]))
    assert clone(model).get_params() == model.get_params()


@pytest.mark.real
def test_on_real_reports_it_is_far_better_than_the_commonest_label(kind, real_data):
    medical = load("medical", real_data)
    train, test = slice(0, 600), slice(600, None)
    model = kind(30, random_state=0).fit(medical.X[train], medical.Y[train])
    constant = np.zeros_like(medical.Y[test])
    constant[:, medical.Y[train].sum(axis=0).argmax()] = 1
    reached = micro_f1(medical.Y[test], model.predict(medical.X[test]))
    assert reached > micro_f1(medical.Y[test], constant) + 0.2


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"n_components": 0}, "n_components must be a whole number from 1 on, got 0"),
        ({"max_iter": 1.5}, r"max_iter must be a whole number from 1 on, got 1\.5"),
        ({"tol": -1}, "tol must be a number from 0 on, got -1"),
        ({"ridge": -0.1}, r"ridge must be a number from 0 on, got -0\.1"),
    ],
)
def test_an_impossible_setting_is_refused(kind, data, setting, message):
    with pytest.raises(ValueError, match=message):
        kind(**setting).fit(*data)
