"""A part of a report: some metrics, data sets, methods, or one dimension."""

from dataclasses import dataclass

from mlbench.config import Experiment
from mlbench.errors import MlbenchError, unknown
from mlbench.metrics import METRICS
from mlbench.store import Record


@dataclass(frozen=True)
class Selection:
    """What is asked for; an empty tuple is everything."""

    metrics: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    dim: str | None = None

    def __bool__(self) -> bool:
        return self != Selection()

    def of_experiment(self, experiment: Experiment) -> Experiment:
        """The experiment with no more than what is asked for.

        Metrics may be others than the experiment's own: records hold all of them.
        What it says of left out data sets and methods is left out too.
        """
        datasets = [source.name for source in experiment.datasets]
        _check("metric", self.metrics, METRICS)
        _check("data set", self.datasets, datasets)
        _check("method", self.methods, experiment.methods)
        chosen = set(self.datasets or datasets)
        methods = {
            name: method
            for name, method in experiment.methods.items()
            if not self.methods or name in self.methods
        }
        return experiment.model_copy(
            update={
                "metrics": self.metrics or experiment.metrics,
                "datasets": tuple(s for s in experiment.datasets if s.name in chosen),
                "methods": methods,
                "published": self._published(experiment, chosen, methods),
                "published_columns": tuple(
                    block
                    for block in experiment.published_columns
                    if block.dataset in chosen and block.method in methods
                ),
                "claims": tuple(
                    claim
                    for claim in experiment.claims
                    if not self and set(claim.methods) <= set(methods)
                ),
            }
        )

    def of_records(self, experiment: Experiment, records: list[Record]) -> list[Record]:
        """The records at the dimension asked for; what is not swept stays."""
        if self.dim is None:
            return records
        swept = {n for n, m in experiment.methods.items() if experiment.sweeps(m)}
        known = {r["request"] for r in records if r["method"] in swept}
        _check("dimension", (self.dim,), known)
        return [
            r for r in records if r["method"] not in swept or r["request"] == self.dim
        ]

    def _published(self, experiment: Experiment, datasets: set[str], methods) -> tuple:
        """The printed numbers of what is left; a mean over all sets needs them all."""
        whole = {source.name for source in experiment.datasets} == datasets
        kept = []
        for block in experiment.published:
            if block.dataset not in datasets and not whole:
                continue
            values = {
                metric: {name: x for name, x in row.items() if name in methods}
                for metric, row in block.values.items()
                if not self.metrics or metric in self.metrics
            }
            values = {metric: row for metric, row in values.items() if row}
            kept.append(block.model_copy(update={"values": values}))
        return tuple(kept)


EVERYTHING = Selection()


def _check(what: str, asked: tuple[str, ...], known) -> None:
    for name in asked:
        if name not in known:
            raise MlbenchError(unknown(what, name, known))
