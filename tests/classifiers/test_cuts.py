"""Cuts of scores into labels, and the choice among them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mlbench.classifiers.cuts import FEWEST, MOST, best_cut, cut
from mlbench.metrics.bipartition import micro_f1


def sample(n=40, q=6, seed=0, noise=0.7):
    rng = np.random.default_rng(seed)
    Y = (rng.uniform(size=(n, q)) < 0.3).astype(np.uint8)
    return Y + rng.normal(scale=noise, size=(n, q)), Y


def literal_top(row, m):
    """The m highest of a row, the first of equals first."""
    order = sorted(range(len(row)), key=lambda label: (-row[label], label))
    return [int(label in order[:m]) for label in range(len(row))]


# ---------------------------------------------------------------- one cut


def test_above_the_threshold_is_predicted_and_at_it_is_not():
    assert_array_equal(cut([[0.2, 0.5, 0.6]]), [[0, 0, 1]])
    assert_array_equal(cut([[-2.0, -1.0, 0.0]], threshold=-1.5), [[0, 1, 1]])


@settings(deadline=None)
@given(
    st.integers(1, 6), st.integers(1, 6), st.integers(1, 9), st.integers(0, 2**32 - 1)
)
def test_the_top_labels_are_the_highest_and_of_equals_the_first(n, q, m, seed):
    scores = np.random.default_rng(seed).integers(-2, 3, size=(n, q)).astype(float)
    assert_array_equal(cut(scores, top=m), [literal_top(row, m) for row in scores])


def test_the_top_labels_of_unsigned_and_boolean_scores_are_the_highest_too():
    scores = np.array([[0, 2, 1], [1, 0, 0]], dtype=np.uint8)
    assert_array_equal(cut(scores, top=1), [[0, 1, 0], [1, 0, 0]])
    assert_array_equal(cut(scores > 0, top=1), [[0, 1, 0], [1, 0, 0]])


def test_top_counts_whatever_the_threshold():
    labels = cut([[-3.0, -5.0]], threshold=9.0, top=1)
    assert_array_equal(labels, [[1, 0]])
    assert labels.dtype == np.uint8


def test_labels_are_small_integers():
    assert cut([[0.1, 0.9]]).dtype == np.uint8


@pytest.mark.parametrize("wrong", [np.nan, np.inf, "0.5", None])
def test_an_impossible_threshold_is_refused(wrong):
    with pytest.raises(ValueError, match="threshold must be a number"):
        cut([[0.1]], threshold=wrong)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "2"])
def test_an_impossible_number_of_labels_is_refused(wrong):
    with pytest.raises(ValueError, match="top must be a whole number from 1 on"):
        cut([[0.1]], top=wrong)


# ---------------------------------------------------------------- the best cut


def test_the_quality_is_that_of_the_cut_returned():
    scores, Y = sample()
    for kinds in (("threshold",), ("top",), ("threshold", "top")):
        chosen, reached = best_cut(scores, Y, micro_f1, kinds)
        assert reached == micro_f1(Y, cut(scores, **chosen))


def test_labels_that_scores_tell_apart_are_all_found():
    scores, Y = sample(noise=0.05)
    chosen, reached = best_cut(scores, Y, micro_f1)
    assert reached == 1
    assert_array_equal(cut(scores, **chosen), Y)
    assert chosen["top"] is None


def test_the_best_threshold_is_hardly_worse_than_any_other():
    scores, Y = sample(n=200)
    _, reached = best_cut(scores, Y, micro_f1, ("threshold",))
    best = max(micro_f1(Y, cut(scores, threshold=x)) for x in scores.ravel())
    assert best - 0.01 <= reached <= best + 0.01


def test_the_best_top_is_the_best_of_all_up_to_twice_the_mean_cardinality():
    scores, Y = sample(n=50)
    chosen, reached = best_cut(scores, Y, micro_f1, ("top",))
    most = 2 * int(np.ceil(Y.sum() / len(Y)))
    qualities = [micro_f1(Y, cut(scores, top=m)) for m in range(1, min(6, most) + 1)]
    assert chosen["top"] == 1 + int(np.argmax(qualities))
    assert reached == max(qualities)


def test_a_sample_by_sample_shift_is_left_to_the_top():
    scores, Y = sample(noise=0.05)
    Y = np.eye(6)[np.arange(40) % 6]
    scores = Y + np.arange(40)[:, None]  # no threshold for all samples
    chosen, reached = best_cut(scores, Y, micro_f1)
    assert chosen == {"threshold": 0.5, "top": 1}
    assert reached == 1


def test_of_equally_good_cuts_the_first_threshold_is_taken():
    scores, Y = sample()
    tried = []

    def indifferent(_, labels):
        tried.append(int(labels.sum()))
        return 1.0

    chosen, _ = best_cut(scores, Y, indifferent)
    assert chosen["top"] is None
    assert cut(scores, **chosen).sum() == tried[0]


def test_thresholds_predict_from_a_quarter_to_four_times_the_labels_there_are():
    scores, Y = sample(n=200)
    counts = []
    best_cut(scores, Y, lambda _, labels: counts.append(labels.sum()) or 0.0)
    thresholds = counts[: -2 * int(np.ceil(Y.sum() / len(Y)))]
    assert_allclose(thresholds[0], FEWEST * Y.sum(), atol=1)
    assert_allclose(max(thresholds), min(MOST * Y.sum(), scores.size - 1), atol=1)


def test_scores_that_are_all_equal_have_a_best_cut():
    _, Y = sample()
    chosen, reached = best_cut(np.zeros(Y.shape), Y, micro_f1)
    assert chosen["top"] is not None
    assert 0 < reached < 1


@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (3, 1)])
@pytest.mark.parametrize("value", [0, 1])
def test_the_smallest_problems_have_a_best_cut(shape, value):
    scores = np.arange(np.prod(shape), dtype=float).reshape(shape)
    chosen, reached = best_cut(scores, np.full(shape, value), micro_f1)
    assert set(chosen) == {"threshold", "top"}
    assert np.isfinite(reached)


def test_scores_of_certain_labels_do_not_spoil_the_thresholds():
    scores, Y = sample(noise=0.05)
    scores, Y = (np.column_stack([A, np.zeros(40)]) for A in (scores, Y))
    scores[:, -1] = -1e9
    assert best_cut(scores, Y, micro_f1)[1] == 1


def test_an_unknown_kind_of_cut_is_refused():
    scores, Y = sample()
    with pytest.raises(ValueError, match="one of threshold, top, got 'rank'"):
        best_cut(scores, Y, micro_f1, ("rank",))


def test_no_cut_at_all_is_refused():
    scores, Y = sample()
    with pytest.raises(ValueError, match="must have a quality, got none by no kind"):
        best_cut(scores, Y, micro_f1, ())
    with pytest.raises(ValueError, match="got none by threshold, top"):
        best_cut(scores, Y, lambda *_: float("nan"))
