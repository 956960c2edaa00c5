"""MME: samples and labels in one space, on the right side of each other by a margin."""

import numpy as np
from scipy.optimize import minimize

from mlbench.classifiers.base import LabelClassifier
from mlbench.reducers.base import check_above, check_count, check_range
from mlbench.reducers.nmf import finished

STEPS = 20  # most steps in one map before it is the other's turn: far ones are wasted
# L-BFGS-B ends before that when a step gains this share, or no slope is left.
SOLVED = {"ftol": 1e-10, "gtol": 1e-10}


class MME(LabelClassifier):
    r"""Max-margin embedding for multi-label learning.

    A sample is mapped to :math:`W^\top x`, label l to :math:`v_l`, and the score of
    the label is their product (plus a bias). Minimizes

    .. math:: \tfrac12 \|W\|^2 + \tfrac12 \|V\|^2
              + C \sum_{i, l} \max(0, 1 - y_{il} (x_i^\top W v_l + b_l))^2

    with :math:`y_{il}` = 1 for a label of the sample and -1 for any other: with a
    margin that counts wrong labels (Hamming) the maximum over label vectors of a
    structured hinge loss is a sum over labels.

    ======  ======  ======================================================
    letter  shape   here
    ======  ======  ======================================================
    X       n x d   ``X``
    y       n x q   ``2 Y - 1``, S in the code
    W       d x s   ``components_.T``
    V       s x q   ``label_components_``, column l is v_l
    b       q       ``intercept_``
    ======  ======  ======================================================

    V (with b) and W (with b) take turns, each a convex problem, by L-BFGS. Between
    turns the product WV is shared out again between them, which lowers the penalty and
    changes no score: at a given product the least :math:`\tfrac12(\|W\|^2 + \|V\|^2)`
    is the sum of its singular values.

    The original reference was not at hand: the definition is a summary of it. Ours:
    the square of the hinge, which has a derivative, so that every step can be one of
    descent; biases without a penalty, as most labels are rare and a score of -1 is the
    usual one; the starting point; the solver and its stopping rule. Since all entries
    weigh the same, scores of rare labels stay below 0: a threshold of 0 predicts too
    few labels, a lower one is to be chosen on samples not used for fitting.

    Parameters
    ----------
    n_components : int
        s, the dimension of the common space. As WV has no higher rank than the numbers
        of features and of labels, more dimensions than the smaller of these would be
        zero, and are left out.
    C : float
        Weight of the loss. Depends on the scale of the features, and is to be chosen
        like the threshold.
    max_iter : int
        Most turns of both maps. Ours.
    tol : float
        Stop when a turn gains less than this share of all that was gained since the
        start. Ours.
    threshold, top : float, int or None
        How scores become labels: the ``top`` highest, or those above ``threshold``.

    Attributes
    ----------
    components_ : ndarray of shape (s, n_features)
    label_components_ : ndarray of shape (s, n_labels)
    intercept_ : ndarray of shape (n_labels,)
    objective_ : list of float
        The objective at the start and after each turn; never increases.
    n_iter_ : int
        Number of turns.

    References
    ----------
    S. Park and S. Choi. Max-margin embedding for multi-label learning. Pattern
    Recognition Letters, 2012.

    Examples
    --------
    >>> X = [[2.0, 0.0], [4.0, 0.0], [0.0, 3.0], [3.0, 3.0]]
    >>> Y = [[1, 0], [1, 0], [0, 1], [1, 1]]
    >>> MME(n_components=2, C=10.0).fit(X, Y).predict([[3.0, 0.0], [3.0, 4.0]])
    array([[1, 0],
           [1, 1]], dtype=uint8)
    """

    def __init__(
        self, n_components=10, *, C=0.1, max_iter=50, tol=1e-3, threshold=0.0, top=None
    ):
        self.n_components = n_components
        self.C = C
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.top = top

    def _fit(self, X, Y) -> None:
        check_count("n_components", self.n_components)
        check_above("C", self.C, 0)
        check_count("max_iter", self.max_iter)
        check_range("tol", self.tol, 0)
        S = 2 * Y - 1
        W, V, b = start(X, S, min(self.n_components, X.shape[1], Y.shape[1]))
        self.objective_ = [objective(X, S, W, V, b, self.C)]
        while not finished(self.objective_, self.max_iter + 1, self.tol):
            V, b = label_map(X @ W, S, V, b, self.C)
            W, b = instance_map(X, S, W, V, b, self.C)
            W, V = balance(W, V)
            self.objective_.append(objective(X, S, W, V, b, self.C))
        self.n_iter_ = len(self.objective_) - 1
        self.components_, self.label_components_, self.intercept_ = W.T, V, b

    def _score(self, X):
        return X @ self.components_.T @ self.label_components_ + self.intercept_


