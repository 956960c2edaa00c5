import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.io import loadmat
from scipy.sparse import csr_array

from mlbench.reducers.mddm import (
    MDDM,
    choose_dimension,
    quadratic_features,
    rbf_features,
)

KERNELS = ["linear", "quadratic", "rbf"]


def sample(n=40, d=6, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, d))
    Y = X[:, np.arange(q) % d] + rng.normal(scale=0.3, size=(n, q)) > 0.5
    return X, Y.astype(int)


def label_kernel(kernel, Y, gamma):
    """The paper's L, one pair of label sets at a time."""
    functions = {
        "linear": lambda y, z: y @ z,
        "quadratic": lambda y, z: (y @ z + 1) ** 2,
        "rbf": lambda y, z: np.exp(-gamma * np.sum((y - z) ** 2)),
    }
    return np.array([[functions[kernel](y, z) for z in Y] for y in Y])


def literal_matrix(X, Y, kernel="linear", gamma=None):
    """``X H L H X'`` of the paper, its X having a sample per column."""
    n = len(X)
    H = np.eye(n) - 1 / n
    L = label_kernel(kernel, Y, 1 / Y.shape[1] if gamma is None else gamma)
    return X.T @ H @ L @ H @ X


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("size", [{}, {"n": 8, "d": 12}, {"q": 9}, {"q": 1}])
def test_directions_are_leading_eigenvectors_of_the_papers_matrix(kernel, size):
    X, Y = sample(**size)
    M = literal_matrix(X, Y, kernel)
    model = MDDM(n_components=1, kernel=kernel).fit(X, Y)
    r = len(model.eigenvalues_)
    model.set_params(n_components=r).fit(X, Y)
    P = model.components_.T
    expected = np.linalg.eigvalsh(M)[::-1]
    assert_allclose(model.eigenvalues_, expected[:r], rtol=1e-6, atol=1e-9)
    assert_allclose(expected[r:], 0, atol=1e-9)
    assert_allclose(M @ P, P * model.eigenvalues_, atol=1e-9)
    assert_allclose(P.T @ P, np.eye(r), atol=1e-10)


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_no_orthonormal_projection_has_more_dependence(seed, r):
    X, Y = sample(seed=seed)
    M = literal_matrix(X, Y)
    P = MDDM(n_components=r).fit(X, Y).components_.T
    other, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(6, r)))
    assert np.trace(P.T @ M @ P) >= np.trace(other.T @ M @ other) - 1e-9


def test_a_kernel_changes_the_directions():
    X, Y = sample()
    linear, quadratic, rbf = (
        MDDM(3, kernel=kernel).fit(X, Y).components_ for kernel in KERNELS
    )
    assert np.abs(linear - quadratic).max() > 1e-3
    assert np.abs(linear - rbf).max() > 1e-3


def test_gamma_is_the_width_of_the_rbf_kernel():
    X, Y = sample()
    model = MDDM(2, kernel="rbf", gamma=2.5).fit(X, Y)
    M = literal_matrix(X, Y, "rbf", gamma=2.5)
    assert_allclose(model.eigenvalues_[0], np.linalg.eigvalsh(M)[-1])


def test_quadratic_features_multiply_to_the_kernel_up_to_its_constant():
    Y = sample(q=4)[1].astype(float)
    Phi = quadratic_features(Y)
    assert_allclose(Phi @ Phi.T + 1, (Y @ Y.T + 1) ** 2)


def test_rbf_features_multiply_to_the_kernel_with_a_column_per_distinct_label_set():
    Y = sample(q=3)[1].astype(float)
    Phi = rbf_features(Y, gamma=0.7)
    assert_allclose(Phi @ Phi.T, label_kernel("rbf", Y, 0.7), atol=1e-12)
    assert Phi.shape[1] == len({tuple(row) for row in Y})


@pytest.mark.parametrize("kernel", KERNELS)
def test_sparse_and_dense_features_give_the_same_projection(kernel):
    X, Y = sample()
    X[X < 0.4] = 0
    model = MDDM(5, kernel=kernel).fit(X, Y)
    sparse = MDDM(5, kernel=kernel).fit(csr_array(X), csr_array(Y))
    assert_allclose(model.components_, sparse.components_, atol=1e-8)
    assert_allclose(model.transform(X), sparse.transform(csr_array(X)), atol=1e-8)


