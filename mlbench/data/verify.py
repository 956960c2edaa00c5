"""Whether the data files are those of the catalogue, and hold what it says."""

from dataclasses import dataclass
from pathlib import Path

from mlbench.data.cache import file_checksum
from mlbench.data.catalogue import Entry, FileEntry, entry_named
from mlbench.data.locate import inside, missing_files
from mlbench.errors import DataError

ROUNDED = 6e-4  # the catalogue states cardinalities with three digits


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: what it is, and what it should be."""

    dataset: str
    what: str
    measured: str
    expected: str
    ok: bool

    @property
    def text(self) -> str:
        """The finding in one line.

        >>> Finding("emotions", "labels", "5", "6", ok=False).text
        'wrong: emotions: labels: 5, the catalogue says 6'
        """
        if self.ok:
            return f"ok: {self.dataset}: {self.what}: {self.measured}"
        return (
            f"wrong: {self.dataset}: {self.what}: {self.measured}, "
            f"the catalogue says {self.expected}"
        )


def verify(name: str, folder: Path) -> list[Finding]:
    """Size and checksum of the files of a data set, then what was read from them.

    The values are looked at even when a checksum is wrong: another edition of a set
    may still have its shape. Without all files there is nothing to read.
    """
    entry = entry_named(name)
    findings = [
        finding
        for file in entry.files
        for finding in _about_file(entry, file, inside(folder, file.path))
    ]
    if not missing_files(entry, folder):
        findings += _about_values(entry, folder)
    return findings


def other_editions(name: str, folder: Path) -> list[str]:
    """A sentence for each file that is there, but is not the catalogue's.

    To be shown when such a set is used: it is no mistake to have another edition, but
    its numbers may not be those of a paper.

    >>> other_editions("emotions", Path("nowhere"))
    []
    """
    entry = entry_named(name)
    return [
        f"{name}: {inside(folder, file.path)} is not the file of the catalogue, "
        "results may not compare with published ones"
        for file in entry.files
        if file.sha256  # without a checksum nothing can be said
        and inside(folder, file.path).is_file()
        and not _is_the_catalogues(file, inside(folder, file.path))
    ]


def _is_the_catalogues(file: FileEntry, path: Path) -> bool:
    try:
        same_size = path.stat().st_size == file.bytes
        return same_size and file_checksum(path) == file.sha256
    except OSError as exc:
        raise DataError(f"{path}: cannot be read ({exc.strerror})") from exc


def _about_file(entry: Entry, file: FileEntry, path: Path) -> list[Finding]:
    try:
        size, checksum = path.stat().st_size, file_checksum(path)
    except OSError as exc:
        reason = f"cannot be read ({exc.strerror})"
        return [Finding(entry.name, file.path, reason, "it is there", ok=False)]
    return [
        _compared(entry, f"bytes of {file.path}", size, file.bytes),
        _compared(entry, f"SHA-256 of {file.path}", checksum, file.sha256),
    ]


def _about_values(entry: Entry, folder: Path) -> list[Finding]:
    from mlbench.data.load import load  # heavy, and of no use without the files
    from mlbench.data.statistics import measure

    try:
        found = measure(load(entry.name, folder))
    except DataError as exc:
        return [Finding(entry.name, "content", str(exc), "it can be read", ok=False)]
    density = entry.cardinality / entry.labels
    return [
        _compared(entry, "instances", found.instances, entry.instances),
        _compared(entry, "features", found.features, entry.features),
        _compared(entry, "labels", found.labels, entry.labels),
        _near(entry, "cardinality", found.cardinality, entry.cardinality, ROUNDED),
        _near(entry, "density", found.density, density, ROUNDED / entry.labels),
    ]


def _compared(entry: Entry, what: str, measured, expected) -> Finding:
    same = measured == expected
    return Finding(entry.name, what, str(measured), str(expected), ok=same)


def _near(entry: Entry, what: str, measured, expected, tolerance: float) -> Finding:
    near = abs(measured - expected) < tolerance
    return Finding(entry.name, what, f"{measured:.4g}", f"{expected:.4g}", ok=near)
