"""Coding matrices: which classes a two-class learner is to tell apart.

A code is a matrix (K, m) of -1, 0 and +1: a row per class, a column (a dichotomy)
per learner. A learner is trained on the samples of the classes with +1 against those
with -1; classes with 0 are left out of its training.
"""

from itertools import combinations
from math import ceil, log2

import numpy as np
from sklearn.utils import check_random_state

from mlbench.reducers.base import check_count

# Ours: so many columns times log2(K) when a random code is asked for without a length.
COLUMNS_PER_BIT = 10


def coding_matrix(kind: str, n_classes: int, n_learners: int | None, random_state):
    """The code of this kind with ``n_learners`` columns, None for its usual number.

    With the same seed a shorter code is the beginning of a longer one: of a random
    code the columns are drawn one after the other, of the other two they are taken in
    an order drawn at random (all of them, when ``n_learners`` is None, in their own).

    >>> coding_matrix("one-against-all", 3, None, 0)
    array([[ 1, -1, -1],
           [-1,  1, -1],
           [-1, -1,  1]], dtype=int8)
    """
    if n_learners is not None:
        check_count("n_learners", n_learners)
        most, why = _most(kind, n_classes)
        if n_learners > most:
            raise ValueError(
                f"n_learners must be in 1..{most} ({why} for {n_classes} classes), "
                f"got {n_learners}"
            )
    return CODES[kind](n_classes, n_learners, random_state)


def random_code(n_classes: int, n_learners: int | None = None, random_state=0):
    """Columns of -1 and +1 at random.

    No column is constant, repeats another or is the complement of another: it would
    be a learner that has nothing to learn or nothing new.
    """
    if n_learners is None:
        usual = ceil(COLUMNS_PER_BIT * log2(n_classes))
        n_learners = min(usual, 2 ** (n_classes - 1) - 1)
    rng = check_random_state(random_state)
    columns: dict[bytes, np.ndarray] = {}
    while len(columns) < n_learners:
        column = (2 * rng.randint(2, size=n_classes) - 1).astype(np.int8)
        if abs(column.sum()) < n_classes:
            columns.setdefault(dichotomy_key(column), column)
    return np.column_stack(list(columns.values()))


def one_against_all(n_classes: int, n_learners: int | None = None, random_state=0):
    """Column k tells class k from all the others."""
    code = (2 * np.eye(n_classes) - 1).astype(np.int8)
    return _some(code, n_learners, random_state)


def one_against_one(n_classes: int, n_learners: int | None = None, random_state=0):
    """A column for every pair of classes, the first of them +1.

    >>> one_against_one(3)
    array([[ 1,  1,  0],
           [-1,  0,  1],
           [ 0, -1, -1]], dtype=int8)
    """
    pairs = list(combinations(range(n_classes), 2))
    code = np.zeros((n_classes, len(pairs)), dtype=np.int8)
    for column, (first, second) in enumerate(pairs):
        code[first, column], code[second, column] = 1, -1
    return _some(code, n_learners, random_state)


CODES = {
    "random": random_code,
    "one-against-one": one_against_one,
    "one-against-all": one_against_all,
}


def dichotomy_key(column) -> bytes:
    """The same for a column and its complement, and for no other."""
    column = np.asarray(column, dtype=np.int8)
    first = column[np.flatnonzero(column)[0]]
    return (column * first).tobytes()


def _most(kind: str, n_classes: int) -> tuple[int, str]:
    if kind == "random":
        return 2 ** (n_classes - 1) - 1, "the dichotomies there are"
    if kind == "one-against-one":
        return n_classes * (n_classes - 1) // 2, "the pairs there are"
    return n_classes, "a learner per class"


def _some(code, n_learners: int | None, random_state):
    if n_learners is None:
        return code
    order = check_random_state(random_state).permutation(code.shape[1])
    return code[:, order[:n_learners]]
