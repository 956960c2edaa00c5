"""Metrics: (Y, predictions) to one number, with a direction and a convention.

Libraries and papers disagree on ties and on samples a definition does not cover, so
the convention is part of the metric and is printed under every table that shows it.
"""

import importlib
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Metric:
    """What a table, a config and a test of significance need to know of a metric."""

    name: str
    title: str  # as a table heads it
    function: str  # module:function, so that naming a metric costs no import
    takes: Literal["labels", "scores"]  # the function is called with (Y, this)
    better: Literal["lower", "higher"]
    convention: str  # one sentence

    def measure(self, Y, predicted) -> float:
        """Its value for predicted labels or scores, whichever it takes."""
        module, _, name = self.function.partition(":")
        return getattr(importlib.import_module(module), name)(Y, predicted)


_UNCOVERED = "samples with no label or all labels are left out"

_ALL = (
    Metric(
        name="hamming_loss",
        title="Hamming loss",
        function="mlbench.metrics.bipartition:hamming_loss",
        takes="labels",
        better="lower",
        convention="Share of wrong (sample, label) pairs, over all samples.",
    ),
    Metric(
        name="one_error",
        title="One-error",
        function="mlbench.metrics.ranking:one_error",
        takes="scores",
        better="lower",
        convention="Share of samples whose top label is not relevant; of several top "
        f"labels the first counts; {_UNCOVERED}.",
    ),
    Metric(
        name="coverage",
        title="Coverage",
        function="mlbench.metrics.ranking:coverage",
        takes="scores",
        better="lower",
        convention="Mean of the largest rank of a relevant label, minus 1, not divided "
        "by the number of labels; ties take the worst rank; a sample with no label "
        "counts as 0.",
    ),
    Metric(
        name="ranking_loss",
        title="Ranking loss",
        function="mlbench.metrics.ranking:ranking_loss",
        takes="scores",
        better="lower",
        convention="Mean share of (relevant, irrelevant) label pairs in the wrong "
        f"order; a tie counts as wrong; {_UNCOVERED}.",
    ),
    Metric(
        name="average_precision",
        title="Average precision",
        function="mlbench.metrics.ranking:average_precision",
        takes="scores",
        better="higher",
        convention="Mean over samples of the precision at the rank of each relevant "
        f"label; ties take the worst rank; {_UNCOVERED}.",
    ),
    Metric(
        name="micro_f1",
        title="Micro F1",
        function="mlbench.metrics.bipartition:micro_f1",
        takes="labels",
        better="higher",
        convention="F1 over all (sample, label) pairs pooled; 0 when no pair is true "
        "or predicted.",
    ),
    Metric(
        name="macro_f1",
        title="Macro F1",
        function="mlbench.metrics.bipartition:macro_f1",
        takes="labels",
        better="higher",
        convention="Mean over labels of the label's F1; a label neither true nor "
        "predicted anywhere scores 0.",
    ),
    Metric(
        name="example_f1",
        title="Example F1",
        function="mlbench.metrics.bipartition:example_f1",
        takes="labels",
        better="higher",
        convention="Mean over samples of the sample's F1; a sample with neither true "
        "nor predicted labels scores 1.",
    ),
    Metric(
        name="subset_accuracy",
        title="Subset accuracy",
        function="mlbench.metrics.bipartition:subset_accuracy",
        takes="labels",
        better="higher",
        convention="Share of samples whose labels are all predicted exactly.",
    ),
    Metric(
        name="accuracy",
        title="Accuracy",
        function="mlbench.metrics.bipartition:accuracy",
        takes="labels",
        better="higher",
        convention="Mean over samples of the Jaccard index of true and predicted "
        "labels; a sample with neither scores 1.",
    ),
)

METRICS: dict[str, Metric] = {metric.name: metric for metric in _ALL}
