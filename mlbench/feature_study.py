"""How a method ranks features, beside the Fisher score: arrays in, numbers out."""

from typing import Any

import numpy as np
from scipy.stats import spearmanr
from sklearn.base import BaseEstimator

from mlbench.data.dataset import Dataset
from mlbench.data.preprocess import Preprocess
from mlbench.data.splits import Split
from mlbench.pipeline import prepare
from mlbench.reducers.fisher import fisher_scores
from mlbench.reducers.nmf import NonNegativeReducer

TOP = 50  # features of a ranking that are kept
MOST_POINTS = 2000  # features of a column that a figure can show


def features_of(dataset: Dataset, preprocess: Preprocess):
    """The features of all samples: a ranking holds nothing back for testing."""
    if preprocess == Preprocess():
        return dataset.X  # as it is: a copy may be large
    everyone = np.arange(len(dataset.Y))
    return prepare(dataset, Split(everyone, everyone[:1]), preprocess).X_train


def study(X, Y, reducer: BaseEstimator, planted=()) -> dict[str, Any]:
    """Rank the features of X (n, d) for the labels Y (n, q).

    ``planted`` names the features that decide the labels, where that is known. Of a
    factorization, each column of W is looked at too: where the planted features are
    when it is sorted, and whether the Fisher score is high at its two ends.
    """
    model = reducer.fit(X, Y)
    fisher = fisher_scores(X, Y.astype(float))
    fisher_rank = np.empty(len(fisher), dtype=int)
    fisher_rank[np.argsort(-fisher, kind="stable")] = np.arange(len(fisher))
    found: dict[str, Any] = {
        "top": [
            {
                "feature": int(j),
                "score": float(model.scores_[j]),
                "fisher": float(fisher[j]),
                "fisher_place": int(fisher_rank[j]) + 1,
            }
            for j in model.ranking_[:TOP]
        ],
        "agreement": _correlation(model.scores_, fisher),
    }
    if len(planted):
        places = np.empty(len(fisher), dtype=int)
        places[model.ranking_] = np.arange(len(fisher))
        found["planted_places"] = [int(places[j]) + 1 for j in planted]
    if isinstance(model, NonNegativeReducer):
        found["columns"] = [
            column(values, fisher, planted) for values in model.components_
        ]
    return found


def column(values, fisher, planted=()) -> dict[str, Any]:
    """One column of W: the planted features in it, and its ends.

    The values are scaled to [0, 1], as in the paper's Table 1.
    """
    low, high = values.min(), values.max()
    scaled = (values - low) / (high - low) if high > low else np.zeros(len(values))
    about: dict[str, Any] = {"ends": _correlation(_from_the_middle(values), fisher)}
    if len(planted):
        planted = np.asarray(planted)
        rest = np.delete(scaled, planted)
        about |= {
            "planted": [float(x) for x in scaled[planted]],
            "rest_mean": float(rest.mean()),
            "rest_variance": float(rest.var(ddof=1)),
            "at_top": _at_the_end(-values, planted),
            "at_bottom": _at_the_end(values, planted),
        }
    if len(values) <= MOST_POINTS:
        about["values"] = [round(float(x), 5) for x in scaled]
        about["fisher"] = [round(float(x), 7) for x in fisher]
    return about


def _from_the_middle(values):
    """How far each feature is from the middle of the sorted column, in places."""
    places = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    return np.abs(places - (len(values) - 1) / 2)


def _at_the_end(values, planted) -> int:
    """How many planted features are among as many smallest values.

    A value is among them if fewer than that many are smaller: of equals all are.
    """
    limit = np.sort(values)[len(planted) - 1]
    crowd = int(np.sum(values <= limit))
    inside = int(np.sum(values[planted] <= limit))
    return inside if crowd == len(planted) else min(inside, len(planted) - 1)


def _correlation(a, b) -> dict[str, float] | None:
    """Spearman's rank correlation; None where one side does not vary."""
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return None
    found = spearmanr(a, b)
    return {"rho": float(found.statistic), "p": float(found.pvalue)}
