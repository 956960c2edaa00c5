"""Non-negative coordinates of samples in parts that MNMTF learnt."""

import numpy as np
from scipy.sparse import vstack

from tests.bench import data
from tests.bench.checks import lower_objective, same
from tests.bench.job import Job, Result, Rival, Verdict, Way

PARTS = 694
SWEEPS = 30  # of coordinate descent
EVERY = 25  # of 5,000 samples, those that slow rivals are given
OPTIMAL = 1e-8  # largest KKT residual that passes for an optimum


def _problem():
    """Parts U (d x J) and all samples X (n x d) of arts, CSR."""
    from mlbench.reducers.mnmtf import MNMTF

    arts = data.arts()
    model = MNMTF(n_components=PARTS, random_state=0).fit(arts.X_train, arts.Y_train)
    U = np.ascontiguousarray(model.components_.T)
    return U, vstack([arts.X_train, arts.X_test]).tocsr()


def _objective(U, X, V):
    """``|x - U v|^2`` of every sample."""
    return np.sum((X.toarray() - V @ U.T) ** 2, axis=1)


def ours() -> Way:
    """The active-set method over all samples in step."""
    from mlbench.reducers.nnls import kkt_residual, project

    U, X = _problem()

    def result(V):
        residual = kkt_residual(U.T @ U, (X @ U).T, V.T)
        return {"objective": _objective(U, X, V), "kkt": residual, "some": V[::EVERY]}

    return Way(lambda: project(U, X), result)


def coordinate_descent() -> Way:
    """scikit-learn's, with the parts held fixed."""
    import warnings

    from sklearn.decomposition import non_negative_factorization

    U, X = _problem()

    def act():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that so many sweeps are not enough
            return non_negative_factorization(
                X, H=U.T, n_components=PARTS, update_H=False, max_iter=SWEEPS, tol=0
            )[0]

    return Way(act, lambda V: {"objective": _objective(U, X, V)})


def one_by_one() -> Way:
    """SciPy's active-set method, sample after sample."""
    from scipy.optimize import nnls

    U, X = _problem()
    some = X[::EVERY].toarray()
    return Way(
        lambda: np.array([nnls(U, x)[0] for x in some]),
        lambda V: {"some": V},
        part=1 / EVERY,
    )


def one_by_one_reduced() -> Way:
    """The same after a QR decomposition, which leaves J equations of the d."""
    from scipy.optimize import nnls

    U, X = _problem()
    Q, R = np.linalg.qr(U)
    some = X[::EVERY] @ Q
    return Way(
        lambda: np.array([nnls(R, b)[0] for b in some]),
        lambda V: {"some": V},
        part=1 / EVERY,
    )


def _lower_and_optimal(ours: Result, theirs: Result) -> Verdict:
    lower, residual = lower_objective(ours, theirs), float(ours["kkt"].max())
    text = f"{lower.text}; KKT residual {residual:.0e}"
    return Verdict(lower.holds and residual <= OPTIMAL, text)


SCALED = f"every {EVERY}th sample measured, scaled to all"
JOBS = {
    "projection": Job(
        f"non-negative projection of 5,000 samples on {PARTS} parts",
        ours,
        (
            Rival(
                f"scikit-learn coordinate descent, {SWEEPS} sweeps",
                coordinate_descent,
                _lower_and_optimal,
                "stopped before its optimum",
                unguarded="takes more than a minute",
            ),
            Rival("SciPy nnls, one by one", one_by_one, same(1e-6), SCALED),
            Rival(
                "SciPy nnls after a QR of the parts",
                one_by_one_reduced,
                same(1e-6),
                f"{SCALED}; the QR is not timed",
            ),
        ),
    ),
}
