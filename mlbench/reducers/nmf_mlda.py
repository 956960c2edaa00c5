"""NMF-MLDA: non-negative parts whose weights tell the classes apart."""

import numpy as np
from sklearn.utils import check_random_state

from mlbench.reducers.base import check_range
from mlbench.reducers.linalg import squared_norm
from mlbench.reducers.mlda import class_weights
from mlbench.reducers.nmf import NonNegativeReducer, finished, over, positive

REPEATS = 5  # updates of a factor per sweep; one product with X serves them all


class NMFMLDA(NonNegativeReducer):
    r"""Non-negative matrix factorization with the scatter terms of MLDA.

    Minimizes :math:`\|V - W H\|^2 + \gamma \operatorname{tr} S_w - \delta
    \operatorname{tr} S_b` over non-negative H and non-negative W with columns of unit
    length, where :math:`S_w` and :math:`S_b` are the scatter of the columns of H within
    and between classes. The method is ours: Kimura, Kudo and Sun announce it as future
    work, in analogy to the NMF-LDA of Zafeiriou et al., and do not define it.

    ========  ======  ========================================================
    symbol    shape   here
    ========  ======  ========================================================
    V         d x n   ``X.T``
    W         d x J   ``components_.T``, the parts
    H         J x n   held transposed: like X, one row per sample
    Z         n x q   ``class_weights(Y)`` of MLDA, over its largest row sum
    m_k, m    J       means of the columns of H, weighted by Z
    S_w, S_b  J x J   as in MLDA, of H in place of V; only their traces occur
    ========  ======  ========================================================

    Parameters
    ----------
    n_components : int
        J, the number of parts.
    gamma : float
        Weight of the scatter within classes.
    delta : float
        Weight of the scatter between classes, below 1.
    max_iter : int
        Most sweeps of the two updates.
    tol : float
        Stop when a sweep gains less than this share of all that was gained since the
        first.
    random_state : int, RandomState instance or None
        Seed of the starting point: magnitudes of normal numbers, as large as explain
        the mean of X.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
    objective_ : list of float
        The objective after each sweep; never increases, see the update rules.
    n_iter_ : int

    Notes
    -----
    Two things keep the objective bounded below. With a free W, scaling W down and H up
    would drive the last term to minus infinity and leave the first as it is: hence
    columns of unit length. Then ``|WH| >= |H|``, as all entries are non-negative, and
    ``tr S_b <= sum_i z_i |h_i|^2 <= |H|^2`` with z the row sums of Z, at most 1: hence
    delta < 1, with which the objective is above ``-delta / (1 - delta) |V|^2``.

    A new sample has no labels, so that all samples are reduced by projection on the
    parts, as in NMF; the labels act through the parts alone.

    References
    ----------
    K. Kimura, M. Kudo and L. Sun. Dimension reduction using nonnegative matrix
    tri-factorization in multi-label classification.

    S. Zafeiriou, A. Tefas, I. Buciu and I. Pitas. Exploiting discriminant information
    in nonnegative matrix factorization with application to frontal face verification.
    IEEE Transactions on Neural Networks 17(3), 2006.

    H. Wang, C. Ding and H. Huang. Multi-label linear discriminant analysis. ECCV, 2010.

    Examples
    --------
    >>> X = np.array([[2.0, 2.0, 0.0], [0.0, 0.0, 3.0], [1.0, 1.0, 3.0]])
    >>> Y = np.array([[1, 0], [0, 1], [1, 1]])
    >>> parts = NMFMLDA(2, gamma=0.01, delta=0, tol=1e-9, random_state=0).fit(X, Y)
    >>> np.sort(parts.transform(X)).round(1)
    array([[0. , 2.8],
           [0. , 3. ],
           [1.4, 3. ]])
    """

    def __init__(
        self,
        n_components=2,
        *,
        gamma=0.1,
        delta=0.1,
        max_iter=200,
        tol=1e-3,
        random_state=None,
    ):
        self.n_components = n_components
        self.gamma = gamma
        self.delta = delta
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, Y):
        """Learn the parts from features X (n, d) and labels Y (n, q) of 0/1."""
        X, Y = self._validate(X, Y)
        check_range("gamma", self.gamma, 0)
        check_range("delta", self.delta, 0, np.nextafter(1, 0))
        Z, norm = bounded_weights(Y), squared_norm(X)
        W, H = self._start(X)
        values: list[float] = []
        while not finished(values, self.max_iter, self.tol):
            VW, WW = X @ W, W.T @ W
            for _ in range(REPEATS):
                H = update_h(H, VW, WW, Z, self.gamma, self.delta)
            VH, HH = X.T @ H, H.T @ H
            for _ in range(REPEATS):
                W = update_w(W, VH, HH)
            fit = norm - 2 * np.vdot(VH, W) + np.vdot(HH, W.T @ W)
            within, between = scatter(H, Z)
            values.append(fit + self.gamma * within - self.delta * between)
        self._keep(W, values)
        return self

    def _start(self, X):
        rng = check_random_state(self.random_state)
        n, d = X.shape
        W = positive(rng, (d, self.n_components))
        W /= np.linalg.norm(W, axis=0)
        H = positive(rng, (n, self.n_components))
        return W, H * X.mean() / (H.mean(axis=0) @ W.mean(axis=0))


