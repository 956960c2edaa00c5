"""SNMF: non-negative parts that tell classes apart, and a ranking of features."""

import numpy as np
from sklearn.utils import check_random_state

from mlbench.reducers.base import check_choice, check_count, check_range
from mlbench.reducers.linalg import dense, squared_norm
from mlbench.reducers.nmf import NonNegativeReducer, finished

KEEPS = ("features", "projection")
REPEATS = 3  # rounds over the parts that share one product with V: the costly step
WINDOW = 10  # sweeps that convergence is judged by: a row may turn to its class late
DIGITS = 9  # decimals of a score that count: equal features differ by rounding only


class SNMF(NonNegativeReducer):
    r"""Supervised non-negative matrix factorization, a ranker of features.

    Minimizes equation 9,

    .. math:: \tfrac12 \|V - W H\|^2 - \gamma \sum_i (\mu_i^+ - \mu_i^-)^2
              + \lambda \sum_i (\mathrm{var}_i^+ + \mathrm{var}_i^-),

    over non-negative W and H: in every row of H the two classes have means far apart
    and little variance. A column of W, sorted, ranks the features.

    ======  ======  ======================================================
    paper   shape   here
    ======  ======  ======================================================
    V       m x n   ``X.T``: features in rows, instances in columns
    W       m x k   ``components_.T``, up to the length of its columns
    H       k x n   not kept: new samples have none
    class+          the samples with the label of the row, ``labels_``
    class-          all other samples
    alpha   n       not built: ``h alpha`` is the difference of two means
    D       n x n   not built: ``h D`` holds the mean of each one's class
    gamma           ``gamma``, in the unit given below
    lambda          ``lam``, in the same unit
    eta             one for every row and column, see Notes
    ======  ======  ======================================================

    Parameters
    ----------
    n_components : int
        How many columns are kept: features, or parts.
    keep : {"features", "projection"}
        The best features as they are, or the non-negative weights of the parts. Ours:
        the paper ranks and does not reduce.
    n_parts : int or None
        k when features are kept. None: the number of labels that vary, 2 at least
        (the paper's k in both of its experiments). With ``keep="projection"`` k is
        ``n_components``, and this must be None.
    gamma, lam : float
        Weights of distance between and variance within classes. The paper has no
        values; ours, in units in which they need no fitting to the size of the data.
    max_iter : int
        Most sweeps. Ours.
    tol : float
        Stop when ten sweeps gain less than this share of all that was gained since the
        first. Ours.
    random_state : int, RandomState instance or None
        Seed of the start of H: uniform numbers. Ours.

    Attributes
    ----------
    components_ : ndarray of shape (k, n_features)
        The parts: the columns of W, of unit length.
    scores_ : ndarray of shape (n_features,)
        How far a feature is from the mean of a column of W, in standard deviations of
        that column; of the column where it is farthest.
    ranking_ : ndarray of shape (n_features,)
        Indices of all features, best first.
    ranks_ : ndarray of shape (n_features,)
        Place of each feature in the ranking, 0 the best.
    labels_ : ndarray of shape (k,)
        The label each part belongs to; empty if no label varies.
    objective_ : list of float
        The objective after each sweep; never increases.
    n_iter_ : int

    Notes
    -----
    *Scale.* With gamma above 0 equation 9 has no minimum, whatever lambda: rows of H
    that are constant on either class have no variance within, and times ten, with W
    over ten, they fit V as well and are ten times as far apart. Ours: the rows of H
    have unit length, so that the two terms are shares of it. What a row h has between
    classes, ``n1 n2 / n (mu+ - mu-)^2``, what it has within, ``|h - hD|^2``, and n
    times the square of its mean add up to 1. The paper leaves the proportions of its
    terms open; here each label weighs the same whatever its size: gamma and lambda of
    equation 9 are ``gamma |V|^2 n1 n2 / n`` and ``lam |V|^2``. With gamma large against
    the share of V that one part can explain, a row of H is its class, and its column of
    W is the mean of each feature there; on the paper's simulated data the default is
    large.

    *One against all.* Component j belongs to label j against all other samples; with
    more components than labels they begin anew, with fewer the labels that divide the
    samples most evenly have one. Labels that do not vary are left out; if none does,
    both terms are and this is plain NMF. Ours, as is the start: a random row in which
    its class has the lower mean is mirrored (the higher in every second round of the
    labels). Equation 9 does not care which of the two means is larger; but a row that
    turns to the many other samples says little about the few of its class.

    *Learning rate.* The paper sets eta by hand and asks for an adaptive one. Here
    equation 10 is applied to one row of H and one column of W at a time, each with its
    own rate, the inverse of the curvature of what is convex in it: ``|w|^2 + 2 lambda``
    and ``|h|^2``. What comes out, negative entries set to zero and h cut to unit
    length, is the minimum over w, and over h the minimum of a bound from above that
    touches at the old h (the rest of the objective is concave, so a tangent bounds it):
    the objective cannot increase.

    *Ranking.* The paper sorts each column and finds relevant features at its two ends.
    Ours: an end is a distance from the mean of the column; columns are compared in
    units of their standard deviation; the largest distance counts. Features of equal
    score are taken in their order.

    References
    ----------
    Y.-H. Huang and C.-N. Hsu. An efficient high dimensional supervised feature
    selection method based on non-negative matrix factorization.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(2, size=(200, 30)).astype(float)
    >>> Y = X[:, [4]] + X[:, [7]] > 1
    >>> model = SNMF(n_components=2, random_state=0).fit(X, Y)
    >>> np.sort(model.ranking_[:2])
    array([4, 7])
    """

    def __init__(
        self,
        n_components=2,
        *,
        keep="features",
        n_parts=None,
        gamma=0.1,
        lam=0.1,
        max_iter=200,
        tol=1e-4,
        random_state=None,
    ):
        self.n_components = n_components
        self.keep = keep
        self.n_parts = n_parts
        self.gamma = gamma
        self.lam = lam
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @property
    def nested(self) -> bool:  # type: ignore[override]  # fixed per class elsewhere
        """Whether r columns of a larger fit are the fit with r: of a ranking they are.

        The number of parts does not depend on the number of features kept.
        """
        return self.keep == "features"

    def fit(self, X, Y=None):
        """Learn the parts from features X (n, d) and labels Y (n, q) of 0/1."""
        X, Y = self._validate(X, Y)
        self._check_settings()
        varying = np.flatnonzero(Y.any(axis=0) & ~Y.all(axis=0))
        k = self._number_of_parts(len(varying))
        self.labels_ = varying[spread(Y[:, varying], k)]
        sides = Y.T[self.labels_] > 0 if varying.size else np.zeros((k, len(Y)), bool)
        # Without a class there is nothing to draw together or apart.
        unit = squared_norm(X) if varying.size else 0.0
        rng = check_random_state(self.random_state)
        W, _, values = factorize(
            X.T,
            start(rng, sides, max(1, len(varying))),
            sides,
            gamma=self.gamma * unit,
            lam=self.lam * unit,
            stop=lambda values: finished(values, self.max_iter, self.tol, WINDOW),
        )
        self._keep(W, values)
        self.scores_ = farthest(W)
        self.ranking_ = best_first(self.scores_)
        self.ranks_ = np.argsort(self.ranking_)
        return self

    def transform(self, X):
        """The features kept, best first, or the weights of the parts in X (n, d)."""
        if self.keep == "projection":
            return super().transform(X)
        return dense(self._validate_new(X)[:, self.ranking_[: self.n_components]])

    def _check_settings(self) -> None:
        check_choice("keep", self.keep, KEEPS)
        check_range("gamma", self.gamma, 0)
        check_range("lam", self.lam, 0)
        if self.n_parts is None:
            return
        check_count("n_parts", self.n_parts)
        if self.keep == "projection":
            raise ValueError(
                "n_parts must be None with keep='projection', where n_components is "
                f"the number of parts, got {self.n_parts}"
            )

    def _number_of_parts(self, n_labels: int) -> int:
        if self.keep == "projection":
            return self.n_components
        return max(2, n_labels) if self.n_parts is None else self.n_parts


