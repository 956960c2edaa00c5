"""Two classifiers that are quick, and easy to write out, and data for them."""

import numpy as np
from sklearn.base import BaseEstimator

from mlbench.classifiers.base import LabelClassifier
from mlbench.pipeline import Arrays


class Ridge(LabelClassifier):
    """Ridge regression on the first few features: quick, and easy to write out."""

    def __init__(self, n_components=3, lam=1.0, threshold=0.5, top=None):
        self.n_components = n_components
        self.lam = lam
        self.threshold = threshold
        self.top = top

    def _fit(self, X, Y):
        X = X[:, : self.n_components]
        self.coef_ = np.linalg.solve(X.T @ X + self.lam * np.eye(X.shape[1]), X.T @ Y)

    def _score(self, X):
        return X[:, : self.n_components] @ self.coef_


class Plain(BaseEstimator):
    """A class as a user may write it: nothing of ours in it."""

    def __init__(self, n_components=3, lam=1.0):
        self.n_components = n_components
        self.lam = lam

    def fit(self, X, Y):
        self.model_ = Ridge(self.n_components, self.lam).fit(X, Y)
        return self

    def decision_function(self, X):
        return self.model_.decision_function(X)

    def predict(self, X):
        return self.model_.predict(X)


def toy_data():
    """60 samples to learn from and 30 to test on: 8 features, 5 labels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 8))
    Y = (X @ rng.normal(size=(8, 5)) + rng.normal(size=(90, 5)) > 1).astype(np.uint8)
    return Arrays(X[:60], Y[:60], X[60:], Y[60:])
