"""Code by name: how it is imported, and what its fingerprint is.

A method is named by an import path, ``package.module:Class``. Its fingerprint is found
without importing anything: a run whose records are all there must not pay for
scikit-learn.
"""

import ast
import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from mlbench.errors import ConfigError

# Folders of a user's own modules, none of them a place where packages are installed.
_searched: list[Path] = []


def search_here(folder: Path | None = None) -> None:
    """Let modules in a folder, by default the current one, be imported.

    After all others: a file of a user's hides nothing that is installed.
    """
    place = Path(folder or ".").resolve()
    if place not in _searched:
        _searched.append(place)
    if str(place) not in sys.path:
        sys.path.append(str(place))
        importlib.invalidate_caches()


def load_object(path: str) -> Any:
    """Import what stands at ``module:name``."""
    module_name, _, class_name = path.partition(":")
    try:
        return getattr(importlib.import_module(module_name), class_name)
    except (ImportError, AttributeError) as exc:
        raise ConfigError(
            f"{path}: cannot be imported ({exc}); the form is package.module:Class"
        ) from exc
    except Exception as exc:  # noqa: BLE001  a user's module may raise anything
        reason = " ".join(f"{type(exc).__name__}: {exc}".split())
        raise ConfigError(f"{path}: importing {module_name} raised {reason}") from exc


def by_class(package: str, registry: dict[str, str]) -> tuple[Callable, Callable]:
    """``__getattr__`` and ``__dir__`` of a package that has the registry's classes.

    A class is imported when it is asked for: naming one of them must not import all.
    """
    paths = {path.partition(":")[2]: path for path in registry.values()}

    def get(name: str) -> Any:
        if name not in paths:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return load_object(paths[name])

    return get, lambda: sorted({*vars(sys.modules[package]), *paths})


@cache
def fingerprint(module_name: str) -> str:
    """SHA-256 over the code of a module and of the modules of its package it uses.

    Comments, docstrings and layout do not count: only what can change a number does.
    Of a module in a user's own folder, its neighbours there count as well.
    """
    code = {}
    waiting = [module_name]
    package = module_name.partition(".")[0]
    while waiting:
        name = waiting.pop()
        file = module_file(name)
        if name in code or file is None:  # None: not a module (``import a.b.f``)
            continue
        tree = _without_docstrings(_parsed(file))
        code[name] = ast.unparse(tree)
        waiting += [
            imported
            for imported in _imports(tree, name, file.stem == "__init__")
            if _is_own(imported.partition(".")[0], package)
        ]
    whole = "\n".join(f"# {name}\n{code[name]}" for name in sorted(code))
    return hashlib.sha256(whole.encode()).hexdigest()


def module_file(module_name: str) -> Path | None:
    """File of a module, found without importing the packages it stands in."""
    top, *rest = module_name.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None or not spec.has_location or spec.origin is None:
        return None
    if not rest:
        return Path(spec.origin)
    for root in spec.submodule_search_locations or ():
        place = Path(root).joinpath(*rest)
        for path in (place.with_suffix(".py"), place / "__init__.py"):
            if path.is_file():
                return path
    return None


def _parsed(file: Path) -> ast.Module:
    if file.suffix != ".py":  # compiled: its bytes stand for its code
        return ast.parse(repr(hashlib.sha256(file.read_bytes()).hexdigest()))
    try:
        return ast.parse(file.read_text(encoding="utf-8"))
    except SyntaxError as exc:
        raise ConfigError(f"{file}:{exc.lineno}: is not Python: {exc.msg}") from exc
    except ValueError as exc:  # not UTF-8, or zero bytes
        raise ConfigError(f"{file}: is not Python: {exc}") from exc


def _is_own(top: str, package: str) -> bool:
    """Whether a top-level name is that of the package, or of its user's own folder."""
    if top == package:
        return True
    files = [module_file(name) for name in (top, package)]
    folders = {file.resolve().parent for file in files if file is not None}
    return None not in files and len(folders) == 1 and folders <= set(_searched)


def _imports(tree: ast.AST, module_name: str, is_package: bool) -> list[str]:
    """Names of the modules that the syntax tree of a module imports."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = module_name.split(".")
            up = parts[: len(parts) - node.level + is_package] if node.level else []
            base = ".".join([*up, *filter(None, [node.module])])
            # ``from package import module`` names a module only here
            names += [f"{base}.{alias.name}" for alias in node.names]
            names += [base] if base else []
    return [name for name in names if not name.startswith(".")]


def _without_docstrings(tree: ast.Module) -> ast.Module:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if not isinstance(node, documented):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return tree
