"""scikit-learn's own checks, and those that a multi-label method cannot pass."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

from mlbench.contract.finding import (
    FAILED,
    SKIPPED,
    ContractError,
    Finding,
    NotApplicableError,
    ask,
    attempt,
    waiting,
)
from mlbench.contract.subject import Subject

WHAT = "can be examined by scikit-learn"
VECTOR = "takes one label as a vector"

# Settings that must not exceed the samples, features or labels there are, of which
# these checks have as few as one.
FEW = {"k": 1, "n_neighbors": 1, "n_components": 1}

A_VECTOR = "wants one class a sample, as a vector; labels are a row of 0/1 a sample"
AT_ZERO = "wants labels to be the scores above 0; the threshold is the method's"
OF_CLASSIFIERS = {
    "check_classifiers_classes": A_VECTOR,
    "check_classifiers_one_label": A_VECTOR,
    "check_classifiers_one_label_sample_weights": A_VECTOR,
    "check_classifiers_regression_target": A_VECTOR,
    "check_classifiers_train": A_VECTOR,
    "check_estimator_sparse_array": A_VECTOR,
    "check_estimator_sparse_matrix": A_VECTOR,
    "check_supervised_y_2d": A_VECTOR,
    "check_classifier_multioutput": AT_ZERO,
    "check_classifiers_multilabel_output_format_predict": (
        "wants labels of the type of Y; any 0 and 1 are labels"
    ),
}

# scikit-learn knows classes of its own by these names; they take labels in transform.
ITS_OWN = ("CCA", "PLSCanonical", "PLSRegression", "PLSSVD")
OF_ITS_OWN = {
    "check_transformer_data_not_an_array": "is for scikit-learn's class of this name",
    "check_transformer_general": "is for scikit-learn's class of this name",
}


def by_scikit_learn(subject: Subject) -> Iterator[Finding]:
    """What scikit-learn's checks find; one that does not apply may fail."""
    excused = OF_CLASSIFIERS if subject.kind == "classifier" else {}
    if subject.name in ITS_OWN:
        excused = excused | OF_ITS_OWN
    vector = attempt(VECTOR, partial(takes_a_vector, subject))
    yield vector
    if vector.status == FAILED:
        yield waiting(WHAT, VECTOR)
        return
    checks: list[tuple[Any, partial]] = []
    collected = attempt(WHAT, lambda: _collect(subject, checks))
    if collected.status == FAILED:
        yield collected
    for model, check in checks:  # those before the one that could not be had, too
        found = attempt(_title(check), partial(check, model))
        name = check.func.__name__
        if found.status == FAILED and name in excused:
            found = Finding(found.check, SKIPPED, excused[name])
        yield found


def takes_a_vector(subject: Subject) -> None:
    """Most of the checks give labels as a vector, unless the tags forbid it."""
    target = subject.tags.target_tags
    if target.multi_output and not target.single_output:
        raise NotApplicableError("its tag target_tags.single_output says it does not")
    model = subject.new(**({"n_components": 1} if subject.reduces else {}))
    try:
        ask(model, "fit", subject.samples.X.copy(), subject.samples.Y[:, 0].copy())
    except ContractError as exc:
        hint = "Y.reshape(len(Y), -1) makes it a matrix"
        raise ContractError(f"{exc}; {hint}") from exc.__cause__


def _collect(subject: Subject, checks: list[tuple[Any, partial]]) -> None:
    """Add the checks there are for this class, each with what it is to be given."""
    model = clone(subject.prototype)
    settings = model.get_params(deep=False)
    many = {
        name: few
        for name, few in FEW.items()
        if isinstance(settings.get(name), int) and settings[name] > few
    }
    if subject.reduces:  # whatever it does when nobody says how many
        many["n_components"] = FEW["n_components"]
    model.set_params(**many)
    for each in estimator_checks_generator(model):
        checks.append(each)


def _title(check: partial) -> str:
    """Name of a check with what sets it apart from another of the name.

    >>> _title(partial(_title, "MDDM", readonly_memmap=True))
    '_title(readonly_memmap=True)'
    """
    more = ", ".join(f"{key}={value}" for key, value in check.keywords.items())
    return check.func.__name__ + (more and f"({more})")
