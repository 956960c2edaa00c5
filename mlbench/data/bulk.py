"""Many numbers at once: what array operations can read of a text, beyond doubt.

Every function returns None when the text is not plainly well-formed; the caller then
takes one line at a time, and can say which line is wrong and why.
"""

import re
import warnings
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from mlbench.data import limits

EXACT = 2**53  # whole numbers below this are float64 without rounding
POWERS = np.array([float(f"1e{k}") for k in range(23)])  # the exact powers of ten
NUMBER_BYTES = b"0123456789+-.eE"
TO_BLANKS = bytes.maketrans(b"{},:", b"    ")

_BLANK_INSIDE = re.compile(rb"[^\s,][ \t]+[^\s,]")


def dense_rows(lines: list[bytes], d: int) -> np.ndarray | None:
    """Rows of ``d`` numbers between commas, or None.

    With numbers and blanks deleted the rows must be commas and line ends in the right
    places; then there are as many fields as there should be, and since a field without
    blanks inside holds at most one number, the right count of numbers proves the rest.
    """
    n = len(lines)
    chunk = b"\n".join(lines) + b"\n"
    if (b" " in chunk or b"\t" in chunk) and _BLANK_INSIDE.search(chunk):
        return None
    skeleton = chunk.translate(None, NUMBER_BYTES + b" \t")
    # the length first: a wrong d must not make a huge skeleton to compare with
    if len(skeleton) != n * d or skeleton != (b"," * (d - 1) + b"\n") * n:
        return None
    values = numbers(chunk.translate(TO_BLANKS), n * d)
    return None if values is None else values.reshape(n, d)


def numbers(text: bytes, count: int) -> np.ndarray | None:
    """The ``count`` numbers between blanks in the text, which ends in one; or None."""
    if count == 0:
        return np.empty(0)
    values = _decimals(text, count)
    if values is not None:
        return values
    values = _parse(text, np.float64, count)
    if values is None or not np.isfinite(values).all():
        return None
    return values + 0.0  # makes minus zero zero, so that equal values are equal bytes


def whole_columns(tokens: np.ndarray, d: int) -> np.ndarray | None:
    """The numbers as columns 0..d-1, or None if one of them is not."""
    if len(tokens) and not 0 <= tokens.min() <= tokens.max() < d:
        return None
    columns = tokens.astype(np.int32)
    return columns if (columns == tokens).all() else None


def in_order(counts, columns, values) -> tuple | None:
    """Entries of rows with their columns sorted; None if a row names one twice."""
    steps = np.diff(columns)
    row_ends = np.cumsum(counts)[:-1] - 1
    row_ends = row_ends[(row_ends >= 0) & (row_ends < len(steps))]
    steps[row_ends] = 1  # between rows, any step is right
    if (steps > 0).all():
        return counts, columns, values
    row_of = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((columns, row_of))
    columns, values = columns[order], values[order]
    if ((np.diff(columns) == 0) & (np.diff(row_of) == 0)).any():
        return None
    return counts, columns, values


class Entries:
    """Rows of a sparse matrix as they come, a block of them at a time."""

    def __init__(self, path: Path):
        self.path = path
        self.counts: list[np.ndarray] = []
        self.columns: list[np.ndarray] = []
        self.values: list[np.ndarray] = []
        self.n = self.size = 0

    def add(self, counts: np.ndarray, columns: np.ndarray, values: np.ndarray) -> None:
        """More rows: entries in each, and column and value of every entry."""
        self.n += len(counts)
        self.size += len(columns)
        limits.check_size(self.path, "rows", self.n, limits.MOST_ENTRIES)
        limits.check_size(self.path, "values", self.size, limits.MOST_ENTRIES)
        self.counts.append(counts)
        self.columns.append(columns)
        self.values.append(values)

    def matrix(self, d: int) -> csr_array:
        """The matrix; the blocks are given up one kind after the other, for memory."""
        values, self.values = np.concatenate(self.values), []
        columns, self.columns = np.concatenate(self.columns), []
        indptr = np.concatenate([[0], *self.counts])
        self.counts = []
        np.cumsum(indptr, out=indptr)
        matrix = csr_array((values, columns, indptr), shape=(self.n, d))
        matrix.eliminate_zeros()
        return matrix


def _decimals(text: bytes, count: int) -> np.ndarray | None:
    """Numbers without exponent, as whole numbers over powers of ten; or None.

    Ten times faster than parsing them as floats, and just as exact: both parts are
    float64 without rounding, so their quotient is the float64 nearest to the decimal.
    """
    digits = text.translate(None, b".")
    if b"e" in text or b"E" in text or _has_lone_sign(digits):
        return None
    whole = _parse(digits, np.int64, count)
    if whole is None or whole.max() >= EXACT or whole.min() <= -EXACT:
        return None
    if b"." not in text:
        return whole.astype(np.float64)
    if b".-" in text or b".+" in text:
        return None
    return _shifted(whole, text)


def _has_lone_sign(digits: bytes) -> bool:
    """Whether a sign stands before a blank: NumPy takes that for a whole number."""
    if b"-" not in digits and b"+" not in digits:
        return False
    marks = np.frombuffer(digits, np.uint8)
    signs = (marks[:-1] == ord("-")) | (marks[:-1] == ord("+"))
    return bool((signs & (marks[1:] <= ord(" "))).any())


def _shifted(whole: np.ndarray, text: bytes) -> np.ndarray | None:
    """Whole numbers with the decimal points of the text put back; or None."""
    marks = np.frombuffer(text, np.uint8)
    blank = marks <= ord(" ")
    point = marks == ord(".")
    events = point.copy()
    events[1:] |= blank[1:] & ~blank[:-1]  # the blank after each number
    at = np.flatnonzero(events)
    is_point = point[at]
    points = np.flatnonzero(is_point)
    # two points in one number, or one that stands alone
    if is_point[points + 1].any() or len(at) - len(points) != len(whole):
        return None
    after = at[points + 1] - at[points] - 1
    owner = points - np.arange(len(points))  # as many numbers have ended before
    places = np.zeros(len(whole), dtype=np.intp)
    places[owner] = after
    return whole / POWERS[places] if after.max() < len(POWERS) else None


def _parse(text: bytes, dtype: type, count: int) -> np.ndarray | None:
    """The ``count`` numbers between blanks that NumPy finds in the text, or None."""
    if text.isspace():
        return None  # NumPy finds a number there
    with warnings.catch_warnings():
        # how NumPy reports, until it raises ValueError, text that is not numbers
        warnings.simplefilter("error", DeprecationWarning)
        try:
            values: np.ndarray = np.fromstring(text, dtype=dtype, sep=" ")
        except (DeprecationWarning, ValueError):
            return None
    return values if len(values) == count else None
