"""What a check found, and how it is run so that nothing of a user's class escapes."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import SkipTest

OK, FAILED, SKIPPED = "ok", "failed", "skipped"
LONGEST = 240  # letters of a reason; the traceback has the rest
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Finding:
    """What one check found."""

    check: str
    status: str  # ok, failed or skipped
    reason: str = ""
    trace: str = ""  # of what the class raised, if that is the reason

    @property
    def line(self) -> str:
        """The finding as a line of a report.

        >>> Finding("is nested", "skipped", "not claimed").line
        'skipped  is nested: not claimed'
        """
        return f"{self.status:8} {self.check}" + (self.reason and f": {self.reason}")


class ContractError(Exception):
    """What a class does instead of what is asked of it."""


class NotApplicableError(Exception):
    """Why a question cannot be asked of a class."""


def attempt(check: str, question: Callable[[], Any]) -> Finding:
    """Ask a question; whatever comes of it is a finding."""
    try:
        question()
    except (NotApplicableError, SkipTest) as exc:
        return Finding(check, SKIPPED, one_line(str(exc)))
    except ContractError as exc:
        trace = trace_of(exc.__cause__) if exc.__cause__ else ""
        return Finding(check, FAILED, one_line(str(exc)), trace)
    except (Exception, SystemExit) as exc:  # noqa: BLE001  a user's class raises anything
        return Finding(check, FAILED, described(exc), trace_of(exc))
    return Finding(check, OK)


def waiting(check: str, wrong: str) -> Finding:
    """A check that has to wait for another, which failed."""
    return Finding(check, SKIPPED, f"only once it {wrong}")


def ask(model: Any, method: str, *given: Any, **more: Any) -> Any:
    """Call a method of a user's class; what it raises is said with its name."""
    try:
        return getattr(model, method)(*given, **more)
    except (Exception, SystemExit) as exc:  # noqa: BLE001  see above
        raise ContractError(f"{method} raised {described(exc)}") from exc


def described(exc: BaseException) -> str:
    """An exception in one line; that of a bare ``assert`` says what was asserted."""
    text = one_line("".join(traceback.format_exception_only(exc)))
    frames = traceback.extract_tb(exc.__traceback__)
    if isinstance(exc, AssertionError) and not exc.args and frames:
        return one_line(f"{text}: {frames[-1].line}")
    return text


def one_line(text: str) -> str:
    """Text on one line, its end left out if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 4]} ..."


def trace_of(exc: BaseException) -> str:
    """The traceback of an exception from where it left our code."""
    trace = exc.__traceback__
    while trace and trace.tb_next and _is_ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(exc), exc, trace))


def _is_ours(file: str) -> bool:
    return Path(file).parent == HERE
