"""One against all and one against one, against scikit-learn's."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC, LinearSVC

from mlbench.classifiers.multiclass.oaa import OneAgainstAll
from mlbench.classifiers.multiclass.ovo import OneAgainstOne
from mlbench.data.load import load

SVMS = {
    "linear": LinearSVC(C=2.0, dual=False),
    "rbf": SVC(C=2.0, gamma="scale"),
}


@pytest.mark.real
@pytest.mark.parametrize(
    ("ours", "theirs", "name"),
    [
        (OneAgainstAll, OneVsRestClassifier, "pendigits"),
        (OneAgainstAll, OneVsRestClassifier, "optdigits"),
        (OneAgainstAll, OneVsRestClassifier, "letter"),
        (OneAgainstOne, OneVsOneClassifier, "pendigits"),
    ],
)
@pytest.mark.parametrize("kernel", SVMS)
def test_on_real_data_predictions_are_scikit_learns(
    real_data, ours, theirs, name, kernel
):
    dataset = load(name, real_data)
    rows = np.random.default_rng(0).permutation(len(dataset.Y))[:700]
    X = MinMaxScaler().fit_transform(dataset.X[rows])
    Y = dataset.Y[rows]
    train, test = slice(0, 400), slice(400, None)
    reference = theirs(SVMS[kernel]).fit(X[train], Y[train].argmax(axis=1))
    model = ours(C=2.0, kernel=kernel).fit(X[train], Y[train])
    predicted = model.predict(X[test]).argmax(axis=1)
    assert_array_equal(predicted, reference.predict(X[test]))


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    classes = np.arange(100) % 5
    X = rng.normal(size=(5, 3))[classes] + rng.normal(size=(100, 3))
    return X, np.eye(5)[classes], classes


@pytest.mark.parametrize("kernel", SVMS)
def test_scores_of_one_against_all_are_scikit_learns(data, kernel):
    X, Y, classes = data
    reference = OneVsRestClassifier(SVMS[kernel]).fit(X, classes)
    model = OneAgainstAll(C=2.0, kernel=kernel).fit(X, Y)
    assert_allclose(
        model.decision_function(X), reference.decision_function(X), atol=1e-9
    )


@pytest.mark.parametrize("kernel", SVMS)
def test_one_against_one_counts_votes_and_breaks_ties_by_margins(data, kernel):
    X, Y, classes = data
    votes, margins = np.zeros((100, 5)), np.zeros((100, 5))
    for i, j in combinations(range(5), 2):
        pair = np.isin(classes, (i, j))
        svm = SVMS[kernel].fit(X[pair], np.where(classes[pair] == i, 1, -1))
        for row, f in enumerate(svm.decision_function(X)):
            votes[row, i if f > 0 else j] += 1
            margins[row, i] += f
            margins[row, j] -= f
    scores = OneAgainstOne(C=2.0, kernel=kernel).fit(X, Y).decision_function(X)
    expected = [
        max(range(5), key=lambda k: (votes[row, k], margins[row, k]))
        for row in range(100)
    ]
    assert_array_equal(scores.argmax(axis=1), expected)
    assert_array_equal(scores.round(), votes)
    winners = (votes == votes.max(axis=1, keepdims=True)).sum(axis=1)
    assert (winners > 1).any()  # there are ties to break
