"""The figures people cite when they describe a multi-label data set."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from mlbench.data.dataset import Dataset

SHOWN = 5  # labels and pairs that are named


@dataclass(frozen=True)
class Statistics:
    r"""What is known of a data set from its values.

    Attributes
    ----------
    cardinality, density : float
        Mean number of labels of a sample, and its share of all labels.
    label_sets, label_set_share : int and float
        Number of different label sets, and that number for each sample.
    unlabelled : int
        Samples without any label.
    mean_imbalance, max_imbalance : float or None
        Of :math:`\text{IRLbl}(l) = \max_k |D_k| / |D_l|`, where :math:`D_l` are the
        samples with label l. Ours: labels without a sample, whose ratio is infinite,
        are left out; None when no label has a sample.
    empty_labels : int
        Labels without a sample.
    sparsity : float
        Share of the feature values that are 0.
    most_frequent, least_frequent : tuple of (label, count)
        Ours: of equals, the one that comes first.
    pairs : tuple of (label, label, count)
        Labels that most often come together; pairs that never do are left out.

    References
    ----------
    G. Tsoumakas and I. Katakis. Multi-label classification: an overview. International
    Journal of Data Warehousing and Mining 3(3), 2007.

    F. Charte, A. J. Rivera, M. J. del Jesus and F. Herrera. Addressing imbalance in
    multilabel classification: measures and random resampling algorithms.
    Neurocomputing 163, 2015.
    """

    name: str
    instances: int
    features: int
    labels: int
    n_train: int | None
    cardinality: float
    density: float
    label_sets: int
    label_set_share: float
    unlabelled: int
    mean_imbalance: float | None
    max_imbalance: float | None
    empty_labels: int
    sparsity: float
    most_frequent: tuple[tuple[str, int], ...]
    least_frequent: tuple[tuple[str, int], ...]
    pairs: tuple[tuple[str, str, int], ...]

    @property
    def data(self) -> dict[str, Any]:
        """The figures as JSON can write them, not rounded."""
        return asdict(self)

    @property
    def shown(self) -> dict[str, Any]:
        """The figures by the words for them, rounded as they are usually printed."""
        ratios = (self.mean_imbalance, self.max_imbalance)
        mean, largest = (None if x is None else round(x, 2) for x in ratios)
        return {
            "name": self.name,
            "instances": self.instances,
            "features": self.features,
            "labels": self.labels,
            "own training part": self.n_train,
            "cardinality": round(self.cardinality, 3),
            "density": round(self.density, 4),
            "distinct label sets": self.label_sets,
            "share of label sets": f"{self.label_set_share:.2%}",
            "without any label": self.unlabelled,
            "mean imbalance ratio": mean,
            "max imbalance ratio": largest,
            "labels never seen": self.empty_labels,
            "nonzero features": f"{1 - self.sparsity:.2%}",
            "most frequent labels": _listed(self.most_frequent),
            "least frequent labels": _listed(self.least_frequent),
            "most frequent pairs": _listed(
                (f"{one} + {other}", count) for one, other, count in self.pairs
            ),
        }

    @property
    def lines(self) -> list[str]:
        """The same, a line for each figure."""
        return [f"{what:22} {value}" for what, value in self.shown.items()]


def measure(dataset: Dataset) -> Statistics:
    """Count what there is to count in a data set.

    >>> X, Y = np.eye(3), np.array([[1, 0], [1, 1], [1, 0]], dtype=np.uint8)
    >>> found = measure(Dataset("toy", X, Y, ("a", "b", "c"), ("sea", "sun")))
    >>> found.cardinality, found.mean_imbalance, found.pairs
    (1.33, 2.0, (('sea', 'sun', 1),))
    """
    n, d = dataset.X.shape
    q = dataset.Y.shape[1]
    stored = dataset.X.data if issparse(dataset.X) else dataset.X
    counts = dataset.Y.sum(axis=0, dtype=np.int64)
    cardinality = float(counts.sum() / n)
    label_sets = len(np.unique(np.packbits(dataset.Y, axis=1), axis=0))
    ratios = counts.max() / counts[counts > 0] if counts.any() else None
    return Statistics(
        name=dataset.name,
        instances=n,
        features=d,
        labels=q,
        n_train=dataset.n_train,
        cardinality=cardinality,
        density=cardinality / q,
        label_sets=label_sets,
        label_set_share=label_sets / n,
        unlabelled=int((~dataset.Y.any(axis=1)).sum()),
        mean_imbalance=None if ratios is None else float(ratios.mean()),
        max_imbalance=None if ratios is None else float(ratios.max()),
        empty_labels=int((counts == 0).sum()),
        sparsity=float(1 - np.count_nonzero(stored) / (n * d)),
        most_frequent=_first(-counts, counts, dataset.label_names),
        least_frequent=_first(counts, counts, dataset.label_names),
        pairs=_pairs(dataset.Y, dataset.label_names),
    )


def _first(order, counts, names: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """The labels that come first in an order, with how often they are found."""
    chosen = np.argsort(order, kind="stable")[:SHOWN]
    return tuple((names[k], int(counts[k])) for k in chosen)


def _pairs(Y: np.ndarray, names: tuple[str, ...]) -> tuple[tuple[str, str, int], ...]:
    labels = csr_array(Y, dtype=np.int64)
    together = (labels.T @ labels).toarray()  # (q, q): how often two are found together
    one, other = np.triu_indices(len(names), k=1)
    counts = together[one, other]
    chosen = np.argsort(-counts, kind="stable")[:SHOWN]
    return tuple(
        (names[one[k]], names[other[k]], int(counts[k])) for k in chosen if counts[k]
    )


def _listed(found) -> str:
    """Names with counts in one line.

    >>> _listed([("sea", 3), ("sun", 2)])
    'sea (3), sun (2)'
    """
    return ", ".join(f"{name} ({count})" for name, count in found)
