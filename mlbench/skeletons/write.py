"""Fill a skeleton with a name and write it."""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from mlbench.errors import ConfigError
from mlbench.skeletons.names import check_module, class_and_module, config_name


@dataclass(frozen=True)
class Written:
    """Files that were written, and the commands to go on with, from their folder."""

    files: tuple[Path, ...]
    commands: tuple[str, ...]


def write(kind: str, name: str, folder: Path, force: bool = False) -> Written:
    """Write what a ``kind`` (reducer, classifier or config) of this name begins with.

    Nothing is replaced unless ``force`` says so.
    """
    if kind == "config":
        name = config_name(name)
        texts = {f"{name}.yaml": _filled("config.yaml", name=name)}
        commands = tuple(
            f"mlbench {command} {name}.yaml" for command in ("plan", "run", "report")
        )
    else:
        class_name, module = class_and_module(name)
        check_module(module, folder)
        texts = {
            f"{module}.py": _filled(f"{kind}.py", name=class_name),
            f"test_{module}.py": _filled(
                f"test_{kind}.py", name=class_name, module=module
            ),
        }
        commands = (
            f"mlbench check {module}:{class_name}",
            f"pytest test_{module}.py",
            f"mlbench run quickstart --{kind} {module}:{class_name}",
        )
    paths = tuple(folder / file for file in texts)
    _put(dict(zip(paths, texts.values(), strict=True)), force)
    return Written(paths, commands)


def _filled(file: str, **names: str) -> str:
    """The text of a skeleton with the names in their places."""
    text = files("mlbench.skeletons").joinpath(f"{file}.in").read_text(encoding="utf-8")
    return Template(text).substitute(names)


def _put(texts: dict[Path, str], force: bool) -> None:
    for path in texts:
        if path.exists() and not force:
            raise ConfigError(f"{path}: is there already; --force replaces it")
    for path, text in texts.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as exc:
            raise ConfigError(f"{path}: cannot be written ({exc.strerror})") from exc
