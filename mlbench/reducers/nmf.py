"""NMF, the unsupervised non-negative baseline, and what its descendants share."""

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import (
    check_is_fitted,
    check_non_negative,
    validate_data,
)

from mlbench.reducers.base import (
    Reducer,
    check_choice,
    check_count,
    check_n_components,
    check_range,
)
from mlbench.reducers.linalg import squared_norm
from mlbench.reducers.nnls import project

LOSSES = ("frobenius", "kullback-leibler")
BLOCK = 256  # rows whose temporary arrays are held at a time: they stay in the cache


class NonNegativeReducer(Reducer):
    """Describe a sample by its non-negative projection on parts that were learnt.

    The reduced form of x is ``argmin_{v >= 0} |x - U v|``, for training samples and
    new ones alike, so that the two can be compared. ``fit`` of a subclass learns the
    parts, the columns of U, and hands them to ``_keep``.
    """

    nested = False
    nonnegative = True

    def transform(self, X):
        """Non-negative weights (n, n_components) of the learnt parts in X (n, d)."""
        return project(self.components_.T, self._validate_new(X))

    def _keep(self, U, objective):
        """Keep the parts U (d, J) with columns of unit length, and how they came.

        Ours: a factorization leaves the scale of a part open, and distances between
        reduced samples must not hang on it. A part that is zero stays so.
        """
        lengths = np.linalg.norm(U, axis=0)
        self.components_ = (U / np.where(lengths > 0, lengths, 1)).T
        self.objective_ = objective
        self.n_iter_ = len(objective)

    def _validate(self, X, Y):
        X, Y = super()._validate(X, Y)
        check_non_negative(X, self._needs)
        check_n_components(self.n_components, X.shape[1])
        check_count("max_iter", self.max_iter)
        check_range("tol", self.tol, 0)
        return X, Y if Y is None else (Y > 0).astype(np.float64)

    def _validate_new(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        check_non_negative(X, self._needs)
        return csr_array(X) if issparse(X) else X

    @property
    def _needs(self) -> str:
        return f"{type(self).__name__}, which needs features of 0 or more"


class NMF(NonNegativeReducer):
    r"""Non-negative matrix factorization by multiplicative updates.

    Minimizes :math:`\|V - W H\|^2`, or the divergence of WH from V, over non-negative
    W and H.

    =====  ======  ==============================================
    paper  shape   here
    =====  ======  ==============================================
    V      n x m   ``X.T``: the paper puts samples in columns
    W      n x r   ``components_.T``, the parts
    H      r x m   held transposed: like X, one row per sample
    =====  ======  ==============================================

    Parameters
    ----------
    n_components : int
        r, the number of parts.
    loss : {"frobenius", "kullback-leibler"}
        What is minimized; the second is the paper's divergence.
    repeats : int
        How often a factor is updated before it is the other's turn, Frobenius only.
        The paper: once. Ours: 5, since one product with X and one Gram matrix serve
        them all, and an objective is reached in a fraction of the time (Gillis and
        Glineur).
    max_iter : int
        Most sweeps. Ours.
    tol : float
        Stop when a sweep gains less than this share of all that was gained since the
        first. Ours.
    random_state : int, RandomState instance or None
        Seed of the starting point: magnitudes of normal numbers, as large as explain
        the mean of X. Ours, after scikit-learn's.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The parts, of unit length. Ours.
    objective_ : list of float
        The objective after each sweep; never increases.
    n_iter_ : int
        Number of sweeps; ``max_iter`` when they were stopped.

    Notes
    -----
    The reduced samples, also those of the training set, are not H but the weights of
    the learnt parts that fit best. Ours: new samples have no H, and the two must be
    comparable. For Frobenius they are exact; for Kullback-Leibler H starts from ones
    and is updated ``max_iter`` times with W held fixed.

    References
    ----------
    D. D. Lee and H. S. Seung. Algorithms for non-negative matrix factorization. NIPS
    13, 2001.

    N. Gillis and F. Glineur. Accelerated multiplicative updates and hierarchical ALS
    algorithms for nonnegative matrix factorization. Neural Computation 24(4), 2012.

    Examples
    --------
    >>> X = np.array([[2.0, 2.0, 0.0], [0.0, 0.0, 3.0], [1.0, 1.0, 3.0]])
    >>> parts = NMF(n_components=2, tol=1e-9, random_state=0).fit(X)
    >>> np.sort(parts.transform(X)).round(1)  # two words always together, and one
    array([[0. , 2.8],
           [0. , 3. ],
           [1.4, 3. ]])
    """

    supervised = False

    def __init__(
        self,
        n_components=2,
        *,
        loss="frobenius",
        repeats=5,
        max_iter=200,
        tol=1e-3,
        random_state=None,
    ):
        self.n_components = n_components
        self.loss = loss
        self.repeats = repeats
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, Y=None):
        """Learn the parts from X (n, d); Y is not used."""
        X, _ = self._validate(X, None)
        check_choice("loss", self.loss, LOSSES)
        check_count("repeats", self.repeats)
        rng = check_random_state(self.random_state)
        scale = np.sqrt(X.mean() / self.n_components)  # that of WH is near that of X
        H, W = (scale * positive(rng, (size, self.n_components)) for size in X.shape)
        if self.loss == "frobenius":
            self._keep(*self._least_squares(X, H, W))
        else:
            self._keep(*self._least_divergence(X, H, W))
        return self

    def transform(self, X):
        """Non-negative weights (n, n_components) of the learnt parts in X (n, d)."""
        if self.loss == "frobenius":
            return super().transform(X)
        X, W = self._validate_new(X), self.components_.T
        H = np.ones((X.shape[0], self.n_components))
        for _ in range(self.max_iter):
            H = update_kl(H, W, quotient(X, H, W))
        return H

    def _least_squares(self, X, H, W):
        """Parts by the updates for ``|V - WH|^2``, and the objective of each sweep."""
        norm = squared_norm(X)
        WW = W.T @ W
        objective: list[float] = []
        while not finished(objective, self.max_iter, self.tol):
            H = update(H, X @ W, WW, self.repeats)
            VH, HH = X.T @ H, H.T @ H
            W = update(W, VH, HH, self.repeats)
            WW = W.T @ W
            objective.append(norm - 2 * np.vdot(VH, W) + np.vdot(HH, WW))
        return W, objective

    def _least_divergence(self, X, H, W):
        """Parts by the updates for ``D(V || WH)``, and the objective of each sweep."""
        Q = quotient(X, H, W)
        objective: list[float] = []
        while not finished(objective, self.max_iter, self.tol):
            H = update_kl(H, W, Q)
            W = update_kl(W, H, quotient(X, H, W).T)
            Q = quotient(X, H, W)
            objective.append(divergence(X, H, W, Q))
        return W, objective


