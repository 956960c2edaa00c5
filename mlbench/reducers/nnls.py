"""Non-negative least squares for many samples at once, to the exact optimum.

``min_{v >= 0} |x - U v|`` for every sample x and one U (d x J). A solution is sparse,
so an active-set method is at its optimum after a few small systems of equations, where
descent methods are still on their way.
"""

from collections.abc import Iterator

import numpy as np
from scipy.optimize import nnls
from scipy.sparse import csr_array

# Relative to columns of unit length. Makes every system of equations solvable and the
# solution unique when columns of U are collinear; moves the gradient by as little.
RIDGE = 1e-10
ENTERING = 8  # most parts that enter at once; one would do, at three times the cost
WORTH_ENTERING = 0.5  # least gradient of a part that enters, over the largest one
FLAT = 1e-9  # a gradient this small, over the largest of the sample's start, is zero
OPTIMAL = 1e-8  # KKT residual above which a sample is solved again, by SciPy
ROUNDS = 3  # per column of U; SciPy allows as many
ENTRIES = 2**20  # of a temporary array: 8 MB


def project(U, X):
    """Non-negative coordinates of the samples X (n, d) in the columns of U (d, J).

    Row i of the (n, J) result is ``argmin_{v >= 0} |x_i - U v|``.

    >>> project(np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([[3.0, 1.0], [0.0, 2.0]]))
    array([[2., 1.],
           [0., 1.]])
    """
    return nnls_batch(U.T @ U, (X @ U).T).T


def nnls_batch(G, C):
    """Minimize ``v' G v / 2 - c' v`` over v >= 0 for every column c of C.

    Parameters
    ----------
    G : ndarray of shape (J, J)
        ``U' U``, positive semidefinite.
    C : ndarray of shape (J, m)
        ``U' X'``, a column per sample.

    Returns
    -------
    V : ndarray of shape (J, m)
        Among equally good solutions, the one of least length in parts of unit length:
        equal columns of U share equally.

    Notes
    -----
    Lawson and Hanson's active-set method, over all samples in step, as in van Benthem
    and Keenan's. Ours: several parts enter at once. Some of them always stay: with w
    their gradients, all positive, and A their Schur complement in G, they want to move
    to ``A^-1 w``, which has a positive entry since ``w' A^-1 w > 0``. So the objective
    falls in every round and no set of parts comes back. Where rounding breaks that
    argument, SciPy's solver takes over, sample by sample.

    Of a non-negative U no weights can cancel, so that they are no larger than the
    sample and the ridge moves a gradient by 1e-10 of it. Of a U of both signs with
    nearly collinear columns it is the ridge's problem that is solved.

    References
    ----------
    C. L. Lawson and R. J. Hanson. Solving least squares problems. 1974.

    M. H. van Benthem and M. R. Keenan. Fast algorithm for the solution of large-scale
    non-negativity-constrained least squares problems. Journal of Chemometrics 18, 2004.
    """
    if not (np.isfinite(G).all() and np.isfinite(C).all()):
        raise ValueError("G and C must be finite, got an infinity or a NaN")
    lengths = np.sqrt(np.diag(G))
    lengths = np.where(lengths > 0, lengths, np.inf)  # a zero column gets nothing
    G = G / lengths / lengths[:, None]
    G[np.diag_indices_from(G)] += RIDGE
    V = np.empty(C.T.shape)
    for rows in _blocks(len(V), len(G)):
        V[rows] = _solve(G, C.T[rows] / lengths) / lengths
    return V.T


def kkt_residual(G, C, V):
    """How far each column of V (J, m) is from optimal, over its largest ``|c|``.

    At the optimum ``V >= 0``, the gradient ``C - G V`` is nowhere positive, and it is
    zero where V is positive. Zero where c is.
    """
    gradient = C - (csr_array(V.T) @ G.T).T
    wrong = np.where(V > 0, np.abs(gradient), np.maximum(gradient, -V))
    scale = np.abs(C).max(axis=0, initial=0)
    return wrong.max(axis=0, initial=0) / np.where(scale > 0, scale, 1)


