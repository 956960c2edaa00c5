"""Files to begin a method or an experiment of one's own with."""

from mlbench.skeletons.write import Written, write

__all__ = ["Written", "write"]
