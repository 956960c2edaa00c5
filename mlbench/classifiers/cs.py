"""CS: regress on random combinations of the labels, find the few that explain them."""

import numpy as np
from sklearn.utils import check_random_state

from mlbench.classifiers.ridge import LabelCode
from mlbench.reducers.base import check_count

NOTHING = 1e-12  # a residual this short, against what was to be explained, is rounding
BLOCK = 1024  # samples decoded at a time: bounds the memory for their bases


class CS(LabelCode):
    r"""Multi-label prediction via compressed sensing.

    The code of a label vector y is A y, with A random. The code is predicted by ridge
    regression, and decoded into the k labels whose columns of A explain it best, found
    one by one: orthogonal matching pursuit.

    =====  ======  ==============================================================
    paper  shape   here
    =====  ======  ==============================================================
    d      1       q, the number of labels
    m      1       ``n_components``, s on other pages here
    A      m x d   ``projection_``: Gaussian, of mean 0 and variance 1/m
    k      1       ``k_``, the labels of a sample
    =====  ======  ==============================================================

    The score of a label is its coefficient when the code is written, with least
    squared error, by the columns of the labels found; 0 for the other labels. The
    labels found are predicted, whatever their coefficients: the support of the
    solution. Ours.

    Parameters
    ----------
    n_components : int
        m, the length of the code; may be larger than the number of labels.
    ridge : float
        Weight of the squared coefficients in the regression; the intercept is free.
        Ours: 1.
    k : int or None
        How many labels to find. None, ours: the mean number of labels of the training
        samples, rounded, and at least 1. No more than ``n_components`` are found:
        that many columns explain any code.
    random_state : int, RandomState instance or None
        Seed of A.

    Attributes
    ----------
    projection_ : ndarray of shape (n_components, n_labels)
    k_ : int
        Number of labels looked for.
    coef_, intercept_ : ndarray of shape (n_features, n_components), (n_components,)

    Notes
    -----
    The column taken next is the one at the smallest angle to the residual: columns are
    compared by direction, not by their random lengths. Ours; the first of equals.

    References
    ----------
    D. Hsu, S. M. Kakade, J. Langford and T. Zhang. Multi-label prediction via
    compressed sensing. NIPS 22, 2009.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> Y = [[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 1]]
    >>> CS(n_components=20, random_state=0).fit(X, Y).predict([[0.0], [3.0]])
    array([[1, 0, 0],
           [0, 0, 1]], dtype=uint8)
    """

    def __init__(self, n_components=10, *, ridge=1.0, k=None, random_state=0):
        self.n_components = n_components
        self.ridge = ridge
        self.k = k
        self.random_state = random_state

    def labels_from(self, scores):
        """Labels of 0/1 from scores: those that were found."""
        return (np.asarray(scores) != 0).astype(np.uint8)

    def _learn(self, Y):
        """Number of labels, and how many of them a sample has on average."""
        return Y.shape[1], Y.sum() / len(Y)

    def _encode(self, common):
        q, cardinality = common
        check_count("n_components", self.n_components)
        self._check_k(q)
        wanted = max(1, round(cardinality)) if self.k is None else self.k
        self.k_ = min(wanted, self.n_components)
        rng = check_random_state(self.random_state)
        A = rng.standard_normal((self.n_components, q))
        self.projection_ = A / np.sqrt(self.n_components)
        return self.projection_.T

    def _check_k(self, q: int) -> None:
        if self.k is None:
            return
        check_count("k", self.k)
        if self.k > q:
            raise ValueError(f"k must be in 1..{q} (the labels), got {self.k}")

    def _score(self, X):
        return matching_pursuit(self.projection_, self._code(X), self.k_)


def matching_pursuit(A, Z, k: int):
    """Coefficients (n, q) with at most k that are not 0, and Z close to them times A'.

    Orthogonal matching pursuit of every row of Z (n, s) over the columns of A (s, q):
    take the column at the smallest angle to the residual, fit all columns taken so far,
    go on with what they leave. A row of which nothing is left takes no more columns.
    """
    blocks = [_pursue(A, Z[i : i + BLOCK], k) for i in range(0, len(Z), BLOCK)]
    return np.vstack(blocks)


def _pursue(A, Z, k: int):
    """Orthogonal matching pursuit, one step of all rows of Z at a time.

    The columns taken for row i are ``Q[i].T @ R[i]``, with the rows of Q[i] orthonormal
    and R[i] upper triangular: the residual follows from the newest row of Q alone.
    """
    n, s = Z.shape
    everyone = np.arange(n)
    lengths = np.linalg.norm(A, axis=0)
    Q, R = np.zeros((n, k, s)), np.tile(np.eye(k), (n, 1, 1))
    taken = np.zeros((n, k), dtype=np.intp)
    found = np.zeros((n, k), dtype=bool)
    enough = NOTHING * np.linalg.norm(Z, axis=1)
    residual = Z.copy()
    free = np.ones((n, A.shape[1]), dtype=bool)
    for step in range(k):
        angles = np.where(free, np.abs(residual @ A) / lengths, -1.0)
        best = angles.argmax(axis=1)
        rows = np.flatnonzero(angles[everyone, best] > enough)
        best = best[rows]
        free[rows, best] = False
        taken[rows, step], found[rows, step] = best, True
        newest, R[rows, :, step] = orthogonalized(A.T[best], Q[rows], step)
        Q[rows, step] = newest
        along = np.einsum("is,is->i", newest, residual[rows])
        residual[rows] -= along[:, None] * newest
    targets = np.einsum("iks,is->ik", Q, Z)
    values = np.linalg.solve(R, targets[:, :, None])[:, :, 0]
    coefficients = np.zeros((n, A.shape[1]))
    rows, steps = np.nonzero(found)
    coefficients[rows, taken[rows, steps]] = values[rows, steps]
    return coefficients


def orthogonalized(atoms, Q, step: int):
    """Unit rows: each atom (n, s) less its part along Q (n, k, s); and its column of R.

    ``step`` rows of each Q[i] are in use, the others are 0.
    """
    column = np.zeros(Q.shape[:2])
    left = atoms
    for _ in range(2):  # the second time removes what rounding left
        along = np.einsum("iks,is->ik", Q, left)
        left = left - np.einsum("ik,iks->is", along, Q)
        column += along
    length = np.linalg.norm(left, axis=1)
    column[:, step] = length
    return left / length[:, None], column
