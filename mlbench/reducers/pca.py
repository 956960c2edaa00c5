"""PCA: the unsupervised baseline, directions of largest variance."""

from mlbench.reducers.base import LinearReducer
from mlbench.reducers.linalg import centred, row_space


class PCA(LinearReducer):
    r"""Principal component analysis.

    Maximizes the variance kept, :math:`\max_P \operatorname{tr}(P^\top X_c^\top X_c
    P)` subject to :math:`P^\top P = I`: the leading eigenvectors of the scatter of
    the centred samples. Labels are not used.

    Parameters
    ----------
    n_components : int
        The number of directions kept. n samples vary in at most n - 1 directions;
        the axes least in their span complete them.
    fill : {"variance", "random"}
        "random" completes them at random instead. Ours.
    random_state : int, RandomState instance or None
        Seed of the random fill.

    References
    ----------
    I. T. Jolliffe. Principal Component Analysis. Springer, 1986.

    Examples
    --------
    >>> X = [[0.0, 0.0, 1.0], [2.0, 0.0, 1.0], [0.0, 1.0, 1.0], [2.0, 1.0, 1.0]]
    >>> PCA(n_components=2).fit(X).components_
    array([[1., 0., 0.],
           [0., 1., 0.]])
    """

    supervised = False

    def _directions(self, X, Y):
        return row_space(centred(X)[0], most=self.n_components)[0]
