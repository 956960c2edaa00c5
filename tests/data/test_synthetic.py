"""The synthetic corpus follows its model, and is neither trivial nor hopeless."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.neighbors import NearestNeighbors

from mlbench.data import synthetic
from mlbench.data.synthetic import (
    draw_labels,
    draw_words,
    word_distributions,
    yahoo_like,
)


def rng(seed=0):
    return np.random.Generator(np.random.PCG64(seed))


def counts(corpus):
    return csr_array(corpus.X).toarray()


@settings(deadline=None, max_examples=50)
@given(
    n=st.integers(1, 40),
    d=st.integers(1, 60),
    q=st.integers(1, 9),
    share=st.floats(0, 1),
    seed=st.integers(0, 2**63 - 1),
)
def test_every_corpus_holds_whole_counts_and_labelled_documents(n, d, q, share, seed):
    corpus = yahoo_like(n, d, q, seed=seed, cardinality=1 + share * (q - 1), length=5)
    X = corpus.X
    assert isinstance(X, csr_array)
    assert X.dtype == np.float64
    assert X.shape == (n, d)
    assert (X.data >= 1).all()
    assert_array_equal(X.data, np.round(X.data))
    assert X.sum(axis=1).min() >= 1
    assert corpus.Y.shape == (n, q)
    assert corpus.Y.dtype == np.uint8
    assert set(np.unique(corpus.Y)) <= {0, 1}
    assert corpus.Y.sum(axis=1).min() >= 1


def test_names_count_from_one_and_there_is_no_split_of_its_own():
    corpus = yahoo_like(n=3, d=2, q=3, name="toy")
    assert corpus.name == "toy"
    assert corpus.feature_names == ("word1", "word2")
    assert corpus.label_names == ("topic1", "topic2", "topic3")
    assert corpus.n_train is None


def test_the_same_seed_gives_the_same_corpus_and_another_seed_another():
    one, same, other = (yahoo_like(n=50, seed=seed) for seed in (7, 7, 8))
    assert_array_equal(counts(one), counts(same))
    assert_array_equal(one.Y, same.Y)
    assert (counts(one) != counts(other)).any()
    assert (one.Y != other.Y).any()


def test_a_word_distribution_is_the_background_and_a_few_words_of_its_own():
    q, d = 4, 50
    zipf = np.array([1 / (rank + synthetic.ZIPF_SHIFT) for rank in range(1, d + 1)])
    common = (1 - synthetic.TOPIC_SHARE) * zipf / zipf.sum()

    theta = word_distributions(rng(), q, d)

    assert_allclose(theta.sum(axis=1), 1)
    own = theta - common
    assert_allclose(own.sum(axis=1), synthetic.TOPIC_SHARE)
    assert_array_equal((own > 1e-12).sum(axis=1), 5)  # a tenth of 50 words
    assert own.min() > -1e-12


def test_words_of_a_document_come_from_the_equal_mixture_of_its_labels():
    theta = np.array([[0.7, 0.2, 0.1, 0.0], [0.0, 0.3, 0.3, 0.4], [0.25] * 4])
    Y = np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1]])

    X = draw_words(rng(), Y, theta, length=200_000).toarray()

    frequency = X / X.sum(axis=1, keepdims=True)
    for i, labels in enumerate(Y):
        mixture = sum(theta[k] for k in range(3) if labels[k]) / labels.sum()
        assert_allclose(frequency[i], mixture, atol=0.005)
    assert X[0, 3] == 0  # a word its label never uses


def test_documents_have_the_wished_length_on_average_and_never_none():
    Y = np.ones((20_000, 1), dtype=np.uint8)
    lengths = draw_words(rng(), Y, np.array([[0.5, 0.5]]), length=30).sum(axis=1)
    assert_allclose(lengths.mean(), 30, rtol=0.02)
    short = draw_words(rng(), Y, np.array([[0.5, 0.5]]), length=1).sum(axis=1)
    assert short.min() == 1


def probability_of_pair(q, i, j):
    """Of drawing labels i and j, one after the other, written out from the model."""
    popularity = [(k + 1) ** -synthetic.LABEL_SKEW for k in range(q)]

    def company(first, k):
        same = first // synthetic.GROUP == k // synthetic.GROUP
        return popularity[k] * (synthetic.TOGETHER if same else 1)

    total = 0.0
    for first, second in [(i, j), (j, i)]:
        others = sum(company(first, k) for k in range(q) if k != first)
        chance = popularity[first] / sum(popularity)
        total += chance * company(first, second) / others
    return total


def test_pairs_of_labels_are_drawn_as_often_as_the_model_says():
    q, n = 5, 100_000
    Y = draw_labels(rng(), n, q, cardinality=2.0)
    pairs = Y[Y.sum(axis=1) == 2].astype(int)
    share = pairs.T @ pairs / len(pairs)
    for i in range(q):
        for j in range(i):
            assert_allclose(share[i, j], probability_of_pair(q, i, j), atol=0.006)


@pytest.mark.parametrize("cardinality", [1, 1.6, 4.5, 12])
def test_the_mean_number_of_labels_is_the_wished_one(cardinality):
    sizes = draw_labels(rng(), 20_000, 12, cardinality).sum(axis=1)
    assert_allclose(sizes.mean(), cardinality, atol=0.05)


def test_labels_of_a_group_are_found_together_more_often_than_by_chance():
    Y = yahoo_like(n=5000).Y.astype(float)
    frequency = Y.mean(axis=0)
    lift = (Y.T @ Y / len(Y)) / np.outer(frequency, frequency)
    group = np.arange(12) // synthetic.GROUP
    same = group[:, None] == group
    other = ~same
    np.fill_diagonal(same, False)
    assert lift[same].mean() > 1.5 * lift[other].mean()
    assert frequency[0] > 3 * frequency[-1]


def one_error(A, Y_train, B, Y_test):
    """Share of samples whose most frequent label among 10 neighbours is wrong."""
    near = NearestNeighbors(n_neighbors=10).fit(A).kneighbors(B, return_distance=False)
    top = Y_train[near].sum(axis=1).argmax(axis=1)
    return 1 - Y_test[np.arange(len(Y_test)), top].mean()


@pytest.mark.parametrize("seed", [0, 1])
def test_supervised_directions_help_neighbours_but_do_not_make_them_perfect(seed):
    corpus = yahoo_like(seed=seed)
    A, B = np.split(counts(corpus), 2)
    Y_train, Y_test = np.split(corpus.Y, 2)
    mean = A.mean(axis=0)
    directions = np.linalg.svd(
        (A - mean).T @ (Y_train - Y_train.mean(axis=0)), full_matrices=False
    )[0]

    original = one_error(A, Y_train, B, Y_test)
    reduced = one_error(A @ directions, Y_train, B @ directions, Y_test)

    assert 0.1 < reduced < original - 0.1
    assert original < 1 - Y_test.mean(axis=0).max()  # better than blind


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"n": 0}, "n must be an integer of at least 1, got 0"),
        ({"d": 2.5}, "d must be an integer of at least 1, got 2.5"),
        ({"q": -1}, "q must be an integer of at least 1, got -1"),
        ({"cardinality": 0.5}, r"cardinality must be in 1..12 .*, got 0.5"),
        ({"cardinality": 13}, r"cardinality must be in 1..12 .*, got 13"),
        ({"cardinality": np.nan}, r"cardinality must be in 1..12 .*, got nan"),
        ({"length": 0}, "length must be at least 1 and finite, got 0"),
        ({"length": np.inf}, "length must be at least 1 and finite, got inf"),
    ],
)
def test_an_impossible_argument_is_named_with_what_would_be_right(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        yahoo_like(**arguments)
