"""What every linear projection shares: checks, centring, completion, projection."""

from abc import abstractmethod
from math import inf
from numbers import Integral, Real

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from mlbench.reducers.linalg import (
    centred,
    complement,
    dense,
    fix_signs,
    orthonormal,
    row_space,
)

FILLS = ("variance", "random")


class Reducer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What a reducer says about itself, and how it checks its input.

    ``nested``: the first r columns of a larger fit are the fit with r. ``reduces``:
    takes ``n_components``. ``supervised``: needs labels. ``nonnegative``: takes
    features of 0 or more, and gives such.
    """

    nested = True
    reduces = True
    supervised = True
    nonnegative = False

    def _validate(self, X, Y):
        """X (n, d) dense or CSR array, Y (n, q); None in place of a Y not used."""
        options = {
            "accept_sparse": "csr",
            "dtype": np.float64,
            "ensure_min_samples": 2,
        }
        if self.supervised:
            X, Y = validate_data(self, X, Y, multi_output=True, **options)
            Y = label_matrix(Y)
        else:
            X, Y = validate_data(self, X, **options), None
        return csr_array(X) if issparse(X) else X, Y

    @property
    def _n_features_out(self) -> int:
        return self.n_components

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.nonnegative
        tags.target_tags.required = self.supervised
        tags.target_tags.multi_output = True
        return tags


class LinearReducer(Reducer):
    """Project centred features on ``n_components`` directions.

    A subclass states its mathematics in ``_directions``, which returns all the
    directions the method has an opinion on, most important first. Asked for more,
    the base class completes them with an orthonormal basis of what is left, so that
    the first r directions of a larger fit are those of a fit with r.

    Parameters
    ----------
    n_components : int
        r, the number of directions kept.
    fill : {"variance", "random"}
        How the directions past the rank are chosen: by decreasing variance of the
        training samples outside of the directions found, or at random. Ours.
    random_state : int, RandomState instance or None
        Seed of the random fill.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
    mean_ : ndarray of shape (n_features,)
    rank_ : int
        How many of the directions are the method's own; the rest are fill.
    """

    def __init__(self, n_components=2, *, fill="variance", random_state=0):
        self.n_components = n_components
        self.fill = fill
        self.random_state = random_state

    def fit(self, X, Y=None):
        """Learn the directions from features X (n, d) and labels Y (n, q) of 0/1."""
        X, Y = self._validate(X, Y)
        check_n_components(self.n_components, X.shape[1])
        check_choice("fill", self.fill, FILLS)
        own = self._directions(X, Y)[: self.n_components]
        self.rank_ = len(own)
        if self.rank_ < self.n_components:
            own = np.vstack([own, self._filler(own, X)])
        self.components_ = fix_signs(own)
        self.mean_ = self._origin(X)
        return self

    def transform(self, X):
        """Project X (n, d) to (n, n_components)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        if issparse(X):
            return X @ self.components_.T - self.components_ @ self.mean_
        return (X - self.mean_) @ self.components_.T

    @abstractmethod
    def _directions(self, X, Y):
        """Return the (rank, d) directions for X (n, d), dense or CSR, and Y (n, q)."""

    def _origin(self, X):
        """What is subtracted from a sample before it is projected."""
        return np.asarray(X.mean(axis=0))

    def _filler(self, own, X):
        """Orthonormal rows outside of ``own``: as many as are missing."""
        basis = orthonormal(own)
        missing = self.n_components - len(own)
        if self.fill == "random":
            rng = check_random_state(self.random_state)
            drawn = rng.standard_normal((missing, X.shape[1]))
            return orthonormal(drawn, after=basis)
        varying, _ = row_space(centred(X)[0], most=missing, without=basis)
        still = complement(np.vstack([basis, varying]), missing - len(varying))
        return np.vstack([varying, still])


def label_matrix(Y):
    """Labels as an (n, q) array of floats; a vector of labels is one column."""
    Y = dense(Y)
    return np.asarray(Y, dtype=np.float64).reshape(len(Y), -1)


def check_n_components(n_components, n_features: int) -> None:
    """Raise when so many components cannot be had from so many features."""
    if not _is_whole(n_components) or not 1 <= n_components <= n_features:
        raise ValueError(
            f"n_components must be in 1..{n_features} (the number of features), "
            f"got {n_components}"
        )


def check_choice(name: str, value, choices: tuple[str, ...]) -> None:
    """Raise when a setting is none of its choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")


def check_count(name: str, value) -> None:
    """Raise when a setting is not a whole number of at least 1."""
    if not _is_whole(value) or value < 1:
        raise ValueError(f"{name} must be a whole number from 1 on, got {value!r}")


def check_above(name: str, value, bound: float) -> None:
    """Raise when a setting is not a finite number above ``bound``."""
    if not _is_number(value) or not bound < value < inf:
        raise ValueError(f"{name} must be a number above {bound}, got {value!r}")


def check_range(name: str, value, least: float, most: float = inf) -> None:
    """Raise when a setting is not a finite number from ``least`` to ``most``."""
    if not _is_number(value) or not least <= value <= most or value == inf:
        end = "on" if most == inf else f"to {most}"
        raise ValueError(f"{name} must be a number from {least} {end}, got {value!r}")


def _is_whole(value) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_number(value) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
