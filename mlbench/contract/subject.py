"""The class that is examined: made anew for every question, fitted and asked."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils import get_tags

from mlbench.contract.finding import ContractError, ask, described
from mlbench.contract.samples import Samples, plain

WIDTH = 3  # columns a reducer is asked for where their number does not matter
SEED = 0  # of a class that takes a random_state and has none


class Subject:
    """A reducer or a classifier, given as a class or as an instance with settings.

    What is handed to it is a copy: a class that writes into its input spoils the
    answer to one question, not to all.
    """

    def __init__(self, given: Any):
        self.given = given
        self.refusal = ""  # what it says to several labels a sample

    @property
    def name(self) -> str:
        """Name of the class."""
        made = self.given if isinstance(self.given, type) else type(self.given)
        return made.__name__

    @cached_property
    def kind(self) -> str:
        """Reducer or classifier, by the methods it has."""
        if hasattr(self.given, "transform"):
            return "reducer"
        if hasattr(self.given, "decision_function") or hasattr(self.given, "predict"):
            return "classifier"
        raise ContractError(
            "has no transform, as a reducer, and no decision_function and predict, "
            "as a classifier"
        )

    @cached_property
    def prototype(self) -> Any:
        """An instance that is never fitted."""
        if not isinstance(self.given, type):
            return self.given
        try:
            return self.given()
        except (Exception, SystemExit) as exc:  # noqa: BLE001  it may raise anything
            hint = "every setting needs a default, and fit is where it is checked"
            raise ContractError(
                f"{self.name}() raised {described(exc)}; {hint}"
            ) from exc

    @property
    def reduces(self) -> bool:
        """Whether it is told how many columns to give."""
        return self.kind == "reducer" and bool(getattr(self.prototype, "reduces", True))

    @property
    def tags(self) -> Any:
        """What it says about itself to scikit-learn."""
        return get_tags(self.prototype)

    @cached_property
    def samples(self) -> Samples:
        """Data it can learn from: several labels a sample, or one if it wants that."""
        several = plain()
        if self.kind == "reducer":
            return several
        try:
            self.fitted(several)
        except ContractError as exc:
            if not isinstance(exc.__cause__, ValueError) or not self._takes_classes():
                raise
            self.refusal = str(exc)
            return plain(cardinality=1)
        return several

    def _takes_classes(self) -> bool:
        try:
            self.fitted(plain(cardinality=1))
        except ContractError:
            return False
        return True

    def new(self, **settings: Any) -> Any:
        """A copy that is not fitted, seeded as a run seeds it, with these settings."""
        model = clone(self.prototype)
        chosen: dict[str, Any] = {"n_components": WIDTH} if self.reduces else {}
        if model.get_params(deep=False).get("random_state", SEED) is None:
            chosen["random_state"] = SEED
        model.set_params(**chosen | settings)
        return model

    def fitted(self, samples: Samples, **settings: Any) -> Any:
        """A copy fitted to the samples."""
        model = self.new(**settings)
        ask(model, "fit", samples.X.copy(), samples.Y.copy())
        return model

    def answer(self, model: Any, X: Any) -> np.ndarray:
        """What a fitted model says to features: reduced samples, or scores."""
        reducer = self.kind == "reducer"
        method = "transform" if reducer else "decision_function"
        return matrix(ask(model, method, X.copy()), method, sparse=reducer)


# What is asked of a class; a wrong answer is raised.
Question = Callable[[Subject], None]


def matrix(answer: Any, method: str, sparse: bool = False) -> np.ndarray:
    """An answer as a matrix of real numbers, which it must be.

    >>> matrix([[1, 2]], "transform")
    array([[1, 2]])
    """
    if issparse(answer) and sparse:
        answer = answer.toarray()
    if issparse(answer):
        raise ContractError(f"{method} gave a sparse matrix, an array was expected")
    made = np.asarray(answer)
    if made.ndim != 2:
        raise ContractError(
            f"{method} gave an array of {made.ndim} dimensions, a row for every sample "
            "was expected"
        )
    if made.dtype.kind not in "biuf":
        raise ContractError(
            f"{method} gave {made.dtype} values, real numbers were expected"
        )
    return made