def positive(rng, shape):
    """Random start: magnitudes of normal numbers, as in scikit-learn's NMF."""
    return np.abs(rng.standard_normal(size=shape))


def finished(objective, max_iter, tol, window=1) -> bool:
    """Whether sweeps reached their cap, or the last few gained too little to go on.

    Gains are compared with each other, not with the objective: labels explain a few
    percent of word counts, so that a share of the objective would end that at once.
    """
    if len(objective) >= max_iter:
        return True
    if len(objective) <= window:
        return False
    first, before, after = (objective[i] for i in (0, -1 - window, -1))
    return before - after <= tol * (first - after)


def over(product, down):
    """``product / down`` in the place of ``product``: a factor times its ratio.

    Where ``down`` is zero ``product`` is too, and stays so: the factor is zero, or the
    other factor does not use the part.
    """
    return np.divide(product, down, out=product, where=down > 0)


def row_blocks(count: int) -> Iterator[slice]:
    """Slices of BLOCK rows that make up ``count``."""
    return (slice(first, first + BLOCK) for first in range(0, count, BLOCK))


def update(F, target, gram, repeats=1):
    """Either rule for ``|V - WH|^2``, ``repeats`` times.

    ``W <- W * (V H') / (W H H')`` has F = W, target ``V H'`` and gram ``H H'``;
    ``H <- H * (W' V) / (W' W H)`` is the same with every matrix transposed.
    """
    new = F.copy()
    for rows in row_blocks(len(F)):
        for _ in range(repeats):
            new[rows] = over(new[rows] * target[rows], new[rows] @ gram)
    return new


def update_kl(F, other, Q):
    """Either rule for ``D(V || WH)``, rows of F against the parts of the other factor.

    ``W_ia <- W_ia * sum_u H_au V_iu / (WH)_iu / sum_v H_av``, with the quotients
    ``V_iu / (WH)_iu`` in Q, and likewise for H.
    """
    return over(F * (Q @ other), other.sum(axis=0))


def quotient(X, H, W):
    """Entries of X (n, d) over those of the product of H (n, r) and W (d, r).

    Zero where the product is: a feature that no part has says nothing about weights.
    """
    if not issparse(X):
        product = H @ W.T
        return np.divide(X, product, out=np.zeros_like(X), where=product > 0)
    product = np.empty_like(X.data)
    for rows in row_blocks(X.shape[0]):
        ends = X.indptr[rows.start : rows.stop + 1]
        row = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        inside = slice(ends[0], ends[-1])
        product[inside] = (H[rows] @ W.T)[row, X.indices[inside]]
    data = np.divide(X.data, product, out=np.zeros_like(product), where=product > 0)
    return csr_array((data, X.indices, X.indptr), shape=X.shape)


def divergence(X, H, W, Q) -> float:
    """``D(X || HW') = sum x log(x / y) - x + y``, given the quotients Q of x and y."""
    x, ratio = (A.data if issparse(A) else A[X > 0] for A in (X, Q))
    x, ratio = x[x > 0], ratio[x > 0]
    return float(x @ np.log(ratio) - x.sum() + H.sum(axis=0) @ W.sum(axis=0))
