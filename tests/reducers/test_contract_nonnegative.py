"""What holds for every non-negative reducer."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlbench.reducers.mnmtf import MNMTF
from mlbench.reducers.nmf import NMF
from mlbench.reducers.nmf_mlda import NMFMLDA
from mlbench.reducers.nnls import kkt_residual

METHODS = [NMF(), NMF(loss="kullback-leibler"), MNMTF(), NMFMLDA()]
EXACT = [NMF(), MNMTF(), NMFMLDA()]


@parametrize_with_checks(METHODS)
def test_keeps_the_sklearn_contract(estimator, check):
    check(estimator)


def sample(n=30, d=7, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.8, size=(n, d)).astype(float)
    Y = X[:, np.arange(q) % d] + rng.normal(scale=0.5, size=(n, q)) > 1
    return X, Y.astype(np.uint8)


def few_samples():
    return sample(n=4, d=9)


def one_label():
    return sample(q=1)


def many_labels():
    return sample(q=20)


def a_label_without_positive_sample():
    X, Y = sample()
    Y[:, 1] = 0
    return X, Y


def no_label_at_all():
    X, Y = sample()
    return X, np.zeros_like(Y)


def labels_that_never_vary():
    X, Y = sample()
    return X, np.ones_like(Y)


def an_empty_sample():
    X, Y = sample()
    X[3], Y[4] = 0, 0
    return X, Y


def an_empty_feature():
    X, Y = sample()
    X[:, 2] = 0
    return X, Y


def nothing_but_zeros():
    X, Y = sample()
    return np.zeros_like(X), Y


def identical_samples():
    X, Y = sample()
    return np.repeat(X[:1], len(X), axis=0), Y


def one_outlier():
    X, Y = sample()
    X[0] *= 1e6
    return X, Y


DATA = [
    sample,
    few_samples,
    one_label,
    many_labels,
    a_label_without_positive_sample,
    no_label_at_all,
    labels_that_never_vary,
    an_empty_sample,
    an_empty_feature,
    nothing_but_zeros,
    identical_samples,
    one_outlier,
]

every_method = pytest.mark.parametrize("method", METHODS, ids=repr)
every_projection = pytest.mark.parametrize("method", EXACT, ids=repr)
all_data = pytest.mark.parametrize("data", DATA, ids=lambda make: make.__name__)


def fitted(method, X, Y, r):
    return clone(method).set_params(n_components=r, random_state=0).fit(X, Y)


@all_data
@every_method
@pytest.mark.parametrize("r", [1, 3, None])
def test_every_dimension_can_be_had_and_is_non_negative(method, data, r):
    X, Y = data()
    r = r or X.shape[1]
    model = fitted(method, X, Y, r)
    V = model.transform(X)
    assert type(V) is np.ndarray
    assert V.shape == (len(X), r)
    assert V.dtype == np.float64
    for values in (V, model.components_):
        assert np.isfinite(values).all()
        assert values.min() >= 0
    lengths = np.linalg.norm(model.components_, axis=1)
    assert_allclose(lengths[lengths > 0], 1)


@all_data
@every_method
def test_the_objective_never_increases(method, data):
    X, Y = data()
    model = fitted(clone(method).set_params(tol=0), X, Y, 4)
    assert model.n_iter_ == len(model.objective_)
    assert np.diff(model.objective_).max(initial=0) <= 1e-12 * (1 + (X**2).sum())


@all_data
@every_projection
def test_the_projection_is_optimal_for_every_sample(method, data):
    X, Y = data()
    model = fitted(method, X, Y, X.shape[1])
    U = model.components_.T
    assert kkt_residual(U.T @ U, U.T @ X.T, model.transform(X).T).max() < 1e-8


@every_method
def test_a_second_fit_gives_the_same_bits(method):
    X, Y = sample()
    first, second = fitted(method, X, Y, 4), fitted(method, X, Y, 4)
    assert np.array_equal(first.components_, second.components_)
    assert np.array_equal(first.transform(X), second.transform(X))


@every_method
def test_another_seed_gives_other_parts(method):
    X, Y = sample()
    one = fitted(method, X, Y, 4)
    other = clone(method).set_params(n_components=4, random_state=1).fit(X, Y)
    assert not np.allclose(one.components_, other.components_)


@every_method
def test_sparse_features_give_the_dense_reduction(method):
    X, Y = an_empty_sample()
    dense, sparse = fitted(method, X, Y, 4), fitted(method, csr_array(X), Y, 4)
    assert_allclose(dense.components_, sparse.components_, atol=1e-10)
    assert_allclose(dense.objective_, sparse.objective_)
    assert_allclose(dense.transform(X), sparse.transform(csr_array(X)), atol=1e-8)


@every_method
def test_a_vector_of_labels_is_one_column(method):
    X, Y = sample(q=1)
    column, vector = fitted(method, X, Y, 3), fitted(method, X, Y[:, 0], 3)
    assert np.array_equal(column.components_, vector.components_)


@every_method
@pytest.mark.parametrize("wrong", [0, -1, 8, 2.0, True, None])
def test_an_impossible_number_of_components_is_refused(method, wrong):
    X, Y = sample()
    message = rf"n_components must be in 1..7 \(the number of features\), got {wrong}"
    with pytest.raises(ValueError, match=message):
        clone(method).set_params(n_components=wrong).fit(X, Y)


@every_method
@pytest.mark.parametrize(
    "setting", [{"max_iter": 0}, {"max_iter": 2.5}, {"tol": -1}, {"tol": np.nan}]
)
def test_an_impossible_setting_is_refused_by_name(method, setting):
    X, Y = sample()
    with pytest.raises(ValueError, match=f"{next(iter(setting))} must be"):
        clone(method).set_params(**setting).fit(X, Y)


@every_method
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_negative_features_are_refused_by_fit_and_transform(method, form):
    X, Y = sample()
    model = fitted(method, X, Y, 2)
    X[0, 0] = -1
    name = type(method).__name__
    message = f"passed to {name}, which needs features of 0 or more"
    with pytest.raises(ValueError, match=message):
        model.transform(form(X))
    with pytest.raises(ValueError, match=message):
        model.fit(form(X), Y)


@every_method
def test_the_reduced_features_are_named_after_the_method(method):
    X, Y = sample()
    names = fitted(method, X, Y, 3).get_feature_names_out()
    assert list(names) == [f"{type(method).__name__.lower()}{i}" for i in range(3)]


@every_method
def test_the_cap_on_sweeps_is_kept_without_a_warning(method):
    X, Y = sample()
    model = clone(method).set_params(max_iter=2, random_state=0).fit(X, Y)
    assert model.n_iter_ == 2


@every_method
def test_says_that_a_smaller_fit_is_not_contained_in_a_larger_one(method):
    assert method.reduces
    assert not method.nested
