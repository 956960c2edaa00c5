"""Ridge regression from features to labels, and what decodes its answer."""

from abc import abstractmethod

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.base import clone

from mlbench.classifiers.base import LabelClassifier
from mlbench.reducers.base import check_range
from mlbench.reducers.linalg import (
    WELL_CONDITIONED,
    centred,
    centred_columns,
    ridge_solver,
)


def ridge_regression(X, T, ridge: float):
    r"""Weights W (d, t) and intercept b (t,) of the best linear map from X to T.

    Minimizes :math:`\|T - X W - 1 b^\top\|^2 + \gamma \|W\|^2` exactly; the intercept
    is free of the penalty. X (n, d) is dense or CSR and is never filled when sparse;
    T is (n, t). Without penalty, and with more than one minimum, W is the shortest.

    The matrix that is factored is the smaller one: :math:`X^\top X` (d x d) or, in
    :math:`W = X^\top (X X^\top + \gamma I)^{-1} T`, the n x n one.

    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> ridge_regression(X, 2 * X + 1, ridge=0)
    (array([[2.]]), array([1.]))
    """
    Xc, mean = centred(X)
    Tc = centred_columns(T)
    n, d = X.shape
    if n < d and ridge > WELL_CONDITIONED * Xc.size:
        factor = cho_factor(Xc.outer() + ridge * np.eye(n))
        W = Xc.transposed_dot(cho_solve(factor, Tc))
    else:
        W = ridge_solver(Xc, ridge)(Xc.transposed_dot(Tc))
    return W, T.mean(axis=0) - mean @ W


class LabelCode(LabelClassifier):
    """Predict a linear code of the labels by ridge regression, then decode it.

    A regression is linear in its targets: the one to a code ``Y C`` (n, s) is the one
    to Y itself, times C. So one regression serves codes of every size, which
    ``fit_many`` makes use of.

    A subclass says in ``_learn(Y)`` what codes of every size have in common, and in
    ``_encode(common)`` which C (q, s) its settings ask for.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, s)
    intercept_ : ndarray of shape (s,)
        Of the regression to the code.
    """

    def fit_many(self, X, Y, settings):
        """Fitted copies with each of the settings; one regression for each ridge."""
        solved = {}
        for changed in settings:
            model = clone(self).set_params(**changed)
            checked = model._validate(X, Y)
            if model.ridge not in solved:
                solved[model.ridge] = model._solve(*checked)
            model._keep(*solved[model.ridge])
            yield model

    def _fit(self, X, Y) -> None:
        self._keep(*self._solve(X, Y))

    def _solve(self, X, Y):
        check_range("ridge", self.ridge, 0)
        return *ridge_regression(X, Y, self.ridge), self._learn(Y)

    def _keep(self, W, b, common) -> None:
        C = self._encode(common)
        self.coef_, self.intercept_ = W @ C, b @ C

    def _code(self, X):
        """Predicted code (n, s) of the samples X."""
        return X @ self.coef_ + self.intercept_

    @abstractmethod
    def _learn(self, Y):
        """Return what the codes of every size take from the labels Y (n, q)."""

    @abstractmethod
    def _encode(self, common):
        """Return C (q, s) from what ``_learn`` found."""
