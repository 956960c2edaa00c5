"""YAML with line numbers: plain values, and where in the file each one stands."""

import re
from pathlib import Path
from typing import Any

import yaml

from mlbench.errors import ConfigError

Location = tuple[str | int, ...]


class _Loader(yaml.SafeLoader):
    """The safe loader, reading numbers as people write them.

    YAML 1.1 takes ``10:50:10`` for a number in base 60, ``1e-3`` for text and
    ``2008-01-02`` for a date.
    """


_REPLACED = {f"tag:yaml.org,2002:{kind}" for kind in ("int", "float", "timestamp")}
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _REPLACED]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:int", re.compile(r"^[-+]?[0-9]+$"), list("-+0123456789")
)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(
        r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?$"
    ),
    list("-+0123456789."),
)


def read_yaml(path: Path) -> tuple[Any, dict[Location, int]]:
    """The values of a YAML file, and the line of every one of them."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as exc:
        raise ConfigError(f"{path}: cannot be read ({exc.strerror})") from exc
    except UnicodeDecodeError as exc:
        raise ConfigError(f"{path}: is not UTF-8 text") from exc
    return read_yaml_text(text, path)


def read_yaml_text(text: str, path: Path) -> tuple[Any, dict[Location, int]]:
    """The same of a text, which comes from ``path``."""
    try:
        _refuse_aliases(path, text)
        node = yaml.compose(text, Loader=_Loader)
        lines: dict[Location, int] = {}
        value = None if node is None else _value(path, node, (), lines)
    except yaml.YAMLError as exc:
        raise ConfigError(_syntax_sentence(path, exc)) from exc
    except RecursionError:
        raise ConfigError(f"{path}: is nested too deeply") from None
    return value, lines


def _refuse_aliases(path: Path, text: str) -> None:
    # A few aliases of aliases can stand for billions of values.
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent):
            line = event.start_mark.line + 1 if event.start_mark else 1
            raise ConfigError(
                f"{path}:{line}: aliases (*{event.anchor}) are not read; "
                "write the value out"
            )


def _syntax_sentence(path: Path, exc: yaml.YAMLError) -> str:
    mark = getattr(exc, "problem_mark", None)
    problem = getattr(exc, "problem", None) or str(exc).splitlines()[0]
    where = f"{path}:{mark.line + 1}" if mark else str(path)
    return f"{where}: not valid YAML: {problem}"


def _value(path: Path, node: yaml.Node, at: Location, lines: dict[Location, int]):
    line = node.start_mark.line + 1
    lines.setdefault(at, line)
    if isinstance(node, yaml.MappingNode):
        return _mapping(path, node, at, lines)
    if isinstance(node, yaml.SequenceNode):
        return [
            _value(path, item, (*at, index), lines)
            for index, item in enumerate(node.value)
        ]
    constructor = yaml.constructor.SafeConstructor()
    try:
        return constructor.construct_object(node)
    except (ValueError, TypeError) as exc:
        raise ConfigError(f"{path}:{line}: {exc}") from exc


def _mapping(path, node: yaml.MappingNode, at: Location, lines: dict[Location, int]):
    mapping: dict[str, Any] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            raise ConfigError(f"{path}:{line}: a key must be a word or a number")
        key = key_node.value
        if key in mapping:
            raise ConfigError(f"{path}:{line}: {key!r} stands here twice")
        lines[(*at, key)] = line
        mapping[key] = _value(path, value_node, (*at, key), lines)
    return mapping
