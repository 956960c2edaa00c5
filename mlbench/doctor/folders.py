"""The folders mlbench works in: data, cache and results."""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from mlbench.data.catalogue import catalogue
from mlbench.data.locate import cache_dir, inside, missing_files, own_data_dir
from mlbench.doctor.finding import NOTE, OK, PROBLEM, Finding, size

OPTION, VARIABLE, DEFAULT = "--data-dir", "$MLBENCH_DATA", "user cache"
LITTLE = 1e9  # bytes of free disk space
SHOWN = 3  # files that are named


def data_folder(option: Path | None) -> Iterator[Finding]:
    """The data folder: who chose it, whether it can be read, what is in it."""
    source, folder = _chosen(option)
    values = {"folder": str(folder), "source": source}
    where = f"{folder} ({source})"
    reason = _unusable(folder, os.R_OK | os.X_OK)
    if reason is None:
        try:
            yield from _about_sets(source, folder, where, values)
        except OSError as exc:  # a folder inside it
            text = f"{exc.filename}: cannot be read ({exc.strerror})"
            fix = _data_fix(source, folder, FORBIDDEN)
            yield Finding(PROBLEM, "data", text, fix, values)
    elif source == DEFAULT and reason == MISSING:
        text = f"{where} is not there yet, so no data set is"
        yield Finding(NOTE, "data", text, "mlbench data get all", values)
    else:
        fix = _data_fix(source, folder, reason)
        yield Finding(PROBLEM, "data", f"{where}: {reason}", fix, values)


def _chosen(option: Path | None) -> tuple[str, Path]:
    """As :func:`mlbench.data.locate.data_dir`, also where there is no such folder."""
    if option:
        return OPTION, option
    if named := os.environ.get("MLBENCH_DATA"):
        return VARIABLE, Path(named)
    return DEFAULT, own_data_dir()


def _data_fix(source: str, folder: Path, reason: str) -> str:
    if reason == FORBIDDEN:
        return f"chmod -R u+rX {quote(str(folder))}"
    if source == OPTION and reason == MISSING:
        return f"mlbench data get all --data-dir {quote(str(folder))}"
    return "export MLBENCH_DATA=FOLDER"


def _about_sets(
    source: str, folder: Path, where: str, values: dict
) -> Iterator[Finding]:
    known = catalogue().values()
    here = [entry.name for entry in known if not missing_files(entry, folder)]
    option = f" --data-dir {quote(str(folder))}" if source == OPTION else ""
    text = f"{where}: {len(here)} of {len(known)} data sets are here"
    values = values | {"known": len(known), "here": len(here)}
    if len(here) == len(known):
        yield Finding(OK, "data", text, values=values)
    else:
        fix = f"mlbench data get all{option}"
        yield Finding(NOTE, "data", text, fix, values)
    if other := _of_other_size(folder):
        names, files = list(dict.fromkeys(other.values())), list(other)
        more = f" and {len(files) - SHOWN} more" if len(files) > SHOWN else ""
        text = f"{len(files)} of another size than catalogued: "
        text += ", ".join(files[:SHOWN]) + more
        fix = f"mlbench data get {' '.join(names)} --overwrite{option}"
        yield Finding(NOTE, "data files", text, fix, {"files": files})


def _of_other_size(folder: Path) -> dict[str, str]:
    """Files that are there, but not as large as catalogued: their data set by path."""
    return {
        file.path: entry.name
        for entry in catalogue().values()
        for file in entry.files
        if (path := inside(folder, file.path)).is_file()
        and path.stat().st_size != file.bytes
    }


def cache_folder() -> Iterator[Finding]:
    """The folder of what can be made again."""
    folder = cache_dir()
    yield _to_write("cache", folder, "export MLBENCH_CACHE=FOLDER")


def results_folder(results: Path) -> Iterator[Finding]:
    """The folder of the records."""
    yield _to_write("results", results, "mlbench run CONFIG --results FOLDER")


def _to_write(subject: str, folder: Path, elsewhere: str) -> Finding:
    """A folder that is written to: its size, and whether more can go there."""
    values: dict = {"folder": str(folder), "writable": False}
    reason = _unusable(folder, os.R_OK | os.W_OK | os.X_OK)
    place = folder
    if reason == MISSING:
        place = _nearest(folder)
        reason = _unusable(place, os.W_OK | os.X_OK)
    if reason is not None:
        at = "" if place == folder else f"{place} "
        return Finding(PROBLEM, subject, f"{folder}: {at}{reason}", elsewhere, values)
    free = shutil.disk_usage(place).free
    used = _bytes_in(folder) if place == folder else 0
    values |= {"writable": True, "bytes": used, "free": free}
    state = size(used) if place == folder else "not there yet"
    text = f"{folder}: {state}, {size(free)} of the disk free"
    if free < LITTLE:
        return Finding(NOTE, subject, text, elsewhere, values)
    return Finding(OK, subject, text, values=values)


MISSING = "is not there"
FORBIDDEN = "may not be used by you"


def _unusable(folder: Path, access: int) -> str | None:
    """Why a folder cannot be used; None if it can."""
    try:
        mode = folder.stat().st_mode
    except FileNotFoundError:
        return MISSING
    except OSError as exc:
        return f"cannot be used ({exc.strerror})"
    if not stat.S_ISDIR(mode):
        return "is not a folder"
    return None if os.access(folder, access) else FORBIDDEN


def _nearest(folder: Path) -> Path:
    """The folder that is there, in which this one would be made."""
    return next(place for place in folder.absolute().parents if place.exists())


def _bytes_in(folder: Path) -> int:
    """Bytes of all files under a folder; what cannot be looked at does not count."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(root) / name).lstat().st_size
            except OSError:  # removed meanwhile, by a run
                continue
    return total
