"""The ``mlbench`` command: read arguments, call the library, print.

The library is imported inside the commands, so that ``--help`` answers at once.
"""

from mlbench.cli import data, listing, report, results, run  # they register themselves
from mlbench.cli.main import main

__all__ = ["data", "listing", "main", "report", "results", "run"]
