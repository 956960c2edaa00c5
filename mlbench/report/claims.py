"""What a paper says in words, judged by the records: holds, or not, and by how much."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import pandas as pd
from scipy.stats import spearmanr

from mlbench.config import Experiment
from mlbench.config.paper import OVER_DATASETS, Claim
from mlbench.metrics import METRICS
from mlbench.report.frame import OWN
from mlbench.report.tables import DIGITS, over_datasets
from mlbench.stats import ALPHA, paired_t

HOLDS, FAILS, UNDECIDED = "holds", "does not hold", "undecided"


@dataclass(frozen=True)
class Finding:
    """One comparison a claim comes down to."""

    what: str
    verdict: str


@dataclass(frozen=True)
class Judgement:
    """A claim, and what the records say to it."""

    says: str
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> str:
        """The claim as a whole; what was not measured leaves it undecided."""
        verdicts = [finding.verdict for finding in self.findings]
        if not verdicts:
            return UNDECIDED
        for verdict in (FAILS, UNDECIDED):
            if verdict in verdicts:
                return verdict
        return HOLDS

    @property
    def counts(self) -> str:
        """How many of the comparisons hold."""
        holding = sum(finding.verdict == HOLDS for finding in self.findings)
        return f"{holding} of {len(self.findings)}"


def judgements(experiment: Experiment, frame: pd.DataFrame) -> list[Judgement]:
    """Every claim of an experiment, judged."""
    return [
        Judgement(claim.says, tuple(_findings(experiment, claim, frame)))
        for claim in experiment.claims
    ]


def _findings(
    experiment: Experiment, claim: Claim, frame: pd.DataFrame
) -> Iterator[Finding]:
    chosen = _spread(experiment, frame[frame["method"].isin(claim.methods)])
    if claim.dim is not None:
        chosen = chosen[chosen["request"] == claim.dim]
    judge: Callable = {
        "first": _first,
        "order": _order,
        "significant": _significant,
        "not_worse": _not_worse,
        "grows": _grows,
        "always": _always,
    }[claim.kind]
    for metric in claim.metrics or experiment.metrics:
        yield from judge(claim, metric, chosen[chosen["metric"] == metric])


def _spread(experiment: Experiment, frame: pd.DataFrame) -> pd.DataFrame:
    """Let a method that has one dimension of its own stand at every dimension.

    Where all of them have, they stand together at the one of those that have a choice.
    """
    fixed = [
        name
        for name, method in experiment.methods.items()
        if not experiment.sweeps(method)
    ]
    swept = frame[~frame["method"].isin(fixed)]
    requests = swept.drop_duplicates("request")["request"]
    if requests.empty:
        driven = [n for n, m in experiment.methods.items() if experiment.takes_dims(m)]
        labels = frame.loc[frame["method"].isin(driven), "request"].unique()
        return frame.assign(request=labels[0] if len(labels) == 1 else OWN)
    alone = frame[frame["method"].isin(fixed)].drop(columns="request")
    return pd.concat([swept, alone.merge(requests, how="cross")], ignore_index=True)


def _wide(frame: pd.DataFrame, index: list[str]) -> pd.DataFrame:
    """One row for each comparison, one column for each method."""
    return frame.pivot_table(index=index, columns="method", values="mean", sort=False)


def _rows(frame: pd.DataFrame, index: list[str], methods: Iterable[str]):
    """Where, and the numbers of the methods there, if all of them are there."""
    wide = _wide(frame, index).reindex(columns=list(methods)).dropna()
    for place, values in zip(wide.index.to_list(), wide.to_numpy(), strict=True):
        yield place, pd.Series(values, list(methods))


def _beats(a: float, b: float, metric: str) -> bool:
    return a < b if METRICS[metric].better == "lower" else a > b


def _best(values: pd.Series, metric: str) -> str:
    """Name of the best of some methods."""
    lower = METRICS[metric].better == "lower"
    return str(values.idxmin() if lower else values.idxmax())


def _first(claim: Claim, metric: str, frame: pd.DataFrame) -> Iterator[Finding]:
    if claim.dataset is not None:
        frame = pd.concat([frame, over_datasets(frame)])
        frame = frame[frame["dataset"] == claim.dataset]
    subject, *others = claim.methods
    places = ["dataset", "request", "setting"]
    for (dataset, request, setting), row in _rows(frame, places, claim.methods):
        rival = _best(row[others], metric)
        where = ", ".join(filter(None, [_mean_of(dataset), _dim(request), setting]))
        yield Finding(
            f"{METRICS[metric].title}, {where}: {subject} {row[subject]:.{DIGITS}f}, "
            f"best other {rival} {row[rival]:.{DIGITS}f}",
            HOLDS if _beats(row[subject], row[rival], metric) else FAILS,
        )


def _dim(request: str) -> str:
    """A dimension in words; nothing where each data set has its own."""
    return "" if request == OWN else f"dim {request}"


def _mean_of(dataset: str) -> str:
    return "mean" if dataset == OVER_DATASETS else dataset


def _order(claim: Claim, metric: str, frame: pd.DataFrame) -> Iterator[Finding]:
    mean = over_datasets(frame)
    for (request, _), row in _rows(mean, ["request", "setting"], claim.methods):
        values = [float(row[name]) for name in claim.methods]
        pairs = zip(values, values[1:], strict=False)
        holds = all(_beats(a, b, metric) for a, b in pairs)
        numbers = ", ".join(
            f"{name} {value:.{DIGITS}f}"
            for name, value in zip(claim.methods, values, strict=True)
        )
        yield Finding(
            f"{', '.join(filter(None, [METRICS[metric].title, _dim(request)]))}: "
            f"{numbers}",
            HOLDS if holds else FAILS,
        )


def _significant(claim: Claim, metric: str, frame: pd.DataFrame) -> Iterator[Finding]:
    subject, *_ = claim.methods
    for head, wide, other in _pairs(claim, metric, frame, fewest=2):
        test = paired_t(wide[subject], wide[other], METRICS[metric].better)
        yield Finding(
            f"{head}, mean difference {test.difference:+.{DIGITS}f}, p = {test.p:.2g}",
            {"better": HOLDS, "worse": FAILS}.get(test.verdict, UNDECIDED),
        )


def _pairs(claim: Claim, metric: str, frame: pd.DataFrame, fewest: int):
    """The subject's and another's numbers over the data sets, and where they are."""
    subject, *others = claim.methods
    for (request, setting), part in frame.groupby(["request", "setting"], sort=False):
        for other in others:
            chosen = part[part["method"].isin([subject, other])]
            wide = _wide(chosen, ["dataset"]).reindex(columns=[subject, other]).dropna()
            if len(wide) >= fewest:
                title, dim = METRICS[metric].title, _dim(str(request))
                where = ", ".join(filter(None, [title, dim, str(setting)]))
                head = f"{where}: {subject} against {other}"
                yield f"{head} over {len(wide)} data sets", wide, other


def _not_worse(claim: Claim, metric: str, frame: pd.DataFrame) -> Iterator[Finding]:
    subject, *_ = claim.methods
    better = METRICS[metric].better
    allowed = claim.margin if better == "lower" else -claim.margin
    for head, wide, other in _pairs(claim, metric, frame, fewest=2):
        test = paired_t(wide[subject], wide[other] + allowed, better)
        ahead = _beats(test.difference, 0.0, metric)
        decided = test.p / 2 < ALPHA  # one side is asked for
        yield Finding(
            f"{head}, mean difference {test.difference + allowed:+.{DIGITS}f}, better "
            f"than a loss of {claim.margin:g} with p = {_one_sided(test.p, ahead):.2g}",
            (HOLDS if ahead else FAILS) if decided else UNDECIDED,
        )


def _one_sided(p: float, ahead: bool) -> float:
    return p / 2 if ahead else 1 - p / 2


def _grows(claim: Claim, metric: str, frame: pd.DataFrame) -> Iterator[Finding]:
    subject, *_ = claim.methods
    sign = 1 if METRICS[metric].better == "higher" else -1
    labels = frame.groupby("dataset")["labels"].first()
    for head, wide, other in _pairs(claim, metric, frame, fewest=4):
        gain = sign * (wide[subject] - wide[other])
        found = spearmanr(labels[wide.index], gain)
        rises = found.statistic > 0
        yield Finding(
            f"{head}, rank correlation of the gain with the number of labels "
            f"{found.statistic:+.2f}, p = {found.pvalue:.2g}",
            (HOLDS if rises else FAILS) if found.pvalue < ALPHA else UNDECIDED,
        )


def _always(claim: Claim, metric: str, frame: pd.DataFrame) -> Iterator[Finding]:
    subject, *others = claim.methods
    wide = _wide(over_datasets(frame), ["request"])
    best = pd.Series(
        {name: wide.loc[_best(wide[name], metric), name] for name in others}
    )
    rival = _best(best, metric)
    for request, value in wide[subject].items():
        yield Finding(
            f"{METRICS[metric].title}, dim {request}: {subject} {value:.{DIGITS}f}, "
            f"the others at best {best[rival]:.{DIGITS}f} ({rival} at dim "
            f"{_best(wide[rival], metric)})",
            HOLDS if _beats(value, best[rival], metric) else FAILS,
        )
