"""OMMF: features and labels factorized together, one mini-batch after the other."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.sparse import csr_array, issparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from mlbench.classifiers.base import LabelClassifier
from mlbench.reducers.base import (
    check_above,
    check_count,
    check_range,
    label_matrix,
)

MEMORY = 10  # step t has the weight MEMORY / (MEMORY + t) or so, see ``step_size``
FAINT = 1e-14  # a coordinate is not shrunk below this share of the strongest, squared
NOTHING = 1e-100  # factors whose squared sizes multiply to less are zero already


class OMMF(LabelClassifier):
    r"""Online matrix factorization for multi-label annotation.

    Minimizes (eq. 1)

    .. math::
        (1 - \alpha) \|X - P H\|^2 + \alpha \|Y - Q H\|^2
        + \lambda (\|P\|^2 + \|Q\|^2 + \|H\|^2)

    by steps on P and Q, each for the samples of one mini-batch with their h at its
    optimum. What is kept between two batches does not grow with their number. The
    labels of a new sample are scored by :math:`Q h`, h being the ridge regression of
    its features on P (eq. 2).

    ============  ======  =======================================================
    paper         shape   here
    ============  ======  =======================================================
    X             k x n   ``X.T``: the paper puts samples in columns
    Y             l x n   ``Y.T``
    P             k x s   ``P_``
    Q             l x s   ``Q_``
    H             s x n   held transposed, for one batch at a time
    h, eq. 2      s       inside of ``label_map``, which gives ``Q h`` at once
    gamma         1       ``step_size``
    ============  ======  =======================================================

    Parameters
    ----------
    n_components : int
        s, the dimensions of the latent space; may exceed those of X and of Y.
    alpha : float
        Weight of the labels, above 0 and below 1. (The text says that low values
        favour the labels; in eq. 1 it is the high ones.)
    lam : float
        :math:`\lambda`, weight of the penalty.
    xi : float or None
        :math:`\xi`, the ridge of eq. 2. None is ``lam / (1 - alpha)``, with which h
        is the optimum of eq. 1 for a sample whose labels are left out. Ours.
    gamma0 : float
        First step size, above 0 and at most 1. The paper starts with 1.
    batch_size : int
        Samples per step of ``fit``. The paper: one; it proposes mini-batches.
    epochs : int
        Passes of ``fit`` over the samples.
    shuffle : bool
        Whether each pass takes the samples in a new random order, as the paper does.
    threshold : float
        A label with a score above it is predicted, unless ``top`` is given.
    top : int or None
        Number of labels to predict for each sample.
    random_state : int, RandomState instance or None
        Seed of the starting point, normal numbers, and of the order of the samples.

    Attributes
    ----------
    P_ : ndarray of shape (n_features, n_components)
    Q_ : ndarray of shape (n_labels, n_components)
    C_ : ndarray of shape (n_components, n_components)
        Running mean of h h'.
    n_samples_seen_ : int
        Number of samples; in ``fit`` each counts once, however many the epochs.
    n_steps_ : int
        Number of mini-batches, over all epochs.

    Notes
    -----
    Departures from Algorithm 1, all ours:

    - h minimizes eq. 1. The algorithm leaves alpha out of its closed form.
    - The penalty on P and Q counts once, as in eq. 1. In eq. 3 every sample pays all
      of it; here a sample pays one n-th, n being the number of samples, in a stream
      the number seen so far.
    - A step is divided by the curvature, the s x s matrix :math:`(1 - \alpha) C +
      \lambda / n`, C being a running mean of h h', and likewise for Q. A step of 1 on
      all samples is then one of alternating least squares, and one step size does
      for data of any scale, where plain steps need one for each data set.
    - The step size is :math:`\gamma_0 / (1 + \gamma_0 t / 10)`. The algorithm divides
      by :math:`1 + i \gamma \lambda` again and again, so that it soon stands still;
      the usual rule does so once, with the least curvature for :math:`\lambda`, which
      here is 1. The 10 forgets the first batches, made with poor P and Q, sooner.
    - Before a step the latent space is given the basis in which the penalty is least
      (``balance``); P H and Q H stay what they are. Least squares alone moves
      scale from H to P and back at a pace that falls with :math:`\lambda`: on real
      data hundreds of sweeps go by before the penalty is at its optimum.

    References
    ----------
    S. Otalora-Montenegro, S. A. Perez-Rubiano and F. A. Gonzalez. Online matrix
    factorization for space embedding multilabel annotation. CIARP 2013, LNCS 8258.

    Examples
    --------
    >>> X = np.repeat([[2.0, 0.0, 1.0], [0.0, 2.0, 1.0]], 20, axis=0)
    >>> Y = np.repeat([[1, 0], [0, 1]], 20, axis=0)
    >>> model = OMMF(n_components=2, lam=0.1, random_state=0).fit(X, Y)
    >>> model.predict([[1.9, 0.1, 1.0], [0.2, 2.1, 0.9]])
    array([[1, 0],
           [0, 1]], dtype=uint8)
    """

    def __init__(
        self,
        n_components=10,
        *,
        alpha=0.9,
        lam=1.0,
        xi=None,
        gamma0=0.9,
        batch_size=500,
        epochs=10,
        shuffle=True,
        threshold=0.5,
        top=None,
        random_state=0,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.lam = lam
        self.xi = xi
        self.gamma0 = gamma0
        self.batch_size = batch_size
        self.epochs = epochs
        self.shuffle = shuffle
        self.threshold = threshold
        self.top = top
        self.random_state = random_state

    def partial_fit(self, X, Y):
        """Learn from one more mini-batch, X (n, d) and Y (n, q) of 0/1.

        The first call fixes the numbers of features and labels.
        """
        first = not hasattr(self, "P_")
        X, Y = self._validate(X, Y, reset=first)
        X, Y = _features(X), _labels(Y)
        if first:
            self._start(X.shape[1], Y.shape[1], check_random_state(self.random_state))
        if Y.shape[1] != len(self.Q_):
            raise ValueError(
                f"Y must have {len(self.Q_)} labels, as the first batch had, "
                f"got {Y.shape[1]}"
            )
        self.n_samples_seen_ += len(Y)
        self._step(X, Y)
        return self

    def _start(self, d: int, q: int, rng) -> None:
        """Check the settings and draw the starting point."""
        self._check_settings()
        self.P_ = rng.standard_normal((d, self.n_components))
        self.Q_ = rng.standard_normal((q, self.n_components))
        self.C_ = np.zeros((self.n_components, self.n_components))
        self.n_samples_seen_ = self.n_steps_ = 0

    def _fit(self, X, Y) -> None:
        n = X.shape[0]
        rng = check_random_state(self.random_state)
        self._start(X.shape[1], _labels(Y[:1]).shape[1], rng)
        for _ in range(self.epochs):
            order = rng.permutation(n) if self.shuffle else np.arange(n)
            for start in range(0, n, self.batch_size):
                # In ascending order, rows are read from a file in one direction.
                rows = np.sort(order[start : start + self.batch_size])
                self.n_samples_seen_ = min(n, self.n_samples_seen_ + len(rows))
                self._step(_features(X[rows]), _labels(Y[rows]))

    def _step(self, X, Y) -> None:
        """Learn from one mini-batch, counted already in ``n_samples_seen_``."""
        n, alpha = self.n_samples_seen_, self.alpha
        gamma = step_size(self.n_steps_, self.gamma0)
        P, Q, C = self.P_, self.Q_, self.C_
        if self.n_steps_:
            P, Q, C = balance(P, Q, C, n)
        H = latent(X, Y, P, Q, alpha, self.lam)
        # The first batch is all that is known of h.
        weight = gamma if self.n_steps_ else 1.0
        self.C_ = (1 - weight) * C + weight * (H.T @ H / len(H))
        for name, Z, W, share in [("P_", X, P, 1 - alpha), ("Q_", Y, Q, alpha)]:
            G = gradient(Z, W, H, share, self.lam / n)
            step = ridge_solve(share * self.C_, self.lam / n, G.T).T
            setattr(self, name, W - gamma * step)
        self.n_steps_ += 1

    def _score(self, X):
        xi = self.lam / (1 - self.alpha) if self.xi is None else self.xi
        return X @ label_map(self.P_, self.Q_, xi)

    def _validate(self, X, Y, reset: bool = True):
        # An array is not copied here, whatever the type of its numbers: it may be a
        # file larger than the memory. A batch becomes float64 when its turn comes.
        X, Y = validate_data(
            self,
            X,
            Y,
            reset=reset,
            accept_sparse="csr",
            dtype="numeric",
            multi_output=True,
        )
        return X, Y

    def _check_settings(self) -> None:
        check_count("n_components", self.n_components)
        check_count("batch_size", self.batch_size)
        check_count("epochs", self.epochs)
        for name in ("alpha", "lam", "gamma0"):
            check_above(name, getattr(self, name), 0)
        check_range("gamma0", self.gamma0, 0, 1)
        if not self.alpha < 1:
            raise ValueError(f"alpha must be a number below 1, got {self.alpha!r}")
        if self.xi is not None:
            check_above("xi", self.xi, 0)


def step_size(t: int, gamma0: float) -> float:
    """Size of step t = 0, 1, ...: ``gamma0 / (1 + gamma0 t / MEMORY)``."""
    return gamma0 / (1 + gamma0 * t / MEMORY)


def latent(X, Y, P, Q, alpha: float, lam: float):
    """H (n, s) with the least objective for these samples, P and Q being given.

    ``h = ((1-alpha) P'P + alpha Q'Q + lam I)^-1 ((1-alpha) P'x + alpha Q'y)``.
    """
    M = (1 - alpha) * (P.T @ P) + alpha * (Q.T @ Q)
    if len(P) + len(Q) < len(Y):  # fewer rows to solve for than there are samples
        A = ridge_solve(M, lam, (1 - alpha) * P.T).T
        return X @ A + Y @ ridge_solve(M, lam, alpha * Q.T).T
    R = (1 - alpha) * (X @ P) + alpha * (Y @ Q)
    return ridge_solve(M, lam, R.T).T


def gradient(Z, W, H, share: float, penalty: float):
    """Half the gradient by W of ``share |Z - H W'|^2 / n + penalty |W|^2``.

    That is the objective by P (Z = X) or by Q (Z = Y), a sample's part of it.
    """
    n = len(H)
    return penalty * W - (share / n) * (Z.T @ H - W @ (H.T @ H))


def balance(P, Q, C, n: int):
    """P, Q and C in the basis of the latent space in which the penalty is least.

    With P T, Q T and H T^-T for P, Q and H the fit is the same for any T, and
    ``|P|^2 + |Q|^2 + |H|^2``, where ``H'H = n C``, is least when the new ``P'P + Q'Q``
    and ``H'H`` are equal. Of the many such T, which differ by a rotation, the one is
    taken that makes both diagonal.
    """
    A = P.T @ P + Q.T @ Q
    s, size = len(A), np.trace(A)
    if not size * n * np.trace(C) > NOTHING:
        return P, Q, C
    A.flat[:: s + 1] += FAINT * size  # P and Q may have fewer rows than columns
    L = np.linalg.cholesky(A)
    squared, U = np.linalg.eigh(L.T @ (n * C) @ L)
    # A coordinate that is 0 in all batches so far must be able to grow later.
    squared = np.maximum(squared, FAINT * squared[-1])
    T = solve_triangular(L, U * squared**0.25, trans="T", lower=True)
    return P @ T, Q @ T, np.diag(np.sqrt(squared) / n)


def label_map(P, Q, xi: float):
    """The (d, q) matrix from a sample to its scores, ``Q (P'P + xi I)^-1 P' x``."""
    return P @ ridge_solve(P.T @ P, xi, Q.T)


def ridge_solve(A, ridge: float, B):
    """``(A + ridge I)^-1 B`` for a positive semi-definite A."""
    A = A + ridge * np.eye(len(A))
    return cho_solve(cho_factor(A, lower=True, overwrite_a=True), B)


def _features(X):
    return csr_array(X, dtype=np.float64) if issparse(X) else np.asarray(X, np.float64)


def _labels(Y):
    return (label_matrix(Y) > 0).astype(np.float64)
