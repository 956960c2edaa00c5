import subprocess
import sys
import tracemalloc
from math import inf, isnan, nan, nextafter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from mlbench.metrics import METRICS
from mlbench.metrics.evaluate import evaluate

# Few values, so that ties are common; two differ in the last bit only, and infinities
# have an order like any other score.
SCORES = [-inf, -1.5, 0.0, 0.1, nextafter(0.1, 1), 1.0, 1e308, inf]


def value(name, Y, labels, scores):
    metric = METRICS[name]
    return metric.measure(Y, labels if metric.takes == "labels" else scores)


@st.composite
def predictions(draw, min_samples=0):
    """Y, labels and scores of one shape; rows without and with all labels included."""
    shape = draw(st.integers(min_samples, 6)), draw(st.integers(1, 5))
    Y = draw(arrays(np.uint8, shape, elements=st.integers(0, 1)))
    for row in range(len(Y)):
        Y[row] = draw(st.sampled_from([Y[row], np.zeros_like(Y[row]), Y[row] | 1]))
    labels = draw(arrays(np.uint8, shape, elements=st.integers(0, 1)))
    scores = draw(arrays(np.float64, shape, elements=st.sampled_from(SCORES)))
    return Y, labels, scores


# The definitions, sample by sample and label by label.


def mean(values):
    return sum(values) / len(values) if values else nan


def true_and_predicted(Y, labels):
    """The label sets Y_i and Z_i of each sample."""
    q = Y.shape[1]
    return [
        ({j for j in range(q) if y[j]}, {j for j in range(q) if z[j]})
        for y, z in zip(Y, labels, strict=True)
    ]


def f1(true, predicted, empty):
    if not true and not predicted:
        return empty
    return 2 * len(true & predicted) / (len(true) + len(predicted))


def slow_hamming_loss(Y, labels, scores):
    n, q = Y.shape
    return mean([Y[i, j] != labels[i, j] for i in range(n) for j in range(q)])


def slow_subset_accuracy(Y, labels, scores):
    return mean([true == guess for true, guess in true_and_predicted(Y, labels)])


def slow_accuracy(Y, labels, scores):
    return mean(
        [
            len(true & predicted) / len(true | predicted) if true | predicted else 1.0
            for true, predicted in true_and_predicted(Y, labels)
        ]
    )


def slow_example_f1(Y, labels, scores):
    return mean([f1(y, z, empty=1.0) for y, z in true_and_predicted(Y, labels)])


def slow_macro_f1(Y, labels, scores):
    if not len(Y):
        return nan
    return mean([f1(y, z, empty=0.0) for y, z in true_and_predicted(Y.T, labels.T)])


def slow_micro_f1(Y, labels, scores):
    if not len(Y):
        return nan
    return f1(
        {(i, j) for i, j in np.ndindex(Y.shape) if Y[i, j]},
        {(i, j) for i, j in np.ndindex(Y.shape) if labels[i, j]},
        empty=0.0,
    )


def relevant_and_irrelevant(Y):
    q = Y.shape[1]
    return [
        ([j for j in range(q) if y[j]], [j for j in range(q) if not y[j]]) for y in Y
    ]


def rank(f, j):
    return sum(f[k] >= f[j] for k in range(len(f)))


def covered(Y, scores):
    """Scores, relevant and irrelevant labels of the samples that have both."""
    return [
        (f, relevant, irrelevant)
        for f, (relevant, irrelevant) in zip(
            scores, relevant_and_irrelevant(Y), strict=True
        )
        if relevant and irrelevant
    ]


def slow_one_error(Y, labels, scores):
    return mean(
        [list(f).index(max(f)) not in relevant for f, relevant, _ in covered(Y, scores)]
    )


def slow_coverage(Y, labels, scores):
    return mean(
        [
            max(rank(f, j) for j in relevant) - 1 if relevant else 0
            for f, (relevant, _) in zip(scores, relevant_and_irrelevant(Y), strict=True)
        ]
    )


def slow_ranking_loss(Y, labels, scores):
    return mean(
        [
            mean([f[j] <= f[k] for j in relevant for k in irrelevant])
            for f, relevant, irrelevant in covered(Y, scores)
        ]
    )


def slow_average_precision(Y, labels, scores):
    return mean(
        [
            mean([sum(f[k] >= f[j] for k in relevant) / rank(f, j) for j in relevant])
            for f, relevant, _ in covered(Y, scores)
        ]
    )


