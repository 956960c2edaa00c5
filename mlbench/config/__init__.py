"""YAML to a checked experiment; every mistake is named with file and line."""

from mlbench.config.load import config_names, find_config, load_experiment
from mlbench.config.model import Component, Experiment, Method

__all__ = [
    "Component",
    "Experiment",
    "Method",
    "config_names",
    "find_config",
    "load_experiment",
]
