"""A config changed from the command line, as a config of its own.

Records of a changed experiment must not mix with those of the original: it gets a name
that tells what was changed, and so a folder of its own.
"""

import re
from dataclasses import dataclass
from hashlib import sha256
from os.path import relpath
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from mlbench.config.lines import read_yaml, read_yaml_text
from mlbench.config.load import (
    default_name,
    load_experiment,
    mistake_in,
    path_holders,
    resolve_paths,
    without_own_dims,
)
from mlbench.config.model import Experiment, Method
from mlbench.errors import ConfigError, unknown

# What a config says of its own data sets and methods, and of no others.
OF_ITS_DATA = ("published", "published_columns", "claims", "paper", "reference")
LONGEST = 80  # characters of a name that is made up
# What stands for one that is not given.
COMPONENTS = {
    "reducer": Method.model_fields["reducer"].default.name,
    "classifier": Experiment.model_fields["classifier"].default.name,
}


@dataclass(frozen=True)
class Changes:
    """What is asked for instead of, or beside, what a config says."""

    datasets: tuple[dict[str, Any] | str, ...] = ()  # instead of its own
    reducers: tuple[str, ...] = ()  # columns more: METHOD or NAME=METHOD
    classifiers: tuple[str, ...] = ()  # the same
    overrides: tuple[str, ...] = ()  # KEY.KEY=VALUE

    def __bool__(self) -> bool:
        return any((self.datasets, self.reducers, self.classifiers, self.overrides))

    @property
    def words(self) -> list[str]:
        """Each change in a word."""
        return [word for _, word in self._asked]

    @property
    def options(self) -> list[str]:
        """The same as options of the command line."""
        return [f"{option} {word}" for option, word in self._asked]

    @property
    def _asked(self) -> list[tuple[str, str]]:
        sets = [d if isinstance(d, str) else d["name"] for d in self.datasets]
        return [
            *(("--dataset", name) for name in sets),
            *(("--reducer", text) for text in self.reducers),
            *(("--classifier", text) for text in self.classifiers),
            *(("-o", text) for text in self.overrides),
        ]


def derived(path: Path, changes: Changes, results: Path) -> tuple[str, str]:
    """The config at ``path`` with these changes: its name, and its text.

    Paths in it are as seen from ``results/NAME``, where it belongs.
    """
    load_experiment(path)  # what is wrong from here on is wrong with the changes
    values, _ = read_yaml(path)
    values = {"name": default_name(path)} | values
    resolve_paths(values, path.parent)
    original = values.pop("name")
    _apply(values, changes)
    values.setdefault("name", _name(original, changes.words))
    _check(values, changes)
    if title := values.get("title"):
        values["title"] = f"{title} ({', '.join(changes.words)})"
    name = values.pop("name")
    for holder in path_holders(values):
        holder["path"] = relpath(holder["path"], results / name)
    return name, yaml.safe_dump(values, sort_keys=False, allow_unicode=True)


def _name(original: str, words: list[str]) -> str:
    """A name that tells what was changed, of the letters that a folder may have."""
    parts = [re.sub(r"[^A-Za-z0-9_.-]+", "-", word).strip("-") for word in words]
    name = "-".join([original, *parts])
    if len(name) <= LONGEST:
        return name
    mark = sha256(repr(words).encode()).hexdigest()[:8]
    return f"{name[:LONGEST]}-{mark}"


def _apply(values: dict[str, Any], changes: Changes) -> None:
    assignments = [_assignment(text) for text in changes.overrides]
    replaced = {keys[0] for keys, _ in assignments}
    if changes.datasets:
        values["datasets"] = list(changes.datasets)
        replaced.add("datasets")
    if replaced & {"datasets", "methods"}:
        for key in OF_ITS_DATA:
            values.pop(key, None)
    if replaced & {"datasets", "dims"}:
        values["methods"] = without_own_dims(values.get("methods"))
    for keys, value in assignments:
        _assign(values, keys, value)
    for kind, given in (
        *(("reducer", text) for text in changes.reducers),
        *(("classifier", text) for text in changes.classifiers),
    ):
        _add_column(values, kind, given)


def _add_column(values: dict[str, Any], kind: str, given: str) -> None:
    """One more method, from NAME=METHOD or METHOD, called after its class then."""
    name, _, method = given.rpartition("=")
    name = name or method.rpartition(":")[2]
    if name in values["methods"]:
        raise ConfigError(
            f"--{kind} {given}: there is a method called {name!r} already; "
            f"--{kind} OTHER={method} gives it another name"
        )
    values["methods"] = values["methods"] | {name: {kind: method}}


def _assignment(text: str) -> tuple[list[str], Any]:
    """The keys and the value of ``KEY.KEY=VALUE``, the value as in a config."""
    where, equals, value = text.partition("=")
    keys = where.strip().split(".")
    if not equals or not all(keys):
        raise ConfigError(f"-o {text}: is not KEY=VALUE, as in classifier.k=8")
    return keys, read_yaml_text(value, Path(f"-o {text}"))[0]


def _assign(values: dict[str, Any], keys: list[str], value: Any) -> None:
    """Set what stands at the keys; ``methods.MDDM.kernel`` is of MDDM's reducer."""
    place, rest = values, keys
    if rest[0] == "methods" and len(rest) > 2:
        place, rest = _method(values, rest[1]), rest[2:]
        if rest[0] not in Method.model_fields:
            rest = ["reducer", *rest]
    if rest[0] in COMPONENTS and len(rest) > 1:
        name, place = _component(place, rest[0])
        rest = rest[2:] if rest[1] == name and len(rest) > 2 else rest[1:]
    for key in rest[:-1]:
        place = place.setdefault(key, {})
        if not isinstance(place, dict):
            raise ConfigError(f"-o {'.'.join(keys)}: {key} is {place!r}, not a mapping")
    place[rest[-1]] = value


def _method(values: dict[str, Any], name: str) -> dict[str, Any]:
    """A method of the config, in its full form."""
    if name not in values["methods"]:
        raise ConfigError(
            f"-o methods.{name}: {unknown('method', name, values['methods'])}"
        )
    method = values["methods"][name]
    if not isinstance(method, dict) or not set(method) <= set(Method.model_fields):
        method = values["methods"][name] = {"reducer": method}
    return method


def _component(holder: dict[str, Any], key: str) -> tuple[str, dict[str, Any]]:
    """The name and the settings of a reducer or classifier, in its full form."""
    given = holder.get(key, COMPONENTS[key])
    name, settings = given, None
    if isinstance(given, dict):
        ((name, settings),) = given.items()
    holder[key] = {name: dict(settings or {})}
    return name, holder[key][name]


def _check(values: dict[str, Any], changes: Changes) -> None:
    try:
        Experiment.model_validate(values)
    except ValidationError as exc:
        _, sentence = mistake_in(exc)
        raise ConfigError(f"{' '.join(changes.options)}: {sentence}") from exc