@pytest.mark.parametrize("name", METRICS)
@given(data=predictions())
@settings(deadline=None)
def test_is_its_definition_sample_by_sample(name, data):
    assert_allclose(value(name, *data), globals()[f"slow_{name}"](*data), rtol=1e-12)


@pytest.mark.parametrize("name", METRICS)
def test_is_its_definition_on_many_labels(name):
    rng = np.random.default_rng(0)
    Y, labels = (rng.uniform(size=(2, 60, 40)) < 0.2).astype(np.uint8)
    data = Y, labels, rng.integers(0, 15, size=Y.shape) / 7
    assert_allclose(value(name, *data), globals()[f"slow_{name}"](*data), rtol=1e-12)


@given(data=predictions())
@settings(deadline=None)
def test_evaluate_gives_every_metric_exactly_as_its_function_does(data):
    everything = evaluate(*data)
    assert list(everything) == list(METRICS)
    assert all(type(number) is float for number in everything.values())
    for name, number in everything.items():
        np.testing.assert_equal(number, value(name, *data))


@given(data=predictions())
@settings(deadline=None)
def test_every_metric_stays_in_its_range(data):
    largest = dict.fromkeys(METRICS, 1) | {"coverage": data[0].shape[1] - 1}
    for name, number in evaluate(*data).items():
        assert isnan(number) or 0 <= number <= largest[name]


@given(data=predictions(min_samples=1))
@settings(deadline=None)
def test_a_perfect_prediction_is_never_beaten(data):
    Y, *_ = data
    best = evaluate(Y, Y, Y)
    for name, number in evaluate(*data).items():
        sign = 1 if METRICS[name].better == "higher" else -1
        if not isnan(number):
            assert sign * number <= sign * best[name] + 1e-12


def test_perfect_predictions_reach_0_for_losses_and_1_for_the_rest():
    Y = np.array([[1, 0, 0], [0, 1, 1], [1, 0, 1]])
    best = evaluate(Y, Y, Y)
    assert best.pop("coverage") == mean([0, 1, 1])  # two labels are one step apart
    assert best == {name: float(METRICS[name].better == "higher") for name in best}


@given(data=predictions(), seed=st.integers(0, 99))
@settings(deadline=None)
def test_the_order_of_the_samples_does_not_matter(data, seed):
    order = np.random.default_rng(seed).permutation(len(data[0]))
    before, after = evaluate(*data), evaluate(*(array[order] for array in data))
    assert_allclose(list(after.values()), list(before.values()), rtol=1e-12)


@given(data=predictions(), seed=st.integers(0, 99))
@settings(deadline=None)
def test_the_order_of_the_labels_changes_no_metric_but_one_error(data, seed):
    order = np.random.default_rng(seed).permutation(data[0].shape[1])
    before, after = evaluate(*data), evaluate(*(array[:, order] for array in data))
    del before["one_error"], after["one_error"]  # its top label is the first of a tie
    assert_allclose(list(after.values()), list(before.values()), rtol=1e-12)


@given(data=predictions())
@settings(deadline=None)
def test_only_the_order_of_the_scores_matters(data):
    Y, labels, scores = data
    places = np.unique(scores, return_inverse=True)[1].reshape(scores.shape)
    np.testing.assert_equal(evaluate(Y, labels, places), evaluate(*data))


def test_breaking_a_tie_in_favour_of_the_relevant_label_helps():
    Y = [[0, 1, 0]]
    tied, broken = [[0.5, 0.5, 0.1]], [[0.5, 0.6, 0.1]]
    for name in ["one_error", "coverage", "ranking_loss"]:
        assert METRICS[name].measure(Y, tied) > METRICS[name].measure(Y, broken) == 0
    assert METRICS["average_precision"].measure(Y, tied) == 0.5
    assert METRICS["average_precision"].measure(Y, broken) == 1


def test_the_first_of_several_top_labels_decides_the_one_error():
    assert METRICS["one_error"].measure([[1, 0]], [[0.5, 0.5]]) == 0
    assert METRICS["one_error"].measure([[0, 1]], [[0.5, 0.5]]) == 1


@pytest.mark.parametrize("name", ["one_error", "ranking_loss", "average_precision"])
def test_rows_with_no_label_or_all_labels_change_nothing(name):
    Y = np.array([[1, 0], [0, 1], [0, 0], [1, 1]])
    scores = np.array([[2, 1], [2, 1], [1, 2], [1, 2]])
    assert METRICS[name].measure(Y, scores) == METRICS[name].measure(Y[:2], scores[:2])


