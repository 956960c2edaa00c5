import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn import decomposition

from mlbench.reducers.pca import PCA


def sample(n, d, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 3


@pytest.mark.parametrize("shape", [(30, 6), (6, 30)])
def test_directions_are_eigenvectors_of_the_scatter_matrix(shape):
    X = sample(*shape)
    Xc = X - X.mean(axis=0)
    scatter = sum(np.outer(x, x) for x in Xc)
    P = PCA(n_components=4).fit(X).components_
    values = np.linalg.eigvalsh(scatter)[::-1][:4]
    assert_allclose(P @ scatter, values[:, None] * P, rtol=1e-8, atol=1e-8 * values[0])
    assert_allclose(P @ P.T, np.eye(4), atol=1e-12)


@pytest.mark.parametrize("shape", [(30, 6), (6, 30)])
def test_it_agrees_with_scikit_learn(shape):
    X = sample(*shape)
    ours = PCA(n_components=4).fit_transform(X)
    theirs = decomposition.PCA(n_components=4, svd_solver="full").fit_transform(X)
    signs = np.sign(np.sum(ours * theirs, axis=0))
    assert_allclose(ours, theirs * signs, atol=1e-8)


def test_sparse_and_dense_features_give_the_same_projection():
    X = np.random.default_rng(0).poisson(0.5, size=(20, 7)).astype(float)
    model, sparse = PCA(5).fit(X), PCA(5).fit(csr_array(X))
    assert_allclose(model.components_, sparse.components_, atol=1e-8)
    assert_allclose(model.transform(X), sparse.transform(csr_array(X)), atol=1e-8)


def test_the_rank_is_the_number_of_directions_in_which_samples_vary():
    X = np.repeat(sample(3, 8), 2, axis=0)  # three distinct samples span a plane
    model = PCA(n_components=5).fit(X)
    assert model.rank_ == 2
    Z = model.transform(X)
    assert_allclose(Z[:, 2:], 0, atol=1e-10)


def test_the_projection_is_centred():
    X = sample(10, 4)
    assert_allclose(PCA(2).fit_transform(X).mean(axis=0), 0, atol=1e-12)
