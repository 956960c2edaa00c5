"""What is spoilt: sound files of every form, made here or the heads of real ones."""

import bz2
import gzip
import io
import lzma
import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.io import savemat
from scipy.sparse import csc_matrix, csr_array

from mlbench.data.dataset import Dataset
from mlbench.data.own import Labels, read_own

XML = b"""<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="sun"></label>
<label name="sea"><label name="a &amp; b"/></label>
</labels>"""
HEADER = b"""@relation 'toy: -C 2'
% a comment
@attribute sun {0,1}
@attribute sea {0,1}
@attribute "a & b" numeric
@attribute 'two, {words}' {red,'dark blue'}
@attribute h real

@data
"""
DENSE = HEADER + b"1,0,1,red,-2.5e-3\n0,0,0,'dark blue',7\n\n% x\n0,1,0,red,.5\n"
SPARSE = HEADER + b"{0 1,4 2.5}\n{}\n{ 1 1, 3 'dark blue' }\n{4 -1e3}\n"
PLAIN = b"""@relation plain
@attribute sun {0,1}
@attribute sea {0,1}
@attribute 'a & b' numeric
@attribute x numeric
@data
"""
LABELS_LAST = b"""@relation last
@attribute x numeric
@attribute sun {0,1}
@attribute sea {0,1}
@data
2.5,0,1
-1,1,1
"""
PLAIN_DENSE = PLAIN + b"1,0,1,0.25\n0,1,0,-3\n0,0,1,12.5\n"
PLAIN_SPARSE = PLAIN + b"{0 1,2 1,3 0.25}\n{3 7}\n{}\n{1 1}\n"
CSV = b'sun,sea,"a, {b}",h\n1,0,2.5,-3\n0,0,1e3,"4"\n\n0,1, 7 ,.5\n'
CSV_PLAIN = b"sun,sea,x,y\n1,0,2.5,-3\n0,1,7,8\n"
SVM = b"1,3 1:0.5 7:2\n2 3:-1e2 1:4 # note\n 5:1\n\n1,2,3 2:.5\n"
SVM_PLAIN = b"1,3 1:0.5 7:2\n2 3:-1\n4:1\n"
DAT = b"@relation x\n@data\n1,2.5,a\n3, -4,b\n5,6e1,a\n"


@dataclass(frozen=True)
class Format:
    """Sound files of a form, and how they are read."""

    sound: list[bytes]
    read: Callable[[Path, bytes], Dataset]


def _read_as(ending: str, labels: Labels = None, pack=None):
    def read(folder: Path, raw: bytes) -> Dataset:
        path = folder / f"x{ending}"
        path.write_bytes(raw if pack is None else pack(raw))
        return read_own(path, labels)

    return read


def _read_mulan(folder: Path, raw: bytes) -> Dataset:
    (folder / "labels.xml").write_bytes(XML)
    return _read_as(".arff", "labels.xml")(folder, raw)


def _read_xml(folder: Path, raw: bytes) -> Dataset:
    (folder / "m.xml").write_bytes(raw)
    return _read_as(".arff", "m.xml")(folder, PLAIN_DENSE)


def _read_compressed(folder: Path, raw: bytes) -> Dataset:
    """Whatever the magic number says it is; read as ``.gz`` if it says nothing."""
    kinds = {b"BZ": ".bz2", b"\xfd7": ".xz"}
    return _read_as(".csv" + kinds.get(raw[:2], ".gz"), 2)(folder, raw)


