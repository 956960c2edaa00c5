"""ARFF files whose labels are named by number: MEKA's form, or as the user says."""

import re
from collections.abc import Sequence
from pathlib import Path

from mlbench.data.arff import read_arff
from mlbench.data.columns import choose_columns, split_columns
from mlbench.data.dataset import Dataset
from mlbench.data.mulan import check_declarations
from mlbench.errors import DataError

_COUNT = re.compile(r"""(?<![^\s'":])-[Cc]\s+(-?[0-9]{1,9})(?![0-9])""")


def read_meka(
    path: Path, name: str, labels: int | str | Sequence[str] | None = None
) -> Dataset:
    """Read an ARFF file with its labels among its attributes.

    MEKA writes ``-C n`` into the name of the relation: the first n attributes are the
    labels, or the last n when it is negative. ``labels`` may say so in its place, or
    be the prefix of their names, or their names.

    Ours: if ``-C`` stands there several times, the first counts.
    """
    arff = read_arff(path)
    if labels is None:
        labels = label_count(arff.relation)
    if labels is None:
        raise DataError(
            f"{path}: which attributes are labels? Name them, or put the XML file of "
            "Mulan beside it, or '-C number' into the name of the relation, as in MEKA"
        )
    names = [attribute.name for attribute in arff.attributes]
    where = choose_columns(labels, names, path)
    check_declarations((arff.attributes[column] for column in where), path)
    return split_columns([arff.matrix], names, where, [path], name)


def label_count(relation: str) -> int | None:
    """The number after ``-C`` in the name of a relation; None if there is none.

    >>> label_count("'Music: -C 6 -split-number 391'"), label_count("'x: -C -3'")
    (6, -3)
    >>> label_count("Music")
    """
    match = _COUNT.search(relation)
    return int(match[1]) if match else None
