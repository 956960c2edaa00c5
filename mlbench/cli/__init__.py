"""The ``mlbench`` command: read arguments, call the library, print.

The library is imported inside the commands, so that ``--help`` answers at once.
"""

# They register themselves.
from mlbench.cli import data, listing, report, results, run, schema
from mlbench.cli.main import main

__all__ = ["data", "listing", "main", "report", "results", "run", "schema"]
