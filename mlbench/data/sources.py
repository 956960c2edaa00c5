"""A data set wherever it comes from: catalogue files or embedded."""

import hashlib
import json
from pathlib import Path

from mlbench.components import fingerprint
from mlbench.data.load import Description
from mlbench.data.load import describe as describe_files
from mlbench.data.load import load as load_files


def describe(name: str, synthetic: dict | None, folder: Path) -> Description:
    """Sizes and checksum of a data set, reading no more than is needed."""
    if synthetic is None:
        return describe_files(name, folder)
    # The corpus is a function of its sizes and of the code that draws it.
    recipe = json.dumps([synthetic, fingerprint("mlbench.data.synthetic")])
    return Description(
        name=name,
        n=synthetic["n"],
        d=synthetic["d"],
        q=synthetic["q"],
        n_train=None,
        digest=hashlib.sha256(recipe.encode()).hexdigest(),
        minimum=0.0,
        sparse=True,
    )


def load(name: str, synthetic: dict | None, folder: Path):
    """The data set itself."""
    if synthetic is None:
        return load_files(name, folder)
    from mlbench.data.synthetic import yahoo_like

    return yahoo_like(**synthetic, name=name)
