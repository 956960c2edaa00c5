"""How much a file may hold: what keeps a hostile one within a gigabyte of memory.

A reader never has more at once than the text and two copies of what it says, which at
these limits is 768 MB. The largest set of the catalogue stays below a third of each.
"""

from mlbench.errors import DataError

MOST_BYTES = 2**28  # of a file, after decompression
MOST_LINE = 2**23  # bytes of one line
MOST_COLUMNS = 2**20  # features and labels together
MOST_VALUES = 2**25  # numbers of a dense matrix, 8 bytes each
MOST_ENTRIES = 2**24  # numbers of a sparse matrix, 12 bytes each; also of its rows
MOST_LABELS = 2**28  # samples times labels, 1 byte each


def check_size(where: object, what: str, size: int, most: int) -> None:
    """Refuse more than the limit, before memory is taken for it.

    >>> check_size("a.csv", "columns", 7, 5)
    Traceback (most recent call last):
    mlbench.errors.DataError: a.csv: 7 columns, at most 5 are read
    """
    if size > most:
        raise DataError(f"{where}: {size} {what}, at most {most} are read")
