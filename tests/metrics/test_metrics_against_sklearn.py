"""Where scikit-learn follows the same convention, and where it does not.

It scores a sample with no label or all labels as perfect where we leave it out
(ranking loss 0, average precision 1), and its coverage error starts at 1, not 0.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics as sklearn

from mlbench.metrics.bipartition import (
    accuracy,
    example_f1,
    hamming_loss,
    macro_f1,
    micro_f1,
    subset_accuracy,
)
from mlbench.metrics.ranking import average_precision, coverage, ranking_loss


@pytest.fixture(params=range(10))
def data(request):
    """Y, labels and tied scores; a row with no, a row with all labels, a void label."""
    rng = np.random.default_rng(request.param)
    Y, labels = rng.integers(0, 2, size=(2, 30, 6))
    Y[0] = labels[0] = 0
    Y[1] = 1
    Y[:, 5] = labels[:, 5] = 0
    Y[1, 5] = request.param % 2  # in every other case the row really has all labels
    return Y, labels, rng.integers(0, 5, size=Y.shape) / 4


def uncovered(Y):
    """Number of samples with no label or all labels."""
    return np.isin(Y.sum(axis=1), [0, Y.shape[1]]).sum()


def test_label_metrics_agree(data):
    Y, labels, _ = data
    assert_allclose(hamming_loss(Y, labels), sklearn.hamming_loss(Y, labels))
    assert_allclose(subset_accuracy(Y, labels), sklearn.accuracy_score(Y, labels))


def test_f1_by_label_agrees_when_a_void_label_scores_0(data):
    Y, labels, _ = data
    for ours, average in [(micro_f1, "micro"), (macro_f1, "macro")]:
        theirs = sklearn.f1_score(Y, labels, average=average, zero_division=0)
        assert_allclose(ours(Y, labels), theirs)


def test_f1_and_jaccard_by_sample_agree_when_an_empty_sample_scores_1(data):
    Y, labels, _ = data
    kwargs = {"average": "samples", "zero_division": 1}
    assert_allclose(example_f1(Y, labels), sklearn.f1_score(Y, labels, **kwargs))
    assert_allclose(accuracy(Y, labels), sklearn.jaccard_score(Y, labels, **kwargs))


def test_ranking_metrics_agree_on_covered_samples(data):
    Y, _, scores = data
    Y, scores = Y[2:], scores[2:]
    Y[:, 5] = 0  # no sample has all labels
    Y[~Y.any(axis=1), 0] = 1
    assert uncovered(Y) == 0
    theirs = sklearn.label_ranking_average_precision_score(Y, scores)
    assert_allclose(ranking_loss(Y, scores), sklearn.label_ranking_loss(Y, scores))
    assert_allclose(average_precision(Y, scores), theirs)
    assert_allclose(coverage(Y, scores), sklearn.coverage_error(Y, scores) - 1)


def test_sklearn_counts_uncovered_samples_as_perfect_and_we_do_not(data):
    Y, _, scores = data
    n, perfect = len(Y), uncovered(Y)
    assert perfect > 0
    loss = (n - perfect) * ranking_loss(Y, scores) / n
    precision = ((n - perfect) * average_precision(Y, scores) + perfect) / n
    theirs = sklearn.label_ranking_average_precision_score(Y, scores)
    assert_allclose(loss, sklearn.label_ranking_loss(Y, scores))
    assert_allclose(precision, theirs)
    assert average_precision(Y, scores) < theirs


def test_sklearn_counts_coverage_from_1_but_an_empty_sample_as_0(data):
    Y, _, scores = data
    labelled = Y.any(axis=1).mean()
    assert labelled < 1
    assert_allclose(coverage(Y, scores) + labelled, sklearn.coverage_error(Y, scores))