def _blocks(count: int, width: int) -> Iterator[slice]:
    """Slices of ``count`` rows, so many that ``width`` entries of each fit."""
    step = max(1, ENTRIES // max(width, 1))
    return (slice(start, start + step) for start in range(0, count, step))


def _solve(G, C):
    """Solutions as rows, for the samples that are the rows of C (m, J)."""
    V = _active_set(G, C)
    left = np.flatnonzero(kkt_residual(G, C.T, V.T) > OPTIMAL)
    if left.size:
        V[left] = _by_scipy(G, C[left])
    return V


def _active_set(G, C):
    V = np.zeros(C.shape)
    passive = np.zeros(C.shape, dtype=bool)  # the parts that may be positive
    flat = FLAT * C.max(axis=1, initial=0)[:, None]
    live = np.arange(len(C))
    for _ in range(ROUNDS * len(G)):
        gradient = C[live] - csr_array(V[live]) @ G
        entering = _entering(np.where(passive[live], 0, gradient), flat[live])
        moving = entering.any(axis=1)
        live = live[moving]
        if live.size == 0:
            break
        passive[live] |= entering[moving]
        _settle(G, C, V, passive, live)
    return V


def _entering(gradient, flat):
    """The parts worth the most to each sample, if any is worth something."""
    most = min(ENTERING, gradient.shape[1])
    least = np.partition(gradient, -most, axis=1)[:, [-most]]
    worthy = WORTH_ENTERING * gradient.max(axis=1, keepdims=True)
    return (gradient > flat) & (gradient >= np.maximum(least, worthy))


def _settle(G, C, V, passive, rows):
    """Move ``V[rows]`` to the least-squares solutions on parts that stay positive."""
    while rows.size:
        aim = _least_squares(G, C, passive, rows)
        V[rows], leaving = _step(V[rows], aim, passive[rows])
        passive[rows] &= ~leaving
        rows = rows[leaving.any(axis=1)]


def _step(here, aim, passive):
    """As far from ``here`` to ``aim`` as all stays non-negative; the parts in the way.

    Those leave the passive parts. A part that entered and at once wants to be negative
    is in the way from the beginning.
    """
    blocked = passive & (aim <= 0)
    reach = np.where(blocked, 0.0, np.inf)
    np.divide(here, here - aim, out=reach, where=blocked & (here > 0))
    length = np.minimum(reach.min(axis=1, keepdims=True), 1)
    leaving = blocked & (reach <= length)
    there = (1 - length) * here + length * aim
    there[leaving] = 0
    return np.maximum(there, 0), leaving


def _least_squares(G, C, passive, rows):
    """Unconstrained solutions on the passive parts; systems of one size in a stack."""
    aim = np.zeros((len(rows), len(G)))
    sizes = passive[rows].sum(axis=1)
    for size in np.unique(sizes[sizes > 0]):
        group = np.flatnonzero(sizes == size)
        for block in _blocks(len(group), size**2):
            some = group[block]
            parts = np.nonzero(passive[rows[some]])[1].reshape(-1, size)
            A = G[parts[:, :, None], parts[:, None, :]]
            b = C[rows[some, None], parts]
            aim[some[:, None], parts] = np.linalg.solve(A, b[:, :, None])[:, :, 0]
    return aim


def _by_scipy(G, C):
    """The same problems as least-squares ones: ``R'R = G`` and ``R'b = c``."""
    values, Q = np.linalg.eigh(G)
    roots = np.sqrt(np.maximum(values, RIDGE / 2))  # rounding must not lose the ridge
    R, B = roots[:, None] * Q.T, C @ Q / roots
    return np.array([nnls(R, b, maxiter=30 * len(G))[0] for b in B])