@pytest.mark.parametrize("name", ["one_error", "ranking_loss", "average_precision"])
def test_without_a_covered_sample_the_result_is_nan(name):
    Y = np.array([[0, 0], [1, 1]])
    assert isnan(METRICS[name].measure(Y, Y))


def test_a_row_without_labels_counts_as_0_in_coverage():
    scores = np.array([[2, 1], [2, 1]])
    assert METRICS["coverage"].measure([[0, 1], [0, 0]], scores) == 0.5


def test_an_infinite_score_ranks_above_the_largest_finite_one():
    assert METRICS["coverage"].measure([[1, 0]], [[inf, 1e308]]) == 0
    assert METRICS["coverage"].measure([[0, 1]], [[inf, 1e308]]) == 1


def test_nothing_true_and_nothing_predicted_scores_1_by_sample_and_0_by_label():
    nothing = np.zeros((2, 3), dtype=int)
    scored = {
        name: METRICS[name].measure(nothing, nothing)
        for name, metric in METRICS.items()
        if metric.takes == "labels"
    }
    assert scored == {
        "hamming_loss": 0,
        "micro_f1": 0,
        "macro_f1": 0,
        "example_f1": 1,
        "subset_accuracy": 1,
        "accuracy": 1,
    }


def test_without_samples_every_metric_is_nan():
    empty = np.empty((0, 3))
    assert all(isnan(number) for number in evaluate(empty, empty, empty).values())


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int64, np.float32, list])
def test_the_type_of_the_labels_does_not_matter(kind):
    rng = np.random.default_rng(0)
    Y, labels, scores = rng.integers(0, 2, size=(3, 7, 4))

    def convert(array):
        return array.tolist() if kind is list else array.astype(kind)

    other = evaluate(convert(Y), convert(labels), scores)
    assert other == evaluate(Y, labels, scores)


def test_the_arguments_are_left_as_they_were():
    rng = np.random.default_rng(0)
    data = (*rng.integers(0, 2, size=(2, 7, 4)).astype(bool), rng.uniform(size=(7, 4)))
    copies = [array.copy() for array in data]
    evaluate(*data)
    for array, copy in zip(data, copies, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize(
    ("Y", "predicted", "sentence"),
    [
        ([1, 0], [1, 0], r"Y must have shape \(samples, labels\) .* got \(2,\)"),
        (np.empty((2, 0)), np.empty((2, 0)), r"at least one label, got \(2, 0\)"),
        ([[1, 0]], [[1, 0, 0]], r"must have the shape of Y, \(1, 2\), got \(1, 3\)"),
        ([[1, 0]], [[1, 0]] * 2, r"must have the shape of Y, \(1, 2\), got \(2, 2\)"),
        ([[1, -1]], [[1, 0]], "Y must hold only 0 and 1, got -1"),
        ([[1, nan]], [[1, 0]], "Y must hold only 0 and 1, got nan"),
    ],
)
def test_a_wrong_input_is_named_in_one_sentence(name, Y, predicted, sentence):
    with pytest.raises(ValueError, match=sentence):
        METRICS[name].measure(Y, predicted)


@pytest.mark.parametrize("name", METRICS)
def test_nan_predictions_are_refused(name):
    sentence = {
        "labels": "labels must hold only 0 and 1, got nan",
        "scores": r"scores must be numbers, got nan at \[0, 1\]",
    }[METRICS[name].takes]
    with pytest.raises(ValueError, match=sentence):
        METRICS[name].measure([[1, 0]], [[1, nan]])


def test_ranking_takes_far_less_memory_than_one_flag_per_pair_of_labels():
    rng = np.random.default_rng(0)
    n, q = 100, 1000
    Y, scores = rng.uniform(size=(n, q)) < 0.5, rng.uniform(size=(n, q))
    tracemalloc.start()
    try:
        evaluate(Y, Y, scores)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < n * q * q / 10


# The registry.


@pytest.mark.parametrize("name", METRICS)
def test_the_registry_describes_a_metric_in_full(name):
    metric = METRICS[name]
    assert metric.name == name
    assert metric.takes in {"labels", "scores"}
    assert metric.better == ("lower" if lower_is_better(name) else "higher")
    assert metric.title
    assert metric.convention.endswith(".")
    assert metric.convention.count(". ") == 0
    assert metric.function.endswith(f":{name}")


def lower_is_better(name):
    return name.endswith(("_loss", "_error")) or name == "coverage"


def test_naming_a_metric_does_not_import_numpy():
    code = "import sys, mlbench.metrics; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