def bounded_weights(Y):
    """Z: how much each sample belongs to each class, in all of them 1 at most."""
    Z = class_weights(Y)
    return Z / Z.sum(axis=1).max()


def class_means(H, Z):
    """m_k, a row per class, and m: means of the rows of H with the weights Z."""
    of_class, of_sample = Z.sum(axis=0), Z.sum(axis=1)
    # The weights of all samples sum to 1 at least, or to 0 when no sample has a label.
    return Z.T @ H / of_class[:, None], of_sample @ H / max(of_sample.sum(), 1)


def scatter(H, Z):
    """Traces of S_w and S_b, by ``sum z |h - m|^2 = sum z |h|^2 - sum z |m|^2``."""
    M, m = class_means(H, Z)
    of_class, of_sample = Z.sum(axis=0), Z.sum(axis=1)
    samples = of_sample @ (H * H).sum(axis=1)
    classes = of_class @ (M * M).sum(axis=1)
    return samples - classes, classes - of_sample.sum() * (m @ m)


def update_h(H, VW, WW, Z, gamma, delta):
    """Multiply H by the negative over the positive part of the gradient.

    With z the row sums of Z and M the class means, for row i of H:
    ``h_i <- h_i * (W'v_i + (gamma + delta) sum_k Z_ik m_k)
    / (W'W h_i + gamma z_i h_i + delta z_i m)``.

    The objective is a quadratic function of H, its matrix the difference of two
    non-negative ones. The rule minimizes the usual bound of the first at H; the second,
    from ``sum_k N_k |m_k|^2``, is positive semidefinite, so that leaving it out of
    the bound keeps it one: the objective cannot increase.
    """
    M, m = class_means(H, Z)
    z = Z.sum(axis=1)[:, None]
    up = VW + (gamma + delta) * (Z @ M)
    down = H @ WW + z * (gamma * H + delta * m)
    return over(H * up, down)


def update_w(W, VH, HH):
    """``w_j <- max(0, (VH')_j - (W H H')_j + L_j w_j)``, scaled to unit length.

    L_j is the sum of row j of HH', so that diag(L) - HH' is positive semidefinite.
    Since the columns have unit length, ``tr(W diag(L) W')`` is a constant; without it
    the objective is a concave function of W, below its tangent plane at W, which the
    rule minimizes over non-negative columns of unit length. A column for which nothing
    remains, and one that no sample uses, stays as it is.
    """
    moved = np.maximum(VH - W @ HH + W * HH.sum(axis=0), 0)
    lengths = np.linalg.norm(moved, axis=0)
    return np.divide(moved, lengths, out=W.copy(), where=lengths > 0)
