"""MLSI: latent semantic indexing that approximates features and labels at once."""

import numpy as np

from mlbench.reducers.base import LinearReducer, check_range
from mlbench.reducers.linalg import (
    centred,
    full_rank_columns,
    pencil_directions,
    row_space,
    squared_norm,
)


class MLSI(LinearReducer):
    r"""Multi-label informed latent semantic indexing.

    The leading eigenvectors of :math:`X^\top [(1 - \beta) X X^\top + \beta Y Y^\top]
    X w = \lambda (X^\top X + \gamma I) w`: the directions whose projections
    approximate features and labels best, weighted by beta.

    ======  ======  ==========================================================
    paper   shape   here
    ======  ======  ==========================================================
    X       N x M   ``X`` centred
    Y       N x L   ``Y``; that X is centred centres it
    beta    1       ``beta``
    gamma   1       ``ridge``
    w       M       a row of ``components_``
    ======  ======  ==========================================================

    All is done in the row space of X, where :math:`X^\top X` is diagonal: no n x n
    matrix, and no inverse of a singular one.

    Parameters
    ----------
    n_components : int
        The number of directions kept. As many as the rank of X have a value, not
        only as many as there are labels; with beta 1 at most as many as labels.
    beta : float
        Weight of the labels against the features, in [0, 1]; the paper's 0.5.
    ridge : float
        gamma. Ours: 1, against the scale of the data.
    fill : {"variance", "random"}
        How the directions past the rank are chosen. Ours.
    random_state : int, RandomState instance or None
        Seed of the random fill.

    Notes
    -----
    Ours: X is centred, and directions are scaled to unit length. Scaled as the
    eigenproblem leaves them, :math:`w^\top (X^\top X + \gamma I) w = 1`, the
    directions of least variance, which are noise, are the longest.

    References
    ----------
    K. Yu, S. Yu and V. Tresp. Multi-label informed latent semantic indexing. SIGIR,
    2005.

    Examples
    --------
    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [1.0, 2.0]]
    >>> Y = [[0], [1], [0], [1]]  # feature 0 is the label, feature 1 varies more
    >>> MLSI(n_components=1, beta=0.0).fit(X, Y).components_
    array([[0., 1.]])
    >>> MLSI(n_components=1, beta=1.0).fit(X, Y).components_
    array([[1., 0.]])
    """

    def __init__(
        self,
        n_components=2,
        *,
        beta=0.5,
        ridge=1.0,
        fill="variance",
        random_state=0,
    ):
        super().__init__(n_components, fill=fill, random_state=random_state)
        self.beta = beta
        self.ridge = ridge

    def _directions(self, X, Y):
        check_range("ridge", self.ridge, 0)
        check_range("beta", self.beta, 0, 1)
        Xc, _ = centred(X)
        V, squares = row_space(Xc)
        XY = Xc.transposed_dot(Y)
        F = V @ XY
        A = self.beta * F @ F.T + (1 - self.beta) * np.diag(squares**2)
        W = pencil_directions(A, V, squares, self.ridge)
        if self.beta < 1:
            return W
        noise = Xc.rounding * np.sqrt(squared_norm(Y))
        return W[: full_rank_columns(XY, noise).shape[1]]
