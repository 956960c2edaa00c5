"""A config with other data sets than its own, as a config of its own."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from mlbench.config.lines import read_yaml
from mlbench.config.load import check_mapping, without_own_dims

# What a config says of its own data sets, and of no others.
OF_ITS_DATA = ("published", "published_columns", "claims", "paper", "reference", "name")


def with_datasets(
    path: Path, datasets: Sequence[dict[str, Any] | str]
) -> tuple[str, str]:
    """The config at ``path`` with these data sets: a name for it, and its text."""
    values, _ = read_yaml(path)
    known = check_mapping(values, path)
    kept = {key: value for key, value in known.items() if key not in OF_ITS_DATA}
    kept |= {
        "datasets": list(datasets),
        "methods": without_own_dims(known.get("methods")),
    }
    names = [d if isinstance(d, str) else d["name"] for d in datasets]
    name = "-".join([path.stem, *names]).replace(":", "-")
    return name, yaml.safe_dump(kept, sort_keys=False, allow_unicode=True)
