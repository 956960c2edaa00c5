"""MDDM: keep the directions on which features and labels depend most."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mlbench.reducers.base import LinearReducer, check_choice, check_range
from mlbench.reducers.linalg import (
    EPS,
    centred_columns,
    full_rank_columns,
    squared_norm,
    unit_rows,
)

KERNELS = ("linear", "quadratic", "rbf")
SHARES = ("singular_values", "eigenvalues")


class MDDM(LinearReducer):
    r"""Multi-label dimensionality reduction via dependence maximization.

    Maximizes the dependence (HSIC) between projected features and labels,
    :math:`\max_P \operatorname{tr}(H X^\top P P^\top X H L)` subject to
    :math:`P_i^\top P_j = \delta_{ij}` (equation 3): the leading eigenvectors of
    :math:`X H L H X^\top`.

    ======  =========  =====================================================
    paper   shape      here
    ======  =========  =====================================================
    X       D x N      ``X.T`` (one sample per row)
    Y       Q x N      ``Y.T``
    H       N x N      centring, of the labels: H is idempotent
    L       N x N      ``Phi @ Phi.T``, never built; Phi = Y if linear
    P       D x d      ``components_.T``
    lambda  d          ``eigenvalues_``, squared singular values of X'H Phi
    ======  =========  =====================================================

    The paper decomposes a D x D matrix in O(D^3). With :math:`L = \Phi\Phi^\top`
    that matrix is :math:`S S^\top`, :math:`S = X H \Phi`, and its eigenvectors are
    the left singular vectors of S, which has a column per label.

    Parameters
    ----------
    n_components : int
        d, the number of directions kept. At most ``rank(S)`` of them carry
        dependence; a label constant in training adds none.
    kernel : {"linear", "quadratic", "rbf"}
        l, the kernel on label sets: ``<y, y'>``, ``(<y, y'> + 1)^2`` or
        ``exp(-gamma |y - y'|^2)``. Ours: the paper names them without formula; a
        quadratic kernel without the 1 would give less weight to single labels.
    gamma : float or None
        Of the RBF kernel; None is 1 / number of labels. Ours.
    fill : {"variance", "random"}
        How the directions past the rank are chosen. Ours.
    random_state : int, RandomState instance or None
        Seed of the random fill.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
    eigenvalues_ : ndarray
        All that are not zero, largest first, however many components are kept.
    rank_ : int
        Directions among the kept that carry dependence; the rest are fill.

    References
    ----------
    Y. Zhang and Z.-H. Zhou. Multi-label dimensionality reduction via dependence
    maximization. AAAI, 2008.

    Examples
    --------
    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    >>> Y = [[0], [1], [0], [1]]  # the label is feature 0
    >>> MDDM(n_components=1).fit(X, Y).components_
    array([[1., 0.]])
    """

    def __init__(
        self,
        n_components=2,
        *,
        kernel="linear",
        gamma=None,
        fill="variance",
        random_state=0,
    ):
        super().__init__(n_components, fill=fill, random_state=random_state)
        self.kernel = kernel
        self.gamma = gamma

    def dimension_for(self, threshold, of="singular_values"):
        """Fewest directions that hold a share of the dependence.

        The smallest d with ``sum_{i<=d} lambda_i >= threshold * sum_i lambda_i``
        (Figure 1, step 6), over the eigenvalues or over their square roots, the
        singular values of S. The paper's text says eigenvalues, the dimensions that
        reproduce its table come from singular values.
        """
        check_is_fitted(self)
        check_choice("of", of, SHARES)
        if not 0 < threshold <= 1:
            raise ValueError(f"threshold must be a share in (0, 1], got {threshold}")
        if len(self.eigenvalues_) == 0:
            raise ValueError(
                "no dimension holds a share of the dependence: no label varies with "
                "any feature, at least one has to"
            )
        squares = self.eigenvalues_
        held = np.cumsum(squares if of == "eigenvalues" else np.sqrt(squares))
        return int(np.searchsorted(held / held[-1], threshold)) + 1

    def _directions(self, X, Y):
        check_choice("kernel", self.kernel, KERNELS)
        if self.gamma is not None:
            check_range("gamma", self.gamma, 0)
        Phi = centred_columns(self._label_features(Y))
        noise = max(X.shape) * EPS * np.sqrt(squared_norm(X) * squared_norm(Phi))
        S = full_rank_columns(X.T @ Phi, noise)
        self.eigenvalues_ = np.sum(S**2, axis=0)
        return unit_rows(S.T)

    def _label_features(self, Y):
        if self.kernel == "quadratic":
            return quadratic_features(Y)
        return rbf_features(Y, self.gamma) if self.kernel == "rbf" else Y


def choose_dimension(
    X, Y, threshold, of="singular_values", *, kernel="linear", gamma=None
):
    """Dimension MDDM chooses on X (n, d) and Y (n, q): see ``MDDM.dimension_for``."""
    model = MDDM(n_components=1, kernel=kernel, gamma=gamma).fit(X, Y)
    return model.dimension_for(threshold, of)


def quadratic_features(Y):
    """Phi with ``Phi Phi' = (Y Y' + 1)^2``: labels, their squares and their pairs.

    Pairs of labels that never occur together would be columns of zeros and are left
    out; the constant feature is left to centring.
    """
    present = (Y != 0).astype(np.float64)
    first, second = np.nonzero(np.triu(present.T @ present, k=1))
    pairs = Y[:, first] * Y[:, second]
    return np.hstack([np.sqrt(2) * Y, Y**2, np.sqrt(2) * pairs])


def rbf_features(Y, gamma=None):
    """Phi with ``Phi Phi' = exp(-gamma |y_i - y_j|^2)``, by distinct label sets.

    Samples with the same labels share a row of the kernel: the matrix decomposed has
    a row per distinct label set, not per sample.
    """
    sets, of_sample = np.unique(Y, axis=0, return_inverse=True)
    gamma = 1 / Y.shape[1] if gamma is None else gamma
    sizes = np.sum(sets**2, axis=1)
    distances = sizes[:, None] + sizes - 2 * sets @ sets.T  # exact for 0/1
    values, V = np.linalg.eigh(np.exp(-gamma * distances))
    return (V * np.sqrt(np.maximum(values, 0)))[of_sample.reshape(-1)]
