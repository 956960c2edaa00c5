"""The methods there are: those that come with mlbench, and those of other packages.

A package registers its own under the entry-point groups ``mlbench.reducers`` and
``mlbench.classifiers``, each a name and an import path.
"""

from functools import cache
from importlib.metadata import entry_points
from typing import Any

from mlbench.classifiers import CLASSIFIERS
from mlbench.components import load_object
from mlbench.errors import ConfigError
from mlbench.reducers import REDUCERS

BUILT_IN = {"reducer": REDUCERS, "classifier": CLASSIFIERS}


@cache
def methods(kind: str) -> dict[str, str]:
    """Import path of every reducer, or of every classifier, by name.

    What mlbench calls by a name is never taken over by a package.
    """
    return BUILT_IN[kind] | {
        name: path for name, path in registered(kind) if name not in BUILT_IN[kind]
    }


def registered(kind: str) -> list[tuple[str, str]]:
    """Name and import path of everything that packages register."""
    points = entry_points(group=f"mlbench.{kind}s")
    return sorted(
        (point.name, f"{point.module}:{point.attr}")
        for point in points
        if point.pattern.match(point.value)  # mlbench doctor names those that do not
    )


def path_of(kind: str, name: str) -> str:
    """The import path behind a name; an import path is its own answer."""
    return methods(kind).get(name, name)


def new_method(kind: str, name: str, settings: dict[str, Any] | None = None) -> Any:
    """A method with these settings; what a user's class lacks is one line."""
    path = path_of(kind, name)
    made = load_object(path)
    if not hasattr(made, "get_params") or not hasattr(made, "__sklearn_tags__"):
        raise ConfigError(f"{path}: does not derive from sklearn.base.BaseEstimator")
    try:
        return made(**(settings or {}))
    except TypeError as exc:
        raise ConfigError(f"{path}: cannot be made: {exc}") from exc
