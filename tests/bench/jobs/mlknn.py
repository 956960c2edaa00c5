"""ML-kNN from the features to the predicted labels."""

import numpy as np
from scipy.sparse import csr_matrix, issparse

from mlbench.pipeline import Arrays
from tests.bench import data
from tests.bench.checks import agreement, same
from tests.bench.job import Job, Rival, Way

K = 10
SHOWN = 500  # test samples whose neighbours are compared


def ours(arrays: Arrays) -> Way:
    """Fit and predict."""
    from mlbench.classifiers.mlknn import MLkNN
    from mlbench.neighbours import nearest

    def act():
        return MLkNN(K).fit(arrays.X_train, arrays.Y_train).predict(arrays.X_test)

    def result(labels):
        found = nearest(arrays.X_train, K, query=arrays.X_test[:SHOWN])
        return {"labels": labels, "distances": _distances(arrays, found)}

    return Way(act, result)  # it avoids most products: their speed says nothing


def multilearn(arrays: Arrays) -> Way:
    """Fit and predict of scikit-multilearn-ng, given the kinds of array it takes."""
    from skmultilearn.adapt import MLkNN

    X_train, X_test = (
        csr_matrix(X) if issparse(X) else X for X in (arrays.X_train, arrays.X_test)
    )
    Y = arrays.Y_train.astype(int)

    def act():
        return MLkNN(k=K).fit(X_train, Y).predict(X_test)

    return Way(act, lambda labels: {"labels": labels.toarray()})


def bare_search(arrays: Arrays) -> Way:
    """The two searches alone, by scikit-learn."""
    from sklearn.neighbors import NearestNeighbors

    def act():
        search = NearestNeighbors(n_neighbors=K, algorithm="brute")
        search.fit(arrays.X_train)
        of_train = search.kneighbors(return_distance=False)
        return of_train, search.kneighbors(arrays.X_test, return_distance=False)

    return Way(act, lambda found: {"distances": _distances(arrays, found[1][:SHOWN])})


def _distances(arrays: Arrays, neighbours):
    """Distances (SHOWN, k) to neighbours, by definition: ties leave indices open."""
    dense = [
        X.toarray() if issparse(X) else X
        for X in (arrays.X_test[:SHOWN], arrays.X_train[neighbours.ravel()])
    ]
    apart = np.repeat(dense[0], neighbours.shape[1], axis=0) - dense[1]
    return np.linalg.norm(apart, axis=1).reshape(neighbours.shape)


def _job(title: str, arrays, slow: str = "") -> Job:
    return Job(
        title,
        lambda: ours(arrays()),
        (
            Rival(
                "scikit-multilearn-ng",
                lambda: multilearn(arrays()),
                agreement,
                "counts a training sample among its own neighbours",
                unguarded=slow,
            ),
            Rival(
                "scikit-learn, the bare search",
                lambda: bare_search(arrays()),
                same(1e-10),
                "a floor: finds neighbours, and does nothing with them",
            ),
        ),
    )


JOBS = {
    "mlknn_arts": _job("ML-kNN on arts, sparse", data.arts),
    "mlknn_mediamill": _job(
        "ML-kNN on mediamill, dense", data.mediamill, "takes more than a minute"
    ),
}
