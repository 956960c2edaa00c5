"""ANMF: parts learnt from the labels alone, then looked up in the features."""

from mlbench.classifiers.factorization import FactorClassifier, factorize
from mlbench.reducers.nnls import nnls_batch


class ANMF(FactorClassifier):
    r"""Asymmetric non-negative matrix factorization.

    First the labels, :math:`\min \|X_t - W_t H\|^2` over non-negative :math:`W_t` and
    H; then the features with that H held fixed, :math:`\min \|X_v - W_v H\|^2` over
    non-negative :math:`W_v`. The weights h of a new sample are those with which the
    parts make up its features, and its scores are :math:`W_t h`.

    =====  ======  =======================================================
    letter shape   here
    =====  ======  =======================================================
    X_v    d x n   ``X.T``, the features
    X_t    q x n   ``Y.T``, the labels
    W_v    d x r   ``components_.T``, up to the scale of a part
    W_t    q x r   ``label_components_.T``, likewise
    H      r x n   weights of the training samples, not kept
    =====  ======  =======================================================

    Samples with the same labels want the same h, and one without labels has h = 0.
    With as many parts as labels or more the first step can be met exactly, in many
    ways; which one is found hangs on the starting point.

    The original reference was not at hand: the definition is that of the comparison
    by Otalora-Montenegro et al., which names the method and no details. Ours: squared
    error; coordinate descent in place of multiplicative updates (see
    ``mlbench.classifiers.factorization``); :math:`W_v`
    and h to their exact optimum; the ridge on h.

    Parameters
    ----------
    n_components : int
        r, the number of parts. May exceed the numbers of labels and of features.
    ridge : float
        Weight of ``|h|^2`` for a new sample, in units of the mean ``|x|^2`` over r.
        Ours; 0 is plain non-negative least squares, in which with many parts the
        noise of a sample decides between parts that look alike.
    max_iter : int
        Most sweeps over both factors of the labels. Ours.
    tol : float
        Stop when a sweep gains less than this share of all that was gained since the
        first. Ours.
    random_state : int, RandomState instance or None
        Seed of the starting point: magnitudes of normal numbers, as large as explain
        the mean of the labels. Ours.
    threshold, top : float, int or None
        How scores become labels: the ``top`` highest, or those above ``threshold``.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Features of the parts, in the scale in which the weights of a part in the
        training samples have a mean square of 1.
    label_components_ : ndarray of shape (n_components, n_labels)
        Labels of the parts, in the same scale.
    power_ : float
        Mean ``|x|^2`` of the training samples.
    objective_ : list of float
        :math:`\|X_t - W_t H\|^2` after each sweep; never increases.
    n_iter_ : int

    References
    ----------
    J. C. Caicedo, J. BenAbdallah, F. A. Gonzalez and O. Nasraoui. Multimodal
    representation, indexing, automated annotation and retrieval of image collections
    via non-negative matrix factorization. Neurocomputing 76(1), 2012.

    S. Otalora-Montenegro, S. A. Perez-Rubiano and F. A. Gonzalez. Online matrix
    factorization for space embedding multilabel annotation.

    Examples
    --------
    >>> X = [[2.0, 0.0], [4.0, 0.0], [0.0, 3.0], [2.0, 3.0]]
    >>> Y = [[1, 0], [1, 0], [0, 1], [1, 1]]
    >>> model = ANMF(n_components=2, ridge=0.0, random_state=0).fit(X, Y)
    >>> model.predict([[3.0, 0.0], [3.0, 4.0]])
    array([[1, 0],
           [1, 1]], dtype=uint8)
    """

    def __init__(
        self,
        n_components=10,
        *,
        ridge=0.01,
        max_iter=200,
        tol=1e-3,
        random_state=None,
        threshold=0.5,
        top=None,
    ):
        self.n_components = n_components
        self.ridge = ridge
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.threshold = threshold
        self.top = top

    def _factors(self, X, Y, rng):
        (W_t,), H, objective = factorize(
            [Y], self.n_components, max_iter=self.max_iter, tol=self.tol, rng=rng
        )
        W_x = nnls_batch(H @ H.T, (X.T @ H.T).T)
        return W_x, W_t, H, objective
