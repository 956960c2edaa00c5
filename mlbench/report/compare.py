"""Methods of an experiment compared: which differences are more than chance.

The unit is the data set: the splits of one share samples, so they are averaged first
and count once. Only the test over the splits of one data set counts splits, with the
variance corrected for what they share.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations, count
from math import isfinite
from typing import Any

from mlbench import stats
from mlbench.config import Experiment
from mlbench.errors import ConfigError, ResultsError, unknown
from mlbench.metrics import METRICS
from mlbench.report import markdown
from mlbench.report.paired import RESAMPLED, Paired, paired_numbers
from mlbench.report.tables import Table, Value
from mlbench.store import Record

LEAST = 3  # data sets or splits, for a t-test: two have no spread to speak of
ROUGH = 10  # data sets or fewer: Demsar's rule for the distribution of Friedman's chi2
TITLES = {
    "t": "paired t-test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "friedman": "Friedman test with Nemenyi's",
    "resampled": RESAMPLED,
}


@dataclass(frozen=True)
class Pair:
    """Two methods, and what the test says of the first against the second."""

    a: str
    b: str
    difference: float  # mean of a - b
    wins: int  # of a, in data sets or splits
    losses: int
    level: int
    statistic: float  # t, W, or the difference of the average ranks
    p: float
    adjusted: float | None  # p by Holm, where pairs are corrected for
    verdict: str  # on a: "better", "worse" or "undecided"

    @property
    def winner(self) -> str:
        """The verdict by name."""
        names = {"better": f"{self.a} better", "worse": f"{self.b} better"}
        return names.get(self.verdict, self.verdict)


@dataclass(frozen=True)
class Comparison:
    """The outcome of one test on the methods of an experiment."""

    experiment: str
    test: str
    numbers: Paired
    pairs: tuple[Pair, ...]
    notes: tuple[str, ...]
    friedman: stats.Friedman | None = None

    @property
    def ranks(self) -> dict[str, float]:
        """Average rank of every method, 1 is best."""
        table = self.numbers.table
        found = stats.average_ranks(table.to_numpy(), self.numbers.better)
        return dict(zip(self.numbers.names, map(float, found), strict=True))

    @property
    def text(self) -> str:
        """The comparison in Markdown."""
        notes = [markdown.escape(note) for note in (*self.numbers.notes, *self.notes)]
        parts = [markdown.table(self._methods()), markdown.table(self._pairs())]
        return "\n\n".join([*parts, "\n".join(f"- {note}" for note in notes)]) + "\n"

    def _methods(self) -> Table:
        numbers, ranks = self.numbers, self.ranks
        about, means = METRICS[numbers.metric], numbers.table.mean()
        best = means.min() if about.better == "lower" else means.max()
        rows: list[list[str | Value]] = [
            [name, Value(means[name], best=means[name] == best), f"{ranks[name]:.2f}"]
            for name in numbers.names
        ]
        dim = numbers.dim and f"dim {numbers.dim}"
        where = ", ".join(filter(None, [dim, numbers.setting]))
        title = f"{about.title} ({about.better} is better)"
        title += f" at {where}" if where else ""
        head = ["method", f"mean over {numbers.units}", "average rank"]
        return Table(title, head, rows, [about.convention])

    def _pairs(self) -> Table:
        statistic = {"wilcoxon": "W", "friedman": "rank difference"}.get(self.test, "t")
        corrected = self.test == "wilcoxon"
        head = ["method", "against", "mean difference", "won / lost / level"]
        head += [statistic, "p", *(["p by Holm"] if corrected else []), "verdict"]
        rows: list[list[str | Value]] = []
        for pair in self.pairs:
            adjusted = [] if pair.adjusted is None else [f"{pair.adjusted:.2g}"]
            counts = f"{pair.wins} / {pair.losses} / {pair.level}"
            difference, p = f"{pair.difference:+.4f}", f"{pair.p:.2g}"
            shown = f"{pair.statistic:.4g}"
            row = [pair.a, pair.b, difference, counts, shown, p, *adjusted]
            rows.append([*row, pair.winner])
        title = f"{TITLES[self.test]} over {self.numbers.units}"
        return Table(title[0].upper() + title[1:], head, rows)

    @property
    def data(self) -> dict[str, Any]:
        """The same for scripts: only what JSON can write."""
        numbers, ranks, means = self.numbers, self.ranks, self.numbers.table.mean()
        found = {
            "experiment": self.experiment,
            "metric": numbers.metric,
            "better": numbers.better,
            "dim": numbers.dim,
            "setting": numbers.setting or None,
            "test": self.test,
            "alpha": stats.ALPHA,
            "dataset": numbers.dataset,
            "units": [str(unit) for unit in numbers.table.index],
            "methods": [
                {"method": name, "mean": float(means[name]), "rank": ranks[name]}
                for name in numbers.names
            ],
            "pairs": [asdict(pair) for pair in self.pairs],
            "friedman": self.friedman and asdict(self.friedman),
            "notes": [*numbers.notes, *self.notes],
        }
        return _plain(found)


def _plain(value: Any) -> Any:
    """Lists for tuples, and nothing for numbers that JSON has no word for."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def compare(
    experiment: Experiment,
    records: Iterable[Record],
    metric: str | None = None,
    dim: str | None = None,
    test: str = "t",
    dataset: str | None = None,
    methods: Sequence[str] | None = None,
    setting: str | None = None,
) -> Comparison:
    """Compare the methods of an experiment by its records.

    Parameters
    ----------
    experiment : Experiment
    records : iterable of Record
        As the store holds them.
    metric : str or None
        Without it, the experiment's first.
    dim : str or None
        The dimension of the methods that are run at several, as the config writes
        it; a method that has one of its own stands at that. Not needed where only
        one was run.
    test : {"t", "wilcoxon", "friedman", "resampled"}
        The first three are over data sets, the last is over the random splits of one.
    dataset : str or None
        The one of a resampled test; not needed where there is only one.
    methods : sequence of str or None
        The methods to compare, in this order. Without it, all that have records.
    setting : str or None
        The value of the varied setting, as ``k = 10``, where one is varied.

    Raises
    ------
    ConfigError
        When what is asked for cannot be meant.
    ResultsError
        When the records are too few for the test, or do not fit together.
    """
    if not experiment.metrics:
        raise ResultsError(
            f"{experiment.name}: a study of features measures nothing to compare; "
            "take a config with metrics"
        )
    metric = metric or experiment.metrics[0]
    _check_names(experiment, metric, test, dataset, methods)
    over_splits = test == "resampled"
    numbers = paired_numbers(
        experiment, records, metric, dim, setting, dataset, methods, over_splits
    )
    judge: Callable[[Experiment, Paired], Comparison] = {
        "t": _paired_t,
        "wilcoxon": _wilcoxon,
        "friedman": _friedman,
        "resampled": _resampled,
    }[test]
    return judge(experiment, numbers)


