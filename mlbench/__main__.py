"""``python -m mlbench`` is ``mlbench``."""

from mlbench.cli import main

main(prog_name="mlbench")
