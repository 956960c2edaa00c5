"""The jobs: ours and the rival's way of doing the same thing.

A job is a function that prepares its data and returns two functions without
arguments. What is prepared is not timed.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.bench import data


@dataclass(frozen=True)
class Job:
    """Two ways to one result."""

    title: str
    rival: str
    prepare: Callable[[], tuple[Callable, Callable]]
    repeats: int = 5


def read_sparse_arff():
    """Parse yahoo-arts.arff: 844 thousand entries, 23,172 attributes."""
    import arff

    from mlbench.data.mulan import read_mulan

    path = data.folder() / "yahoo" / "yahoo-arts.arff"

    def ours():
        return read_mulan([path], path.with_suffix(".xml"), "yahoo-arts")

    def rival():
        with path.open(encoding="utf-8") as file:
            return arff.load(file, return_type=arff.LOD)

    return ours, rival


def mnmtf_iteration():
    """One sweep of Algorithm 1 at d = 2315, J = 694, q = 26."""
    from mlbench.reducers.mnmtf import update_s, update_u

    arts = data.arts()
    X, Y = arts.X_train.T.toarray(), arts.Y_train.T.astype(float)  # as in the paper
    U, S = data.random_factors()
    XY, K = X @ Y.T, Y @ Y.T
    D = np.diag(K.sum(axis=0))

    def ours():
        after = update_u(U, S, XY, K)
        return after, update_s(after, S, XY, K, 0.1)

    def literal():
        after = U * (X @ Y.T @ S.T) / (U @ S @ Y @ Y.T @ S.T)
        up = after.T @ X @ Y.T + 0.1 * (S @ K)
        down = after.T @ after @ S @ Y @ Y.T + 0.1 * (S @ D)
        return after, S * up / down

    return ours, literal


def projection():
    """Non-negative coordinates of 5,000 samples in 694 parts learnt by MNMTF."""
    from scipy.sparse import vstack
    from sklearn.decomposition import non_negative_factorization

    from mlbench.reducers.mnmtf import MNMTF
    from mlbench.reducers.nnls import project

    arts = data.arts()
    model = MNMTF(n_components=694, random_state=0).fit(arts.X_train, arts.Y_train)
    U = model.components_.T / np.linalg.norm(model.components_, axis=1)
    X = vstack([arts.X_train, arts.X_test]).tocsr()

    def ours():
        return project(U, X)

    def coordinate_descent():
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it says that 30 sweeps are not enough
            return non_negative_factorization(
                X, H=U.T, n_components=694, update_H=False, max_iter=30, tol=0
            )[0]

    return ours, coordinate_descent


def mddm_linear():
    """MDDM's directions at d = 2315, q = 26."""
    from mlbench.reducers.mddm import MDDM

    arts = data.arts()
    X = arts.X_train.toarray()
    Xc = X - X.mean(axis=0)
    Y = arts.Y_train.astype(float)

    def ours():
        return MDDM(n_components=20).fit(X, Y).components_

    def dense_eigh():
        S = Xc.T @ Y
        return np.linalg.eigh(S @ S.T)[1][:, ::-1][:, :20].T

    return ours, dense_eigh


def _sweep(dims):
    from mlbench.by_neighbours import sweep
    from mlbench.classifiers.mlknn import MLkNN
    from mlbench.dims import parse_dims
    from mlbench.reducers.mddm import MDDM

    return list(sweep(data.arts_2pct(), MDDM(), MLkNN(), parse_dims(dims)))


def sweep_against_one_point():
    """50 dims of MDDM and ML-kNN on yahoo-arts-2pct, against the last of them alone."""
    return lambda: _sweep("0.02:1:0.02"), lambda: _sweep("1.0")


def sweep_against_refits():
    """50 dims of MDDM and ML-kNN, against a fit and a search for each."""
    from mlbench.dims import parse_dims

    dims = [dim.label for dim in parse_dims("0.02:1:0.02")]
    return (
        lambda: _sweep("0.02:1:0.02"),
        lambda: [outcome for dim in dims for outcome in _sweep(dim)],
    )


JOBS = {
    "read_sparse_arff": Job("read yahoo-arts.arff", "liac-arff", read_sparse_arff),
    "mnmtf_iteration": Job(
        "MNMTF, one iteration", "products in the order printed", mnmtf_iteration
    ),
    "projection": Job(
        "non-negative projection of 5,000 samples",
        "coordinate descent, 30 sweeps",
        projection,
        repeats=3,
    ),
    "mddm_linear": Job(
        "linear MDDM, d = 2315", "eigh of the d x d matrix", mddm_linear
    ),
    "sweep_one": Job("50-point sweep", "one point", sweep_against_one_point),
    "sweep_refits": Job("50-point sweep", "a refit a point", sweep_against_refits, 3),
}
