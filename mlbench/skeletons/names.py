"""Names of one's own: of a class, of its module, of a config."""

import importlib.util
import keyword
import re
from pathlib import Path

from mlbench.errors import ConfigError

# Before a capital that begins a word: my|Reducer, my|ML|Reducer.
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CONFIG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def class_and_module(name: str) -> tuple[str, str]:
    """The class, in capitals and small letters, and its module, in small ones.

    >>> class_and_module("MyReducer"), class_and_module("my_reducer")
    (('MyReducer', 'my_reducer'), ('MyReducer', 'my_reducer'))
    >>> class_and_module("MyMLReducer")
    ('MyMLReducer', 'my_ml_reducer')
    """
    words = [word for word in name.split("_") if word]
    if not name.isidentifier() or not words:
        hint = re.sub(r"\W+", "_", name).strip("_")
        example = hint if hint.isidentifier() else "MyReducer"
        raise ConfigError(f"{name!r} is not a name in Python; {example} would be one")
    module = "_".join(_WORD.sub("_", word).lower() for word in words)
    return "".join(word[0].upper() + word[1:] for word in words), module


def check_module(module: str, folder: Path) -> None:
    """Raise when a module of this name would hide one that is installed."""
    if keyword.iskeyword(module):
        raise ConfigError(f"{module} is a word of Python itself; choose another name")
    spec = importlib.util.find_spec(module)
    if spec is None:
        return
    if spec.origin and Path(spec.origin).resolve().parent == folder.resolve():
        return  # the file that is about to be replaced
    raise ConfigError(
        f"{module} is the name of a module that is installed; choose another name"
    )


def config_name(name: str) -> str:
    """The name of a config, without the end of its file.

    >>> config_name("mine.yaml")
    'mine'
    """
    name = name.removesuffix(".yaml")
    if not _CONFIG.fullmatch(name):
        raise ConfigError(
            f"{name!r} is not a file name of letters, digits, _.- with a letter or "
            "digit first"
        )
    return name
