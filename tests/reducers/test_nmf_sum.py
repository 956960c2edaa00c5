"""NMF with parts of sum 1: the same fit, other units."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlbench.reducers.nmf import NMF
from mlbench.reducers.nmf_sum import SumNMF


@parametrize_with_checks([SumNMF(n_components=1)])
def test_keeps_the_sklearn_contract(estimator, check):
    check(estimator)


@pytest.fixture
def counts():
    rng = np.random.default_rng(0)
    return rng.poisson(1.0, size=(30, 12)).astype(float)


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
def test_parts_sum_to_one_and_fit_as_well(counts, loss):
    plain = NMF(4, loss=loss, random_state=3).fit(counts)
    scaled = SumNMF(4, loss=loss, random_state=3).fit(counts)
    assert_allclose(scaled.components_.sum(axis=1), 1)
    assert scaled.objective_ == plain.objective_
    # What is given to the weights is taken from the parts. (For the divergence the
    # weights are found by updates from ones, which do not see the same start.)
    if loss == "frobenius":
        assert_allclose(
            scaled.transform(counts) @ scaled.components_,
            plain.transform(counts) @ plain.components_,
            atol=1e-8,
        )


def test_sparse_and_dense_features_give_the_same(counts):
    dense, sparse = SumNMF(3, random_state=0), SumNMF(3, random_state=0)
    assert_allclose(
        dense.fit(counts).transform(counts),
        sparse.fit(csr_array(counts)).transform(csr_array(counts)),
    )


def test_a_part_that_is_zero_stays_so():
    parts = SumNMF(2, random_state=0).fit(np.zeros((4, 3)))
    assert_allclose(parts.components_, 0)
