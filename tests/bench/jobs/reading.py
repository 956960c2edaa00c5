"""ARFF files, from the disk to arrays."""

from pathlib import Path

import numpy as np
from scipy.sparse import csr_array, hstack, issparse

from tests.bench import data
from tests.bench.checks import same
from tests.bench.job import Job, Rival, Way


def _sparse_file() -> Path:
    return data.folder() / "yahoo" / "yahoo-arts.arff"


def _dense_file() -> Path:
    return data.folder() / "mulan" / "mediamill.arff"


def _ours(path: Path, result) -> Way:
    from mlbench.data.arff import read_arff
    from mlbench.data.mulan import read_mulan

    def in_file_order(dataset):
        """Features and labels side by side again, as the columns of the file."""
        columns = [*dataset.feature_names, *dataset.label_names]
        place = {name: i for i, name in enumerate(columns)}
        order = [place[attribute.name] for attribute in read_arff(path).attributes]
        both = [dataset.X, dataset.Y]
        sparse = issparse(dataset.X)
        whole = hstack(both, format="csr") if sparse else np.hstack(both)
        return result(whole[:, order])

    return Way(
        lambda: read_mulan([path], path.with_suffix(".xml"), path.stem), in_file_order
    )


def _entries(matrix):
    """A sparse matrix as comparable arrays."""
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return {"values": matrix.data, "columns": matrix.indices, "ends": matrix.indptr}


def _table(matrix):
    return {"values": np.asarray(matrix, dtype=float)}


def _liac_arff(path: Path, form: str, result) -> Way:
    import arff

    def act():
        with path.open(encoding="utf-8") as file:
            return arff.load(file, return_type=getattr(arff, form))

    return Way(act, result)


def _lists(loaded):
    return _table(loaded["data"])


def _dictionaries(loaded):
    """Rows are dictionaries by column, values being numbers or their names."""
    rows, width = loaded["data"], len(loaded["attributes"])
    ends = np.cumsum([0, *map(len, rows)])
    columns = [column for row in rows for column in row]
    values = [float(value) for row in rows for value in row.values()]
    return _entries(csr_array((values, columns, ends), shape=(len(rows), width)))


def _scipy(path: Path) -> Way:
    from scipy.io.arff import loadarff

    def result(loaded):
        records, _ = loaded
        columns = [records[name].astype(float) for name in records.dtype.names]
        return _table(np.column_stack(columns))

    return Way(lambda: loadarff(path), result)


NOTE = "does not read the XML that names the labels"
JOBS = {
    "read_sparse_arff": Job(
        "read yahoo-arts.arff, sparse, 6 MB",
        lambda: _ours(_sparse_file(), _entries),
        (
            Rival(
                "liac-arff",
                lambda: _liac_arff(_sparse_file(), "LOD", _dictionaries),
                same(0),
                f"{NOTE}; gives dictionaries",
            ),
        ),
    ),
    "read_dense_arff": Job(
        "read mediamill.arff, dense, 56 MB",
        lambda: _ours(_dense_file(), _table),
        (
            Rival("SciPy loadarff", lambda: _scipy(_dense_file()), same(1e-15), NOTE),
            Rival(
                "liac-arff",
                lambda: _liac_arff(_dense_file(), "DENSE", _lists),
                same(1e-15),
                f"{NOTE}; gives lists",
            ),
        ),
    ),
}
