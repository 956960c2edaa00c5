"""Synthetic text: a word-count corpus like the Yahoo sets, made from a seed."""

import numpy as np
from scipy.sparse import csr_array

from mlbench.data.dataset import Dataset

# Ours, all of them: chosen so that at the default sizes ML-kNN is right more often
# on supervised directions than on the words themselves, and neither is perfect.
ZIPF_SHIFT = 2.0  # background frequency of the word of rank r: 1 / (r + shift)
TOPIC_WORDS = 0.1  # fraction of the vocabulary a label makes more frequent
TOPIC_SHARE = 0.2  # fraction of a label's text that is drawn from its own words
LABEL_SKEW = 0.7  # popularity of label l: l ** -skew
GROUP = 3  # consecutive labels that belong together
TOGETHER = 8.0  # how much likelier a label joins one of its own group
LENGTH_SPREAD = 0.5  # standard deviation of the logarithm of the document length


def yahoo_like(
    n=1000, d=500, q=12, *, seed=0, cardinality=1.6, length=60, name="synthetic"
) -> Dataset:
    r"""Word counts and labels of n documents with several topics each.

    The parametric mixture model of Ueda and Saito in its simplest form: a word of
    a document is drawn from the equal mixture of the word distributions of the
    document's labels.

    ======  ======  ========================================================
    symbol  shape   here
    ======  ======  ========================================================
    x       n x d   ``X``, how often each word is in each document
    y       n x q   ``Y``, the labels of each document, never none
    theta   q x d   ``theta``, the word distribution of each label
    ======  ======  ========================================================

    Ours: what the model leaves open. A label's distribution is a background common
    to all (Zipf: ``word1`` is the most frequent) with some random words made more
    frequent. Labels are skewed (``topic1`` is the most frequent) and three in a row
    tend to come together. Document lengths are Poisson around a log-normal mean.

    The same arguments give the same corpus wherever NumPy draws the same numbers
    from PCG64.

    Parameters
    ----------
    n, d, q : int
        Numbers of documents, words and labels.
    seed : int
        Of everything random.
    cardinality : float
        Expected number of labels of a document, in 1..q.
    length : float
        Expected number of words of a document, at least 1; no document is empty.
    name : str
        Of the data set.

    References
    ----------
    N. Ueda and K. Saito. Parametric mixture models for multi-labeled text.
    NIPS 15, 2002.

    Examples
    --------
    >>> corpus = yahoo_like(n=4, d=5, q=2, seed=1)
    >>> corpus.X.shape, corpus.Y.shape, corpus.label_names
    ((4, 5), (4, 2), ('topic1', 'topic2'))
    """
    _check(n, d, q, cardinality, length)
    rng = np.random.Generator(np.random.PCG64(seed))
    theta = word_distributions(rng, q, d)
    Y = draw_labels(rng, n, q, cardinality)
    X = draw_words(rng, Y, theta, length)
    return Dataset(
        name=name,
        X=X,
        Y=Y,
        feature_names=tuple(f"word{j}" for j in range(1, d + 1)),
        label_names=tuple(f"topic{k}" for k in range(1, q + 1)),
    )


def _check(n, d, q, cardinality, length) -> None:
    for letter, size in [("n", n), ("d", d), ("q", q)]:
        if not isinstance(size, int | np.integer) or size < 1:
            raise ValueError(f"{letter} must be an integer of at least 1, got {size!r}")
    if not 1 <= cardinality <= q:
        raise ValueError(
            f"cardinality must be in 1..{q} (the number of labels), got {cardinality}"
        )
    if not 1 <= length < np.inf:
        raise ValueError(f"length must be at least 1 and finite, got {length}")


def word_distributions(rng, q, d):
    """One word distribution per label (q, d): the background and the label's own."""
    background = 1 / (np.arange(1, d + 1) + ZIPF_SHIFT)
    background /= background.sum()
    n_words = max(1, round(TOPIC_WORDS * d))
    theta = np.tile((1 - TOPIC_SHARE) * background, (q, 1))
    for label in range(q):
        words = rng.choice(d, size=n_words, replace=False)
        weights = rng.exponential(size=n_words)
        theta[label, words] += TOPIC_SHARE * weights / weights.sum()
    return theta


def draw_labels(rng, n, q, cardinality):
    """Label sets (n, q) of 0/1: a first label by popularity, then company for it.

    Sizes are 1 + binomial, so that none is empty and the mean is as wished. A set
    of size m is the first label and the m - 1 others that lead a random order in
    which likely company tends to come early (the Gumbel trick: sorting
    ``log(weight) + Gumbel noise`` draws without replacement by weight).
    """
    labels = np.arange(q)
    popularity = (labels + 1) ** -LABEL_SKEW
    first = rng.choice(q, size=n, p=popularity / popularity.sum())
    same_group = labels[:, None] // GROUP == labels // GROUP
    company = np.log(popularity * np.where(same_group, TOGETHER, 1.0))
    order = company[first] + rng.gumbel(size=(n, q))
    order[np.arange(n), first] = np.inf
    rank = np.argsort(np.argsort(-order, axis=1), axis=1)
    chance = (cardinality - 1) / max(1, q - 1)  # with one label there is no other
    sizes = 1 + rng.binomial(q - 1, chance, size=n)
    return (rank < sizes[:, None]).astype(np.uint8)


def draw_words(rng, Y, theta, length):
    """Counts (n, d): each word picks one of its document's labels, then itself.

    Drawn word by word, so that memory follows the length of the corpus, not n x d.
    """
    n, d = len(Y), theta.shape[1]
    spread = LENGTH_SPREAD * rng.standard_normal(n) - LENGTH_SPREAD**2 / 2
    lengths = np.maximum(1, rng.poisson(length * np.exp(spread)))
    document = np.repeat(np.arange(n), lengths)
    topic = _pick_label(rng, Y, document)
    uniform = rng.random(document.size)
    word = np.empty(document.size, dtype=np.int64)
    for label, cumulated in enumerate(np.cumsum(theta, axis=1)):
        mine = topic == label
        # rounding may leave the last sum a hair off 1
        cumulated /= cumulated[-1]
        word[mine] = np.searchsorted(cumulated, uniform[mine], side="right")
    return csr_array((np.ones(word.size), (document, word)), shape=(n, d))


def _pick_label(rng, Y, document):
    """For each word of the corpus, one label of its document, all equally likely."""
    labels = np.nonzero(Y)[1]  # of document 0, then of document 1, ...
    sizes = Y.sum(axis=1, dtype=np.int64)
    start = np.cumsum(sizes) - sizes
    return labels[start[document] + rng.integers(sizes[document])]
