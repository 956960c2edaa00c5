"""CCA + SVM: one linear machine per label, on the canonical directions."""

import numpy as np

from mlbench.classifiers.base import LabelClassifier
from mlbench.classifiers.ova import OVA
from mlbench.reducers.base import check_count
from mlbench.reducers.cca import CCA


class CCASVM(LabelClassifier):
    """Canonical correlation analysis of features and labels, then one SVM per label.

    The samples are projected on the directions of ``mlbench.reducers.cca.CCA`` that
    correlate with the labels, and on no others; ``mlbench.classifiers.ova.OVA`` learns
    the labels from the projection.

    =====  ======  ====================================================
    paper  shape   here
    =====  ======  ====================================================
    X      d x n   ``X.T`` centred (one sample per row)
    W      d x l   ``components_.T``, l directions
    gamma  1       ``ridge``
    =====  ======  ====================================================

    Parameters
    ----------
    n_components : int or None
        Number of directions, most correlated first. There are no more of them than
        the rank of the centred labels: None, or a larger number, is all there are.
    ridge : float
        gamma. Ours: 1, as in CCA.
    C : float
        Weight of the losses of the machines. Ours: 1, as in OVA.
    tol, max_iter : float and int
        When the solver of the machines stops. Ours, as in OVA.
    threshold : float
        Labels of a score above it are predicted; 0 is the border of a machine.
    top : int or None
        Predict that many labels of highest score instead.

    Attributes
    ----------
    components_ : ndarray of shape (rank_, n_features)
        The directions, of unit length.
    mean_ : ndarray of shape (n_features,)
    rank_ : int
        Number of directions used; 0 when the features tell nothing about the labels,
        and every sample is then scored alike.
    ova_ : OVA
        The machines.

    References
    ----------
    L. Sun, S. Ji and J. Ye. Canonical correlation analysis for multilabel
    classification: a least-squares formulation, extensions, and analysis. IEEE
    TPAMI 33(1), 2011.

    Examples
    --------
    >>> X = [[0.0, 5.0], [1.0, 3.0], [2.0, 5.0], [3.0, 3.0]]
    >>> model = CCASVM().fit(X, [[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> model.rank_
    1
    >>> model.predict([[0.0, 4.0], [3.0, 4.0]])
    array([[1, 0],
           [0, 1]], dtype=uint8)
    """

    def __init__(
        self,
        n_components=None,
        *,
        ridge=1.0,
        C=1.0,
        tol=1e-4,
        max_iter=1000,
        threshold=0.0,
        top=None,
    ):
        self.n_components = n_components
        self.ridge = ridge
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.threshold = threshold
        self.top = top

    def _fit(self, X, Y) -> None:
        most = min(X.shape[1], Y.shape[1])
        if self.n_components is not None:
            check_count("n_components", self.n_components)
            most = min(most, self.n_components)
        # What is past the rank is dropped: the cheaper fill will do.
        reducer = CCA(most, ridge=self.ridge, fill="random").fit(X, Y)
        self.rank_ = reducer.rank_
        self.components_ = reducer.components_[: self.rank_]
        self.mean_ = reducer.mean_
        machines = OVA(C=self.C, tol=self.tol, max_iter=self.max_iter)
        self.ova_ = machines.fit(self._project(X), Y)

    def _score(self, X):
        return self.ova_.decision_function(self._project(X))

    def _project(self, X):
        """Coordinates of X on the directions; one that is 0 if there are none."""
        Z = X @ self.components_.T - self.components_ @ self.mean_
        return Z if self.rank_ else np.zeros((X.shape[0], 1))
