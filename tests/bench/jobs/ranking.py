"""Metrics of a ranking of labels, one at a time, where conventions agree.

scikit-learn scores samples without a label, or with all of them, which ours leaves
out: neither is among the samples here. Its coverage counts labels, ours steps from the
first of them: one less.
"""

from functools import cache

import numpy as np

from mlbench.pipeline import Arrays
from tests.bench import data
from tests.bench.checks import same
from tests.bench.job import Job, Rival, Way

FEW = 2000  # training samples: scores are wanted soon, not good


@cache
def _scored(name: str):
    """Labels of test samples and the scores ML-kNN gives them."""
    from mlbench.classifiers.mlknn import MLkNN

    arrays: Arrays = getattr(data, name)()
    model = MLkNN().fit(arrays.X_train[:FEW], arrays.Y_train[:FEW])
    n_relevant = arrays.Y_test.sum(axis=1)
    usable = (n_relevant > 0) & (n_relevant < arrays.Y_test.shape[1])
    Y, scores = arrays.Y_test, model.decision_function(arrays.X_test)
    return Y[usable], scores[usable]


def _ours(metric: str, name: str) -> Way:
    from mlbench.metrics import ranking

    function, pair = getattr(ranking, metric), _scored(name)
    return Way(lambda: function(*pair), lambda value: {"value": np.array(value)})


def _rival(function: str, name: str, less: int) -> Way:
    from sklearn import metrics

    called, pair = getattr(metrics, function), _scored(name)
    return Way(lambda: called(*pair), lambda value: {"value": np.array(value) - less})


def _job(metric: str, function: str, name: str, less: int, alike: str) -> Job:
    note = "less one: it counts labels, not steps" if less else "the same convention"
    return Job(
        f"{metric.replace('_', ' ')}, scores on {name}",
        lambda: _ours(metric, name),
        (
            Rival(
                f"scikit-learn {function}",
                lambda: _rival(function, name, less),
                same(1e-10),
                note,
                unguarded=alike,
            ),
        ),
    )


SETS = {"arts": "is like that on mediamill", "mediamill": ""}  # why one is unguarded
METRICS = (
    ("ranking_loss", "label_ranking_loss", 0),
    ("average_precision", "label_ranking_average_precision_score", 0),
    ("coverage", "coverage_error", 1),
)
JOBS = {
    f"{metric}_{name}": _job(metric, function, name, less, alike)
    for name, alike in SETS.items()
    for metric, function, less in METRICS
}
