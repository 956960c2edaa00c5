"""NMF whose parts sum to 1: the constraint of the reliability paper."""

import numpy as np

from mlbench.reducers.nmf import NMF


class SumNMF(NMF):
    r"""Non-negative matrix factorization with :math:`\sum_i z_{il} = 1`.

    What :class:`~mlbench.reducers.nmf.NMF` finds, with every part scaled to sum 1
    instead of length 1. A factorization leaves the scale of a part open, so that the
    constraint (4.2) changes no fit: only the weights of the samples, by a factor for
    each part.

    =====  ======  ==============================================
    paper  shape   here
    =====  ======  ==============================================
    X      N x M   ``X.T``: the paper puts samples in columns
    Z      N x L   ``components_.T``, the parts
    H      L x M   ``transform(X).T``
    =====  ======  ==============================================

    Parameters
    ----------
    n_components : int
        L, the number of parts.
    loss : {"frobenius", "kullback-leibler"}
        What is minimized: (4.1) or (4.4).
    repeats, max_iter, tol, random_state
        As in NMF.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The parts, each of sum 1; a part that is zero stays so.
    objective_ : list of float
    n_iter_ : int

    References
    ----------
    Gamit Dipali. Classification using multiplicative update rules in non-negative
    matrix factorization. Section IV.

    Examples
    --------
    >>> X = np.array([[2.0, 2.0, 0.0], [0.0, 0.0, 3.0], [1.0, 1.0, 3.0]])
    >>> parts = SumNMF(n_components=2, tol=1e-9, random_state=0).fit(X)
    >>> parts.components_.sum(axis=1)
    array([1., 1.])
    """

    def _keep(self, U, objective):
        """Keep the parts U (d, L) with columns of sum 1, and how they came."""
        super()._keep(U, objective)
        sums = self.components_.sum(axis=1, keepdims=True)
        self.components_ = self.components_ / np.where(sums > 0, sums, 1)
