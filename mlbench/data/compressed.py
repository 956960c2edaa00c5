"""Bytes of a file, decompressed by its ending, and never more than the limit.

A few kilobytes of compressed zeros may stand for gigabytes: decompression stops at
the limit, and so does the memory that an ``.xz`` file may ask for.
"""

import bz2
import gzip
import lzma
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from mlbench.data import limits
from mlbench.errors import DataError

BLOCK = 1 << 13  # compressed bytes at a time
PART = 1 << 20  # decompressed bytes at a time
XZ_MEMORY = 1 << 27  # twice what the strongest setting of xz needs


def read_bytes(path: Path) -> bytes:
    """Content of a regular file; of what is in it for ``.gz``, ``.bz2`` and ``.xz``."""
    if path.exists() and not path.is_file():
        raise DataError(f"{path}: is not a file")
    try:
        with path.open("rb") as file:
            return _bounded(file, path)
    except (OSError, ValueError) as exc:  # the second: a name that no file can have
        reason = getattr(exc, "strerror", None) or exc
        raise DataError(f"{path}: cannot be read ({reason})") from exc


def plain_name(path: Path) -> Path:
    """The name of a file without the ending that says how it is compressed.

    >>> plain_name(Path("yeast.arff.gz")).name, plain_name(Path("yeast.csv")).name
    ('yeast.arff', 'yeast.csv')
    """
    return path.with_suffix("") if path.suffix.lower() in DECODERS else path


def _bounded(file: IO[bytes], path: Path) -> bytes:
    """All of the content, or an error when it is more than the limit."""
    decode = DECODERS.get(path.suffix.lower())
    if decode is None:
        size = os.fstat(file.fileno()).st_size
        if size > limits.MOST_BYTES:
            raise _too_large(path)
        return file.read(size)
    parts, size = [], 0
    try:
        for part in decode(file):
            parts.append(part)
            size += len(part)
            if size > limits.MOST_BYTES:
                raise _too_large(path)
    except (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError) as exc:
        raise DataError(f"{path}: cannot be decompressed ({exc})") from exc
    return b"".join(parts)


def _too_large(path: Path) -> DataError:
    return DataError(
        f"{path}: is too large, at most {limits.MOST_BYTES} bytes are read"
    )


def _parts(stream: Any) -> Iterator[bytes]:
    while part := stream.read(PART):
        yield part


def _gz_parts(file: IO[bytes]) -> Iterator[bytes]:
    return _parts(gzip.GzipFile(fileobj=file))


def _bz2_parts(file: IO[bytes]) -> Iterator[bytes]:
    return _parts(bz2.BZ2File(file))


def _xz_parts(file: IO[bytes]) -> Iterator[bytes]:
    """Not with ``lzma.LZMAFile``: the file says how much memory that takes."""
    decoder = lzma.LZMADecompressor(memlimit=XZ_MEMORY)
    while True:
        block = b""
        if decoder.eof:
            block = decoder.unused_data.lstrip(b"\0") or file.read(BLOCK).lstrip(b"\0")
            if not block:
                return
            decoder = lzma.LZMADecompressor(memlimit=XZ_MEMORY)
        elif decoder.needs_input:
            block = file.read(BLOCK)
            if not block:
                raise EOFError("it ends before its end mark")
        yield decoder.decompress(block, PART)


DECODERS = {".gz": _gz_parts, ".bz2": _bz2_parts, ".xz": _xz_parts}
