"""ARFF, the text form of Weka and Mulan: a header of attributes, then rows of values.

Well-formed rows of plain numbers, which is nearly every file, are read a megabyte
at a time by array operations. They accept a chunk only when it is beyond doubt;
whatever else stands in the file, odd or wrong, goes to a reader that takes one line at
a time and can say which line is wrong and why.
"""

import re
import warnings
from array import array
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from mlbench.errors import DataError

CHUNK = 1 << 20  # bytes read at a time: temporaries stay small next to the matrix
EXACT = 2**53  # whole numbers below this are float64 without rounding
POWERS = np.array([float(f"1e{k}") for k in range(23)])  # the exact powers of ten

NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
NUMBER_BYTES = b"0123456789+-.eE"
# A shortcut for most lines of most headers, which may have tens of thousands.
USUAL_KINDS: dict[str, tuple[str, ...]] = {"numeric": (), "{0,1}": ("0", "1")}
TO_BLANKS = bytes.maketrans(b"{},", b"   ")

_QUOTED = r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\""""
_ATTRIBUTE = re.compile(
    rf"\s*(?i:@attribute)\s+(?:(?:{_QUOTED})\s*|(\S+)\s+|([^\s{{]+)(?=\{{))"
    r"(\{.*\}|[A-Za-z]+)\s*",
    re.ASCII,
)
_DATA_LINE = re.compile(rb"^[ \t]*@data[ \t]*(?:%.*)?$", re.IGNORECASE | re.MULTILINE)
_FIRST_ROW = re.compile(rb"^[ \t]*([^%\s])", re.MULTILINE)
_FIELD = re.compile(rf"[ \t]*(?:{_QUOTED}|([^,]*))[ \t]*(,|$)")
_ENTRY = re.compile(rf"[ \t]*([^\s,]+)[ \t]+(?:{_QUOTED}|([^,]*))[ \t]*(,|$)")

_BLANK_INSIDE = re.compile(rb"[^\s,][ \t]+[^\s,]")
# Sparse rows with their numbers deleted: "{ , , }", or "{}" for a row of zeros.
_SPARSE_ROWS = re.compile(rb"(?:\{(?: (?:, )*+)?+\}\n)*+")


class Attribute(NamedTuple):
    """One column: a number, or one of the named categories."""

    name: str
    categories: tuple[str, ...] = ()  # none: a number


class Arff(NamedTuple):
    """What an ARFF file says: its columns, and one row of the matrix per sample."""

    attributes: tuple[Attribute, ...]
    matrix: np.ndarray | csr_array


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
    raw = _read(path)
    data_line = _DATA_LINE.search(raw)
    if data_line is None:
        raise DataError(f"{path}: no @data line, an ARFF file has one before its rows")
    attributes = _read_header(_decode(raw[: data_line.start()]), path)
    first_row = _FIRST_ROW.search(raw, data_line.end())
    if first_row is None:
        raise DataError(f"{path}: no rows after @data, at least one is needed")
    start = data_line.end() + 1
    if first_row[1] == b"{":
        _check_implied_values(attributes, path)
        matrix = _fast_sparse(raw, start, attributes)
        read_line_by_line = _careful_sparse
    else:
        matrix = _fast_dense(raw, start, attributes)
        read_line_by_line = _careful_dense
    if matrix is None:
        matrix = read_line_by_line(_Lines(raw, start, path), attributes)
    return Arff(attributes, matrix)


def number(text: str) -> float | None:
    """The finite decimal number that ``text`` is, or None; minus zero is zero.

    >>> number("-2.5e1"), number("nan"), number("1_000")
    (-25.0, None, None)
    """
    if not NUMBER.fullmatch(text):
        return None
    value = float(text) + 0.0
    return value if abs(value) < float("inf") else None


def short(text: str) -> str:
    """The text, quoted for a message, cut when it is long."""
    return repr(text if len(text) <= 40 else text[:37] + "...")


# --- the file and its header


def _read(path: Path) -> bytes:
    """Bytes of the file, each line ended by a newline alone."""
    try:
        raw = path.read_bytes()
    except OSError as exc:
        raise DataError(f"{path}: cannot be read ({exc.strerror})") from exc
    if b"\0" in raw:
        line = raw.count(b"\n", 0, raw.index(b"\0")) + 1
        raise DataError(f"{path}:{line}: a NUL byte, an ARFF file is plain text")
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return raw.removeprefix(b"\xef\xbb\xbf")


def _decode(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _read_header(header: str, path: Path) -> tuple[Attribute, ...]:
    attributes = []
    for line_number, line in enumerate(header.split("\n"), start=1):
        try:
            attribute = _header_line(line)
        except ValueError as exc:
            raise DataError(f"{path}:{line_number}: {exc}") from None
        if attribute is not None:
            attributes.append(attribute)
    if not attributes:
        raise DataError(f"{path}: no @attribute line before @data, one is needed")
    return tuple(attributes)


def _header_line(line: str) -> Attribute | None:
    """The attribute a header line declares; None if it is of another kind."""
    first, _, rest = line.partition(" ")
    name, _, kind = rest.partition(" ")
    if first == "@attribute" and kind in USUAL_KINDS and name.isalnum():
        return Attribute(name, USUAL_KINDS[kind])
    if match := _ATTRIBUTE.fullmatch(line):
        single, double, bare, glued, kind = match.groups()
        name = bare or glued or _text(single, double, None)
        return Attribute(name, _categories(kind))
    line = line.strip(" \t")
    if not line or line.startswith("%") or line[:9].lower() == "@relation":
        return None
    raise ValueError(
        f"{short(line)} is not a header line, "
        "the form is: @attribute name numeric, or @attribute name {a, b}"
    )


@lru_cache  # nearly all attributes of a file share one or two declarations
def _categories(kind: str) -> tuple[str, ...]:
    if kind.lower() in ("numeric", "real", "integer"):
        return ()
    if not kind.startswith("{"):
        raise ValueError(
            f"attributes of type {short(kind)} are not supported, "
            "only numeric, real, integer and {...}"
        )
    names = tuple(_fields(kind[1:-1]))
    if "" in names or len(set(names)) < len(names):
        raise ValueError(f"empty or repeated categories in {short(kind)}")
    return names


@lru_cache
def _levels(categories: tuple[str, ...]) -> dict[str | float | None, float]:
    """Value of each category: by number if all are numbers, by name otherwise."""
    numbers = [number(category) for category in categories]
    if None in numbers:
        return {category: float(k) for k, category in enumerate(categories)}
    return {value: value for value in numbers if value is not None}


def _check_implied_values(attributes: tuple[Attribute, ...], path: Path) -> None:
    """In sparse rows the first category goes unwritten, and we take that for 0."""
    for categories in dict.fromkeys(attribute.categories for attribute in attributes):
        if categories and next(iter(_levels(categories).values())) != 0:
            names = [a.name for a in attributes if a.categories == categories]
            raise DataError(
                f"{path}: attribute {short(names[0])}: the first category is "
                f"{short(categories[0])}, in sparse rows it must be '0'"
            )


# --- whole chunks at a time


def _fast_dense(raw: bytes, start: int, attributes) -> np.ndarray | None:
    """The matrix, or None when the rows are not plainly well-formed numbers."""
    binary = _binary_columns(attributes)
    if binary is None:
        return None
    blocks = []
    for lines in _chunks(raw, start):
        block = _dense_chunk(lines, len(attributes))
        if block is None or not _all_binary(block[:, binary]):
            return None
        blocks.append(block)
    return np.concatenate(blocks)


def _fast_sparse(raw: bytes, start: int, attributes) -> csr_array | None:
    """The matrix, or None when the rows are not plainly well-formed numbers."""
    binary = _binary_columns(attributes)
    if binary is None:
        return None
    d = len(attributes)
    counts, columns, values = [], [], []
    for lines in _chunks(raw, start):
        block = _sparse_chunk(lines, d)
        if block is None or not _all_binary(block[2][binary[block[1]]]):
            return None
        counts.append(block[0])
        columns.append(block[1])
        values.append(block[2])
    parts = (np.concatenate(part) for part in (counts, columns, values))
    return _compressed(d, *parts)


def _binary_columns(attributes) -> np.ndarray | None:
    """Mask of the 0/1 attributes; None if there are categories of another kind."""
    kinds = {attribute.categories for attribute in attributes}
    if any(kind and set(_levels(kind)) != {0.0, 1.0} for kind in kinds):
        return None
    return np.array([bool(attribute.categories) for attribute in attributes])


def _all_binary(values: np.ndarray) -> bool:
    return bool(((values == 0) | (values == 1)).all())


def _chunks(raw: bytes, start: int) -> Iterator[list[bytes]]:
    """The rows, some at a time, without comments and blank lines."""
    while start < len(raw):
        end = raw.find(b"\n", start + CHUNK) + 1 or len(raw)
        stripped = (line.strip(b" \t") for line in raw[start:end].split(b"\n"))
        lines = [line for line in stripped if line and not line.startswith(b"%")]
        start = end
        if lines:
            yield lines


def _dense_chunk(lines: list[bytes], d: int) -> np.ndarray | None:
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
    values = _numbers(chunk.translate(TO_BLANKS), n * d)
    return None if values is None else values.reshape(n, d)


def _sparse_chunk(lines: list[bytes], d: int) -> tuple | None:
    """Entries per row, and column and value of each entry; or None.

    The proof is that of :func:`_dense_chunk`: a skeleton with one blank per entry, at
    most one number on either side of it, none outside the braces or in ``{}``, and
    twice as many numbers as blanks.
    """
    if not all(line.startswith(b"{") and line.endswith(b"}") for line in lines):
        return None
    chunk = b"\n".join(lines) + b"\n"
    skeleton = chunk.translate(None, NUMBER_BYTES)
    if not _SPARSE_ROWS.fullmatch(skeleton):
        chunk = chunk.replace(b"\t", b" ").replace(b"{ ", b"{")
        chunk = chunk.replace(b" }", b"}").replace(b", ", b",")
        skeleton = chunk.translate(None, NUMBER_BYTES)
        lines = chunk.split(b"\n")
    in_place = lines.count(b"{}") == skeleton.count(b"{}")
    if not in_place or not _SPARSE_ROWS.fullmatch(skeleton):
        return None
    tokens = _numbers(chunk.translate(TO_BLANKS), 2 * skeleton.count(b" "))
    if tokens is None or ((tokens[::2] < 0) | (tokens[::2] >= d)).any():
        return None
    columns = tokens[::2].astype(np.int32)
    if (columns != tokens[::2]).any():
        return None
    marks = np.frombuffer(skeleton, np.uint8)
    entries_so_far = np.cumsum(marks == ord(" "))[marks == ord("\n")]
    return np.diff(entries_so_far, prepend=0), columns, tokens[1::2]


def _compressed(d: int, counts, columns, values) -> csr_array | None:
    """CSR matrix with sorted columns; None if a row names a column twice."""
    place = np.repeat(np.arange(len(counts)), counts) * d + columns
    if (np.diff(place) <= 0).any():
        order = np.argsort(place)
        if (np.diff(place[order]) == 0).any():
            return None
        columns, values = columns[order], values[order]
    indptr = np.concatenate([[0], np.cumsum(counts)])
    matrix = csr_array((values, columns, indptr), shape=(len(counts), d))
    matrix.eliminate_zeros()
    return matrix


def _numbers(text: bytes, count: int) -> np.ndarray | None:
    """The ``count`` numbers between blanks in the text; None if it is not that."""
    if count == 0:
        return np.empty(0)
    values = _decimals(text, count)
    if values is not None:
        return values
    values = _parse(text, np.float64, count)
    if values is None or not np.isfinite(values).all():
        return None
    return values + 0.0  # makes minus zero zero, so that equal values are equal bytes


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
    ends = np.flatnonzero(blank[1:] > blank[:-1]) + 1  # the blank after each number
    points = np.flatnonzero(marks == ord("."))
    owner = np.searchsorted(ends, points)  # the number each point stands in
    places = np.zeros(len(whole), dtype=np.int64)
    places[owner] = ends[owner] - points - 1
    if (np.diff(owner) == 0).any() or places.max() >= len(POWERS):
        return None
    return whole / POWERS[places]


def _parse(text: bytes, dtype: type, count: int) -> np.ndarray | None:
    """The ``count`` numbers between blanks that NumPy finds in the text, or None."""
    with warnings.catch_warnings():
        # how NumPy reports, until it raises ValueError, text that is not numbers
        warnings.simplefilter("error", DeprecationWarning)
        try:
            values: np.ndarray = np.fromstring(text, dtype=dtype, sep=" ")
        except (DeprecationWarning, ValueError):
            return None
    return values if len(values) == count else None


# --- one line at a time


class _Lines:
    """The rows as text; a ValueError while one is read gets its line number."""

    def __init__(self, raw: bytes, start: int, path: Path):
        self.text = _decode(raw[start:])
        self.first = raw.count(b"\n", 0, start) + 1
        self.path = path

    def map(self, function, *arguments) -> Iterator:
        """The function of each row that is not blank and not a comment."""
        for line_number, line in enumerate(self.text.split("\n"), start=self.first):
            row = line.strip(" \t")
            if not row or row.startswith("%"):
                continue
            try:
                yield function(row, *arguments)
            except ValueError as exc:
                raise DataError(f"{self.path}:{line_number}: {exc}") from None


def _careful_dense(lines: _Lines, attributes) -> np.ndarray:
    values: array[float] = array("d")
    for row in lines.map(_dense_row, attributes):
        values.extend(row)
    return np.frombuffer(values).reshape(-1, len(attributes))


def _careful_sparse(lines: _Lines, attributes) -> csr_array:
    counts, columns, values = array("q"), array("q"), array("d")
    for row in lines.map(_sparse_row, attributes):
        counts.append(len(row))
        columns.extend(row.keys())
        values.extend(row.values())
    parts = (np.array(part) for part in (counts, columns, values))
    return _compressed(len(attributes), *parts)


def _dense_row(row: str, attributes) -> list[float]:
    if row.startswith("{"):
        raise ValueError("a sparse row in a file of dense rows, one form is needed")
    fields = _fields(row)
    if len(fields) != len(attributes):
        raise ValueError(
            f"{len(fields)} values, one for each of the {len(attributes)} attributes "
            "is needed"
        )
    return [_value(*pair) for pair in zip(fields, attributes, strict=True)]


def _sparse_row(row: str, attributes) -> dict[int, float]:
    if not (row.startswith("{") and row.endswith("}")):
        raise ValueError(f"{short(row)} is not a sparse row, the form is: {{0 1, 5 2}}")
    inside = row[1:-1].strip(" \t")
    values: dict[int, float] = {}
    for match in _matches(_ENTRY, inside) if inside else ():
        index = number(match[1])
        if index is None or index % 1 or not 0 <= index < len(attributes):
            raise ValueError(
                f"{short(match[1])} is not the index of an attribute, "
                f"those are 0..{len(attributes) - 1}"
            )
        column = int(index)
        if column in values:
            raise ValueError(f"index {column} stands twice in a row, once is allowed")
        values[column] = _value(_text(*match.groups()[1:4]), attributes[column])
    return values


def _value(text: str, attribute: Attribute) -> float:
    """The number that stands for a value of the attribute."""
    name, categories = attribute
    levels = _levels(categories)
    value = levels.get(text, levels.get(number(text))) if levels else number(text)
    if value is not None:
        return value
    if text == "?":
        raise ValueError(
            f"the value of attribute {short(name)} is missing ('?'), "
            "missing values are not supported"
        )
    wanted = f"one of {short(', '.join(categories))}" if categories else "a number"
    raise ValueError(
        f"{short(text)} is not a value of attribute {short(name)}, {wanted} is needed"
    )


def _fields(text: str) -> list[str]:
    """Values between commas, quotes taken off."""
    return [_text(*match.groups()[:3]) for match in _matches(_FIELD, text)]


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Matches one after the other; the last group of the last one is empty."""
    position, comma = 0, ","
    while comma:
        match = pattern.match(text, position)
        if match is None:
            raise ValueError(
                f"{short(text[position:])} is not an entry, the form is: index value"
            )
        yield match
        position, comma = match.end(), match[match.re.groups]


def _text(single: str | None, double: str | None, bare: str | None) -> str:
    """The name or value in whichever way it was written."""
    if bare is not None:
        return bare.strip(" \t")
    return re.sub(r"\\(.)", r"\1", single if single is not None else double or "")
