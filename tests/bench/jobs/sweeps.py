"""A sweep over dimensions against a fit and a search for every point of it."""

import numpy as np

from tests.bench import data
from tests.bench.checks import same
from tests.bench.job import Job, Rival, Way

EIGHT, FIFTY = "0.1:0.8", "0.02:1:0.02"


def _sweep(arrays, dims):
    from mlbench.by_neighbours import sweep
    from mlbench.classifiers.mlknn import MLkNN
    from mlbench.reducers.mddm import MDDM

    return list(sweep(arrays, MDDM(), MLkNN(), dims))


def _metrics(outcomes):
    return {"metrics": np.array([list(point.metrics.values()) for point in outcomes])}


def ours(arrays, text: str) -> Way:
    """All points at once."""
    from mlbench.dims import parse_dims

    dims = parse_dims(text)
    return Way(lambda: _sweep(arrays, dims), _metrics)


def refits(arrays, text: str) -> Way:
    """Each point by itself, with our own code."""
    from mlbench.dims import parse_dims

    dims = parse_dims(text)
    return Way(
        lambda: [point for dim in dims for point in _sweep(arrays, (dim,))], _metrics
    )


def _rival(arrays, text: str, slow: str = "") -> Rival:
    return Rival(
        "a fit and a search a point",
        lambda: refits(arrays(), text),
        same(0),
        "our own code, one dimension at a time",
        unguarded=slow,
    )


def _last_alike(ours, theirs):
    return same(0)({"metrics": ours["metrics"][-1:]}, theirs)


LAST = Rival(
    "its last point alone",
    lambda: ours(data.arts_2pct(), "1.0"),
    _last_alike,
    "what 50 points cost, against one",
)
JOBS = {
    "sweep_8": Job(
        "8 dimensions of MDDM and ML-kNN on arts",
        lambda: ours(data.arts(), EIGHT),
        (_rival(data.arts, EIGHT),),
    ),
    "sweep_50": Job(
        "50 dimensions of MDDM and ML-kNN on arts",
        lambda: ours(data.arts(), FIFTY),
        (_rival(data.arts, FIFTY, "takes minutes; sweep_8 shows the same"),),
    ),
    "sweep_50_2pct": Job(
        "50 dimensions of MDDM and ML-kNN on arts-2pct",
        lambda: ours(data.arts_2pct(), FIFTY),
        (_rival(data.arts_2pct, FIFTY), LAST),
    ),
}
