"""Iterative stratification against its algorithm, written out step by step."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from mlbench.data.load import load
from mlbench.data.splits import checksum
from mlbench.data.stratification import stratified_kfold, stratified_split, stratify


def draw(seed, n=60, q=5, rate=0.25):
    rng = np.random.default_rng(seed)
    return (rng.random((n, q)) < rate * rng.random(q)).astype(np.uint8)


def written_out(Y, shares, seed):
    """The algorithm of the paper on sets, line by line; our order and our ties."""
    rng = np.random.Generator(np.random.PCG64(seed))
    n, q = Y.shape
    order = [int(i) for i in rng.permutation(n)]
    k = len(shares)
    D = set(range(n))
    c = [n * share for share in shares]
    c_label = [[Y[:, i].sum() * share for share in shares] for i in range(q)]
    S = [set() for _ in range(k)]

    def random_element_of(M):
        return M[rng.integers(len(M))] if len(M) > 1 else M[0]

    while D:
        D_label = [[x for x in order if x in D and Y[x, i]] for i in range(q)]
        sizes = [len(some) for some in D_label if some]
        if sizes:
            rarest = [i for i in range(q) if len(D_label[i]) == min(sizes)]
            label = random_element_of(rarest)
            examples = D_label[label]
        else:
            label, examples = None, [x for x in order if x in D]
        for x in examples:
            M = list(range(k))
            if label is not None:
                M = [j for j in M if c_label[label][j] == max(c_label[label])]
            M = [j for j in M if c[j] == max(c[j] for j in M)]
            m = random_element_of(M)
            S[m].add(x)
            D.remove(x)
            for i in range(q):
                if Y[x, i]:
                    c_label[i][m] -= 1
            c[m] -= 1
    return np.array([next(j for j in range(k) if x in S[j]) for x in range(n)])


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    "shares", [[0.5, 0.5], [0.7, 0.3], [0.1] * 10, [0.2, 0.3, 0.5]]
)
def test_the_parts_are_those_of_the_algorithm(seed, shares):
    Y = draw(seed)
    assert_array_equal(stratify(Y, shares, seed), written_out(Y, shares, seed))


@settings(deadline=None, max_examples=60)
@given(
    n=st.integers(2, 40),
    q=st.integers(1, 6),
    k=st.integers(2, 5),
    rate=st.floats(0, 1),
    seed=st.integers(0, 2**32),
)
def test_every_sample_is_in_one_part_and_the_rarest_label_is_spread(
    n, q, k, rate, seed
):
    Y = draw(seed, n, q, 2 * rate)
    parts = stratify(Y, [1 / k] * k, seed)
    assert parts.shape == (n,)
    assert set(parts) <= set(range(k))
    counts = Y.sum(axis=0)
    if counts.any():
        rare = np.flatnonzero(counts == counts[counts > 0].min())
        spreads = [np.ptp(np.bincount(parts, Y[:, i], k)) for i in rare]
        assert min(spreads) <= 1


@pytest.mark.parametrize("seed", range(5))
def test_samples_without_labels_even_out_the_sizes(seed):
    Y = draw(seed, n=200)
    Y[100:] = 0
    sizes = np.bincount(stratify(Y, [0.25] * 4, seed))
    assert np.ptp(sizes) <= 1


def test_only_samples_without_labels_are_divided_by_size_alone():
    assert_array_equal(np.bincount(stratify(np.zeros((10, 3)), [0.7, 0.3], 0)), [7, 3])


@pytest.mark.parametrize("seed", range(5))
def test_labels_are_spread_more_evenly_than_at_random(seed):
    Y = draw(seed, n=500, q=12, rate=0.1)
    random_parts = np.random.default_rng(seed).permutation(np.arange(500) % 5)

    def deviation(parts):
        counts = np.array([Y[parts == j].sum(axis=0) for j in range(5)])
        return np.abs(counts - Y.sum(axis=0) / 5).mean()

    assert deviation(stratify(Y, [0.2] * 5, seed)) < deviation(random_parts) / 2


def test_the_same_seed_gives_the_same_parts_and_another_seed_others():
    Y = draw(0)
    assert_array_equal(stratify(Y, [0.5, 0.5], 3), stratify(Y, [0.5, 0.5], 3))
    assert (stratify(Y, [0.5, 0.5], 3) != stratify(Y, [0.5, 0.5], 4)).any()


def test_the_parts_of_a_known_matrix_are_the_same_on_every_machine():
    Y = np.array([[1, 0], [1, 1], [0, 1], [0, 0], [1, 0], [0, 1], [1, 1], [0, 0]])
    assert stratify(Y, [0.5, 0.5], 7).tolist() == [0, 1, 0, 1, 0, 0, 1, 1]


def test_sparse_labels_give_the_parts_of_dense_ones():
    Y = draw(1)
    sparse = csr_array(Y)
    sparse.data = sparse.data.astype(float)
    with_zeros = csr_array(np.ones_like(Y))
    with_zeros.data = Y.ravel().astype(float)
    expected = stratify(Y, [0.6, 0.4], 0)
    for other in (sparse, with_zeros, Y.astype(bool), Y.astype(float)):
        assert_array_equal(stratify(other, [0.6, 0.4], 0), expected)
    assert with_zeros.nnz == Y.size  # the argument is not changed


@pytest.mark.parametrize(
    "Y",
    [
        np.zeros((6, 2), dtype=int),
        np.ones((6, 2), dtype=int),
        np.array([[0, 1]] * 5 + [[0, 0]]),
        np.eye(6, dtype=int),
        np.zeros((6, 0), dtype=int),
    ],
)
def test_degenerate_labels_are_divided(Y):
    folds = stratified_kfold(Y, 3, 0)
    assert_array_equal([len(split.test) for split in folds], [2, 2, 2])
    assert len(stratified_split(Y, 0.5, 0).train) == 3


def test_each_fold_is_tested_once_and_trained_on_otherwise():
    folds = stratified_kfold(draw(2), 5, 0)
    assert_array_equal(np.sort(np.concatenate([f.test for f in folds])), np.arange(60))
    for split in folds:
        whole = np.concatenate([split.train, split.test])
        assert_array_equal(np.sort(whole), np.arange(60))
        assert (np.diff(split.train) > 0).all()
        assert (np.diff(split.test) > 0).all()
        checksum(split)


def test_a_split_keeps_the_proportion_of_every_label():
    Y = draw(3, n=400, q=4, rate=1.0)
    split = stratified_split(Y, 0.75, 0)
    assert abs(len(split.train) - 300) <= 4
    share = Y[split.train].sum(axis=0) / Y.sum(axis=0)
    assert_array_equal(np.abs(share - 0.75) < 0.05, True)


def test_a_label_with_two_samples_has_one_on_either_side():
    Y = np.zeros((50, 3), dtype=int)
    Y[:, 0] = 1
    Y[[4, 30], 1] = 1
    Y[[7, 8], 2] = 1
    for seed in range(10):
        split = stratified_split(Y, 0.5, seed)
        assert Y[split.train].sum(axis=0)[1:].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: stratified_kfold(draw(0, 3), 4, 0), r"folds must be in 2..3 .*got 4"),
        (lambda: stratified_kfold(draw(0, 3), 1, 0), r"folds must be in 2..3 .*got 1"),
        (lambda: stratified_split(draw(0), 1.0, 0), r"fraction in \(0, 1\), got 1.0"),
        (lambda: stratified_split(draw(0), 5, 0), r"fraction in \(0, 1\), got 5"),
        (
            lambda: stratified_split(np.ones((2, 1)), 0.9, 0),
            "2 samples are too few to be divided so: 2 for training, 0 for testing",
        ),
        (lambda: stratify(draw(0), [0.5, 0.4], 0), "shares must be positive and add"),
        (lambda: stratify(draw(0), [1.5, -0.5], 0), "shares must be positive and add"),
        (lambda: stratify(draw(0), [np.nan, 1.0], 0), "shares must be positive and"),
        (lambda: stratify(draw(0), [], 0), "shares must be positive and add"),
        (lambda: stratify(2 * np.eye(3), [1.0], 0), "Y must hold 0 and 1 only, got 2"),
        (lambda: stratify(np.ones(3), [1.0], 0), r"Y must be a matrix .*shape \(3,\)"),
    ],
)
def test_what_cannot_be_divided_is_refused_with_the_numbers(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


@pytest.mark.real
def test_real_folds_have_no_label_without_training_samples(real_data):
    Y = load("medical", real_data).Y
    present = Y.sum(axis=0) > 1
    for split in stratified_kfold(Y, 5, 0):
        assert (Y[split.train].sum(axis=0)[present] > 0).all()