def test_a_label_constant_in_training_adds_nothing():
    X, Y = sample()
    constant = np.column_stack([Y, np.zeros(len(Y)), np.ones(len(Y))])
    plain, extended = MDDM(6).fit(X, Y), MDDM(6).fit(X, constant)
    assert plain.rank_ == extended.rank_ == 3
    assert_allclose(plain.components_, extended.components_, atol=1e-10)


def test_the_same_label_twice_is_one_direction():
    X, Y = sample(q=1)
    assert MDDM(3).fit(X, np.hstack([Y, Y])).rank_ == 1


def test_labels_that_vary_with_no_feature_have_rank_zero():
    X = np.array([[0.0, 0.1], [1.0, 0.1], [0.0, 0.1], [1.0, 0.1]])
    Y = np.array([[0], [0], [1], [1]])
    model = MDDM(2).fit(X, Y)
    assert model.rank_ == 0
    assert_allclose(model.components_, np.eye(2), atol=1e-12)
    with pytest.raises(ValueError, match="no label varies with any feature"):
        model.dimension_for(0.9)


def test_a_vector_of_labels_is_one_column():
    X, Y = sample(q=1)
    assert_allclose(MDDM(2).fit(X, Y[:, 0]).components_, MDDM(2).fit(X, Y).components_)


@pytest.mark.parametrize("of", ["singular_values", "eigenvalues"])
@pytest.mark.parametrize("threshold", [0.01, 0.5, 0.9, 0.99, 1.0])
def test_the_dimension_is_the_smallest_that_holds_the_share(of, threshold):
    X, Y = sample(q=5)
    values = np.linalg.eigvalsh(literal_matrix(X, Y))[::-1][:5]
    shares = values if of == "eigenvalues" else np.sqrt(values)
    d = 1
    while sum(shares[:d]) < threshold * sum(shares) * (1 - 1e-12):
        d += 1
    assert choose_dimension(X, Y, threshold, of=of) == d


def test_the_dimension_does_not_depend_on_the_components_kept():
    X, Y = sample(q=5)
    dims = {MDDM(r).fit(X, Y).dimension_for(0.95) for r in (1, 3, 6)}
    assert len(dims) == 1


def test_the_dimension_follows_the_kernel():
    X, Y = sample(d=20, q=4)
    linear = choose_dimension(X, Y, 0.999)
    assert choose_dimension(X, Y, 0.999, kernel="quadratic") > linear


@pytest.mark.parametrize("threshold", [0, -0.1, 1.01, float("nan")])
def test_a_threshold_that_is_no_share_is_refused(threshold):
    X, Y = sample()
    with pytest.raises(ValueError, match=r"threshold must be a share in \(0, 1\]"):
        choose_dimension(X, Y, threshold)


def test_a_negative_gamma_is_refused():
    X, Y = sample()
    with pytest.raises(ValueError, match="gamma must be a number from 0 on, got -1"):
        MDDM(kernel="rbf", gamma=-1).fit(X, Y)


def test_an_unknown_kernel_or_share_is_refused():
    X, Y = sample()
    with pytest.raises(ValueError, match="kernel must be one of linear, quadratic"):
        MDDM(kernel="cubic").fit(X, Y)
    with pytest.raises(ValueError, match="of must be one of singular_values, eigen"):
        choose_dimension(X, Y, 0.9, of="values")


LAMDA = {
    "arts": (23, 17),
    "Business": (26, 15),
    "Computers": (27, 18),
    "education": (29, 14),
    "Entertainment": (18, 11),
    "Health": (22, 12),
    "recreation": (21, 15),
    "ref": (27, 14),
    "science": (35, 24),
    "social": (33, 13),
    "Society": (25, 18),
}


@pytest.mark.real
@pytest.mark.parametrize("name", LAMDA)
def test_the_dimensions_of_the_papers_table_come_from_singular_values(real_data, name):
    arrays = loadmat(real_data / "lamda" / f"{name}.mat")
    X, Y = arrays["train_data"], arrays["train_target"].T > 0
    model = MDDM(1).fit(X, Y)
    by_singular_values, by_eigenvalues = LAMDA[name]
    assert model.dimension_for(0.99) == by_singular_values
    assert model.dimension_for(0.99, of="eigenvalues") == by_eigenvalues
