"""A data set wherever it comes from.

Files of the catalogue, a file of the user's, OpenML, or a recipe by which it is made.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlbench.components import fingerprint, load_object
from mlbench.data.cache import file_checksum
from mlbench.data.load import Description, describe_read, load_read
from mlbench.data.load import describe as describe_files
from mlbench.data.load import load as load_files
from mlbench.errors import DataError

if TYPE_CHECKING:
    from mlbench.data.dataset import Dataset


@dataclass(frozen=True)
class Recipe:
    """How a set that comes with the package is made."""

    function: str  # module:function, called with the settings and a name
    settings: dict[str, Any]  # what can be asked for, with its defaults
    fixed: dict[str, int]  # sizes that cannot
    sparse: bool = False


RECIPES = {
    "topics": Recipe(
        "mlbench.data.synthetic:yahoo_like",
        {"n": 1000, "d": 500, "q": 12, "seed": 0, "cardinality": 1.6, "length": 60},
        {},
        sparse=True,
    ),
    "chance": Recipe(
        "mlbench.data.simulated:chance_set", {"n": 800, "d": 1000, "seed": 0}, {"q": 2}
    ),
    "planted": Recipe(
        "mlbench.data.simulated:planted_set",
        {"n": 800, "d": 100_000, "seed": 0},
        {"q": 4},
    ),
    "digits": Recipe("mlbench.data.digits:digits", {}, {"n": 1797, "d": 64, "q": 10}),
}

PLANTED = tuple(range(6))  # the same three features twice

# Sets that are named like those of the catalogue, and need no file.
EMBEDDED = {"digits": {"kind": "digits"}}


def describe(name: str, recipe: dict | None, folder: Path) -> Description:
    """Sizes and checksum of a data set, reading no more than is needed.

    ``recipe`` is the kind of a set that is made and what was asked of it; None is a
    set of the catalogue.
    """
    if recipe is None:
        return describe_files(name, folder)
    if recipe["kind"] in READERS:
        marks, read = READERS[recipe["kind"]](name, recipe)
        return describe_read(name, marks, read)
    about = RECIPES[recipe["kind"]]
    sizes = about.settings | about.fixed | recipe
    # The set is a function of its settings and of the code that draws it.
    module = about.function.partition(":")[0]
    content = json.dumps([_settings(recipe), fingerprint(module)])
    return Description(
        name=name,
        n=sizes["n"],
        d=sizes["d"],
        q=sizes["q"],
        n_train=None,
        digest=hashlib.sha256(content.encode()).hexdigest(),
        minimum=0.0,
        sparse=about.sparse,
    )


def load(name: str, recipe: dict | None, folder: Path):
    """The data set itself."""
    if recipe is None:
        return load_files(name, folder)
    if recipe["kind"] in READERS:
        marks, read = READERS[recipe["kind"]](name, recipe)
        return load_read(name, marks, read)
    function = load_object(RECIPES[recipe["kind"]].function)
    return function(**_settings(recipe), name=name)


def _own(name: str, recipe: dict) -> tuple[list[str], Callable[[], "Dataset"]]:
    """A user's file: what tells its content apart, and how it is read."""
    from mlbench.data.own import find_own, read_own

    path, labels = Path(recipe["path"]), recipe.get("labels")
    files = find_own(path, labels).files
    try:
        sums = [file_checksum(file) for file in files]
    except OSError as exc:
        raise DataError(f"{exc.filename}: cannot be read ({exc.strerror})") from exc
    marks = [*sums, json.dumps(labels), fingerprint("mlbench.data.own")]
    return marks, lambda: read_own(path, labels, name=name)


def _openml(name: str, recipe: dict) -> tuple[list[str], Callable[[], "Dataset"]]:
    """A set of OpenML; what was fetched once is not fetched again."""
    from mlbench.data.openml import read_openml

    marks = [name, fingerprint("mlbench.data.openml")]
    return marks, lambda: read_openml(name)


READERS = {"path": _own, "openml": _openml}


def planted_features(recipe: dict | None) -> tuple[int, ...]:
    """The features that decide the labels of a set, where that is known."""
    return PLANTED if recipe and recipe["kind"] == "planted" else ()


def _settings(recipe: dict) -> dict:
    """What the function of a recipe is called with."""
    given = {key: value for key, value in recipe.items() if key != "kind"}
    return RECIPES[recipe["kind"]].settings | given
