"""Versions: of mlbench, of Python, and of the packages mlbench says it needs."""

import platform
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import TYPE_CHECKING

import mlbench
from mlbench.doctor.finding import NOTE, OK, PROBLEM, Finding

if TYPE_CHECKING:
    from packaging.requirements import Requirement

# Extras that a user may want, and what for; the others are for development.
EXTRAS = {"dask": "run --backend dask"}


def versions() -> Iterator[Finding]:
    """The version of mlbench, and where it runs from."""
    folder = str(Path(mlbench.__file__).parent)
    found = {"version": version("mlbench"), "folder": folder}
    yield Finding(OK, "mlbench", f"{found['version']}, in {folder}", values=found)
    python = platform.python_version()
    yield Finding(OK, "python", python, values={"version": python})


def required() -> Iterator[Finding]:
    """The packages mlbench cannot do without: one line if all of them are right."""
    needed = list(_requirements())
    found = {each.name: _installed(each.name) for each in needed}
    right = [each.name for each in needed if _suits(each, found[each.name])]
    if right:
        text = ", ".join(f"{name} {found[name]}" for name in right)
        values = {name: found[name] for name in right}
        yield Finding(OK, "packages", text, values=values)
    for each in needed:
        if each.name not in right:
            fix = f"pip install '{each.name}{each.specifier}'"
            yield _unsuitable(PROBLEM, each, found[each.name], "mlbench needs", fix)


def extras() -> Iterator[Finding]:
    """The packages of optional parts."""
    for extra, purpose in EXTRAS.items():
        for each in _requirements(extra):
            found = _installed(each.name)
            if _suits(each, found):
                text = f"{each.name} {found}, for {purpose}"
                values = {"package": each.name, "version": found}
                yield Finding(OK, extra, text, values=values)
            else:
                fix = f"pip install 'mlbench[{extra}]'"
                yield _unsuitable(NOTE, each, found, f"{purpose} needs", fix)


def _requirements(extra: str = "") -> Iterable["Requirement"]:
    """What mlbench's own metadata asks for: always, or with an extra."""
    from packaging.requirements import Requirement

    for text in requires("mlbench") or ():
        each = Requirement(text)
        if _holds(each, extra) and (not extra or not _holds(each, "")):
            yield each


def _holds(needed: "Requirement", extra: str) -> bool:
    return needed.marker is None or needed.marker.evaluate({"extra": extra})


def _installed(name: str) -> str | None:
    """The version of a package; None if it is not there, or not whole."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _suits(needed: "Requirement", found: str | None) -> bool:
    return found is not None and needed.specifier.contains(found, prereleases=True)


def _unsuitable(
    status: str, needed: "Requirement", found: str | None, who: str, fix: str
) -> Finding:
    what = "is not installed" if found is None else f"is {found}"
    text = f"{what}, {who} {needed.specifier or 'it'}"
    values = {"package": needed.name, "version": found}
    return Finding(status, needed.name, text, fix, values)
