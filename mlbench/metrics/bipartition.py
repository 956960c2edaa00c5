"""Label metrics: how well predicted label sets match the true ones.

================  =====  =====================================
definition        shape  here
================  =====  =====================================
:math:`Y_i`       q      ``Y[i]``, the true labels as 0/1
:math:`Z_i`       q      ``labels[i]``, the predicted ones
================  =====  =====================================

Every function takes Y and labels, (n, q) of 0/1 or bool, and returns a float. Ours:
the mean over no samples is nan.
"""

import numpy as np


def hamming_loss(Y, labels) -> float:
    """Share of (sample, label) pairs that are wrong.

    Every sample counts, with or without labels.

    >>> hamming_loss([[1, 0, 0, 1]], [[1, 1, 0, 1]])
    0.25
    """
    Y, labels = check_pair(Y, labels)
    return mean(labels != Y)


def subset_accuracy(Y, labels) -> float:
    """Share of samples whose predicted set is exactly the true one.

    Every sample counts, with or without labels.

    >>> subset_accuracy([[1, 0], [1, 1]], [[1, 0], [1, 0]])
    0.5
    """
    Y, labels = check_pair(Y, labels)
    return mean((labels == Y).all(axis=1))


def accuracy(Y, labels) -> float:
    r"""Mean over samples of the Jaccard index :math:`|Y_i \cap Z_i| / |Y_i \cup Z_i|`.

    Ours: a sample with neither true nor predicted labels scores 1, for nothing is
    wrong with it.

    References
    ----------
    S. Godbole and S. Sarawagi. Discriminative methods for multi-labeled
    classification. PAKDD 2004.

    Examples
    --------
    >>> accuracy([[1, 1, 0], [0, 0, 0]], [[1, 0, 1], [0, 0, 0]])  # 1/3 and 1
    0.667
    """
    Y, labels = check_pair(Y, labels)
    both = (Y & labels).sum(axis=1)
    either = (Y | labels).sum(axis=1)
    return mean(_ratio(both, either, empty=1.0))


def example_f1(Y, labels) -> float:
    r"""Mean over samples of :math:`2 |Y_i \cap Z_i| / (|Y_i| + |Z_i|)`.

    Ours: a sample with neither true nor predicted labels scores 1, as in
    :func:`accuracy`.

    >>> example_f1([[1, 1, 0], [0, 0, 0]], [[1, 0, 1], [0, 0, 0]])  # 1/2 and 1
    0.75
    """
    Y, labels = check_pair(Y, labels)
    return mean(_f1(Y, labels, axis=1, empty=1.0))


def macro_f1(Y, labels) -> float:
    """Mean over labels of the label's F1 over the samples.

    Ours: a label that is neither true nor predicted anywhere scores 0
    (scikit-learn's ``zero_division=0``).

    >>> macro_f1([[1, 0], [1, 0]], [[1, 0], [0, 0]])  # 2/3 and 0
    0.333
    """
    Y, labels = check_pair(Y, labels)
    return mean(_f1(Y, labels, axis=0, empty=0.0)) if len(Y) else float("nan")


def micro_f1(Y, labels) -> float:
    """F1 over all (sample, label) pairs pooled.

    Ours: 0 when no pair is true or predicted.

    >>> micro_f1([[1, 1], [0, 1]], [[1, 0], [1, 0]])  # 1 right, of 3 true, 2 predicted
    0.4
    """
    Y, labels = check_pair(Y, labels)
    return float(_f1(Y, labels, axis=None, empty=0.0)) if len(Y) else float("nan")


def _f1(Y, labels, *, axis, empty):
    """``2 |Y & Z| / (|Y| + |Z|)`` along an axis."""
    both = (Y & labels).sum(axis=axis)
    total = Y.sum(axis=axis) + labels.sum(axis=axis)
    return _ratio(2 * both, total, empty=empty)


def _ratio(numerator, denominator, *, empty):
    """The quotient; ``empty`` where the denominator is 0."""
    return np.where(denominator, numerator / np.maximum(denominator, 1), empty)


def mean(values: np.ndarray) -> float:
    """Mean of the values; nan, without a warning, when there are none."""
    return float(values.mean()) if values.size else float("nan")


def check_labels(name: str, values) -> np.ndarray:
    """The values as an (n, q) bool array; anything but 0 and 1 is an error."""
    values = np.asarray(values)
    if values.ndim != 2 or values.shape[1] == 0:
        raise ValueError(
            f"{name} must have shape (samples, labels) with at least one label, "
            f"got {values.shape}"
        )
    if values.dtype == bool:
        return values
    positive = values == 1
    valid = positive | (values == 0)
    if not valid.all():  # -1 for "no" would otherwise pass for "yes"
        raise ValueError(f"{name} must hold only 0 and 1, got {values[~valid][0]}")
    return positive


def check_pair(Y, labels) -> tuple[np.ndarray, np.ndarray]:
    """True and predicted labels as bool arrays of one shape."""
    Y, labels = check_labels("Y", Y), check_labels("labels", labels)
    check_same_shape("labels", labels, Y)
    return Y, labels


def check_same_shape(name: str, values: np.ndarray, Y: np.ndarray) -> None:
    """Predictions must have one row per row of Y and one column per label."""
    if values.shape != Y.shape:
        raise ValueError(
            f"{name} must have the shape of Y, {Y.shape}, got {values.shape}"
        )
