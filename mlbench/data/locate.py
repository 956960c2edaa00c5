"""Where data files are looked for, and where parsed data is kept."""

import os
import tempfile
from pathlib import Path, PurePosixPath, PureWindowsPath

from mlbench.data.catalogue import Entry, FileEntry
from mlbench.errors import DataError


def data_dir(option: str | Path | None) -> Path:
    """Folder of the data files: the option, else $MLBENCH_DATA, else the cache's."""
    for source, folder in [
        ("--data-dir", option),
        ("MLBENCH_DATA", os.environ.get("MLBENCH_DATA")),
    ]:
        if not folder:
            continue
        if not Path(folder).is_dir():
            raise DataError(
                f"{source}: {folder} is not a folder, "
                "give the folder that holds the data sets"
            )
        return Path(folder)
    return own_data_dir()


def own_data_dir() -> Path:
    """The data folder in the user's cache: where data is looked for by default."""
    return cache_dir() / "data"


def place(name: str, content: bytes) -> None:
    """Put a data file into the default data folder, whole or not at all."""
    target = inside(own_data_dir(), name)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(dir=target.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(unfinished).replace(target)


def cache_dir() -> Path:
    """Folder of what can be made again: $MLBENCH_CACHE, else the user's cache."""
    if folder := os.environ.get("MLBENCH_CACHE"):
        return Path(folder)
    from platformdirs import user_cache_dir  # not needed when the variable is set

    return Path(user_cache_dir("mlbench"))


def inside(folder: Path, path: str) -> Path:
    """Place of a file under the folder, wherever the name of the file would lead.

    >>> inside(Path("data"), "mulan/yeast.arff").as_posix()
    'data/mulan/yeast.arff'
    """
    parts = PurePosixPath(path).parts
    # On Windows a backslash separates folders too, and a colon names a drive.
    plain = parts == PureWindowsPath(path).parts and "\0" not in path
    if not parts or not plain or parts[0] == "/" or ".." in parts:
        raise DataError(f"{path!r} is not the name of a file inside of {folder}")
    return folder.joinpath(*parts)


def missing_files(entry: Entry, folder: Path) -> list[FileEntry]:
    """The files of a data set that are not under the folder."""
    return [file for file in entry.files if not inside(folder, file.path).is_file()]


def find_files(entry: Entry, folder: Path) -> list[Path]:
    """The files of a data set under the folder, in reading order."""
    for file in missing_files(entry, folder):
        raise DataError(
            f"{entry.name}: no {file.path} in {folder}, set --data-dir or MLBENCH_DATA "
            f"to a folder that has it, fetch it with: mlbench data get {entry.name}, "
            f"or {remedy(file, folder / file.path)}"
        )
    return [folder / file.path for file in entry.files]


def remedy(file: FileEntry, target: Path) -> str:
    """What would put the file where it is looked for.

    >>> remedy(FileEntry("a.dat", 9, "", "openml:iris"), Path("a.dat"))
    "save OpenML's iris, comma-separated with the class last, as a.dat"
    """
    archive, _, name = file.url.partition("openml:")
    if not archive and name:
        return f"save OpenML's {name}, comma-separated with the class last, as {target}"
    return f"download {file.url} to {target}"
