"""The ``mlbench`` command: read arguments, call the library, print.

The library is imported inside the commands, so that ``--help`` answers at once.
"""

from mlbench.cli import (  # they register themselves
    completion,
    data,
    doctor,
    extend,
    listing,
    report,
    results,
    run,
    schema,
)
from mlbench.cli.main import main

__all__ = [
    "completion",
    "data",
    "doctor",
    "extend",
    "listing",
    "main",
    "report",
    "results",
    "run",
    "schema",
]
