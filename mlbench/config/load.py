"""Find a config by path or name, read it, check it, say what is wrong and where."""

from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mlbench.components import search_here
from mlbench.config.lines import Location, read_yaml
from mlbench.config.model import Experiment
from mlbench.errors import ConfigError, unknown

_PACKAGE = Path(str(resources.files("mlbench"))).resolve()
# In a wheel the configs are inside the package, in a checkout beside it.
_FOLDERS = (_PACKAGE / "configs", _PACKAGE.parent / "configs")
_SENTENCES = {
    "missing": "is missing",
    "string_type": "{input!r} is not text",
    "int_type": "{input!r} is not a whole number",
    "float_type": "{input!r} is not a number",
    "literal_error": "{input!r} is not one of {expected}",
    "greater_than": "{input!r} is not above {gt}",
    "greater_than_equal": "{input!r} is below {ge}, the least there is",
    "less_than_equal": "{input!r} is above {le}, the most there is",
    "dict_type": "{input!r} is not a mapping",
    "tuple_type": "{input!r} is not a list",
    "too_short": "is empty, at least one is needed",
    "string_pattern_mismatch": "{input!r} is not a file name of letters, digits, _.-",
}


def _folder() -> Path:
    return next(folder for folder in _FOLDERS if folder.is_dir())


def config_names() -> dict[str, Path]:
    """The configs that come with mlbench, by name."""
    return {path.stem: path for path in sorted(_folder().glob("*.yaml"))}


def find_config(name: str | Path, results: Path | None = None) -> Path:
    """The file behind a path, or behind the name of a config of ours.

    Given a results folder, also behind the name of an experiment recorded there.
    """
    path = Path(name)
    if path.is_file():
        return path
    known = config_names()
    if results is not None:
        known = {
            p.parent.name: p for p in sorted(results.glob("*/config.yaml"))
        } | known
    if str(name) in known:
        return known[str(name)]
    if path.suffix == ".yaml" or len(path.parts) > 1:
        raise ConfigError(f"{name}: no such file")
    raise ConfigError(unknown("config", str(name), known))


def load_experiment(path: Path, **overrides) -> Experiment:
    """Read and check a config; ``overrides`` replace top-level keys.

    A module that it names may stand beside it, or in the current folder.
    """
    for folder in (path.parent, None):
        search_here(folder)
    values, lines = read_yaml(path)
    values = {"name": default_name(path)} | check_mapping(values, path) | overrides
    if "dims" in overrides:
        values["methods"] = without_own_dims(values.get("methods"))
    resolve_paths(values, path.parent)
    try:
        return Experiment.model_validate(values)
    except ValidationError as exc:
        line, sentence = mistake_in(exc, lines)
        raise ConfigError(f"{path}:{line}: {sentence}") from exc


def check_mapping(values: Any, path: Path) -> dict:
    """The content of a config file, which must be a mapping."""
    if not isinstance(values, dict):
        raise ConfigError(f"{path}:1: is not a mapping of keys such as datasets, dims")
    return values


def resolve_paths(values: dict, folder: Path) -> None:
    """Make the paths of files relative to the config's folder, not to the user's."""
    for holder in path_holders(values):
        holder["path"] = str(folder / holder["path"])


def path_holders(values: dict) -> list[dict]:
    """The mappings of a config that name a file under ``path``."""
    holders = [values.get("split"), *_listed(values.get("datasets"))]
    return [
        holder
        for holder in holders
        if isinstance(holder, dict) and isinstance(holder.get("path"), str)
    ]


def _listed(value: Any) -> list:
    return value if isinstance(value, list) else []


def without_own_dims(methods: Any) -> Any:
    """The methods without dimensions for each data set: others are asked for."""
    if not isinstance(methods, dict):
        return methods
    return {name: _without_dims(method) for name, method in methods.items()}


def _without_dims(method: Any) -> Any:
    dims = method.get("dims") if isinstance(method, dict) else None
    if not isinstance(dims, dict) or "match" in dims:
        return method
    return {key: value for key, value in method.items() if key != "dims"}


def default_name(path: Path) -> str:
    """The name of an experiment that states none."""
    # The copy beside an experiment's records is named after the experiment's folder.
    return path.parent.name if path.name == "config.yaml" else path.stem


def line_of(lines: dict[Location, int], at: Location) -> int:
    """The line of a value, or of the nearest mapping around it."""
    while at not in lines and at:
        at = at[:-1]
    return lines.get(at, 1)


def mistake_in(
    exc: ValidationError, lines: dict[Location, int] | None = None
) -> tuple[int, str]:
    """The first mistake of a config in the order of the file: its line, and a sentence.

    Without ``lines`` the order is pydantic's.
    """
    found = []
    for error in exc.errors():
        context = error.get("ctx") or {}
        at = (*error["loc"], *context.get("key", ()))
        if error["type"] == "mistake":
            message = error["msg"]
        else:
            form = _SENTENCES.get(error["type"], f"{error['msg']}, got {{input!r}}")
            message = form.format(**({"input": error["input"]} | context))
        # Of two on a line the inner one is the cause of the outer one.
        place = (line_of(lines or {}, at), -len(at))
        found.append((place, ".".join(map(str, at)), message))
    (line, _), where, message = min(found)
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return line, f"{where}: {message}{more}"
