"""Plain text: its bytes, its lines, and the numbers and names in its messages."""

import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

from mlbench.data import limits
from mlbench.data.compressed import read_bytes
from mlbench.errors import DataError

CHUNK = 1 << 20  # bytes read at a time: temporaries stay small next to the matrix
LONGEST_HINT = 60  # characters of a name that is compared with others
MOST_HINTS = 30_000  # names that are compared: beyond, it would take seconds

NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)

T = TypeVar("T")


def read_text(path: Path) -> bytes:
    """Bytes of a text file, decompressed, each line ended by a newline alone."""
    raw = read_bytes(path)
    if b"\0" in raw:
        line = raw.count(b"\n", 0, raw.index(b"\0")) + 1
        raise DataError(f"{path}:{line}: a NUL byte, plain text is needed")
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n")
        raw = raw.replace(b"\r", b"\n")
    return raw.removeprefix(b"\xef\xbb\xbf")


def decode(raw: bytes) -> str:
    """The text of the bytes; those that are not UTF-8 are read as Latin-1."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


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


def hint(name: str, known: Iterable[str]) -> str:
    """Question after the known name that may be meant; empty if none is near.

    >>> hint("sae", ["sea", "sun"])
    ", did you mean 'sea'?"
    """
    if len(name) > LONGEST_HINT:
        return ""
    names = [k for k in known if len(k) <= LONGEST_HINT][:MOST_HINTS]
    close = difflib.get_close_matches(name, names, n=1)
    return f", did you mean {short(close[0])}?" if close else ""


class Block(NamedTuple):
    """Some lines of a file, and the line number of the first one."""

    raw: bytes
    first_line: int


def blocks(raw: bytes, start: int, path: Path) -> Iterator[Block]:
    """The lines from a position on, about a megabyte at a time."""
    line = raw.count(b"\n", 0, start) + 1
    while start < len(raw):
        end = raw.find(b"\n", start + CHUNK) + 1 or len(raw)
        if end - start > limits.MOST_LINE:
            _check_last_line(raw, start, end, path)
        block = raw[start:end]
        yield Block(block, line)
        line += block.count(b"\n")
        start = end


def _check_last_line(raw: bytes, start: int, end: int, path: Path) -> None:
    """The last line of a block is the only one that can be long."""
    last = raw.rfind(b"\n", start, end - 1) + 1 or start
    if end - last > limits.MOST_LINE:
        line = raw.count(b"\n", 0, last) + 1
        limits.check_size(f"{path}:{line}", "bytes", end - last, limits.MOST_LINE)


def rows(block: Block, comment: bytes) -> list[bytes]:
    """The lines that are neither blank nor a comment, without blanks around them."""
    stripped = (line.strip(b" \t") for line in block.raw.split(b"\n"))
    return [line for line in stripped if line and not line.startswith(comment)]


def map_rows(
    block: Block, comment: bytes, path: Path, function: Callable[[str], T]
) -> Iterator[T]:
    """The function of each row; a ValueError gets the number of its line."""
    for line_number, line in enumerate(block.raw.split(b"\n"), block.first_line):
        row = line.strip(b" \t")
        if not row or row.startswith(comment):
            continue
        try:
            yield function(decode(row))
        except ValueError as exc:
            raise DataError(f"{path}:{line_number}: {exc}") from None
