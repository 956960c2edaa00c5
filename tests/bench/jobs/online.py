"""OMMF, one pass over mediamill, against steps of a single sample each."""

import numpy as np

from tests.bench import data
from tests.bench.checks import lower_objective
from tests.bench.job import Job, Rival, Way

COMPONENTS = 50
ALPHA, LAM = 0.9, 1.0  # the defaults of ours
STEP = 1.0  # the paper's first step size, kept: with its decay steps soon end


def _samples():
    arrays = data.mediamill()
    return arrays.X_train, arrays.Y_train.astype(float)


def _objective(P, Q):
    """Eq. 1 over the training samples, every h at its optimum."""
    from mlbench.classifiers.ommf import latent

    X, Y = _samples()
    H = latent(X, Y, P, Q, ALPHA, LAM)
    fit = (1 - ALPHA) * np.sum((X - H @ P.T) ** 2) + ALPHA * np.sum((Y - H @ Q.T) ** 2)
    penalty = sum(np.sum(factor**2) for factor in (P, Q, H))
    return {"objective": np.array(fit + LAM * penalty)}


def ours() -> Way:
    """A fit of one epoch with the mini-batches it has by default."""
    from mlbench.classifiers.ommf import OMMF

    X, Y = _samples()
    return Way(
        lambda: OMMF(COMPONENTS, alpha=ALPHA, lam=LAM, epochs=1).fit(X, Y),
        lambda model: _objective(model.P_, model.Q_),
    )


def sample_by_sample() -> Way:
    """Algorithm 1: for each sample h in closed form, then a step on P and on Q."""
    X, Y = _samples()
    return Way(lambda: _epoch(X, Y), lambda factors: _objective(*factors))


def _epoch(X, Y):
    n, rng = len(X), np.random.default_rng(0)
    P = rng.standard_normal((X.shape[1], COMPONENTS))
    Q = rng.standard_normal((Y.shape[1], COMPONENTS))
    ridge = LAM * np.eye(COMPONENTS)
    for i in rng.permutation(n):
        x, y = X[i], Y[i]
        M = (1 - ALPHA) * (P.T @ P) + ALPHA * (Q.T @ Q) + ridge
        h = np.linalg.solve(M, (1 - ALPHA) * (x @ P) + ALPHA * (y @ Q))
        P -= STEP * (LAM / n * P - (1 - ALPHA) * np.outer(x - P @ h, h))
        Q -= STEP * (LAM / n * Q - ALPHA * np.outer(y - Q @ h, h))
    return P, Q


JOBS = {
    "ommf_epoch": Job(
        f"OMMF on mediamill, one epoch, {COMPONENTS} components",
        ours,
        (
            Rival(
                "a NumPy loop over samples",
                sample_by_sample,
                lower_objective,
                "the paper's Algorithm 1 with steps of size 1",
            ),
        ),
    ),
}
