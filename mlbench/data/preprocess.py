"""From raw features to what a method is given: which words, what weight, what scale.

scikit-learn is imported where it is used: asking whether values can be negative must
not cost its import.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse

from mlbench.errors import unknown

CHOICES = {
    "by": ("count", "documents"),
    "weighting": ("counts", "binary", "tfidf"),
    "scale": ("none", "l1", "l2", "minmax"),
}


@dataclass(frozen=True)
class Preprocess:
    """Three steps in this order: keep some words, weight the counts, scale.

    The words are chosen on the whole set (:meth:`select`): the choice looks at no
    label, and the papers state one vocabulary per data set, not one per split.
    What is learnt in the other two steps is learnt on the training samples alone
    (:meth:`fit_transform`).

    Parameters
    ----------
    keep : float or None
        Fraction of the words to keep, rounded to a number, at least one; None keeps
        all.
    by : {"count", "documents"}
        Keep the words with the largest total count, or those in most documents (a
        word is in a document when its value is not 0). Ours: of equals, the one
        that comes first.
    weighting : {"counts", "binary", "tfidf"}
        The values as they are; 1 where not 0; or times the inverse document
        frequency ``ln((1 + n) / (1 + documents with the word)) + 1``, n and the
        documents being those of the training part.
    scale : {"none", "l1", "l2", "minmax"}
        Not at all; each sample to unit length (sum of absolute values, or
        Euclidean), a sample of zeros staying zeros; or each feature to [0, 1] over
        the training part.
        Ours: min-max cuts test values off at 0 and 1, because it is there for the
        methods that refuse negative input, and a test value below all training
        values would be negative. A feature that is constant over the training
        part becomes 0 everywhere.
    """

    keep: float | None = None
    by: str = "count"
    weighting: str = "counts"
    scale: str = "none"

    def __post_init__(self):
        if self.keep is not None and not 0 < self.keep <= 1:
            raise ValueError(f"keep must be a fraction in (0, 1], got {self.keep}")
        for field, known in CHOICES.items():
            value = getattr(self, field)
            if value not in known:
                raise ValueError(unknown(field, value, known))

    def select(self, X):
        """Columns of X (n, d) to keep, in ascending order.

        >>> Preprocess(keep=0.5).select(np.array([[1, 0, 2, 9], [1, 0, 1, 0]]))
        array([2, 3])
        """
        d = X.shape[1]
        if self.keep is None:
            return np.arange(d)
        kept = max(1, round(self.keep * d))
        worth = X.sum(axis=0) if self.by == "count" else (X != 0).sum(axis=0)
        return np.sort(np.argsort(-worth, kind="stable")[:kept])

    def fit_transform(self, X_train, X_test):
        """Weight and scale both parts with what the training part (n, d) teaches.

        Sparse stays sparse, except that min-max makes both parts dense when the
        smallest training value of some feature is not 0. The arguments are not
        changed, but where there is nothing to do they are returned themselves.
        """
        return _scale(self.scale, *_weight(self.weighting, X_train, X_test))

    def is_nonnegative(self, minimum) -> bool:
        """Whether no value is below 0 after this, when ``minimum`` is the smallest."""
        return minimum >= 0 or self.weighting == "binary" or self.scale == "minmax"


def _weight(weighting, X_train, X_test):
    if weighting == "binary":
        return _present(X_train), _present(X_test)
    if weighting == "tfidf":
        from sklearn.feature_extraction.text import TfidfTransformer

        # An explicit zero in a sparse matrix would count as a document.
        idf = TfidfTransformer(norm=None).fit(_present(X_train)).idf_
        return tuple(_by_column(np.multiply, X, idf) for X in (X_train, X_test))
    return X_train, X_test


def _present(X):
    """1 where X is not 0, 0 elsewhere; without explicit zeros when sparse."""
    return (X != 0).astype(np.float64)


def _scale(scale, X_train, X_test):
    if scale == "minmax":
        return _minmax(X_train, X_test)
    if scale in ("l1", "l2"):
        from sklearn.preprocessing import normalize

        return normalize(X_train, norm=scale), normalize(X_test, norm=scale)
    return X_train, X_test


def _minmax(X_train, X_test):
    """Each feature to [0, 1] over the training part.

    By hand, because scikit-learn's scaler takes no sparse matrix, and scales a
    feature that is constant in training by 1: its test values would not become 0.
    """
    low, high = (np.ravel(_dense(end(axis=0))) for end in (X_train.min, X_train.max))
    if low.any():
        X_train, X_test = _dense(X_train) - low, _dense(X_test) - low
    # Anything divided by an infinite width is 0.
    width = np.where(high > low, high - low, np.inf)
    return tuple(_clip(_by_column(np.divide, X, width)) for X in (X_train, X_test))


def _by_column(operation, X, row):
    """``operation(X, row)`` that leaves zeros as they are; a sparse X stays sparse."""
    if not issparse(X):
        return operation(X, row)
    result = X.astype(np.float64)  # a copy, or the indices would be shared with X
    result.data = operation(result.data, row[result.indices])
    return result


def _clip(X):
    """X, which is ours to change, cut off at 0 and 1."""
    if not issparse(X):
        return np.clip(X, 0.0, 1.0, out=X)
    X.data = np.clip(X.data, 0.0, 1.0)
    X.eliminate_zeros()
    return X


def _dense(X):
    return X.toarray() if issparse(X) else X
