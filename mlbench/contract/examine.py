"""Every question asked of a class, one after the other."""

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

from mlbench.contract import behaviour, outputs
from mlbench.contract.basics import BASICS, HAS_METHODS, has_its_methods
from mlbench.contract.finding import FAILED, Finding, attempt, waiting
from mlbench.contract.scikit_learn import WHAT, by_scikit_learn
from mlbench.contract.subject import Question, Subject

QUESTIONS: dict[str, dict[str, Question]] = {
    "reducer": outputs.OF_A_REDUCER | behaviour.OF_A_REDUCER,
    "classifier": outputs.OF_A_CLASSIFIER,
}


def examine(given: Any) -> list[Finding]:
    """What a reducer or a classifier, as a class or an instance, does and does not.

    Nothing it does becomes an exception here, and what it warns of is not shown.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(_findings(Subject(given)))


def assert_keeps_contract(given: Any) -> None:
    """Raise an AssertionError that lists what a reducer or a classifier fails at."""
    failed = [found.line for found in examine(given) if found.status == FAILED]
    if failed:
        lines = "\n".join(failed)
        raise AssertionError(f"{Subject(given).name} breaks the contract:\n{lines}")


def _findings(subject: Subject) -> Iterator[Finding]:
    found = attempt(HAS_METHODS, partial(has_its_methods, subject))
    yield found
    if found.status == FAILED:
        return  # whether it is meant as the one or the other is not known
    wrong = ""  # the first of the basics that does not hold
    for check, question in BASICS.items():
        if wrong:
            yield waiting(check, wrong)
            continue
        found = attempt(check, partial(question, subject))
        yield found
        wrong = check if found.status == FAILED else ""
    if wrong:
        yield from (waiting(check, wrong) for check in [*_questions(subject), WHAT])
        return
    for check, question in _questions(subject).items():
        yield attempt(check, partial(question, subject))
    yield from by_scikit_learn(subject)


def _questions(subject: Subject) -> dict[str, Question]:
    return QUESTIONS[subject.kind] | behaviour.OF_BOTH | outputs.ODD_DATA
