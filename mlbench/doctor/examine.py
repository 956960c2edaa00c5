"""Everything that is looked at, in the order in which it is shown."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from mlbench.doctor.finding import PROBLEM, Finding
from mlbench.doctor.folders import cache_folder, data_folder, results_folder
from mlbench.doctor.machine import blas, cores, memory
from mlbench.doctor.packages import extras, required, versions
from mlbench.doctor.plugins import plugins
from mlbench.doctor.terminal import terminal


def examine(data_dir: Path | None, results: Path) -> list[Finding]:
    """Look at the packages, the machine, the folders, plug-ins and the terminal.

    Nothing is written, and no data file is read: only sizes are compared.

    Parameters
    ----------
    data_dir : Path or None
        What was asked for with ``--data-dir``.
    results : Path
        Where records would go.
    """
    parts: list[Callable[[], Iterable[Finding]]] = [
        versions,
        required,
        extras,
        cores,
        blas,
        memory,
        partial(data_folder, data_dir),
        cache_folder,
        partial(results_folder, results),
        plugins,
        terminal,
    ]
    return [finding for part in parts for finding in _findings(part)]


def _findings(part: Callable[[], Iterable[Finding]]) -> list[Finding]:
    """What a part finds; a package that it needs itself may be broken or missing."""
    try:
        return list(part())
    except ImportError as exc:
        package = (exc.name or "mlbench").partition(".")[0]
        fix = f"pip install --force-reinstall {package}"
        text = f"cannot be imported ({' '.join(str(exc).split())})"
        return [Finding(PROBLEM, package, text, fix)]
