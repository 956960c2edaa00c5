"""Whether this installation can work: what there is, what is amiss, what mends it."""

from mlbench.doctor.examine import examine
from mlbench.doctor.finding import NOTE, OK, PROBLEM, Finding

__all__ = ["NOTE", "OK", "PROBLEM", "Finding", "examine"]