def _check_names(experiment, metric, test, dataset, methods) -> None:
    sets = [source.name for source in experiment.datasets]
    wanted: list[tuple[str, str, Collection[str]]] = [
        ("metric", metric, METRICS),
        ("test", test, TITLES),
    ]
    wanted += [("data set", dataset, sets)] if dataset is not None else []
    wanted += [("method", name, experiment.methods) for name in methods or ()]
    for what, name, known in wanted:
        if name not in known:
            raise ConfigError(f"{experiment.name}: {unknown(what, name, known)}")
    if dataset is not None and test != "resampled":
        raise ConfigError(
            f"{experiment.name}: the {TITLES[test]} is over data sets and takes no "
            "single one; use the test 'resampled' for the splits of one"
        )
    if methods and len(set(methods)) < 2:
        raise ConfigError(f"{experiment.name}: name at least 2 methods to compare")


def _paired_t(experiment: Experiment, numbers: Paired) -> Comparison:
    _check_enough(experiment, "t", numbers, LEAST)
    pairs = []
    for a, b in numbers.pairs:
        x, y = numbers.table[a], numbers.table[b]
        pairs.append(_pair_t(numbers, a, b, stats.paired_t(x, y, numbers.better)))
    return Comparison(
        experiment.name, "t", numbers, tuple(pairs), (_each(pairs), _level(pairs))
    )