def start(X, S, s: int):
    """W (d, s), V (s, q) and b to start from.

    With V = 0 the best b is the mean of S, and the loss falls fastest along the first
    singular vectors of ``X' (S - b)``: these are W. Nothing is drawn at random.
    """
    b = S.mean(axis=0)
    U, _, _ = np.linalg.svd(X.T @ (S - b), full_matrices=False)
    return U[:, :s], np.zeros((s, S.shape[1])), b


def objective(X, S, W, V, b, C: float) -> float:
    """What is minimized, at one point."""
    return penalty(W) + penalty(V) + hinge(X @ W @ V + b, S, C)[0]


def penalty(A) -> float:
    """``|A|^2 / 2``."""
    return float(np.vdot(A, A)) / 2


def hinge(F, S, C: float):
    """``C sum max(0, 1 - s f)^2`` over all entries, and its derivative by F.

    >>> hinge(np.array([[2.0, -0.5]]), np.array([[1.0, 1.0]]), C=1.0)
    (2.25, array([[-0., -3.]]))
    """
    short = S * F
    np.subtract(1, short, out=short)
    np.maximum(short, 0, out=short)
    loss = C * float(np.vdot(short, short))
    short *= S
    short *= -2 * C
    return loss, short


def label_value(Z, S, V, b, C: float):
    """The objective as a function of V and b, and its derivatives; Z is ``X W``."""
    loss, R = hinge(Z @ V + b, S, C)
    return penalty(V) + loss, V + Z.T @ R, R.sum(axis=0)


def instance_value(X, S, W, V, b, C: float):
    """The objective as a function of W and b, and its derivatives."""
    loss, R = hinge(X @ W @ V + b, S, C)
    return penalty(W) + loss, W + X.T @ (R @ V.T), R.sum(axis=0)


def label_map(Z, S, V, b, C: float):
    """V and b, closer to their optimum with W held fixed."""
    return descend(lambda V, b: label_value(Z, S, V, b, C), V, b)


def instance_map(X, S, W, V, b, C: float):
    """W and b, closer to their optimum with V held fixed."""
    return descend(lambda W, b: instance_value(X, S, W, V, b, C), W, b)


def descend(value, A, b, steps: int = STEPS):
    """Descend from a matrix A and a vector b by L-BFGS.

    ``value(A, b)`` is the function and its two derivatives. A step is only taken when
    it lowers the function.
    """

    def flat(point):
        at, dA, db = value(*apart(point))
        return at, np.concatenate([dA.ravel(), db])

    def apart(point):
        return point[: A.size].reshape(A.shape), point[A.size :]

    here = np.concatenate([A.ravel(), b])
    options = {"maxiter": steps, "maxfun": 10 * steps, **SOLVED}
    found = minimize(flat, here, jac=True, method="L-BFGS-B", options=options)
    return apart(found.x)


def balance(W, V):
    """The W (d, s) and V (s, q) of least length that have the same product.

    With ``W V = U D T`` its singular value decomposition, ``U D^(1/2)`` and
    ``D^(1/2) T``; from those of two small factors, never of the d x q product.
    """
    Q_w, R_w = np.linalg.qr(W)
    Q_v, R_v = np.linalg.qr(V.T)
    U, sizes, T = np.linalg.svd(R_w @ R_v.T)
    root = np.sqrt(sizes)
    return Q_w @ (U * root), root[:, None] * T @ Q_v.T
