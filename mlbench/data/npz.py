"""Arrays of NumPy: an ``.npz`` file with the features, the labels and their names.

The file is read without ``numpy.load``: a member says how large it is before memory is
taken for it, and nothing in it is ever a Python object.
"""

import io
import math
import re
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from mlbench.data import limits
from mlbench.data.compressed import read_bytes
from mlbench.data.dataset import Dataset
from mlbench.data.text import short
from mlbench.errors import DataError

SPARSE = ("X_data", "X_indices", "X_indptr", "X_shape")
KNOWN = {"X", "Y", "feature_names", "label_names", "n_train", *SPARSE}
MOST_MEMBERS = 1000  # of the archive: their list alone could fill the memory
# How zipfile says that a file is damaged.
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    ValueError,
    EOFError,
    OSError,
    OverflowError,
    RuntimeError,  # encrypted; NotImplementedError: of a later version
)

_MAGIC = re.compile(rb"\x93NUMPY(?:\x01\x00..|\x02\x00....)", re.DOTALL)
_HEADER = re.compile(
    rb"\{'descr': '([<>|](?:b1|[iu][1248]|f(?:2|4|8|16)|U[1-9][0-9]{0,5}))', "
    rb"'fortran_order': (True|False), "
    rb"'shape': \(([0-9, ]*)\), *\} *\n"
)


def read_npz(path: Path, name: str) -> Dataset:
    """Read a file written by ``numpy.savez`` or ``numpy.savez_compressed``.

    =============  ==========  ===================================================
    array          shape       meaning
    =============  ==========  ===================================================
    X              n x d       features, any kind of real numbers
    Y              n x q       labels, 0 and 1
    feature_names  d           text; ``f1``, ``f2`` ... if it is not there
    label_names    q           text; ``label1``, ``label2`` ... if it is not there
    n_train        none        the first ``n_train`` rows are for training
    =============  ==========  ===================================================

    Sparse features are the four arrays ``X_data``, ``X_indices``, ``X_indptr`` and
    ``X_shape`` of a CSR matrix in place of ``X``. Other arrays are not looked at.
    """
    try:
        arrays = _arrays(path)
    except DAMAGE as exc:
        raise DataError(
            f"{path}: is damaged, or no file of numpy.savez ({exc})"
        ) from exc
    X = _sparse(arrays, path) if "X" not in arrays else _dense(arrays["X"], path)
    Y = _labels(arrays, path)
    n, d = X.shape
    if len(Y) != n:
        raise DataError(
            f"{path}: Y has {len(Y)} rows and X has {n}, as many are needed"
        )
    return Dataset(
        name=name,
        X=X,
        Y=Y,
        feature_names=_names(arrays, "feature_names", "f", d, path),
        label_names=_names(arrays, "label_names", "label", Y.shape[1], path),
        n_train=_n_train(arrays, n, path),
    )


# --- the arrays as they are


