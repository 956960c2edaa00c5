"""Iterative stratification: every part gets its share of every label.

A random split can leave a rare label without a training sample, or without a test
sample. Here the samples are dealt out label by label, the rarest label first, each
sample to the part that still wants most of that label.
"""

import numpy as np
from scipy.sparse import csr_array

from mlbench.data.splits import Split

SUM_ERROR = 1e-9  # shares like 0.1 + 0.2 + 0.7 add up to 1 only nearly


def stratify(Y, shares, seed: int) -> np.ndarray:
    r"""Part of each sample, 0 to k - 1, by iterative stratification.

    ============  ======  ======================================================
    paper         shape   here
    ============  ======  ======================================================
    D             n       the rows of Y
    :math:`r_j`   k       ``shares``
    :math:`c_j`   k       samples part j still wants, ``n * shares[j]`` at first
    :math:`c^i_j` q x k   of them with label i, ``n_i * shares[j]`` at first
    ============  ======  ======================================================

    As long as there are samples, the label with the fewest of them left is taken, and
    each of its samples goes to the part with the largest :math:`c^i_j`; of several,
    to the one with the largest :math:`c_j`; of several, to any. Sizes of the parts
    follow the shares closely, but not always exactly.

    Ours: the samples are taken in random order, whatever their order in the file.
    Samples without labels come last, each to a part with the largest :math:`c_j`: they
    even out the sizes. Ties are broken with ``seed``, labels among labels as well as
    parts among parts.

    Parameters
    ----------
    Y : array or sparse array of shape (n, q)
        Labels of 0/1.
    shares : sequence of float
        Of each part; they are positive and add up to 1.
    seed : int
        Of everything random.

    References
    ----------
    K. Sechidis, G. Tsoumakas and I. Vlahavas. On the stratification of multi-label
    data. ECML PKDD, 2011.

    Examples
    --------
    >>> Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 0], [0, 0]])
    >>> parts = stratify(Y, [0.5, 0.5], seed=0)
    >>> [Y[parts == j].sum(axis=0).tolist() for j in (0, 1)]
    [[1, 1], [1, 1]]
    """
    Y = _labels(Y)
    shares = _shares(shares)
    return _Dealer(Y, shares, np.random.Generator(np.random.PCG64(seed))).deal()


def stratified_kfold(Y, folds: int, seed: int) -> list[Split]:
    """Stratified parts of nearly equal size, each once for testing.

    >>> [len(split.test) for split in stratified_kfold(np.eye(6), 3, seed=0)]
    [2, 2, 2]
    """
    n = Y.shape[0]
    if not 2 <= folds <= n:
        raise ValueError(
            f"folds must be in 2..{n} (the number of samples), got {folds}"
        )
    parts = stratify(Y, np.full(folds, 1 / folds), seed)
    return [_split(parts != fold, n) for fold in range(folds)]


def stratified_split(Y, train: float, seed: int) -> Split:
    """The fraction ``train`` of the samples for training, the others for testing.

    >>> split = stratified_split(np.ones((10, 1)), 0.7, seed=0)
    >>> len(split.train), len(split.test)
    (7, 3)
    """
    if not isinstance(train, float) or not 0 < train < 1:
        raise ValueError(f"train must be a fraction in (0, 1), got {train!r}")
    return _split(stratify(Y, [train, 1 - train], seed) == 0, Y.shape[0])


def _split(for_training: np.ndarray, n: int) -> Split:
    split = Split(np.flatnonzero(for_training), np.flatnonzero(~for_training))
    if not len(split.train) or not len(split.test):
        raise ValueError(
            f"{n} samples are too few to be divided so: "
            f"{len(split.train)} for training, {len(split.test)} for testing"
        )
    return split


def _labels(Y) -> csr_array:
    """Labels as a CSR array whose entries are the ones."""
    if len(Y.shape) != 2:
        raise ValueError(f"Y must be a matrix (n, q), got shape {Y.shape}")
    Y = csr_array(Y, copy=True)
    Y.sum_duplicates()
    Y.eliminate_zeros()
    if (Y.data != 1).any():
        wrong = Y.data[Y.data != 1][0]
        raise ValueError(f"Y must hold 0 and 1 only, got {wrong}")
    return Y


def _shares(shares) -> list[float]:
    shares = [float(share) for share in shares]
    if not shares or min(shares) <= 0 or not abs(sum(shares) - 1) < SUM_ERROR:
        raise ValueError(f"shares must be positive and add up to 1, got {shares}")
    return shares


class _Dealer:
    """Deals the samples out to the parts.

    Lists and not arrays: there are few parts and few labels to a sample, and each step
    depends on the one before.
    """

    def __init__(self, Y: csr_array, shares: list[float], rng: np.random.Generator):
        n, q = Y.shape
        self.rng = rng
        self.order = rng.permutation(n).tolist()
        bounds = Y.indptr.tolist()
        indices = Y.indices.tolist()
        self.labels_of = [indices[bounds[i] : bounds[i + 1]] for i in range(n)]
        self.samples_of: list[list[int]] = [[] for _ in range(q)]
        for sample in self.order:
            for label in self.labels_of[sample]:
                self.samples_of[label].append(sample)
        self.left = [len(samples) for samples in self.samples_of]
        self.wanted = [n * share for share in shares]
        self.wanted_of = [[count * share for share in shares] for count in self.left]
        self.part = [-1] * n

    def deal(self) -> np.ndarray:
        while any(self.left):
            label = self._rarest()
            for sample in self.samples_of[label]:
                if self.part[sample] < 0:
                    self._give(sample, self._neediest(label))
        for sample in self.order:
            if self.part[sample] < 0:
                everyone = range(len(self.wanted))
                self._give(sample, self._any(_largest(self.wanted, everyone)))
        return np.array(self.part, dtype=np.int64)

    def _rarest(self) -> int:
        """The label with the fewest samples left, but at least one."""
        fewest = min(count for count in self.left if count)
        return self._any([i for i, count in enumerate(self.left) if count == fewest])

    def _neediest(self, label: int) -> int:
        """The part that wants most samples of the label, of several most samples."""
        of_label = _largest(self.wanted_of[label], range(len(self.wanted)))
        return self._any(_largest(self.wanted, of_label))

    def _any(self, choices: list[int]) -> int:
        if len(choices) == 1:
            return choices[0]
        return choices[self.rng.integers(len(choices))]

    def _give(self, sample: int, part: int) -> None:
        self.part[sample] = part
        self.wanted[part] -= 1
        for label in self.labels_of[sample]:
            self.wanted_of[label][part] -= 1
            self.left[label] -= 1


def _largest(values: list[float], among) -> list[int]:
    """Places of the largest of the values, among some of them."""
    most = max(values[j] for j in among)
    return [j for j in among if values[j] == most]