def spread(Y, k: int):
    """The label (a column of Y) of each of k components, as indices.

    >>> spread(np.array([[1, 1], [0, 1], [0, 0], [0, 0]]), 3)
    array([0, 1, 0])
    >>> spread(np.array([[1, 1], [0, 1], [0, 0], [0, 0]]), 1)
    array([1])
    """
    q = Y.shape[1]
    if k < q:
        smaller = np.minimum(Y.sum(axis=0), (1 - Y).sum(axis=0))
        return np.sort(np.argsort(-smaller, kind="stable")[:k])
    return np.arange(k if q else 0) % max(q, 1)


def start(rng, sides, n_labels: int):
    """Rows of H of unit length that lean to the side of their class, by chance alone.

    Components j past the ``n_labels`` first lean to the other side in every second
    round. Uniform numbers u and their mirror image 1 - u are equally likely.
    """
    H = rng.uniform(size=sides.shape)
    for j, (h, side) in enumerate(zip(H, sides, strict=True)):
        plus, minus = class_means(h, side)
        if (plus < minus) != (j // n_labels % 2 == 1):
            h[:] = 1 - h
    return H / np.linalg.norm(H, axis=1, keepdims=True)


def factorize(V, H, sides, *, gamma, lam, stop):
    """W (m, k), H (k, n) of unit rows, and the objective of each sweep until ``stop``.

    Each sweep takes two products with V, ``V' W`` and ``V H'``; all else is small.
    """
    norm = squared_norm(V.T)  # in the order of memory: no copy
    VH, HH = V @ H.T, H @ H.T
    W = update_w(VH / len(H), VH, HH)  # the share of each row, had they all one aim
    values: list[float] = []
    while not stop(values):
        H = update_h(H, (V.T @ W).T, W.T @ W, sides, gamma, lam)
        VH, HH = V @ H.T, H @ H.T
        W = update_w(W, VH, HH)
        fit = norm - 2 * np.vdot(VH, W) + np.vdot(HH, W.T @ W)
        values.append(float(fit / 2 + penalty(H, sides, gamma, lam)))
    return W, H, values


def update_w(W, VH, HH):
    """``w <- w - eta (W H H' - V H')`` for each column, eta the inverse of ``|h|^2``.

    With the other columns held fixed this is the best w, zero where it is negative.
    """
    W = W.copy(order="F")
    for _ in range(REPEATS):
        for j in range(W.shape[1]):
            step = (VH[:, j] - W @ HH[:, j]) / HH[j, j]
            np.maximum(W[:, j] + step, 0, out=W[:, j])
    return W


def update_h(H, WV, WW, sides, gamma, lam):
    """``h <- h - eta (W'W H - W'V - 2 gamma h alpha alpha' + 2 lam (h - h D))``.

    One row at a time, eta the inverse of ``|w|^2 + 2 lam``. That h itself then cancels
    and eta is but a length, which is cut to 1: what is left is a direction.
    """
    H = H.copy()
    for _ in range(REPEATS):
        for j, side in enumerate(sides):
            others = WW[j] @ H - WW[j, j] * H[j]
            direction = WV[j] - others + pull(H[j], side, gamma, lam)
            H[j] = unit_non_negative(direction, H[j])
    return H


def pull(h, side, gamma, lam):
    """``2 gamma h alpha alpha' + 2 lam h D`` for one row, from its two class means.

    The weight of ``alpha alpha'`` is gamma times ``n1 n2 / n``, whose n1 and n2 cancel
    against those in alpha.
    """
    plus, minus = class_means(h, side)
    share = side.mean()
    apart = gamma * (plus - minus)
    return 2 * np.where(
        side, lam * plus + apart * (1 - share), lam * minus - apart * share
    )


def unit_non_negative(direction, old):
    """The non-negative vector of unit length that is longest along ``direction``.

    Where nothing is positive that is one coordinate, the least negative; where all is
    zero any vector is as good, and the old one stays.
    """
    top = direction.max()
    if top > 0:
        new = np.maximum(direction / top, 0)  # no square of it can overflow
        return new / np.linalg.norm(new)
    if not direction.any():
        return old
    new = np.zeros_like(direction)
    new[direction.argmax()] = 1
    return new


def penalty(H, sides, gamma, lam) -> float:
    """Both supervised terms, summed over rows of H, for rows of any length.

    A row counts by its direction alone: ``between`` and ``within`` are shares.
    """
    total = 0.0
    for h, side in zip(H, sides, strict=True):
        plus, minus = class_means(h, side)
        between = len(h) * side.mean() * (1 - side.mean()) * (plus - minus) ** 2
        within = squared_norm(h - np.where(side, plus, minus))
        total += (lam * within - gamma * between) / squared_norm(h)
    return total


def class_means(h, side):
    """Means of h over the samples on either side; 0 over no sample."""
    n_1 = np.count_nonzero(side)
    plus = h @ side
    return plus / max(n_1, 1), (h.sum() - plus) / max(len(h) - n_1, 1)


def farthest(W):
    """Largest distance of each row of W from the mean of a column, over its deviation.

    A column without any deviation ranks nothing.
    """
    deviation = W.std(axis=0)
    flat = deviation <= np.finfo(np.float64).eps * np.abs(W).max(axis=0)
    distance = np.abs(W - W.mean(axis=0)) / np.where(flat, np.inf, deviation)
    return distance.max(axis=1)


def best_first(scores):
    """Indices by falling score, those that differ by rounding alone in their order.

    >>> best_first(np.array([1.0, 2.0, 2.0 + 1e-12]))
    array([1, 2, 0])
    """
    return np.argsort(-scores.round(DIGITS), kind="stable")
