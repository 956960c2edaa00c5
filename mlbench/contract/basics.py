"""What must hold before anything else can be asked of a class."""

from sklearn.base import clone

from mlbench.contract.finding import ContractError, NotApplicableError, ask, described
from mlbench.contract.subject import Question, Subject

METHODS = {
    "reducer": ("fit", "transform"),
    "classifier": ("fit", "decision_function", "predict"),
}
OF_AN_ESTIMATOR = ("get_params", "set_params", "__sklearn_tags__")


def has_its_methods(subject: Subject) -> None:
    """What a run calls is there."""
    needed = METHODS[subject.kind]
    missing = [method for method in needed if not hasattr(subject.given, method)]
    if missing:
        raise ContractError(
            f"has no {' and no '.join(missing)}; a {subject.kind} has "
            f"{', '.join(needed)}"
        )


def can_be_made(subject: Subject) -> None:
    """A run makes it without arguments to see what settings it has."""
    made = subject.prototype
    if isinstance(subject.given, type) and not isinstance(made, subject.given):
        raise ContractError(
            f"{subject.name}() gave something else, a {type(made).__name__}"
        )


def reports_its_settings(subject: Subject) -> None:
    """A setting comes in by keyword and is reported, and a copy can be made."""
    model = subject.prototype
    for method in OF_AN_ESTIMATOR:
        if not hasattr(model, method):
            raise ContractError(
                f"has no {method}; it comes with sklearn.base.BaseEstimator"
            )
    ask(model, "__sklearn_tags__")
    settings = ask(model, "get_params", deep=False)
    if not isinstance(settings, dict):
        raise ContractError(
            f"get_params gave {type(settings).__name__}, expected was a dict"
        )
    if subject.reduces and "n_components" not in settings:
        raise ContractError(
            "has no setting n_components, by which a run says how many columns it "
            "wants; a reducer that cannot be told has reduces = False"
        )
    _check_copy(model, settings)
    if subject.reduces:
        copy = clone(model)
        ask(copy, "set_params", n_components=1)
        _check_reported(copy, {"n_components": 1}, "after set_params")


def _check_copy(model, settings: dict) -> None:
    """The constructor keeps what it is given, under the same name, as it is."""
    try:
        copy = type(model)(**settings)
    except (Exception, SystemExit) as exc:  # noqa: BLE001  it may raise anything
        raise ContractError(
            f"made with its own settings it raised {described(exc)}"
        ) from exc
    _check_reported(copy, settings, "given to the constructor")
    clone(model)


def _check_reported(model, settings: dict, when: str) -> None:
    reported = ask(model, "get_params", deep=False)
    for name, value in settings.items():
        if repr(reported.get(name)) != repr(value):
            raise ContractError(
                f"{name}={value!r}, {when}, is reported as {reported.get(name)!r}"
            )


def learns_from_labels(subject: Subject) -> None:
    """It can be fitted to plain data, and answers."""
    model = subject.fitted(subject.samples)
    subject.answer(model, subject.samples.X)
    if subject.kind == "classifier":
        ask(model, "predict", subject.samples.X.copy())
    if subject.refusal:
        raise NotApplicableError(f"takes one class a sample: {subject.refusal}")


HAS_METHODS = "has the methods that a run calls"
BASICS: dict[str, Question] = {
    "can be made without arguments": can_be_made,
    "takes settings by keyword and reports them": reports_its_settings,
    "learns from several labels a sample": learns_from_labels,
}
