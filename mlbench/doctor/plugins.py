"""Methods of other packages: whether they can be imported, and be called by name."""

import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from importlib.metadata import EntryPoint, entry_points

from mlbench.classifiers import CLASSIFIERS
from mlbench.doctor.finding import NOTE, OK, PROBLEM, Finding
from mlbench.reducers import REDUCERS

GROUPS = {"mlbench.reducers": REDUCERS, "mlbench.classifiers": CLASSIFIERS}


def plugins() -> Iterator[Finding]:
    """Every method that a package registers under one of our groups."""
    there = False
    for group, built_in in GROUPS.items():
        seen: set[str] = set()
        for point in sorted(entry_points(group=group), key=lambda each: each.name):
            there = True
            yield _about(point, built_in, seen)
            seen.add(point.name)
    if not there:
        yield Finding(OK, "plug-ins", "none")


def _about(point: EntryPoint, built_in: dict[str, str], seen: set[str]) -> Finding:
    package = point.dist.name if point.dist else "?"
    values = {
        "name": point.name,
        "group": point.group,
        "path": point.value,
        "package": package,
    }
    kind = point.group.partition(".")[2].removesuffix("s")
    text = f"{kind} {point.name}, {point.value} of {package}"
    reason = _why_not(point)
    if reason:
        fix = f"pip install --force-reinstall {package}"
        return Finding(PROBLEM, "plug-in", f"{text}: {reason}", fix, values)
    fix = f"mlbench run CONFIG --{kind} {point.value}"
    if point.name in built_in:
        text += f": the name is that of a {kind} of mlbench, use the import path"
        return Finding(NOTE, "plug-in", text, fix, values)
    if point.name in seen:
        text += ": another package has this name too, use the import path"
        return Finding(NOTE, "plug-in", text, fix, values)
    return Finding(OK, "plug-in", text, values=values)


def _why_not(point: EntryPoint) -> str | None:
    """Why a plug-in cannot be imported; None if it can."""
    try:
        with redirect_stdout(sys.stderr):  # what it prints is not our output
            point.load()
    except (Exception, SystemExit) as exc:  # noqa: BLE001  it may do anything
        return " ".join(f"cannot be imported, {type(exc).__name__}: {exc}".split())
    return None
