"""What there is to choose from, each with a line of its own."""

import ast
from contextlib import suppress
from pathlib import Path

from mlbench.components import module_file
from mlbench.config import config_names
from mlbench.config.lines import read_yaml
from mlbench.methods import methods
from mlbench.metrics import METRICS


def listing(what: str) -> dict[str, str]:
    """Names and one line about each."""
    if what == "metrics":
        return {
            name: f"{metric.better} is better; {metric.convention}"
            for name, metric in METRICS.items()
        }
    if what == "configs":
        return {name: _title(path) for name, path in config_names().items()}
    known = methods(what.removesuffix("s"))
    return {name: _first_line(path) for name, path in known.items()}


def _title(path: Path) -> str:
    values, _ = read_yaml(path)
    return str(values.get("title", "")) if isinstance(values, dict) else ""


def _first_line(path: str) -> str:
    """First line of a class's docstring, without importing what it needs."""
    module_name, _, class_name = path.partition(":")
    file = module_file(module_name)
    with suppress(SyntaxError, ValueError):  # not ours: compiled, or broken
        tree = ast.parse(file.read_text(encoding="utf-8") if file else "")
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name == class_name:
                return (ast.get_docstring(node) or "").partition("\n")[0]
    return ""
