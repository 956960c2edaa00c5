"""Data files fetched from the addresses of the catalogue: whole and right, or not.

What arrives is kept in a hidden file beside its place, ``.NAME.part``, and moved there
in one step when its size and its SHA-256 are those of the catalogue; a file under its
own name is never a half. An interrupted transfer goes on where it stopped, if the
server can do that and its file is still the same (``Range`` with ``If-Range``).

The standard library does the transfer. pooch starts a file from the beginning after
every interruption and replaces a file with another checksum without being asked; with
a downloader of our own and that decision taken from it, nothing of it would be used.
"""

import http.client
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib import request
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from filelock import FileLock

from mlbench.data.cache import file_checksum
from mlbench.data.catalogue import FileEntry, entry_named
from mlbench.data.locate import inside, remedy
from mlbench.errors import DataError

CHUNK = 1 << 16  # most bytes taken from the network at a time
SCHEMES = ("http", "https")
PASSING = (408, 425, 429, 500, 502, 503, 504)  # answers that may be better next time
LONGEST_PAUSE = 30.0  # seconds
OK, PARTIAL, NOT_SATISFIABLE = 200, 206, 416

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Patience:
    """How long to wait for a server, and how often to come back to it.

    ``timeout`` is in seconds without a byte; before attempt k + 1 there is a pause of
    2^(k - 1) seconds.
    """

    timeout: float = 30.0
    attempts: int = 4
    pause: Callable[[float], None] = time.sleep


def get(
    names: Iterable[str],
    folder: Path,
    progress: Progress | None = None,
    *,
    overwrite: bool = False,
    patience: Patience | None = None,
) -> list[Path]:
    """Fetch the files of the data sets that are not under the folder.

    A file that is there and right is left alone, and without a file to fetch the
    network is not touched. A file of the same name with another content may be the
    user's own edition: it is replaced only with ``overwrite``.

    Parameters
    ----------
    names : iterable of str
        Data sets of the catalogue.
    folder : Path
        The data folder; it is made when it is not there.
    progress : callable or None
        Called with the bytes that are here and the bytes of all files to fetch.
    overwrite : bool
        Also fetch the files that are there with another checksum.
    patience : Patience or None
        Timeouts and retries.

    Returns
    -------
    list of Path
        The files that were fetched.

    Raises
    ------
    DataError
        After all files were tried, if some could not be had; it names each of them.
    """
    files = {file.path: file for name in names for file in entry_named(name).files}
    problems, wanted = [], []
    for file in files.values():
        target = inside(folder, file.path)
        if not target.exists() or (overwrite and not _is_right(target, file)):
            wanted.append((file, target))
        elif not _is_right(target, file):
            problems.append(
                f"{target} is there with another checksum than the catalogue's, move "
                "it away or ask for it to be overwritten"
            )
    tally = _Tally(progress, sum(file.bytes for file, _ in wanted))
    for file, target in wanted:
        try:
            _fetch(file, target, tally, patience or Patience())
        except DataError as exc:
            problems.append(str(exc))
    if problems:
        raise DataError("; ".join(problems))
    return [target for _, target in wanted]


class _Failure(Exception):  # noqa: N818 - it is caught here, and becomes a sentence
    """Why an address did not give the file, and whether another attempt may help."""

    def __init__(self, reason: str, *, passing: bool = False):
        super().__init__(reason)
        self.passing = passing


@dataclass
class _Tally:
    """Counts what is here of all that is to be fetched."""

    progress: Progress | None
    total: int
    finished: int = 0  # bytes of the files before the present one

    def show(self, here: int) -> None:
        if self.progress is not None:
            self.progress(self.finished + here, self.total)


@dataclass(frozen=True)
class _Part:
    """What has arrived of a file, and a note of the address it came from."""

    path: Path
    note: Path

    @classmethod
    def of(cls, target: Path) -> "_Part":
        return cls(_hidden(target, "part"), _hidden(target, "part.json"))

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    def held(self, url: str) -> tuple[int, str]:
        """Bytes that are here from that address, and the server's mark for them."""
        try:
            origin, mark = json.loads(self.note.read_text(encoding="utf-8"))
            return (self.size, mark) if origin == url and mark else (0, "")
        except (OSError, ValueError, TypeError):
            return 0, ""

    def begin(self, url: str, mark: str) -> None:
        # In this order: an old note must never stand beside new bytes.
        self.note.unlink(missing_ok=True)
        self.path.write_bytes(b"")
        self.note.write_text(json.dumps([url, mark]), encoding="utf-8")

    def remove(self) -> None:
        self.note.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)


def _hidden(target: Path, ending: str) -> Path:
    return target.with_name(f".{target.name}.{ending}")


def _is_right(path: Path, file: FileEntry) -> bool:
    try:
        right_size = path.is_file() and path.stat().st_size == file.bytes
        return right_size and file_checksum(path) == file.sha256
    except OSError as exc:
        raise DataError(f"{path}: cannot be read ({exc.strerror})") from exc