def _arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays we know the names of, never more than the limit together."""
    raw = read_bytes(path)
    limits.check_size(path, "members", raw.count(b"PK\x01\x02"), MOST_MEMBERS)
    arrays: dict[str, np.ndarray] = {}
    left = limits.MOST_BYTES
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        for member in archive.infolist():
            name = member.filename.removesuffix(".npy")
            if name not in KNOWN:
                continue
            if name in arrays:
                raise ValueError(f"{name} is in it twice")
            content = _content(archive, member, left)
            left -= len(content)
            if left < 0:
                raise DataError(
                    f"{path}: is too large, at most {limits.MOST_BYTES} bytes are read"
                )
            arrays[name] = _array(content, name)
    return arrays


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> bytes:
    """What is in a member, up to one byte more than is allowed."""
    # the other kinds, which NumPy never writes, may ask for any amount of memory
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError("it is compressed in a way that numpy.savez does not use")
    with archive.open(member) as file:
        return file.read(most + 1)


def _array(raw: bytes, name: str) -> np.ndarray:
    """The array of numbers or text in the form of an ``.npy`` file."""
    magic = _MAGIC.match(raw)
    header = _HEADER.match(raw, magic.end()) if magic else None
    if magic is None or header is None:
        raise ValueError(f"{name} is no plain array of numbers or text")
    if int.from_bytes(magic[0][8:], "little") != header.end() - magic.end():
        raise ValueError(f"{name} begins elsewhere than it says")
    dtype = np.dtype(header[1].decode())
    shape = tuple(int(length) for length in header[3].split(b",") if length.strip())
    size = math.prod(shape) * dtype.itemsize
    if size != len(raw) - header.end():
        raise ValueError(f"{name} of shape {shape} does not fill its bytes")
    if size == 0:
        return np.empty(shape, dtype)
    values = np.frombuffer(raw, dtype=dtype, offset=header.end())
    return values.reshape(shape, order="F" if header[2] == b"True" else "C")


# --- as a data set


def _dense(X: np.ndarray, path: Path) -> np.ndarray:
    if X.ndim != 2 or min(X.shape) < 1 or X.dtype.kind == "U":
        raise DataError(
            f"{path}: X has shape {X.shape} and type {X.dtype}, a matrix is needed"
        )
    limits.check_size(path, "values", X.size, limits.MOST_VALUES)
    return _finite(X, path)


def _sparse(arrays: dict[str, np.ndarray], path: Path) -> csr_array:
    if missing := [key for key in SPARSE if key not in arrays]:
        raise DataError(
            f"{path}: no X, and for sparse features no {missing[0]}, it must hold "
            f"X and Y or {', '.join(SPARSE)} and Y"
        )
    data, indices, indptr, shape = (arrays[key] for key in SPARSE)
    whole = all(part.dtype.kind in "iu" for part in (indices, indptr, shape))
    flat = all(part.ndim == 1 for part in (data, indices, indptr, shape))
    if not whole or not flat or shape.size != 2 or data.dtype.kind == "U":
        raise DataError(f"{path}: X_data and its indices are not those of a CSR matrix")
    limits.check_size(path, "values", data.size, limits.MOST_ENTRIES)
    limits.check_size(path, "rows", indptr.size, limits.MOST_ENTRIES)
    n, d = (int(length) for length in shape)
    limits.check_size(path, "columns", d, limits.MOST_COLUMNS)
    # a wild index would be a crash later on, and SciPy does not look at all of them
    if (
        n < 1
        or d < 1
        or len(indptr) != n + 1
        or int(indptr[0]) != 0
        or int(indptr[-1]) != len(indices)
        or (indptr[1:] < indptr[:-1]).any()
        or len(indices) != len(data)
        or ((indices < 0) | (indices >= d)).any()
    ):
        raise DataError(f"{path}: the indices of X_data do not fit together")
    values = _finite(data, path)
    parts = (values, indices.astype(np.int32), indptr.astype(np.int64))
    X = csr_array(parts, shape=(n, d))
    X.sum_duplicates()
    X.eliminate_zeros()
    return X


def _finite(values: np.ndarray, path: Path) -> np.ndarray:
    """The values as float64, minus zero as zero."""
    with np.errstate(all="ignore"):  # a longer float may overflow: that is infinity
        numbers = np.ascontiguousarray(values, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise DataError(f"{path}: X holds NaN or infinity, finite numbers are needed")
    own = numbers.flags.writeable
    return np.add(numbers, 0.0, out=numbers if own else None)


def _labels(arrays: dict[str, np.ndarray], path: Path) -> np.ndarray:
    Y = arrays.get("Y")
    if Y is None or Y.ndim != 2 or min(Y.shape) < 1 or Y.dtype.kind == "U":
        raise DataError(f"{path}: no matrix Y, samples by labels, it must hold one")
    wrong = (Y != 0) & (Y != 1)
    if wrong.any():
        raise DataError(f"{path}: Y holds {float(Y[wrong][0])}, a label is 0 or 1")
    return Y.astype(np.uint8, "C")


def _names(
    arrays: dict[str, np.ndarray], key: str, prefix: str, count: int, path: Path
) -> tuple[str, ...]:
    limits.check_size(path, "columns", count, limits.MOST_COLUMNS)
    if key not in arrays:
        return tuple(f"{prefix}{k + 1}" for k in range(count))
    names = arrays[key]
    if names.shape != (count,) or names.dtype.kind != "U":
        raise DataError(
            f"{path}: {key} has shape {names.shape} and type {names.dtype}, {count} "
            "texts are needed"
        )
    # as numbers, since text that is none is an error only when it is looked at
    marks = np.ascontiguousarray(names).view(names.dtype.str[0] + "u4")
    if ((marks > 0x10FFFF) | ((marks >= 0xD800) & (marks <= 0xDFFF))).any():
        raise DataError(f"{path}: {key} is not text")
    found = tuple(str(name) for name in names)
    if key == "label_names" and len(set(found)) < count:
        twice = next(name for name in found if found.count(name) > 1)
        raise DataError(f"{path}: label {short(twice)} is named more than once")
    return found


def _n_train(arrays: dict[str, np.ndarray], n: int, path: Path) -> int | None:
    if "n_train" not in arrays:
        return None
    value = arrays["n_train"]
    if value.size != 1 or value.dtype.kind not in "iu" or not 1 <= value.item() < n:
        raise DataError(f"{path}: n_train is not one whole number in 1..{n - 1}")
    return int(value.item())
