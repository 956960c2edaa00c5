"""New dichotomies, for base learners that were found to be of little use.

The paper speaks of a simple idea to find new learners, and does not give it. Ours: a
new learner should tell apart the classes that are still taken for one another. The
classes are divided so that as many confusions as possible are between the two sides
(the largest cut of the graph of confusions, by local search).
"""

from collections.abc import Iterator

import numpy as np

from mlbench.classifiers.multiclass.codes import dichotomy_key


def confusions(classes, predicted, n_classes: int):
    """How often every two classes (K, K) are taken for one another."""
    cell = classes * n_classes + predicted
    counts = np.bincount(cell, minlength=n_classes**2).reshape(n_classes, n_classes)
    both = (counts + counts.T).astype(np.float64)
    np.fill_diagonal(both, 0.0)
    return both


def proposals(confused, code, number: int):
    """Up to ``number`` new columns (K, .) for a code, none of which it has.

    After each column the confusions that it divides count half, so that the next one
    sees to others. Fewer columns are proposed when there are no confusions, or when
    a cut and all that differ from it by one class are in the code.
    """
    known = {dichotomy_key(column) for column in code.T}
    weights = np.array(confused, dtype=np.float64)
    found: list[np.ndarray] = []
    while len(found) < number and weights.any():
        fresh = (
            column
            for column in _near(largest_cut(weights), weights)
            if dichotomy_key(column) not in known
        )
        column = next(fresh, None)
        if column is None:
            break
        known.add(dichotomy_key(column))
        found.append(column)
        weights[np.not_equal.outer(column, column)] /= 2
    return np.array(found, dtype=np.int8).reshape(-1, len(code)).T


def largest_cut(weights):
    """Sides -1 and +1 of the classes, so that no class would better change sides.

    >>> largest_cut(np.array([[0, 5, 0], [5, 0, 1], [0, 1, 0]]))
    array([-1,  1, -1], dtype=int8)
    """
    sides = np.zeros(len(weights), dtype=np.int8)
    for k in np.argsort(-weights.sum(axis=0), kind="stable"):
        sides[k] = -1 if weights[k] @ sides > 0 else 1
    while (gains := _gains(sides, weights)).max() > 0:
        sides[gains.argmax()] *= -1
    return sides


def _gains(sides, weights):
    """What the cut gains when a class changes sides.

    Weights are whole numbers halved a few times: their sums are exact, so every
    change makes the cut larger, and the search ends.
    """
    return sides * (weights @ sides)


def _near(sides, weights) -> Iterator[np.ndarray]:
    """The cut, then those with one class on the other side, the largest first."""
    yield sides
    for k in np.argsort(-_gains(sides, weights), kind="stable"):
        other = sides.copy()
        other[k] *= -1
        if abs(other.sum()) < len(other):
            yield other
