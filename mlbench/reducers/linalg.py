"""The linear algebra the projections share: centring, row spaces, completion.

Rows are samples and rows are directions: a set of r directions in d dimensions is an
(r, d) array, most important first. Nothing here builds an n x n matrix unless n < d,
when it is smaller than the data itself.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve, qr
from scipy.sparse import csr_array, issparse

EPS = np.finfo(np.float64).eps  # rounding of one operation, relative
TIE = 1e-6  # entries this close in magnitude are equal when a sign is chosen
WELL_CONDITIONED = 1e-8  # least ridge, as a share of the trace, left to Cholesky


class Shifted:
    """The matrix ``A - u m'``: rows of A minus multiples of one vector.

    With u all ones and m the column means these are the centred samples. A sparse A
    stays sparse: the shift is carried along as a correction of rank one.

    Parameters
    ----------
    A : ndarray or csr_array of shape (n, d)
    u : ndarray of shape (n,)
    m : ndarray of shape (d,)

    Attributes
    ----------
    size : float
        Sum of the squared entries: the trace of the Gram matrix.
    noise : float
        Squared length that rounding alone can leave in a direction: what is not
        longer is nothing.
    rounding : float
        Length that rounding alone can leave in a product with a unit vector.
    """

    def __init__(self, A, u, m):
        self.shape = A.shape
        size = squared_norm(A)
        if issparse(A):
            self.A, self.u, self.m = A, u, m
            shift = (u @ u) * (m @ m) - 2 * u @ (A @ m)
            self.size, uncertain = size + float(shift), size
        else:
            # Subtracting before multiplying keeps digits that a difference of
            # products would lose.
            self.A = A - np.outer(u, m)
            self.u, self.m = np.zeros_like(u), np.zeros_like(m)
            self.size = squared_norm(self.A)
            uncertain = self.size + EPS * size
        self.noise = max(self.shape) * EPS * uncertain
        self.rounding = max(self.shape) * EPS * np.sqrt(size)

    def dot(self, B):
        """``(A - u m') B`` as an ndarray."""
        return self.A @ B - np.outer(self.u, self.m @ B)

    def transposed_dot(self, B):
        """``(A - u m')' B`` as an ndarray."""
        return self.A.T @ B - np.outer(self.m, self.u @ B)

    def gram(self):
        """``(A - u m')' (A - u m')``, d x d."""
        Au = self.A.T @ self.u
        cross = np.outer(Au - (self.u @ self.u) / 2 * self.m, self.m)
        return dense(self.A.T @ self.A) - cross - cross.T

    def outer(self):
        """``(A - u m') (A - u m')'``, n x n: for n < d only."""
        Am = self.A @ self.m
        cross = np.outer(Am - (self.m @ self.m) / 2 * self.u, self.u)
        return dense(self.A @ self.A.T) - cross - cross.T


def centred(X):
    """Return the samples X minus their mean as a :class:`Shifted`, and the mean."""
    mean = np.asarray(X.mean(axis=0))
    if not issparse(X):
        # The mean of what is left removes the rounding of the first one: a constant
        # feature becomes exactly zero.
        mean = mean + (X - mean).mean(axis=0)
    return Shifted(X, np.ones(X.shape[0]), mean), mean


def uncentred(X):
    """Return the samples X as a :class:`Shifted` that shifts nothing."""
    return Shifted(X, np.zeros(X.shape[0]), np.zeros(X.shape[1]))


def centred_columns(Y):
    """Columns of a dense Y minus their means, constant ones exactly zero."""
    Y = Y - Y.mean(axis=0)
    return Y - Y.mean(axis=0)


def dense(A):
    """A as an ndarray."""
    return A.toarray() if issparse(A) else A


def squared_norm(A) -> float:
    """Sum of the squared entries of a dense or sparse A."""
    values = A.data if issparse(A) else A
    return float(np.vdot(values, values))


def scale_rows(A, weights):
    """Row i of a dense or sparse A times ``weights[i]``."""
    if not issparse(A):
        return A * weights[:, None]
    data = A.data * np.repeat(weights, np.diff(A.indptr))
    return csr_array((data, A.indices, A.indptr), shape=A.shape)


def row_space(X: Shifted, most=None, without=None):
    """Orthonormal directions of X by decreasing squared length, and those lengths.

    The eigenvectors of ``X'X`` with eigenvalues above rounding, at most ``most`` of
    them, from the smaller of ``X'X`` and ``XX'``. Given an orthonormal (r, d) basis
    ``without``, those of X projected on its complement.

    All eigenvectors are computed whatever ``most`` is: where eigenvalues are equal,
    a solver asked for a few returns other vectors than the first of all.
    """
    n, d = X.shape
    basis = np.empty((0, d)) if without is None else without
    if d <= n:
        squares, V = np.linalg.eigh(_outside(X.gram(), basis))
    else:
        Z = X.dot(basis.T)
        squares, V = np.linalg.eigh(X.outer() - Z @ Z.T)
    kept = np.flatnonzero(squares > X.noise)[::-1][:most]
    squares, V = squares[kept], V[:, kept]
    if d > n:
        V = X.transposed_dot(V)
    elif without is None:
        return V.T, squares
    # Short rows of X'U are not quite orthogonal to long ones, and eigenvectors of a
    # projected matrix not quite to the basis: both by rounding, relative to lengths.
    return orthonormal(V.T, after=basis), squares


def _outside(G, basis):
    """``P G P`` with P the projection on the complement of an orthonormal basis."""
    GB = G @ basis.T
    cross = (GB - basis.T @ (basis @ GB) / 2) @ basis
    return G - cross - cross.T


def orthonormal(V, after=None):
    """Orthonormalize the rows of V in order, each against all rows before it.

    ``after`` is an orthonormal (r, d) array of rows that come first and are not
    returned.
    """
    first = np.empty((0, V.shape[1])) if after is None else after
    if len(V) == 0:
        return V
    Q, R = qr(np.vstack([first, unit_rows(V)]).T, mode="economic")
    # Householder reflections may turn a row round; the diagonal of R says which.
    return (Q * np.where(np.diag(R) < 0, -1.0, 1.0)).T[len(first) :]


def complement(basis, count: int):
    """``count`` orthonormal rows outside of the orthonormal (r, d) rows ``basis``.

    Each is what is left of the axis farthest from all rows so far, the first of
    those equally far: the result does not hang on rounding, as that of a library's
    null space does.
    """
    r, d = basis.shape
    rows = np.vstack([basis, np.empty((count, d))])
    left = 1 - np.sum(basis**2, axis=0)  # squared distance of each axis
    for i in range(r, r + count):
        row = np.zeros(d)
        row[np.argmax(left >= (1 - TIE) * left.max())] = 1
        for _ in range(2):  # the second time removes what rounding left
            row -= rows[:i].T @ (rows[:i] @ row)
        rows[i] = row / np.linalg.norm(row)
        left -= rows[i] ** 2
    return rows[r:]


def ridge_solver(X: Shifted, ridge: float):
    """Return the function ``M -> (X'X + ridge I)^+ M`` for M in the row space of X.

    Cholesky for a ridge that makes the matrix safely invertible, of the smaller of
    ``X'X`` and ``XX'`` (Woodbury); otherwise the eigenvectors of ``X'X``, so that a
    ridge of zero means the pseudo-inverse.
    """
    n, d = X.shape
    if ridge <= WELL_CONDITIONED * X.size:
        V, squares = row_space(X)
        return lambda M: V.T @ ((V @ M) / (squares + ridge)[:, None])
    if d <= n:
        factor = cho_factor(X.gram() + ridge * np.eye(d))
        return lambda M: cho_solve(factor, M)
    factor = cho_factor(X.outer() + ridge * np.eye(n))
    return lambda M: (M - X.transposed_dot(cho_solve(factor, X.dot(M)))) / ridge


def full_rank_columns(F, noise: float):
    """Columns with the same ``F F'`` as F and none that is rounding alone.

    They are orthogonal, longest first; ``noise`` is the length rounding can leave.
    """
    U, lengths, _ = np.linalg.svd(F, full_matrices=False)
    kept = lengths > noise
    return U[:, kept] * lengths[kept]


def inverse_root(A):
    """``A^(-1/2)`` of a positive semidefinite A, over its range: d x rank.

    ``R = inverse_root(A)`` has ``R R'`` the pseudo-inverse of A.
    """
    values, V = np.linalg.eigh(A)
    kept = values > len(A) * EPS * max(values[-1], 0)
    return V[:, kept] / np.sqrt(values[kept])


def ratio_directions(F, solve):
    """Directions w, best first, that make ``F F' w = lambda B w`` with lambda > 0.

    ``solve(M)`` is ``B^-1 M`` and F has full column rank, so the problem is one of
    the few columns of F: ``w = B^-1 F c`` with ``F' B^-1 F c = lambda c``. Returns
    unit rows and their lambda.
    """
    W = solve(F)
    FW = F.T @ W
    values, C = np.linalg.eigh((FW + FW.T) / 2)
    return unit_rows((W @ C[:, ::-1]).T), values[::-1]


def pencil_directions(A, V, squares, ridge: float):
    """Directions w, largest lambda first, with ``A w = lambda (B + ridge I) w``.

    B is given by its orthonormal eigenvectors, the rows of V, and their eigenvalues
    ``squares``; A by its p x p projection ``V A V'`` on them, outside of which it is
    zero. Returns unit rows, as many as V has.
    """
    roots = np.sqrt(squares + ridge)
    T = A / roots / roots[:, None]
    _, C = np.linalg.eigh((T + T.T) / 2)
    return unit_rows((C[:, ::-1] / roots[:, None]).T @ V)


def unit_rows(W):
    """Rows of W scaled to unit length."""
    return W / np.linalg.norm(W, axis=1, keepdims=True)


def fix_signs(W):
    """Turn every row of W so that its entry of largest magnitude is positive.

    Among entries equal but for rounding the first decides.

    >>> fix_signs(np.array([[1.0, -2.0], [-3.0, 3.0]]))
    array([[-1.,  2.],
           [ 3., -3.]])
    """
    sizes = np.abs(W)
    largest = sizes.max(axis=1, keepdims=True)
    deciding = np.argmax(sizes >= (1 - TIE) * largest, axis=1)
    return W * np.where(W[np.arange(len(W)), deciding] < 0, -1.0, 1.0)[:, None]
