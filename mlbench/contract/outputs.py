"""What must hold of what a class gives: its shape, its numbers, its size."""

from collections.abc import Callable
from functools import partial

import numpy as np

from mlbench.contract import samples as odd
from mlbench.contract.finding import ContractError, NotApplicableError, ask
from mlbench.contract.samples import LABELS, Samples
from mlbench.contract.subject import WIDTH, Question, Subject, matrix

WIDER = 2 * LABELS  # more columns than there are labels


def gives_as_many_columns(subject: Subject) -> None:
    """A row for every sample, a column for every dimension asked for."""
    for width in (1, WIDTH) if subject.reduces else (None,):
        _check_reduced(subject, subject.samples, width)


def gives_more_columns_than_labels(subject: Subject) -> None:
    """A sweep asks for more dimensions than there are labels."""
    if not subject.reduces:
        raise NotApplicableError("it says reduces = False")
    try:
        _check_reduced(subject, subject.samples, WIDER)
    except ContractError as exc:
        if isinstance(exc.__cause__, ValueError):
            raise NotApplicableError(
                f"refuses {WIDER} with {LABELS} labels, and a run records that: {exc}"
            ) from exc
        raise


def scores_every_label(subject: Subject) -> None:
    """A finite number for every sample and label."""
    _check_scores(subject, subject.samples)


def predicts_zero_or_one(subject: Subject) -> None:
    """A 0 or a 1 for every sample and label."""
    _check_labels(subject, subject.samples)


def copes_with(change: Callable[[Samples], Samples], subject: Subject) -> None:
    """What it gives is as it must be on odd data too."""
    changed = change(subject.samples)
    if subject.kind == "reducer":
        width = min(WIDTH, changed.Y.shape[1]) if subject.reduces else None
        _check_reduced(subject, changed, width)
    else:
        _check_scores(subject, changed)
        _check_labels(subject, changed)


def treats_signs_as_it_says(subject: Subject) -> None:
    """Features below 0 are taken, or refused by a class that says it will."""
    claims = bool(getattr(subject.prototype, "nonnegative", False))
    tagged = subject.tags.input_tags.positive_only
    if claims and not tagged:
        raise ContractError(
            "says nonnegative = True, but its tag input_tags.positive_only, by which a "
            "run goes, does not"
        )
    if not tagged:
        copes_with(odd.features_below_zero, subject)
        return
    below = odd.features_below_zero(subject.samples)
    model = subject.fitted(subject.samples)
    for when, question in {
        "in fit": lambda: subject.answer(subject.fitted(below), below.X),
        "after fit": lambda: subject.answer(model, below.new),
    }.items():
        _check_refusal(when, question, claims and subject.kind == "reducer")


def _check_refusal(when: str, question: Callable, at_least_zero: bool) -> None:
    """Features below 0 raise a ValueError, or else give what can be used."""
    try:
        given = question()
    except ContractError as exc:
        if isinstance(exc.__cause__, ValueError) and str(exc.__cause__):
            return
        raise ContractError(
            f"features below 0 should be a ValueError that says so, but {exc}"
        ) from exc.__cause__
    what = f"given features below 0 {when} it took them, and"
    _check_finite(given, what)
    if at_least_zero:
        _check_not_below_zero(given, what)


def gives_nothing_below_zero(subject: Subject) -> None:
    """A class that says nonnegative = True gives numbers of 0 or more."""
    if not getattr(subject.prototype, "nonnegative", False):
        raise NotApplicableError("it does not say nonnegative = True")
    model = subject.fitted(subject.samples)
    for X in (subject.samples.X, subject.samples.new):
        _check_not_below_zero(subject.answer(model, X), "transform")


def names_its_columns(subject: Subject) -> None:
    """As many names as columns."""
    model = subject.fitted(subject.samples)
    if not hasattr(model, "get_feature_names_out"):
        raise NotApplicableError("it has no get_feature_names_out")
    columns = subject.answer(model, subject.samples.X).shape[1]
    names = np.size(ask(model, "get_feature_names_out"))
    if names != columns:
        raise ContractError(
            f"get_feature_names_out gave {names} names for {columns} columns"
        )


def _check_reduced(subject: Subject, samples: Samples, width: int | None) -> None:
    settings = {} if width is None else {"n_components": width}
    model = subject.fitted(samples, **settings)
    for X in (samples.X, samples.new):
        reduced = subject.answer(model, X)
        columns = reduced.shape[1] if width is None else width
        asked = "" if width is None else f"with n_components={width} "
        _check_shape(reduced, (len(X), columns), f"{asked}transform")
        _check_finite(reduced, f"{asked}transform")


def _check_scores(subject: Subject, samples: Samples) -> None:
    model = subject.fitted(samples)
    for X in (samples.X, samples.new):
        scores = subject.answer(model, X)
        _check_shape(scores, (len(X), samples.Y.shape[1]), "decision_function")
        _check_finite(scores, "decision_function")


def _check_labels(subject: Subject, samples: Samples) -> None:
    model = subject.fitted(samples)
    for X in (samples.X, samples.new):
        labels = matrix(ask(model, "predict", X.copy()), "predict")
        _check_shape(labels, (len(X), samples.Y.shape[1]), "predict")
        others = np.setdiff1d(labels, (0, 1))
        if others.size:
            raise ContractError(f"predict gave {others[0]}, only 0 and 1 were expected")


def _check_shape(given: np.ndarray, expected: tuple[int, int], what: str) -> None:
    if given.shape != expected:
        raise ContractError(
            f"{what} gave the shape {given.shape}, expected was {expected}"
        )


def _check_finite(given: np.ndarray, what: str) -> None:
    wrong = int(np.count_nonzero(~np.isfinite(given)))
    if wrong:
        raise ContractError(
            f"{what} gave {wrong} of {given.size} numbers that are nan or infinite"
        )


def _check_not_below_zero(given: np.ndarray, what: str) -> None:
    if given.min() < 0:
        raise ContractError(f"{what} gave {given.min():g}, expected was 0 or more")


ODD_DATA: dict[str, Question] = {
    "copes with one label": partial(copes_with, odd.one_label),
    "copes with a label nobody has": partial(copes_with, odd.a_label_nobody_has),
    "copes with a constant feature": partial(copes_with, odd.a_constant_feature),
    "copes with a sample without features": partial(
        copes_with, odd.a_sample_without_features
    ),
    "takes features below 0, or says that it does not": treats_signs_as_it_says,
}
OF_A_REDUCER: dict[str, Question] = {
    "gives as many columns as asked for": gives_as_many_columns,
    "gives more columns than labels": gives_more_columns_than_labels,
    "gives nothing below 0": gives_nothing_below_zero,
    "names its columns": names_its_columns,
}
OF_A_CLASSIFIER: dict[str, Question] = {
    "scores every label of every sample": scores_every_label,
    "predicts 0 or 1 for every label": predicts_zero_or_one,
}
