"""What holds for every spectral reducer."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlbench.reducers.cca import CCA
from mlbench.reducers.fisher import Fisher
from mlbench.reducers.lpp import LPP
from mlbench.reducers.lsi import LSI
from mlbench.reducers.mddm import MDDM
from mlbench.reducers.mlda import MLDA
from mlbench.reducers.mlsi import MLSI
from mlbench.reducers.none import Identity
from mlbench.reducers.pca import PCA

METHODS = [
    PCA(),
    LSI(),
    LPP(),
    LPP(weights="binary", n_neighbors=2),
    CCA(),
    MLSI(),
    MLSI(beta=1.0),
    MLDA(),
    Fisher(),
    MDDM(),
    MDDM(kernel="quadratic"),
    MDDM(kernel="rbf"),
    MDDM(fill="random"),
]


class CanonicalCorrelation(CCA):
    """CCA under a name of its own: the checks know scikit-learn's CCA by its name.

    That one wants labels in ``transform``.
    """


@parametrize_with_checks(
    [
        Identity(),
        PCA(),
        LSI(),
        LPP(),
        CanonicalCorrelation(),
        MLSI(),
        MLDA(),
        MDDM(),
        Fisher(),
    ]
)
def test_keeps_the_sklearn_contract(estimator, check):
    check(estimator)


def sample(n=30, d=7, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.8, size=(n, d)) + 0.1 * rng.uniform(size=(n, d)).round(3)
    Y = X[:, np.arange(q) % d] + rng.normal(scale=0.5, size=(n, q)) > 1
    return X, Y.astype(np.uint8)


def few_samples():
    return sample(n=6, d=15)


def one_label():
    return sample(q=1)


def a_label_without_positive_sample():
    X, Y = sample()
    Y[:, 1] = 0
    return X, Y


def labels_that_never_vary():
    X, Y = sample()
    return X, np.ones_like(Y)


def constant_features():
    X, Y = sample()
    X[:, 2], X[:, 4] = 0, 0.1
    return X, Y


def duplicate_rows():
    X, Y = sample(n=5)
    return np.repeat(X, 4, axis=0), np.repeat(Y, 4, axis=0)


def an_empty_sample():
    X, Y = sample()
    X[3], Y[4] = 0, 0
    return X, Y


def many_labels():
    return sample(q=20)


def identical_samples():
    X, Y = sample()
    return np.repeat(X[:1], len(X), axis=0), Y


DATA = [
    sample,
    few_samples,
    one_label,
    a_label_without_positive_sample,
    labels_that_never_vary,
    constant_features,
    duplicate_rows,
    an_empty_sample,
    many_labels,
    identical_samples,
]

every_method = pytest.mark.parametrize("method", METHODS, ids=repr)
all_data = pytest.mark.parametrize("data", DATA, ids=lambda make: make.__name__)


def fitted(method, X, Y, r):
    model = type(method)(**method.get_params())
    return model.set_params(n_components=r).fit(X, Y)


@all_data
@every_method
def test_every_dimension_can_be_had_and_is_finite(method, data):
    X, Y = data()
    d = X.shape[1]
    model = fitted(method, X, Y, d)
    Z = model.transform(X)
    assert type(Z) is np.ndarray
    assert Z.shape == (len(X), d)
    assert Z.dtype == np.float64
    assert np.isfinite(Z).all()
    assert model.components_.shape == (d, d)
    assert 0 <= model.rank_ <= d
    assert_allclose(np.linalg.norm(model.components_, axis=1), 1)
    assert np.linalg.matrix_rank(model.components_) == d


@all_data
@every_method
def test_a_truncated_fit_is_the_smaller_fit(method, data):
    assert method.nested
    X, Y = data()
    d = X.shape[1]
    whole = fitted(method, X, Y, d)
    for r in (1, 2, 3, d - 1):
        refitted = fitted(method, X, Y, r)
        assert_allclose(whole.components_[:r], refitted.components_, atol=1e-10)
        assert refitted.rank_ == min(r, whole.rank_)
        assert_allclose(whole.transform(X)[:, :r], refitted.transform(X), atol=1e-10)


@every_method
def test_a_second_fit_gives_the_same_bits(method):
    X, Y = sample()
    first, second = fitted(method, X, Y, 7), fitted(method, X, Y, 7)
    assert np.array_equal(first.components_, second.components_)


@every_method
def test_sparse_features_give_the_dense_projection(method):
    X, Y = an_empty_sample()
    d = X.shape[1]
    dense, sparse = fitted(method, X, Y, d), fitted(method, csr_array(X), Y, d)
    assert dense.rank_ == sparse.rank_
    assert_allclose(dense.components_, sparse.components_, atol=1e-7)
    assert_allclose(dense.transform(X), sparse.transform(csr_array(X)), atol=1e-6)


@every_method
def test_the_largest_entry_of_a_direction_is_positive(method):
    X, Y = sample()
    components = fitted(method, X, Y, 7).components_
    assert_allclose(components.max(axis=1), np.abs(components).max(axis=1))


@every_method
def test_the_order_of_the_samples_does_not_matter(method):
    X, Y = sample()
    order = np.random.default_rng(1).permutation(len(X))
    model, permuted = fitted(method, X, Y, 7), fitted(method, X[order], Y[order], 7)
    assert_allclose(model.components_, permuted.components_, atol=1e-7)


@every_method
@pytest.mark.parametrize("wrong", [0, -1, 8, 2.0, True, None])
def test_an_impossible_number_of_components_is_refused(method, wrong):
    X, Y = sample()
    with pytest.raises(ValueError, match=r"n_components must be in 1\.\.7 \(the numb"):
        fitted(method, X, Y, wrong)


@every_method
def test_features_out_are_named_after_the_method(method):
    X, Y = sample()
    name = type(method).__name__.lower()
    names = fitted(method, X, Y, 2).get_feature_names_out()
    assert list(names) == [f"{name}0", f"{name}1"]


def test_the_fill_comes_by_decreasing_variance_outside_of_the_directions_found():
    X, Y = sample()
    model = MDDM(7).fit(X, Y)
    own, fill = model.components_[:3], model.components_[3:]
    outside = np.eye(7) - own.T @ own
    Xc = X - X.mean(axis=0)
    scatter = outside @ Xc.T @ Xc @ outside
    values = np.linalg.eigvalsh(scatter)[::-1][:4]
    assert_allclose(fill @ own.T, 0, atol=1e-12)
    assert_allclose(fill @ fill.T, np.eye(4), atol=1e-12)
    assert_allclose(scatter @ fill.T, fill.T * values, atol=1e-8)


@pytest.mark.parametrize("fill", ["variance", "random"])
def test_the_fill_is_orthogonal_to_oblique_directions_too(fill):
    X, Y = sample()
    model = CCA(7, fill=fill).fit(X, Y)
    assert model.rank_ == 3
    assert_allclose(model.components_[3:] @ model.components_[:3].T, 0, atol=1e-10)


def test_a_random_fill_follows_its_seed():
    X, Y = sample()
    first, again, other = (
        MDDM(7, fill="random", random_state=seed).fit(X, Y).components_
        for seed in (1, 1, 2)
    )
    assert np.array_equal(first, again)
    assert_allclose(first[:3], other[:3])
    assert np.abs(first[3:] - other[3:]).max() > 0.1


def test_no_fill_is_computed_within_the_rank(monkeypatch):
    X, Y = sample()
    monkeypatch.setattr(MDDM, "_filler", None)
    assert MDDM(3).fit(X, Y).rank_ == 3


def test_features_that_never_vary_are_filled_in_last_and_in_order():
    X, Y = constant_features()
    components = PCA(7).fit(X).components_
    assert_allclose(components[5:], np.eye(7)[[2, 4]], atol=1e-12)


def test_an_unknown_fill_is_refused():
    X, Y = sample()
    with pytest.raises(ValueError, match="fill must be one of variance, random, got"):
        MDDM(fill="zeros").fit(X, Y)


@pytest.mark.parametrize("method", [CCA(), MLSI(), MLDA(), MDDM(), Fisher()], ids=repr)
def test_a_supervised_method_asks_for_labels(method):
    X, _ = sample()
    with pytest.raises(ValueError, match="requires y to be passed"):
        method.fit(X)