def _resampled(experiment: Experiment, numbers: Paired) -> Comparison:
    _check_enough(experiment, "resampled", numbers, LEAST)
    n_train, n_test = numbers.sizes
    pairs = []
    for a, b in numbers.pairs:
        found = stats.resampled_t(
            numbers.table[a],
            numbers.table[b],
            numbers.better,
            n_train=n_train,
            n_test=n_test,
        )
        pairs.append(_pair_t(numbers, a, b, found))
    n = len(numbers.table)
    notes = (
        f"The variance of the mean difference is (1/{n} + {n_test}/{n_train}) times "
        "that of the differences (Nadeau and Bengio, 2003), for the splits share "
        f"samples. What is found holds for {numbers.dataset} alone.",
        _each(pairs),
        _level(pairs),
    )
    return Comparison(experiment.name, "resampled", numbers, tuple(pairs), notes)


def _pair_t(numbers: Paired, a: str, b: str, found: stats.PairedT) -> Pair:
    return _pair(numbers, a, b, found.statistic, found.p, found.verdict)


def _wilcoxon(experiment: Experiment, numbers: Paired) -> Comparison:
    m = len(numbers.pairs)
    needed = next(n for n in count(1) if m * stats.least_p(n) < stats.ALPHA)
    least = stats.least_p(len(numbers.table))
    shown = f"{min(1.0, m * least):.2g}"
    reason = f", for with {len(numbers.table)} no p can be below {least:.2g}"
    reason += f" ({shown} by Holm, over {m} pairs)" if m > 1 else ""
    _check_enough(experiment, "wilcoxon", numbers, needed, reason)
    found = [
        stats.wilcoxon(numbers.table[a], numbers.table[b]) for a, b in numbers.pairs
    ]
    adjusted = stats.holm([each.p for each in found])
    pairs = []
    for (a, b), each, p in zip(numbers.pairs, found, adjusted, strict=True):
        said = stats.verdict(p, each.direction, numbers.better)
        pair = _pair(numbers, a, b, each.statistic, each.p, said)
        pairs.append(replace(pair, adjusted=float(p)))
    notes = (
        f"Two-sided; p by Holm, corrected for {m} {'pair' if m == 1 else 'pairs'}, is "
        f"held against {stats.ALPHA}. p is exact for up to 13 data sets, for up to 50 "
        "where no two differences are of equal size, else a normal approximation.",
        "Data sets on which two methods are level are left out of their pair; "
        "differences of equal size share the mean rank. " + _level(pairs),
    )
    return Comparison(experiment.name, "wilcoxon", numbers, tuple(pairs), notes)


def _friedman(experiment: Experiment, numbers: Paired) -> Comparison:
    names, k = numbers.names, len(numbers.names)
    if k < LEAST:
        raise ResultsError(
            f"{experiment.name}: the {TITLES['friedman']} needs at least 3 methods, "
            f"there are {k}; use the test 'wilcoxon' for two"
        )
    needed = next(n for n in count(2) if stats.critical_difference(k, n) < k - 1)
    reason = f", for with fewer no two of {k} average ranks can be told apart"
    _check_enough(experiment, "friedman", numbers, needed, reason)
    found = stats.friedman(numbers.table.to_numpy(), numbers.better, names)
    ranks = dict(zip(found.diagram.names, found.diagram.ranks, strict=True))
    pairs = []
    for (i, a), (j, b) in combinations(enumerate(names), 2):
        apart = ranks[a] - ranks[b]
        told = found.rejected and abs(apart) >= found.diagram.cd
        said = ("better" if apart < 0 else "worse") if told else "undecided"
        pairs.append(_pair(numbers, a, b, apart, found.nemenyi[i][j], said))
    notes = (*_friedman_notes(found, k), _level(pairs))
    return Comparison(experiment.name, "friedman", numbers, tuple(pairs), notes, found)


