"""All metrics of one prediction at once."""

from mlbench.metrics import bipartition, ranking


def evaluate(Y, labels, scores) -> dict[str, float]:
    """Every metric of ``METRICS``, in its order, by name.

    Parameters
    ----------
    Y : array of shape (n, q)
        True labels, 0/1.
    labels : array of shape (n, q)
        Predicted labels, 0/1.
    scores : array of shape (n, q)
        Predicted scores, higher is more relevant.

    Examples
    --------
    >>> Y = [[1, 0, 1], [0, 1, 0]]
    >>> labels = [[1, 0, 0], [0, 1, 1]]
    >>> scores = [[.9, .3, .2], [.1, .7, .6]]
    >>> for name, value in evaluate(Y, labels, scores).items():
    ...     print(f"{name:17} {value:.3f}")
    hamming_loss      0.333
    one_error         0.000
    coverage          1.000
    ranking_loss      0.250
    average_precision 0.917
    micro_f1          0.667
    macro_f1          0.667
    example_f1        0.667
    subset_accuracy   0.000
    accuracy          0.500
    """
    Y, labels = bipartition.check_pair(Y, labels)  # bool: not converted again below
    Y, scores = ranking.check_scores(Y, scores)
    ranks = ranking.rank_relevant(Y, scores)
    return {
        "hamming_loss": bipartition.hamming_loss(Y, labels),
        "one_error": ranking.one_error(Y, scores),
        "coverage": ranking.coverage(Y, scores),
        "ranking_loss": ranking.ranking_loss_of(ranks),
        "average_precision": ranking.average_precision_of(ranks),
        "micro_f1": bipartition.micro_f1(Y, labels),
        "macro_f1": bipartition.macro_f1(Y, labels),
        "example_f1": bipartition.example_f1(Y, labels),
        "subset_accuracy": bipartition.subset_accuracy(Y, labels),
        "accuracy": bipartition.accuracy(Y, labels),
    }
