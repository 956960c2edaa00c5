"""Which configs reproduce which paper."""

from pathlib import Path

from mlbench.config.lines import read_yaml
from mlbench.config.load import config_names
from mlbench.errors import ConfigError, unknown

ALL = "all"


def papers() -> dict[str, list[Path]]:
    """The configs that come with mlbench, by the paper that they name."""
    found: dict[str, list[Path]] = {}
    for path in config_names().values():
        values, _ = read_yaml(path)
        if isinstance(values, dict) and values.get("paper"):
            found.setdefault(str(values["paper"]), []).append(path)
    return found


def configs_of(paper: str) -> list[Path]:
    """The configs of one paper, or of all."""
    known = papers()
    if paper == ALL:
        return [path for paths in known.values() for path in paths]
    if paper not in known:
        raise ConfigError(unknown("paper", paper, [*known, ALL]))
    return known[paper]