def _friedman_notes(found: stats.Friedman, k: int) -> list[str]:
    groups = "; ".join(", ".join(group) for group in found.diagram.groups)
    differ = "the methods differ" if found.rejected else "no difference is shown"
    few = (
        [f"With only {found.n} data sets these p are rough."]
        if found.n <= ROUGH
        else []
    )
    return [
        f"Friedman: chi2 = {found.chi2:.3f} (p = {found.chi2_p:.2g}); Iman and "
        f"Davenport: F({k - 1}, {(k - 1) * (found.n - 1)}) = {found.f:.3f}, "
        f"p = {found.p:.2g}: {differ} (level {stats.ALPHA}).",
        f"Nemenyi: average ranks {found.diagram.cd:.3f} apart or more are told apart, "
        "if the methods differ at all; p is corrected for the number of pairs.",
        f"Not told apart: {groups or 'none'}.",
        "Methods that are level on a data set share the mean rank.",
        *few,
    ]


def _pair(numbers: Paired, a: str, b: str, statistic, p, said: str) -> Pair:
    """A pair with its counts of wins."""
    apart = stats.differences(numbers.table[a], numbers.table[b])
    lower, higher = int((apart < 0).sum()), int((apart > 0).sum())
    wins, losses = (lower, higher) if numbers.better == "lower" else (higher, lower)
    return Pair(
        a=a,
        b=b,
        difference=float(apart.mean()),
        wins=wins,
        losses=losses,
        level=len(apart) - wins - losses,
        statistic=float(statistic),
        p=float(p),
        adjusted=None,
        verdict=said,
    )


def _check_enough(
    experiment, test: str, numbers: Paired, least: int, reason=""
) -> None:
    """Raise when there are too few rows; with what was left out, for it may be why."""
    if len(numbers.table) >= least:
        return
    units = "splits" if numbers.dataset else "data sets"
    dropped = "; ".join(note.rstrip(".") for note in numbers.notes)
    raise ResultsError(
        f"{numbers.dataset or experiment.name}: the {TITLES[test]} of "
        f"{len(numbers.names)} methods needs at least {least} {units} with numbers of "
        f"all of them, there are {len(numbers.table)}"
        f"{f' ({dropped})' if dropped else ''}{reason}; "
        f"{_what_helps(experiment, test, numbers)}"
    )


def _what_helps(experiment: Experiment, test: str, numbers: Paired) -> str:
    if numbers.dataset:
        return "run more repeats"
    n, split = len(numbers.table), experiment.split
    lacking = any("no numbers of" in note for note in numbers.notes)
    fewer = lacking or (test == "wilcoxon" and stats.least_p(n) < stats.ALPHA)
    ways = ["run more data sets", *(["compare fewer methods"] if fewer else [])]
    if split is not None and split.kind == "random" and split.repeats >= LEAST:
        ways.append("use the test 'resampled' on one of them")
    return ", or ".join(ways)


def _each(pairs: Sequence[Pair]) -> str:
    """The level of a t-test, and that many of them find something by chance."""
    sentence = f"Two-sided, each pair at level {stats.ALPHA}"
    if len(pairs) == 1:
        return f"{sentence}."
    return (
        f"{sentence}: not corrected for {len(pairs)} pairs, of which about "
        f"{stats.ALPHA * len(pairs):.2g} would come out by chance if no two methods "
        "differed."
    )


def _level(pairs: Sequence[Pair]) -> str:
    """Whether there are ties, and between which methods."""
    tied = [f"{pair.a} and {pair.b} ({pair.level})" for pair in pairs if pair.level]
    return (
        f"Level: {', '.join(tied)}." if tied else "No two methods are level anywhere."
    )
