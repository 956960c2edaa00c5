"""ARFF, the text form of Weka and Mulan: a header of attributes, then rows of values.

Well-formed rows of plain numbers, which is nearly every file, are read a megabyte
at a time by array operations. They accept a block only when it is beyond doubt;
whatever else stands in the file, odd or wrong, goes to a reader that takes one line at
a time and can say which line is wrong and why.
"""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from mlbench.data.arff_dense import read_dense
from mlbench.data.arff_header import Attribute, Header, read_header
from mlbench.data.arff_sparse import read_sparse
from mlbench.data.text import number, read_text, short
from mlbench.errors import DataError

__all__ = ["Arff", "Attribute", "number", "read_arff", "short"]

_DATA_LINE = re.compile(rb"^[ \t]*+@data[ \t]*+(?:%.*)?$", re.IGNORECASE | re.MULTILINE)
_FIRST_ROW = re.compile(rb"^[ \t]*+([^%\s])", re.MULTILINE)


class Arff(NamedTuple):
    """What an ARFF file says: its columns, and one row of the matrix per sample."""

    attributes: tuple[Attribute, ...]
    matrix: np.ndarray | csr_array
    relation: str = ""  # as written


def read_arff(path: Path) -> Arff:
    """Read an ARFF file: float64, dense for dense rows, CSR for sparse ones.

    A category that is a number, like those of ``{0, 1}``, becomes that number if all
    categories of the attribute are numbers; any other category becomes its position
    among them, from 0. In sparse rows a value that is not written is 0: the number,
    or the first category.

    Ours: a comment takes a line of its own; categories that are numbers are compared
    as numbers (``1.0`` is ``1``); minus zero is zero; bytes that are not UTF-8 are
    read as Latin-1. Missing values, and attributes that are neither numbers nor
    categories, are refused.
    """
    raw = read_text(path)
    (relation, attributes), start = _header(raw, path)
    first_row = _FIRST_ROW.search(raw, start)
    if first_row is None:
        raise DataError(f"{path}: no rows after @data, at least one is needed")
    read = read_sparse if first_row[1] == b"{" else read_dense
    return Arff(attributes, read(raw, start, attributes, path), relation)


def _header(raw: bytes, path: Path) -> tuple[Header, int]:
    """The header, and where the rows begin."""
    data_line = _DATA_LINE.search(raw)
    if data_line is None:
        raise DataError(f"{path}: no @data line, an ARFF file has one before its rows")
    return read_header(raw[: data_line.start()], path), data_line.end() + 1
