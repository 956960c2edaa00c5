"""Projections by eigenvectors: ours against matrices built as they are defined.

The textbook's way is generous to the rival: samples are dense and centred already, and
what it builds it builds with as few products as the definition leaves room for.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.linalg import eigh

from mlbench.components import load_object
from mlbench.reducers import REDUCERS
from tests.bench import data
from tests.bench.checks import same_subspace
from tests.bench.job import Job, Rival, Way

KEPT = 20  # directions
LPP_SETTINGS = {"n_neighbors": 10, "weights": "binary"}  # heat vanishes on raw counts
Pencil = tuple[np.ndarray, np.ndarray | None]  # A and B of ``A w = lambda B w``


def mddm_matrix(X, Y) -> Pencil:
    """``X'H Y Y' H X``, and no matrix on the right."""
    S = X.T @ Y
    return S @ S.T, None


def mlsi_pencil(X, Y) -> Pencil:
    """``X' [(1 - beta) X X' + beta Y Y'] X`` and ``X'X + I``, with beta = 0.5."""
    A = X.T @ ((0.5 * (X @ X.T) + 0.5 * (Y @ Y.T)) @ X)
    return A, X.T @ X + np.eye(X.shape[1])


def mlda_pencil(X, Y) -> Pencil:
    """``S_b`` and ``S_w + I``; S_w from ``sum Z x x'`` minus what the means hold."""
    Y = Y[:, Y.any(axis=0)]
    lengths = np.linalg.norm(Y, axis=0)
    C = (Y.T @ Y) / np.outer(lengths, lengths)
    Z = Y @ C / Y.sum(axis=1, keepdims=True)
    of_class, of_sample = Z.sum(axis=0), Z.sum(axis=1)
    means = (Z.T @ X) / of_class[:, None]
    apart = means - of_sample @ X / of_sample.sum()
    S_b = apart.T @ (apart * of_class[:, None])
    S_w = X.T @ (X * of_sample[:, None]) - means.T @ (means * of_class[:, None])
    return S_b, S_w + np.eye(X.shape[1])


def lpp_pencil(X, Y) -> Pencil:
    """``X'WX`` and ``X'DX + I`` of the graph that ours has: ties leave it open."""
    from mlbench.reducers.graphs import neighbour_graph

    W = neighbour_graph(X, LPP_SETTINGS["n_neighbors"], np.ones_like).toarray()
    D = np.diag(W.sum(axis=1))
    return X.T @ W @ X, X.T @ D @ X + np.eye(X.shape[1])


def _samples(sparse: bool, centred: bool = False):
    """X and Y of arts for training."""
    arts = data.arts()
    X = arts.X_train if sparse else arts.X_train.toarray()
    return X - X.mean(axis=0) if centred else X, arts.Y_train.astype(float)


def _ours(name: str, sparse: bool = True, products: bool = False, **settings) -> Way:
    X, Y = _samples(sparse)
    model = load_object(REDUCERS[name])(KEPT, **settings)
    return Way(
        lambda: model.fit(X, Y),
        lambda fitted: {"directions": fitted.components_},
        flops=2.0 * X.size * Y.shape[1] if products else None,
    )


def _textbook(pencil: Callable, top: bool, centred: bool) -> Way:
    X, Y = _samples(sparse=False, centred=centred)
    d = X.shape[1]
    wanted = {"subset_by_index": [d - KEPT, d - 1]} if top else {}

    def act():
        A, B = pencil(X, Y)
        return eigh(A, B, **wanted)[1][:, ::-1][:, :KEPT].T

    return Way(act, lambda directions: {"directions": directions})


def _rivals(
    pencil, note: str, tolerance: float, centred=True, unguarded=""
) -> tuple[Rival, ...]:
    names = {False: "eigh, all directions", True: f"eigh, the top {KEPT} only"}
    return tuple(
        Rival(
            name,
            partial(_textbook, pencil, top, centred),
            same_subspace(tolerance),
            note,
            unguarded,
        )
        for top, name in names.items()
    )


ALL = "ours finds all directions, whatever number is kept"
JOBS = {
    "mddm": Job(
        f"linear MDDM on arts, {KEPT} directions",
        lambda: _ours("mddm"),
        _rivals(mddm_matrix, "ours takes sparse samples", 1e-8),
    ),
    "mddm_dense": Job(
        f"linear MDDM on arts made dense, {KEPT} directions",
        lambda: _ours("mddm", sparse=False, products=True),
        _rivals(mddm_matrix, "both take dense samples", 1e-8, unguarded="is like mddm"),
    ),
    "mlsi": Job(
        f"MLSI on arts, {KEPT} directions",
        lambda: _ours("mlsi"),
        _rivals(mlsi_pencil, ALL, 1e-6),
    ),
    "mlda": Job(
        f"MLDA on arts, {KEPT} directions",
        lambda: _ours("mlda"),
        _rivals(mlda_pencil, "ours solves for as many as labels", 1e-6),
    ),
    "lpp": Job(
        f"LPP on arts, {KEPT} directions, binary weights",
        lambda: _ours("lpp", **LPP_SETTINGS),
        _rivals(lpp_pencil, f"{ALL}; the graph is ours", 1e-6, centred=False),
    ),
}
