"""A data set of the catalogue by its name: what it is like, or all of it.

Nothing heavy is imported before it is needed: describing a set that was parsed before
takes the checksums of its files and one small file of notes.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlbench.components import fingerprint
from mlbench.data import cache
from mlbench.data.catalogue import Entry, entry_named
from mlbench.data.locate import find_files
from mlbench.errors import DataError

if TYPE_CHECKING:
    import numpy as np

    from mlbench.data.dataset import Dataset

# The digest counts numbers in these forms, so that it is the same on every machine.
DIGEST_TYPES = {
    "X": "<f8",
    "X_data": "<f8",
    "X_indices": "<i8",
    "X_indptr": "<i8",
    "Y": "|u1",
}


@dataclass(frozen=True)
class Description:
    """What must be known of a data set to plan work on it.

    ``digest`` is a checksum of the parsed arrays and of ``n_train``, the same on every
    machine; ``minimum`` is the smallest feature value.
    """

    name: str
    n: int
    d: int
    q: int
    n_train: int | None
    digest: str
    minimum: float
    sparse: bool


def describe(name: str, folder: Path) -> Description:
    """What the data set with its files under ``folder`` is like."""
    entry, paths, key = _locate(name, folder)
    meta = cache.read_meta(key)
    if meta is None:
        return _parse(entry, paths, key)[1]
    return Description(**(meta | {"name": name}))  # two names may share their files


def load(name: str, folder: Path) -> "Dataset":
    """The data set with its files under ``folder``; its arrays are read-only."""
    entry, paths, key = _locate(name, folder)
    return _restore(name, key) or _parse(entry, paths, key)[0]


def describe_read(
    name: str, marks: list[str], read: Callable[[], "Dataset"]
) -> Description:
    """What a data set is like that ``read`` reads; ``marks`` tell its content apart."""
    key = cache.entry_key(marks, fingerprint(__name__))
    meta = cache.read_meta(key)
    if meta is None:
        return _keep(read(), key)
    return Description(**(meta | {"name": name}))


def load_read(name: str, marks: list[str], read: Callable[[], "Dataset"]) -> "Dataset":
    """The data set that ``read`` reads, from the cache if it was read before."""
    key = cache.entry_key(marks, fingerprint(__name__))
    found = _restore(name, key)
    if found is None:
        found = read()
        _keep(found, key)
    return found


def _locate(name: str, folder: Path) -> tuple[Entry, list[Path], str]:
    """Catalogue entry of a data set, its files, and its key in the cache."""
    entry = entry_named(name)
    paths = find_files(entry, folder)
    try:
        checksums = [cache.file_checksum(path) for path in paths]
    except OSError as exc:
        raise DataError(f"{exc.filename}: cannot be read ({exc.strerror})") from exc
    return entry, paths, cache.entry_key(checksums, fingerprint(__name__))


def _parse(entry: Entry, paths: list[Path], key: str) -> tuple["Dataset", Description]:
    """Read the files, and keep what they hold in the cache."""
    dataset = _read(entry, paths)
    return dataset, _keep(dataset, key)


def _keep(dataset: "Dataset", key: str) -> Description:
    """Put a data set into the cache, and describe it."""
    arrays = _arrays(dataset)
    for values in arrays.values():
        values.flags.writeable = False  # as they will be when they come from the cache
    description = _description(dataset, arrays)
    names = {
        "feature_names": _packed(dataset.feature_names),
        "label_names": _packed(dataset.label_names),
    }
    cache.write(key, arrays | names, asdict(description))
    return description


def _read(entry: Entry, paths: list[Path]) -> "Dataset":
    if entry.format == "mat":
        from mlbench.data.mat import read_mat

        return read_mat(paths[0], entry.name)
    if entry.format == "table":
        from mlbench.data.table import read_table

        return read_table(paths[0], entry.name)
    from mlbench.data.mulan import read_mulan

    *arff_paths, xml_path = sorted(paths, key=lambda path: path.suffix == ".xml")
    return read_mulan(arff_paths, xml_path, entry.name)


def _restore(name: str, key: str) -> "Dataset | None":
    """The data set as kept in the cache; None if it is not there or damaged."""
    from scipy.sparse import csr_array

    from mlbench.data.dataset import Dataset

    meta, arrays = cache.read_meta(key), cache.read_arrays(key)
    if meta is None or arrays is None:
        return None
    if meta["sparse"]:
        parts = tuple(arrays[f"X_{part}"] for part in ("data", "indices", "indptr"))
        X = csr_array(parts, shape=(meta["n"], meta["d"]))
    else:
        X = arrays["X"]
    return Dataset(
        name=name,
        X=X,
        Y=arrays["Y"],
        feature_names=_unpacked(arrays["feature_names"]),
        label_names=_unpacked(arrays["label_names"]),
        n_train=meta["n_train"],
    )


def _arrays(dataset: "Dataset") -> dict[str, "np.ndarray"]:
    """The plain arrays a data set is made of."""
    from scipy.sparse import issparse

    X: Any = dataset.X
    if not issparse(X):
        return {"X": X, "Y": dataset.Y}
    parts = {"X_data": X.data, "X_indices": X.indices, "X_indptr": X.indptr}
    return parts | {"Y": dataset.Y}


def _packed(names: tuple[str, ...]) -> "np.ndarray":
    """Names as bytes: an array of text is as wide as its longest name in every row."""
    import numpy as np

    return np.frombuffer(json.dumps(names).encode(), dtype=np.uint8)


def _unpacked(packed: "np.ndarray") -> tuple[str, ...]:
    return tuple(json.loads(packed.tobytes()))


def _description(dataset: "Dataset", arrays: dict[str, "np.ndarray"]) -> Description:
    import numpy as np

    n, d = dataset.X.shape
    sparse = "X" not in arrays
    values = arrays["X_data" if sparse else "X"]
    unwritten_zeros = values.size < n * d
    return Description(
        name=dataset.name,
        n=n,
        d=d,
        q=dataset.Y.shape[1],
        n_train=dataset.n_train,
        digest=_digest(arrays, d, dataset.n_train),
        minimum=float(values.min(initial=0.0 if unwritten_zeros else np.inf)),
        sparse=sparse,
    )


def _digest(arrays: dict[str, "np.ndarray"], d: int, n_train: int | None) -> str:
    """Checksum of the arrays, whatever the byte order and width of their numbers."""
    import numpy as np

    total = hashlib.sha256(f"d={d} n_train={n_train}".encode())
    for name, values in sorted(arrays.items()):
        total.update(f" {name} {values.shape} ".encode())
        total.update(np.ascontiguousarray(values, dtype=DIGEST_TYPES[name]).data)
    return total.hexdigest()
