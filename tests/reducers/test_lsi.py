import numpy as np
import pytest
from numpy.testing import assert_allclose

from mlbench.reducers.lsi import LSI


def sample(n, d, seed=0):
    return np.random.default_rng(seed).poisson(1.0, size=(n, d)).astype(float)


@pytest.mark.parametrize("shape", [(30, 6), (6, 30)])
@pytest.mark.parametrize("r", [1, 4])
def test_no_projection_of_that_dimension_is_closer_to_the_data(shape, r):
    X = sample(*shape)
    P = LSI(n_components=r).fit(X).components_
    U, lengths, V = np.linalg.svd(X, full_matrices=False)
    best = (U[:, :r] * lengths[:r]) @ V[:r]  # Eckart and Young
    assert_allclose(X @ P.T @ P, best, atol=1e-8)
    assert_allclose(P @ P.T, np.eye(r), atol=1e-12)


def test_directions_come_by_decreasing_singular_value():
    X = sample(20, 5)
    Z = LSI(n_components=5).fit_transform(X)
    assert_allclose(np.linalg.norm(Z, axis=0), np.linalg.svd(X, compute_uv=False))


def test_an_empty_sample_stays_at_the_origin():
    X = sample(20, 5)
    X[3] = 0
    assert_allclose(LSI(3).fit_transform(X)[3], 0, atol=1e-14)


def test_the_rank_is_that_of_the_data():
    X = np.repeat(sample(3, 8), 2, axis=0)
    assert LSI(n_components=6).fit(X).rank_ == 3
