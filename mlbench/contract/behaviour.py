"""What must hold of how a class behaves: the same again, and nothing besides."""

import pickle

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone

from mlbench.contract.finding import ContractError, NotApplicableError, ask, described
from mlbench.contract.outputs import WIDER
from mlbench.contract.subject import WIDTH, Question, Subject

SAME = 1e-8  # what rounding may do, relative to the largest number
SAME_SPARSE = 1e-4  # the same after a descent, whose every step sums in another order


def gives_itself_back(subject: Subject) -> None:
    """``fit`` returns the model, so that calls can be chained."""
    model = subject.new()
    samples = subject.samples
    given = ask(model, "fit", samples.X.copy(), samples.Y.copy())
    if given is not model:
        raise ContractError(
            f"fit returned {type(given).__name__}, expected was the model"
        )


def gives_the_same_bits_twice(subject: Subject) -> None:
    """A second fit, and a second question, get the same answer to the last bit."""
    samples = subject.samples
    model = subject.fitted(samples)
    first = subject.answer(model, samples.X)
    if not _same_bits(first, subject.answer(model, samples.X)):
        raise ContractError("a fitted model asked twice gave different answers")
    again = subject.answer(subject.fitted(samples), samples.X)
    if not _same_bits(first, again):
        raise ContractError(
            f"two fits to the same data differ by {_difference(first, again):.2g} of "
            "the largest number; what is random comes from a setting random_state"
        )


def leaves_its_input_alone(subject: Subject) -> None:
    """X and Y are as they were, dense and, if it takes them, sparse."""
    samples = subject.samples
    forms = [np.array, csr_array] if subject.tags.input_tags.sparse else [np.array]
    for form in forms:
        model = subject.new()
        X, Y, new = form(samples.X), samples.Y.copy(), form(samples.new)
        ask(model, "fit", X, Y)
        _check_unchanged("fit", {"X": (X, samples.X), "Y": (Y, samples.Y)})
        for method in ("transform", "decision_function", "predict"):
            if hasattr(model, method):
                ask(model, method, new)
                _check_unchanged(method, {"X": (new, samples.new)})


def _check_unchanged(method: str, arrays: dict) -> None:
    for name, (given, before) in arrays.items():
        now = given.toarray() if isinstance(given, csr_array) else given
        if not np.array_equal(now, before):
            raise ContractError(
                f"{method} changed the {name} it was given; work on a copy"
            )


def treats_samples_one_by_one(subject: Subject) -> None:
    """The answer for a sample does not hang on the samples it comes with."""
    samples = subject.samples
    model = subject.fitted(samples)
    for X in (samples.X, samples.new):
        whole = subject.answer(model, X)
        alone = np.vstack([subject.answer(model, X[i : i + 1]) for i in range(len(X))])
        _check_same(alone, whole, "samples given one by one and together")
        backwards = subject.answer(model, X[::-1])[::-1]
        _check_same(backwards, whole, "samples given in another order")


def is_nested(subject: Subject) -> None:
    """The first columns of a wide reduction are the narrow one."""
    if not getattr(subject.prototype, "nested", False):
        raise NotApplicableError(
            "it does not say nested = True; every dimension is a fit"
        )
    if not subject.reduces:
        raise ContractError(
            "says nested = True and reduces = False, which exclude each other"
        )
    samples = subject.samples
    widest, wide = _widest(subject)
    for width in range(1, widest):
        narrow = subject.fitted(samples, n_components=width)
        for X in (samples.X, samples.new):
            _check_same(
                subject.answer(wide, X)[:, :width],
                subject.answer(narrow, X),
                f"the first {width} of {widest} columns and a fit with {width}",
            )


def _widest(subject: Subject):
    """A fit with more columns than labels, or with fewer if it refuses that."""
    try:
        return WIDER, subject.fitted(subject.samples, n_components=WIDER)
    except ContractError:
        return WIDTH, subject.fitted(subject.samples, n_components=WIDTH)


def takes_sparse_features(subject: Subject) -> None:
    """Sparse features give what the same numbers give when dense."""
    if not subject.tags.input_tags.sparse:
        raise NotApplicableError(
            "its tag input_tags.sparse does not say so; it is given dense features"
        )
    samples = subject.samples
    dense, sparse = subject.fitted(samples), subject.new()
    ask(sparse, "fit", csr_array(samples.X), samples.Y.copy())
    for X in (samples.X, samples.new):
        _check_same(
            subject.answer(sparse, csr_array(X)),
            subject.answer(dense, X),
            "sparse and dense features",
            SAME_SPARSE,
        )


def survives_copies(subject: Subject) -> None:
    """A copy fitted anew and one out of a pickle answer as the model does."""
    samples = subject.samples
    model = subject.fitted(samples)
    expected = subject.answer(model, samples.new)
    copy = clone(model)
    ask(copy, "fit", samples.X.copy(), samples.Y.copy())
    _check_same(subject.answer(copy, samples.new), expected, "a clone and the model")
    try:
        pickled = pickle.loads(pickle.dumps(model))
    except Exception as exc:  # noqa: BLE001  a user's class may raise anything
        raise ContractError(f"cannot be pickled: {described(exc)}") from exc
    _check_same(subject.answer(pickled, samples.new), expected, "a pickle of the model")


def _same_bits(A: np.ndarray, B: np.ndarray) -> bool:
    return np.array_equal(A, B, equal_nan=A.dtype.kind == B.dtype.kind == "f")


def _check_same(A: np.ndarray, B: np.ndarray, what: str, most: float = SAME) -> None:
    if A.shape != B.shape:
        raise ContractError(
            f"{what}: the shapes {A.shape} and {B.shape}, one was expected"
        )
    if not _difference(A, B) <= most:
        raise ContractError(
            f"{what}: answers differ by {_difference(A, B):.2g} of the largest number, "
            f"at most {most:g} was expected"
        )


def _difference(A: np.ndarray, B: np.ndarray) -> float:
    """Largest difference, as a share of the largest number; nan and nan are equal."""
    if A.shape != B.shape:
        return np.inf
    A, B = A.astype(float), B.astype(float)
    equal = (A == B) | (np.isnan(A) & np.isnan(B))
    size = max(np.abs(A).max(initial=0), np.abs(B).max(initial=0))
    return float(np.where(equal, 0, np.abs(A - B) / (size or 1)).max(initial=0))


OF_BOTH: dict[str, Question] = {
    "gives itself back from fit": gives_itself_back,
    "gives the same bits twice": gives_the_same_bits_twice,
    "leaves X and Y as they are": leaves_its_input_alone,
    "treats every sample by itself": treats_samples_one_by_one,
    "takes sparse features": takes_sparse_features,
    "survives clone and pickle": survives_copies,
}
OF_A_REDUCER: dict[str, Question] = {"is nested": is_nested}
