"""Trials become records: one trial in a worker, many of them in parallel."""

from mlbench.runner.plan import (
    Plan,
    available,
    describe_plan,
    plan,
    plan_data,
    reasons,
)
from mlbench.runner.run import Limits, Progress, Summary, run

__all__ = [
    "Limits",
    "Plan",
    "Progress",
    "Summary",
    "available",
    "describe_plan",
    "plan",
    "plan_data",
    "reasons",
    "run",
]
