"""Preprocessing does what it says, learns on training samples only, keeps sparsity."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, issparse

from mlbench.data.preprocess import CHOICES, Preprocess

WEIGHTINGS, SCALES = CHOICES["weighting"], CHOICES["scale"]
COUNTS = st.integers(0, 4).map(float)
VALUES = st.floats(-8, 8).map(lambda value: round(value, 2))


def dense(X):
    return X.toarray() if issparse(X) else X


def tables(values, *, rows=(1, 6), columns=4):
    shapes = st.tuples(st.integers(*rows), st.just(columns))
    return arrays(np.float64, shapes, elements=values)


# The definitions, cell by cell


def slow_weight(weighting, X_train, x, j):
    if weighting == "counts":
        return x
    if weighting == "binary":
        return 1.0 if x != 0 else 0.0
    documents = sum(1 for row in X_train if row[j] != 0)
    return x * (math.log((1 + len(X_train)) / (1 + documents)) + 1)


def slow_scale(scale, W_train, row, j):
    if scale == "none":
        return row[j]
    if scale == "minmax":
        low, high = min(w[j] for w in W_train), max(w[j] for w in W_train)
        share = (row[j] - low) / (high - low) if high > low else 0.0
        return min(max(share, 0.0), 1.0)
    norm = sum(map(abs, row)) if scale == "l1" else math.hypot(*row)
    return row[j] / norm if norm > 0 else 0.0


def slow(weighting, scale, X_train, X):
    def weighted(part):
        return [
            [slow_weight(weighting, X_train, x, j) for j, x in enumerate(row)]
            for row in part
        ]

    W_train = weighted(X_train)
    return np.array(
        [
            [slow_scale(scale, W_train, row, j) for j in range(len(row))]
            for row in weighted(X)
        ]
    )


def slow_select(X, keep, by):
    worth = [
        sum(row[j] if by == "count" else row[j] != 0 for row in X)
        for j in range(X.shape[1])
    ]
    best = sorted(range(X.shape[1]), key=lambda j: (-worth[j], j))
    return sorted(best[: max(1, round(keep * X.shape[1]))])


@settings(deadline=None)
@given(
    X=tables(COUNTS, columns=7),
    keep=st.floats(0.01, 1),
    by=st.sampled_from(CHOICES["by"]),
)
def test_selection_is_the_best_words_of_the_definition(X, keep, by):
    for form in (X, csr_array(X)):
        found = Preprocess(keep=keep, by=by).select(form)
        assert_array_equal(found, slow_select(X, keep, by))


@settings(deadline=None)
@given(
    X_train=tables(VALUES | COUNTS),
    X_test=tables(VALUES | COUNTS),
    weighting=st.sampled_from(WEIGHTINGS),
    scale=st.sampled_from(SCALES),
)
def test_both_parts_follow_the_definition_cell_by_cell(
    X_train, X_test, weighting, scale
):
    preprocess = Preprocess(weighting=weighting, scale=scale)
    for form in (np.array, csr_array):
        A, B = preprocess.fit_transform(form(X_train), form(X_test))
        assert_allclose(dense(A), slow(weighting, scale, X_train, X_train), atol=1e-12)
        assert_allclose(dense(B), slow(weighting, scale, X_train, X_test), atol=1e-12)


@settings(deadline=None)
@given(
    X=tables(VALUES, rows=(5, 5)),
    weighting=st.sampled_from(WEIGHTINGS),
    scale=st.sampled_from(SCALES),
)
def test_a_promise_of_nonnegative_values_is_kept(X, weighting, scale):
    preprocess = Preprocess(weighting=weighting, scale=scale)
    if preprocess.is_nonnegative(X.min()):
        for part in preprocess.fit_transform(X[:3], X[3:]):
            assert part.min() >= 0


@pytest.mark.parametrize(
    ("settings", "minimum", "promise"),
    [
        ({}, 0.0, True),
        ({}, -0.1, False),
        ({"weighting": "tfidf", "scale": "l2"}, 0.0, True),
        ({"weighting": "tfidf", "scale": "l2"}, -0.1, False),
        ({"weighting": "binary"}, -0.1, True),
        ({"scale": "minmax"}, -0.1, True),
    ],
)
def test_values_may_be_negative_only_if_raw_ones_are_and_nothing_lifts_them(
    settings, minimum, promise
):
    assert Preprocess(**settings).is_nonnegative(minimum) is promise


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("scale", SCALES)
def test_what_is_learnt_does_not_depend_on_the_other_test_samples(weighting, scale):
    rng = np.random.default_rng(0)
    X_train, X_test = rng.poisson(0.7, (8, 5)), rng.poisson(3.0, (6, 5))
    preprocess = Preprocess(weighting=weighting, scale=scale)
    A, B = preprocess.fit_transform(csr_array(X_train), csr_array(X_test))
    A1, B1 = preprocess.fit_transform(csr_array(X_train), csr_array(X_test[2:3]))
    assert_array_equal(dense(A), dense(A1))
    assert_array_equal(dense(B)[2:3], dense(B1))


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("scale", SCALES)
def test_counts_with_a_zero_in_every_column_stay_sparse_and_dense_stays_dense(
    weighting, scale
):
    X = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [4.0, 0.0, 5.0]])
    preprocess = Preprocess(weighting=weighting, scale=scale)
    for part in preprocess.fit_transform(csr_array(X[:2]), csr_array(X[2:])):
        assert isinstance(part, csr_array)
        assert part.dtype == np.float64
    for part in preprocess.fit_transform(X[:2], X[2:]):
        assert isinstance(part, np.ndarray)


def test_minmax_makes_both_parts_dense_when_zero_is_not_the_smallest_value():
    X = csr_array(np.array([[1.0, 0.0], [2.0, 3.0]]))
    for part in Preprocess(scale="minmax").fit_transform(X, X):
        assert isinstance(part, np.ndarray)


def test_minmax_cuts_test_values_off_and_empties_constant_columns():
    X_train = np.array([[1.0, 5.0, 0.0], [3.0, 5.0, 0.0]])
    X_test = np.array([[0.0, 9.0, 7.0], [9.0, 1.0, -7.0], [2.0, 5.0, 0.0]])
    _, B = Preprocess(scale="minmax").fit_transform(X_train, X_test)
    assert_array_equal(B, [[0, 0, 0], [1, 0, 0], [0.5, 0, 0]])


def test_minmax_of_sparse_counts_cuts_off_too_and_stores_no_zeros():
    X_train = csr_array(np.array([[0.0, 0.0, 1.0], [4.0, 0.0, 0.0]]))
    X_test = csr_array(np.array([[2.0, 3.0, 9.0], [-2.0, -3.0, 0.0]]))
    _, B = Preprocess(scale="minmax").fit_transform(X_train, X_test)
    assert_array_equal(B.toarray(), [[0.5, 0, 1], [0, 0, 0]])
    assert B.nnz == 2


def test_minmax_reaches_exactly_one_at_the_largest_training_value():
    X = np.array([[0.0], [49.0]])  # 49 * (1 / 49) is not 1
    A, _ = Preprocess(scale="minmax").fit_transform(X, X)
    assert A.max() == 1.0


@pytest.mark.parametrize("scale", ["l1", "l2"])
def test_a_sample_without_words_stays_empty(scale):
    X = csr_array(np.array([[3.0, 4.0], [0.0, 0.0]]))
    A, _ = Preprocess(weighting="tfidf", scale=scale).fit_transform(X, X)
    assert A.nnz == 2
    assert_array_equal(A.toarray()[1], [0, 0])


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("scale", SCALES)
def test_an_explicit_zero_counts_as_no_word(weighting, scale):
    X = np.array([[1.0, 0.0, 2.0], [1.0, 4.0, 0.0], [0.0, 1.0, 0.0]])
    explicit = csr_array((X.ravel(), np.tile([0, 1, 2], 3), [0, 3, 6, 9]), shape=(3, 3))
    assert explicit.nnz == 9
    preprocess = Preprocess(keep=0.4, by="documents", weighting=weighting, scale=scale)
    assert_array_equal(preprocess.select(explicit), [0])
    A, _ = preprocess.fit_transform(explicit, explicit)
    assert_allclose(dense(A), preprocess.fit_transform(X, X)[0])


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("scale", SCALES)
def test_the_arguments_are_left_as_they_were(weighting, scale):
    X = csr_array(np.array([[1.0, 0.0, -2.0], [0.0, 3.0, 0.0], [4.0, 0.0, 5.0]]))
    before = X.copy()
    for array in (X.data, X.indices, X.indptr):
        array.flags.writeable = False  # as when it is mapped from a file
    A, _ = Preprocess(weighting=weighting, scale=scale).fit_transform(X, X)
    if A is not X and issparse(A):
        A.data *= 0
        A.eliminate_zeros()
    assert_array_equal(X.toarray(), before.toarray())


@pytest.mark.parametrize(("d", "words"), [(23146, 2315), (21924, 2192), (34096, 3410)])
def test_a_tenth_of_the_yahoo_words_is_the_number_the_mnmtf_paper_prints(d, words):
    assert len(Preprocess(keep=0.1).select(csr_array((2, d)))) == words


def test_at_least_one_word_is_kept_and_all_without_a_wish():
    X = np.array([[1.0, 5.0, 2.0]])
    assert_array_equal(Preprocess(keep=0.01).select(X), [1])
    assert_array_equal(Preprocess().select(X), [0, 1, 2])


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"keep": 0}, r"keep must be a fraction in \(0, 1\], got 0"),
        ({"keep": 1.5}, r"keep must be a fraction in \(0, 1\], got 1.5"),
        ({"by": "document"}, "unknown by 'document', did you mean 'documents'?"),
        ({"weighting": "idf"}, "unknown weighting 'idf', did you mean 'tfidf'?"),
        ({"scale": "L3"}, r"unknown scale 'L3' .*known: l1, l2, minmax, none"),
    ],
)
def test_an_impossible_setting_is_named_with_what_would_be_right(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        Preprocess(**settings)
