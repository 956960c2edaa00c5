"""MNMTF's updates: one sweep of them, and all that a fit takes."""

import numpy as np

from tests.bench import data
from tests.bench.checks import not_asked, same, zero
from tests.bench.job import Job, Rival, Way

PARTS = 694  # 30 % of the features
LAM = 0.1
TINY = np.finfo(float).tiny  # words of test samples only: 0 / 0 is to be 0
SWEEPS = 170  # after which the default tolerance ends a fit on arts
SOME = 5  # sweeps of a rival that are measured
SCALED = f"{SOME} sweeps measured, scaled to {SWEEPS}"


def _fixed():
    """X and Y as in the paper, a sample a column."""
    arts = data.arts()
    return arts.X_train.T.toarray(), arts.Y_train.T.astype(float)


def _flops(products: int) -> float:
    """Of so many products of d x J with J x q, as a sweep has."""
    d, q = data.arts().X_train.shape[1], data.arts().Y_train.shape[1]
    return 2.0 * products * d * PARTS * q


def literal_sweep(X, Y, U, S):
    """Algorithm 1 as printed: every product from the left."""
    K = Y @ Y.T
    D = np.diag(K.sum(axis=0))
    U = U * (X @ Y.T @ S.T) / (U @ S @ Y @ Y.T @ S.T + TINY)
    up = U.T @ X @ Y.T + LAM * (S @ K)
    down = U.T @ U @ S @ Y @ Y.T + LAM * (S @ D) + TINY
    return U, S * up / down


def _factors(pair):
    return dict(zip("US", pair, strict=True))


def sweep() -> Way:
    """Our updates of U and S, with what a fit computes once at hand."""
    from mlbench.reducers.mnmtf import update_s, update_u

    X, Y = _fixed()
    U, S = data.random_factors()
    XY, K = X @ Y.T, Y @ Y.T

    def act():
        after = update_u(U, S, XY, K)
        return after, update_s(after, S, XY, K, LAM)

    return Way(act, _factors, flops=_flops(6))


def printed_sweep() -> Way:
    """The same as printed."""
    X, Y = _fixed()
    U, S = data.random_factors()
    return Way(lambda: literal_sweep(X, Y, U, S), _factors)


def fit() -> Way:
    """A fit of so many sweeps as the default tolerance takes."""
    model = _model(SWEEPS)
    arts = data.arts()
    return Way(
        lambda: model.fit(arts.X_train, arts.Y_train),
        lambda fitted: {"sweeps": np.array(fitted.n_iter_)},
        flops=SWEEPS * _flops(7),  # the objective has the seventh
    )


def printed_fit() -> Way:
    """Sweeps as printed, from the start that the fit has."""
    from mlbench.reducers.nmf import positive

    X, Y = _fixed()
    rng = np.random.RandomState(0)
    start = positive(rng, (len(X), PARTS)), positive(rng, (PARTS, len(Y)))

    def act():
        U, S = start
        for _ in range(SOME):
            U, S = literal_sweep(X, Y, U, S)
        return U

    def result(U):
        arts = data.arts()
        ours = _model(SOME).fit(arts.X_train, arts.Y_train).components_.T
        return {"difference": np.abs(ours - U / np.linalg.norm(U, axis=0)).max()}

    return Way(act, result, part=SOME / SWEEPS)


def _model(sweeps: int):
    from mlbench.reducers.mnmtf import MNMTF

    return MNMTF(PARTS, lam=LAM, max_iter=sweeps, tol=0, random_state=0)


def plain_nmf() -> Way:
    """scikit-learn's NMF with as many parts, by multiplicative updates."""
    import warnings

    from sklearn.decomposition import NMF

    X = data.arts().X_train
    settings = {"solver": "mu", "init": "random", "max_iter": SOME, "tol": 0}

    def act():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it has not converged
            return NMF(PARTS, random_state=0, **settings).fit(X)

    return Way(act, lambda _: {}, part=SOME / SWEEPS)


JOBS = {
    "mnmtf_iteration": Job(
        f"MNMTF, one iteration, J = {PARTS}",
        sweep,
        (
            Rival(
                "products in the order printed",
                printed_sweep,
                same(1e-10),
                "the same updates of U and S",
            ),
        ),
    ),
    "mnmtf_fit": Job(
        f"MNMTF, a fit of {SWEEPS} iterations, J = {PARTS}",
        fit,
        (
            Rival(
                "products in the order printed",
                printed_fit,
                zero("difference", 1e-8),
                f"{SCALED}; compared after those",
            ),
            Rival(
                "scikit-learn NMF, solver mu",
                plain_nmf,
                not_asked,
                f"context: another model, without labels; {SCALED}",
            ),
        ),
    ),
}
