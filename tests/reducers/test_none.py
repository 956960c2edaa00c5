import numpy as np
from scipy.sparse import csr_array

from mlbench.reducers.none import Identity


def test_the_features_come_back_unchanged():
    X = np.arange(6.0).reshape(3, 2)
    assert np.array_equal(Identity().fit(X).transform(X), X)


def test_sparse_features_stay_sparse():
    X = csr_array(np.eye(3))
    result = Identity().fit_transform(X, np.zeros((3, 2)))
    assert isinstance(result, csr_array)
    assert np.array_equal(result.toarray(), np.eye(3))


def test_it_does_not_claim_to_reduce():
    assert not Identity.reduces