def _read_npy(folder: Path, raw: bytes) -> Dataset:
    """A sound archive with one member spoilt, the one the first line names.

    The checksums of a zip file would hide it from a file that is spoilt as a whole.
    """
    key, _, content = raw.partition(b"\n")
    members = {name: _saved(np.save, value) for name, value in _npz_parts().items()}
    members[key.decode("latin-1") if key.decode("latin-1") in members else "X"] = (
        content
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, member in members.items():
            archive.writestr(f"{name}.npy", member)
    return _read_as(".npz")(folder, file.getvalue())


def _saved(function, *arrays, **named) -> bytes:
    file = io.BytesIO()
    function(file, *arrays, **named)
    return file.getvalue()


def _mats() -> list[bytes]:
    X, Y = np.array([[1.0, 0, 2], [0, 0.5, 0]]), np.array([[1, -1], [-1, 1]])
    files = []
    for form in (np.asarray, csc_matrix):
        parts = {"train_data": form(X), "train_target": Y.astype(np.int8)}
        parts |= {"test_data": X[:1], "test_target": form(Y[:, :1].astype(float))}
        files += [_saved(savemat, parts, do_compression=c) for c in (False, True)]
    return files


def _npz_parts() -> dict[str, np.ndarray]:
    X = csr_array(np.array([[1.0, 0, 2], [0, 0.5, 0]]))
    return {
        "Y": np.array([[1, 0], [0, 1]]),
        "X_data": X.data,
        "X_indices": X.indices,
        "X_indptr": X.indptr,
        "X_shape": np.array(X.shape),
        "label_names": np.array(["sun", "s\u00e9a"]),
        "n_train": np.array(1),
    }


def _npzs() -> list[bytes]:
    sparse = _npz_parts()
    dense = {"X": np.array([[1.0, 0, 2], [0, 0.5, 0]]), "Y": sparse["Y"]}
    return [
        _saved(save, **arrays)
        for save in (np.savez, np.savez_compressed)
        for arrays in (dense, sparse)
    ]


def _npys() -> list[bytes]:
    arrays = list(_npz_parts().items())
    arrays += [("X", np.ones((2, 3), "<f4")), ("Y", np.ones((2, 2), ">i2").T)]
    arrays += [("X_data", np.ones(3, "<f2")), ("label_names", np.array(["a", "bc"]))]
    return [key.encode() + b"\n" + _saved(np.save, values) for key, values in arrays]


def _heads(folder: str, pattern: str, rows: int = 2, wide: int = 3000) -> list[bytes]:
    """The beginnings of real files, if there are any: the header, then a few rows."""
    root = os.environ.get("MLBENCH_DATA")
    heads = []
    for path in sorted((Path(root) / folder).glob(pattern)) if root else ():
        with path.open("rb") as file:
            lines = file.read(100_000).splitlines(keepends=True)
        starts = [k for k, line in enumerate(lines) if b"@data" in line.lower()]
        end = (starts[0] if starts else 0) + 1 + rows
        head = b"".join(lines[:end])
        heads += [head] if starts and len(head) < wide else []
    return heads


def formats() -> dict[str, Format]:
    """Every form by its name."""
    arffs = _heads("mulan", "*.arff", wide=30_000)
    packed = [pack(CSV) for pack in (gzip.compress, bz2.compress, lzma.compress)]
    return {
        "mulan": Format([PLAIN_DENSE, PLAIN_SPARSE, DENSE, SPARSE], _read_mulan),
        "xml": Format([XML, XML.replace(b"utf-8", b"latin-1")], _read_xml),
        "meka": Format([DENSE, SPARSE], _read_as(".arff")),
        "real": Format([*arffs, LABELS_LAST], _read_as(".arff", -2)),
        "csv": Format([CSV, CSV_PLAIN], _read_as(".csv", ["sun", "sea"])),
        "svmlight": Format([SVM, SVM_PLAIN], _read_as(".svm")),
        "table": Format([DAT, *_heads("keel", "*.dat")], _read_as(".dat")),
        "mat": Format(_mats(), _read_as(".mat")),
        "npz": Format(_npzs(), _read_as(".npz")),
        "npy": Format(_npys(), _read_npy),
        "compressed": Format(packed, _read_compressed),
        "inside": Format([CSV, CSV_PLAIN], _read_as(".csv.gz", 2, _quick_gzip)),
    }


def _quick_gzip(raw: bytes) -> bytes:
    return gzip.compress(raw, compresslevel=1)
