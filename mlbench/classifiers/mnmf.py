"""MNMF: parts learnt from features and labels together, in one factorization."""

from mlbench.classifiers.factorization import FactorClassifier, factorize
from mlbench.reducers.base import check_above


class MNMF(FactorClassifier):
    r"""Mixed non-negative matrix factorization.

    Stacks weighted features and labels and factorizes them together,

    .. math:: \min \left\| \begin{bmatrix} (1-\alpha) X_v \\ \alpha X_t \end{bmatrix}
              - \begin{bmatrix} W_v \\ W_t \end{bmatrix} H \right\|^2

    over non-negative :math:`W_v`, :math:`W_t` and H. The weights h of a new sample are
    those with which the parts make up its features, and its scores are
    :math:`W_t h / \alpha`, in the units of the labels.

    ======  ======  ======================================================
    letter  shape   here
    ======  ======  ======================================================
    X_v     d x n   ``X.T``, the features
    X_t     q x n   ``Y.T``, the labels
    W_v     d x r   ``(1 - alpha) components_.T``, up to a part's scale
    W_t     q x r   ``alpha label_components_.T``, likewise
    H       r x n   weights of the training samples, not kept
    alpha           ``alpha``
    ======  ======  ======================================================

    The weights multiply the matrices, so the squared errors are weighted by
    :math:`(1-\alpha)^2` and :math:`\alpha^2`. Features are taken as they are: their
    scale against the labels' 0 and 1 is part of what alpha balances.

    The original reference was not at hand: the definition is that of the comparison
    by Otalora-Montenegro et al., which names the method and no details. Ours: squared
    error; coordinate descent in place of multiplicative updates (see
    ``mlbench.classifiers.factorization``); h to its exact
    optimum; the ridge on h.

    Parameters
    ----------
    n_components : int
        r, the number of parts. May exceed the numbers of labels and of features.
    alpha : float
        Weight of the labels, above 0 and below 1; the features have the rest.
    ridge : float
        Weight of ``|h|^2`` for a new sample, in units of the mean ``|x|^2`` over r.
        Ours; 0 is plain non-negative least squares, in which with many parts the
        noise of a sample decides between parts that look alike.
    max_iter : int
        Most sweeps over both factors. Ours.
    tol : float
        Stop when a sweep gains less than this share of all that was gained since the
        first. Ours.
    random_state : int, RandomState instance or None
        Seed of the starting point: magnitudes of normal numbers, as large as explain
        the mean of the stack. Ours.
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
        The squared error of the stack after each sweep; never increases.
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
    >>> X = [[2.0, 0.0], [4.0, 0.0], [0.0, 3.0], [3.0, 3.0]]
    >>> Y = [[1, 0], [1, 0], [0, 1], [1, 1]]
    >>> model = MNMF(n_components=2, ridge=0.0, random_state=0).fit(X, Y)
    >>> model.predict([[3.0, 0.0], [3.0, 4.0]])
    array([[1, 0],
           [1, 1]], dtype=uint8)
    """

    def __init__(
        self,
        n_components=10,
        *,
        alpha=0.5,
        ridge=0.01,
        max_iter=200,
        tol=1e-3,
        random_state=None,
        threshold=0.5,
        top=None,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.ridge = ridge
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.threshold = threshold
        self.top = top

    def _factors(self, X, Y, rng):
        check_above("alpha", self.alpha, 0)
        if self.alpha >= 1:
            raise ValueError(f"alpha must be a number below 1, got {self.alpha!r}")
        (W_x, W_t), H, objective = factorize(
            [(1 - self.alpha) * X, self.alpha * Y],
            self.n_components,
            max_iter=self.max_iter,
            tol=self.tol,
            rng=rng,
        )
        return W_x / (1 - self.alpha), W_t / self.alpha, H, objective
