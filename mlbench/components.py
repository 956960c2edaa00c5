"""Methods by name: where their class is, and what their code is.

A config names a method either by its short name in a registry or by the import path
of a user's own class. This module resolves both, and gives the fingerprint of a
method's code, without importing anything heavy: a run whose records are all there
must not pay for scikit-learn.
"""

import ast
import hashlib
import importlib
import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

from mlbench.errors import ConfigError


def import_path(name: str, registry: dict[str, str]) -> str:
    """The ``module:Class`` behind a short name; an import path is its own answer."""
    return registry.get(name, name)


def load_object(path: str) -> Any:
    """Import what stands at ``module:name``."""
    module_name, _, class_name = path.partition(":")
    try:
        module = importlib.import_module(module_name)
        return getattr(module, class_name)
    except (ImportError, AttributeError) as exc:
        raise ConfigError(
            f"{path}: cannot be imported ({exc}); the form is package.module:Class"
        ) from exc


@cache
def fingerprint(module_name: str) -> str:
    """SHA-256 over the code of a module and of the modules of its package it uses.

    Comments, docstrings and layout do not count: only what can change a number does.
    """
    code = {}
    waiting = [module_name]
    package = module_name.partition(".")[0]
    while waiting:
        name = waiting.pop()
        source = _source(name)
        if name in code or source is None:
            continue
        tree = _without_docstrings(ast.parse(source))
        code[name] = ast.unparse(tree)
        waiting += _imports(tree, package)
    whole = "\n".join(f"# {name}\n{code[name]}" for name in sorted(code))
    return hashlib.sha256(whole.encode()).hexdigest()


def _source(module_name: str) -> str | None:
    """Text of a module, or None when the name is not a module (``import a.b.f``)."""
    path = module_file(module_name)
    return path.read_text(encoding="utf-8") if path else None


def module_file(module_name: str) -> Path | None:
    """File of a module, found without importing the packages it stands in."""
    top, *rest = module_name.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None or spec.origin is None:
        return None
    if not rest:
        return Path(spec.origin)
    for root in spec.submodule_search_locations or ():
        place = Path(root).joinpath(*rest)
        for path in (place.with_suffix(".py"), place / "__init__.py"):
            if path.is_file():
                return path
    return None


def _imports(tree: ast.AST, package: str) -> list[str]:
    """Names of the modules of ``package`` that a syntax tree imports."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.append(node.module)
            # ``from package import module`` names a module only here
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return [name for name in names if name.partition(".")[0] == package]


def _without_docstrings(tree: ast.Module) -> ast.Module:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if not isinstance(node, documented):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return tree
