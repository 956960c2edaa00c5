"""MLDA: keep the directions that separate the classes of a multi-label problem."""

import numpy as np

from mlbench.reducers.base import LinearReducer, check_range
from mlbench.reducers.linalg import (
    Shifted,
    full_rank_columns,
    ratio_directions,
    ridge_solver,
    scale_rows,
    squared_norm,
)


class MLDA(LinearReducer):
    r"""Multi-label linear discriminant analysis.

    Maximizes scatter between against scatter within classes: the leading
    eigenvectors of :math:`(S_w + \gamma I)^{-1} S_b`, where a sample belongs to every
    class to the degree its labels are correlated with it.

    ======  ======  ======================================================
    paper   shape   here
    ======  ======  ======================================================
    C       K x K   ``label_correlation(Y)``, cosines of label columns
    Z       n x K   ``class_weights(Y)``, rows of Y C over their label count
    m_k, m  p       class means and grand mean, weighted by Z
    S_b     p x p   ``F @ F.T``, a column per class
    S_w     p x p   not built: ``S_t - S_b``
    S_t     p x p   Gram matrix of the samples weighted by the rows of Z
    ======  ======  ======================================================

    Parameters
    ----------
    n_components : int
        The number of directions kept. At most q - 1 of them separate classes, so
        that a single label has none.
    ridge : float
        gamma. Ours: 1, against the scale of the data; 0 is the pseudo-inverse.
    fill : {"variance", "random"}
        How the directions past the rank are chosen. Ours.
    random_state : int, RandomState instance or None
        Seed of the random fill.

    Notes
    -----
    S_t = S_b + S_w takes the place of S_w. Since S_b w = lambda (S_w + gamma I) w is
    S_b w = lambda / (1 + lambda) (S_t + gamma I) w, the directions and their order
    are the same, and the matrix is better conditioned. Ours: labels without a sample
    and samples without a label are left out, and directions have unit length.

    References
    ----------
    H. Wang, C. Ding and H. Huang. Multi-label linear discriminant analysis. ECCV,
    2010.

    Examples
    --------
    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 9.0], [1.0, 9.0]]
    >>> Y = [[0, 1], [1, 0], [0, 1], [1, 0]]  # two classes, told apart by feature 0
    >>> MLDA(n_components=1).fit(X, Y).components_
    array([[1., 0.]])
    """

    def __init__(self, n_components=2, *, ridge=1.0, fill="variance", random_state=0):
        super().__init__(n_components, fill=fill, random_state=random_state)
        self.ridge = ridge

    def _directions(self, X, Y):
        check_range("ridge", self.ridge, 0)
        Z = class_weights(Y)
        if Z.shape[1] == 0:
            return np.empty((0, X.shape[1]))
        of_class, of_sample = Z.sum(axis=0), Z.sum(axis=1)
        m = X.T @ of_sample / of_sample.sum()
        shares = Z / np.sqrt(of_class)
        samples = Shifted(X, np.ones(len(Z)), m)
        noise = samples.rounding * np.sqrt(squared_norm(shares))
        F = full_rank_columns(samples.transposed_dot(shares), noise)
        roots = np.sqrt(of_sample)
        total = Shifted(scale_rows(X, roots), roots, m)
        return ratio_directions(F, ridge_solver(total, self.ridge))[0]


def label_correlation(Y):
    """C: cosines between the label columns of Y (n, q), none of them zero."""
    unit = Y / np.linalg.norm(Y, axis=0)
    return unit.T @ unit


def class_weights(Y):
    """Z: how much each sample belongs to each class that has a sample.

    ``Z_i = y_i C / |y_i|_1``; a sample without a label belongs to none.
    """
    Y = (Y > 0).astype(np.float64)
    Y = Y[:, Y.any(axis=0)]
    counts = Y.sum(axis=1, keepdims=True)
    return Y @ label_correlation(Y) / np.maximum(counts, 1)
