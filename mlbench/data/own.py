"""A user's own data by the path of its file."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from mlbench.data.compressed import DECODERS, plain_name
from mlbench.data.dataset import Dataset
from mlbench.errors import DataError

Labels = int | str | Sequence[str] | None

SVMLIGHT = (".svm", ".svmlight", ".libsvm")
WHOLE = (".mat", ".npz")  # not text: compressed within, not from outside
ENDINGS = (".arff", ".csv", *SVMLIGHT, ".dat", *WHOLE)


class Source(NamedTuple):
    """Where a data set is: its file, its form, and the file that names its labels."""

    path: Path
    ending: str
    xml: Path | None

    @property
    def files(self) -> list[Path]:
        """The files that are read: a set is known by their checksums."""
        return [self.path] if self.xml is None else [self.path, self.xml]


def looks_like_path(name: str) -> bool:
    """Whether a word names a file, and not a data set of the catalogue."""
    return plain_name(Path(name)).suffix.lower() in ENDINGS or "/" in name


def find_own(path: str | Path, labels: Labels = None) -> Source:
    """The files that :func:`read_own` would read with the same arguments."""
    path = Path(path)
    plain = plain_name(path)
    ending = plain.suffix.lower()
    if ending not in ENDINGS or (ending in WHOLE and plain != path):
        raise DataError(
            f"{path}: cannot tell the form by the ending, known are "
            f"{', '.join(ENDINGS)}, and {', '.join(DECODERS)} after a text form"
        )
    if ending != ".arff":
        return Source(path, ending, None)
    if isinstance(labels, str) and labels.lower().endswith(".xml"):
        return Source(path, ending, path.parent / labels)
    beside = plain.with_suffix(".xml")
    found = labels is None and beside.is_file()
    return Source(path, ending, beside if found else None)


def read_own(
    path: str | Path, labels: Labels = None, *, name: str | None = None
) -> Dataset:
    """Read a data set; the ending of its file says in which form it is.

    ======================  ==========================================================
    ending                  labels
    ======================  ==========================================================
    .arff                   an XML file of Mulan (by default that beside the file),
                            names, a prefix, or a number as in MEKA (by default the
                            one after ``-C`` in the name of the relation)
    .csv                    names, a prefix, or a number: needed
    .svm .svmlight .libsvm  names, to fix their order; by default those that occur
    .dat                    none: the class, which stands last in a row
    .mat                    none: train_target and test_target
    .npz                    none: Y
    ======================  ==========================================================

    A number n is the first n columns, or the last ones when it is negative. The path of
    an XML file is relative to the folder of the data. The text forms may be
    compressed: ``.gz``, ``.bz2`` or ``.xz`` after the ending.

    ``name`` is what the data set is called, by default the name of the file. Whatever
    the file holds, the outcome is a data set or a :class:`DataError`.
    """
    source = find_own(path, labels)
    name = plain_name(source.path).stem if name is None else name
    if source.ending == ".arff":
        return _read_arff(source, labels, name)
    if source.ending == ".csv":
        return _read_csv(source.path, labels, name)
    if source.ending in SVMLIGHT:
        return _read_svmlight(source.path, labels, name)
    if labels is not None:
        raise DataError(
            f"{source.path}: a {source.ending} file says itself which values are "
            "labels, leave out 'labels'"
        )
    return _read_whole(source, name)


def _read_arff(source: Source, labels: Labels, name: str) -> Dataset:
    if source.xml is not None:
        from mlbench.data.mulan import read_mulan

        return read_mulan([source.path], source.xml, name)
    from mlbench.data.meka import read_meka

    return read_meka(source.path, name, labels)


def _read_csv(path: Path, labels: Labels, name: str) -> Dataset:
    from mlbench.data.csv_table import read_csv

    if labels is None:
        raise DataError(
            f"{path}: which columns are labels? Give 'labels': their names, the prefix "
            "of their names, or their number"
        )
    return read_csv(path, labels, name)


def _read_svmlight(path: Path, labels: Labels, name: str) -> Dataset:
    from mlbench.data.svmlight import read_svmlight

    if isinstance(labels, int | str):
        raise DataError(f"{path}: 'labels' is {labels!r}, a list of names is needed")
    return read_svmlight(path, name, labels)


def _read_whole(source: Source, name: str) -> Dataset:
    if source.ending == ".mat":
        from mlbench.data.mat import read_mat

        return read_mat(source.path, name)
    if source.ending == ".npz":
        from mlbench.data.npz import read_npz

        return read_npz(source.path, name)
    from mlbench.data.table import read_table

    return read_table(source.path, name)
