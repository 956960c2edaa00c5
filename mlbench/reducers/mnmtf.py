"""MNMTF: non-negative parts of which the mean of every label is made."""

import numpy as np
from sklearn.utils import check_random_state

from mlbench.reducers.base import check_range
from mlbench.reducers.linalg import squared_norm
from mlbench.reducers.nmf import (
    NonNegativeReducer,
    finished,
    over,
    positive,
    row_blocks,
)

WINDOW = 10  # sweeps that convergence is judged by: one alone can be between two slopes


class MNMTF(NonNegativeReducer):
    r"""Multi-label non-negative matrix tri-factorization.

    Minimizes :math:`\|X - U S Y\|^2 + \lambda \operatorname{tr}(S L S^\top)` over
    non-negative U and S: a sample is near the sum of the means of its labels, the
    columns of US, and labels that occur together have similar means.

    ======  ======  =====================================================
    paper   shape   here
    ======  ======  =====================================================
    X       M x N   ``X.T``: the paper puts samples in columns
    Y       L x N   ``Y.T``
    U       M x J   ``components_.T``, the parts
    S       J x L   the parts of the mean of each label
    K       L x L   ``Y.T @ Y``, in how many samples two labels are both
    D       L x L   ``np.diag(K.sum(axis=0))``
    L       L x L   D - K, not built
    lambda          ``lam``
    ======  ======  =====================================================

    Parameters
    ----------
    n_components : int
        J, the number of parts; may be far above the number of labels.
    lam : float
        lambda, the weight of label correlation. The paper's value.
    max_iter : int
        Most sweeps of the two updates. Ours.
    tol : float
        Stop when ten sweeps gain less than this share of all that was gained since the
        first. Ours: the paper says "until convergence criterion is met".
    random_state : int, RandomState instance or None
        Seed of the starting point. The paper: random positive values. Ours: magnitudes
        of standard normal numbers.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The parts, of unit length. Ours: with the columns of U as they come out,
        distances between reduced samples are those between their largest weights.
    objective_ : list of float
        The objective after each sweep; never increases, since K = Y'Y is positive
        semidefinite, and so is what the rules leave out of their bound.
    n_iter_ : int

    Notes
    -----
    The paper prints K = Y^T Y and L = K - D. Its update rules are those of K = Y Y^T,
    which has the size they need, and of L = D - K, the sign that draws labels together;
    both are meant here.

    The paper reduces training samples by v = Sy or by projection, it says both; here
    all samples are projected, since new ones have no y.

    The scale of the start is a choice: multiplying U and dividing S by a number changes
    the penalty and not the fit, so that lambda acts as long as the sweeps have not
    shrunk S, and not at all on an S that starts small. (That of U does not matter: the
    first update undoes it.) With J > L only the product US is determined, and the parts
    keep much of their random start.

    A label without a sample gets a mean of zero.

    References
    ----------
    K. Kimura, M. Kudo and L. Sun. Dimension reduction using nonnegative matrix
    tri-factorization in multi-label classification.

    Examples
    --------
    >>> X = np.array([[2.0, 2.0, 0.0], [0.0, 0.0, 3.0], [2.0, 2.0, 3.0]])
    >>> Y = np.array([[1, 0], [0, 1], [1, 1]])
    >>> parts = MNMTF(2, lam=0, tol=0, random_state=0).fit(X, Y)
    >>> np.sort(parts.transform(X)).round(1)  # the third sample is the sum of two
    array([[0. , 2.8],
           [0. , 3. ],
           [2.8, 3. ]])
    """

    def __init__(
        self, n_components=2, *, lam=0.1, max_iter=500, tol=1e-3, random_state=None
    ):
        self.n_components = n_components
        self.lam = lam
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, Y):
        """Learn the parts from features X (n, d) and labels Y (n, q) of 0/1."""
        X, Y = self._validate(X, Y)
        check_range("lam", self.lam, 0)
        rng = check_random_state(self.random_state)
        U, S = (
            positive(rng, (X.shape[1], self.n_components)),
            positive(rng, (self.n_components, Y.shape[1])),
        )
        XY, K, norm = X.T @ Y, Y.T @ Y, squared_norm(X)
        values: list[float] = []
        while not finished(values, self.max_iter, self.tol, WINDOW):
            U = update_u(U, S, XY, K)
            S = update_s(U, S, XY, K, self.lam)
            values.append(objective(U, S, XY, K, self.lam, norm))
        self._keep(U, values)
        return self


# The rules as in Algorithm 1, with XY for the paper's X Y^T (d x q) and K for Y Y^T.
# Products are taken from the side of the labels: O(d J q), never d J^2 or n. The thin
# factor stands on the left, U as it lies in memory: BLAS is up to twice as fast then.


def update_u(U, S, XY, K):
    """``U <- U * (X Y^T S^T) / (U S Y Y^T S^T)``."""
    new, KS = np.empty_like(U), K @ S.T
    for rows in row_blocks(len(U)):
        up = np.matmul(XY[rows], S.T, out=new[rows])
        up *= U[rows]
        over(up, _thin(U[rows], S) @ KS)
    return new


def update_s(U, S, XY, K, lam):
    """``S <- S * (U^T X Y^T + lam S K) / (U^T U S Y Y^T + lam S D)``."""
    SK = S @ K
    beside = np.hstack([XY, _thin(U, SK)])
    up, down = np.vsplit(beside.T @ U, 2)  # one pass over U
    return over(S * (up.T + lam * SK), down.T + lam * S * K.sum(axis=0))


def objective(U, S, XY, K, lam, norm) -> float:
    """``|X - U S Y|^2 + lam tr(S (D - K) S^T)``, with ``norm`` for ``|X|^2``."""
    US = _thin(U, S)
    fit = norm - 2 * np.vdot(US, XY) + np.vdot(US, US @ K)
    penalty = np.vdot(S, S * K.sum(axis=0) - S @ K)
    return float(fit + lam * penalty)


def _thin(U, S):
    """``U S``, which has few columns."""
    return (S.T @ U.T).T
