"""The methods that a name stands for."""

from dataclasses import dataclass
from typing import Any

from mlbench.components import load_object
from mlbench.errors import ConfigError, unknown
from mlbench.methods import methods

KINDS = ("reducer", "classifier")


@dataclass(frozen=True)
class Named:
    """A method, and where it stands."""

    path: str  # module:Class
    made: Any  # the class


def methods_named(name: str) -> list[Named]:
    """What stands at ``module:Class``, or all that a short name stands for.

    A reducer and a classifier may have one name.

    >>> [method.path for method in methods_named("cca")]
    ['mlbench.reducers.cca:CCA', 'mlbench.classifiers.cca_svm:CCASVM']
    """
    if ":" in name:
        return [_loaded(name)]
    known = [methods(kind) for kind in KINDS]
    paths = [names[name] for names in known if name in names]
    if not paths:
        every = {each for names in known for each in names}
        hint = "or give one of your own as module:Class"
        raise ConfigError(f"{unknown('method', name, every)}; {hint}")
    return [_loaded(path) for path in paths]


def _loaded(path: str) -> Named:
    try:
        return Named(path, load_object(path))
    except SystemExit as exc:
        raise ConfigError(
            f"{path}: its module calls sys.exit when it is imported; "
            "that belongs under if __name__ == '__main__'"
        ) from exc