def _fetch(file: FileEntry, target: Path, tally: _Tally, patience: Patience) -> None:
    """Put the file in its place, from the first address that has it."""
    addresses = [url for url in file.addresses if urlsplit(url).scheme in SCHEMES]
    if not addresses:
        raise DataError(
            f"{file.path} cannot be fetched by its name, {remedy(file, target)}"
        )
    part = _Part.of(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _alone(target):
            if not _is_right(target, file):  # another process may have been faster
                _from_any(addresses, file, part, tally, patience)
                part.path.replace(target)
                part.remove()
    except OSError as exc:
        with suppress(OSError):  # what cannot be written must not fill the disk
            part.remove()
        reason = exc.strerror or exc
        raise DataError(f"{target}: cannot be written ({reason})") from exc
    tally.finished += file.bytes
    tally.show(0)


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    """Keep other processes from fetching the same file at the same time."""
    lock = _hidden(target, "lock")
    with FileLock(lock):
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


def _from_any(addresses, file, part, tally, patience) -> None:
    """Fill the part from one of the addresses."""
    reasons = []
    for url in addresses:
        try:
            _with_retries(url, file, part, tally, patience)
        except _Failure as failure:
            reasons.append(f"{url}: {failure}")
        else:
            return
    raise DataError(f"{file.path} cannot be fetched ({'; '.join(reasons)})")


def _with_retries(url, file, part, tally, patience) -> None:
    for attempt in range(1, patience.attempts + 1):
        try:
            _transfer(url, file, part, tally, patience.timeout)
        except _Failure as failure:
            if not failure.passing or attempt == patience.attempts:
                raise
        else:
            return
        patience.pause(min(2.0 ** (attempt - 1), LONGEST_PAUSE))


def _transfer(url: str, file: FileEntry, part: _Part, tally: _Tally, timeout) -> None:
    """Bring the part to its full size, and check it."""
    held, mark = part.held(url)
    if held < file.bytes:
        _receive(url, held, mark, file, part, tally, timeout)
    if part.size < file.bytes:
        raise _Failure(
            f"it ended after {part.size} of {file.bytes} bytes", passing=True
        )
    if part.size > file.bytes or file_checksum(part.path) != file.sha256:
        part.remove()
        # The beginning may have been damaged on this side: once more, from the start.
        raise _Failure("it is not the file of the catalogue", passing=held > 0)


def _receive(url, held, mark, file, part, tally, timeout) -> None:
    headers = {"Range": f"bytes={held}-", "If-Range": mark} if held else {}
    with _open(url, headers, part, timeout) as response:
        if held and response.status == PARTIAL:
            _check_range(response, held, file.bytes, part)
        else:  # the file has changed, or the server does not know ranges
            held = 0
            _check_length(response, file.bytes)
            part.begin(url, _mark(response))
        with part.path.open("ab") as kept:
            # One byte more than there should be is enough to know it is another file.
            while held <= file.bytes and (chunk := _read(response)):
                kept.write(chunk)
                held += len(chunk)
                tally.show(min(held, file.bytes))
            kept.flush()
            os.fsync(kept.fileno())


def _open(url: str, headers: dict[str, str], part: _Part, timeout: float) -> Any:
    try:
        return _opener().open(request.Request(url, headers=headers), timeout=timeout)
    except HTTPError as exc:
        exc.close()
        if exc.code == NOT_SATISFIABLE and headers:
            part.remove()
            raise _Failure("the rest cannot be had", passing=True) from exc
        reason = f"{exc.code} {exc.reason}"
        raise _Failure(reason, passing=exc.code in PASSING) from exc
    except URLError as exc:
        raise _Failure(_words(exc.reason), passing=True) from exc
    except (OSError, http.client.HTTPException) as exc:
        raise _Failure(_words(exc), passing=True) from exc


def _read(response) -> bytes:
    """Bytes that have arrived, none at the end; errors here are the network's."""
    try:
        return response.read1(CHUNK)
    except (OSError, http.client.HTTPException) as exc:
        raise _Failure(_words(exc), passing=True) from exc


def _words(reason: object) -> str:
    """What went wrong on the network, in one line."""
    text = str(getattr(reason, "strerror", None) or reason) or type(reason).__name__
    return " ".join(text.split())


def _check_range(response, held: int, total: int, part: _Part) -> None:
    if response.headers.get("Content-Range") != f"bytes {held}-{total - 1}/{total}":
        part.remove()
        raise _Failure("it sent another range than was asked for", passing=True)


def _check_length(response, total: int) -> None:
    if response.status != OK:
        raise _Failure(f"{response.status} {response.reason}")
    length = response.headers.get("Content-Length", str(total))
    if length != str(total):
        raise _Failure(f"it has {length} bytes, the catalogue's file has {total}")


def _mark(response) -> str:
    """What the server knows this state of its file by; empty if there is nothing."""
    tag = response.headers.get("ETag", "")
    if tag and not tag.startswith("W/"):  # a weak tag stands for more than one state
        return tag
    return response.headers.get("Last-Modified", "")


class _Redirects(request.HTTPRedirectHandler):
    """Follow to http and https only, and from https to nothing less."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        before, after = urlsplit(req.full_url).scheme, urlsplit(newurl).scheme
        if after not in SCHEMES or (before == "https" and after != "https"):
            fp.close()
            raise _Failure(f"it redirects to {newurl!r}, which is not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener() -> request.OpenerDirector:
    """Opens http and https; no files, no ftp, unlike the usual one."""
    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler(),
        request.HTTPHandler(),
        request.HTTPSHandler(),
        request.HTTPErrorProcessor(),
        request.HTTPDefaultErrorHandler(),
        _Redirects(),
    ):
        opener.add_handler(handler)
    return opener
