"""Records looked after: what is there, one of them in full, merged, pruned, packed."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mlbench.config import Experiment
from mlbench.errors import ResultsError
from mlbench.runner import available, plan
from mlbench.store import PACKED, RECORDS, Record, Store

SAME = 1e-9  # relative; another machine's BLAS may round the last bits otherwise


def stores(results: Path) -> list[Store]:
    """The stores under a results folder, by name."""
    folders = {path.parent for path in results.glob("*/*") if _holds_records(path)}
    return [Store(folder) for folder in sorted(folders)]


def _holds_records(path: Path) -> bool:
    return path.name in (RECORDS, PACKED)


@dataclass(frozen=True)
class Overview:
    """What a store holds, counted."""

    experiment: str
    records: int  # that are not failed
    failed: int
    datasets: int
    methods: int
    newest: str | None  # when the newest was started

    @property
    def text(self) -> str:
        """The overview in a line."""
        return (
            f"{self.experiment:20} {self.records} records, {self.failed} failed; "
            f"{self.datasets} data sets, {self.methods} methods; "
            f"newest {self.newest or '-'}"
        )

    @property
    def data(self) -> dict[str, Any]:
        """The same for scripts."""
        return asdict(self)


def overview(store: Store) -> Overview:
    """What a store holds."""
    records = list(store.records().values())
    status = Counter(record["status"] for record in records)
    return Overview(
        experiment=store.folder.name,
        records=status["ok"],
        failed=status["failed"],
        datasets=len({record["dataset"] for record in records}),
        methods=len({record["method"] for record in records}),
        newest=max((r["provenance"]["started"] for r in records), default=None),
    )


def find(results: Path, prefix: str) -> Record:
    """The one record whose key begins with ``prefix``."""
    found = [
        record
        for store in stores(results)
        for key, record in store.records().items()
        if key.startswith(prefix)
    ]
    if len(found) == 1:
        return found[0]
    what = "no record has" if not found else f"{len(found)} records have"
    raise ResultsError(
        f"{results}: {what} a key that begins with {prefix!r}; give more of one key "
        "(they are in records.jsonl)"
    )


def merge(source: Path, target: Path) -> dict[str, int]:
    """Take over the records of another results folder; how many, by experiment.

    The same key must mean the same metrics. If it does not, nothing is taken over.
    """
    theirs = stores(source)
    if not theirs:
        raise ResultsError(f"{source}: no records here to merge")
    new = {store.folder.name: _new(store, target) for store in theirs}
    for name, records in new.items():
        store = Store(target / name)
        if records:
            with store.writing():
                store.append(records)
    return {name: len(records) for name, records in new.items()}


def _new(theirs: Store, target: Path) -> list[Record]:
    ours = Store(target / theirs.folder.name).records()
    fresh = []
    for key, record in theirs.records().items():
        have = ours.get(key)
        if have is None or (have["status"], record["status"]) == ("failed", "ok"):
            fresh.append(record)
        elif record["status"] == "ok" and not _agree(
            have["metrics"], record["metrics"]
        ):
            place = f"{record['dataset']} / {record['method']} / {record['request']}"
            raise ResultsError(
                f"{theirs.folder}: {place}: the record with key {key[:12]} has other "
                "metrics than ours; nothing was merged"
            )
    return fresh


def _agree(a: dict, b: dict) -> bool:
    if a.keys() != b.keys():
        return False
    return all(
        a[name] == b[name]
        or (
            None not in (a[name], b[name])
            and math.isclose(a[name], b[name], rel_tol=SAME)
        )
        for name in a
    )


def superfluous(
    experiments: Iterable[Experiment], results: Path, folder: Path
) -> list[tuple[Store, set[str]]]:
    """For each experiment its store, and the keys that no config refers to.

    Records of a data set that is not here are left alone: their keys cannot be told.
    """
    found: dict[str, tuple[Store, set[str], set[str]]] = {}
    for experiment in experiments:
        here, _ = available(experiment, folder, skip_missing=True)
        work = plan(here, results, folder)
        names = {source.name for source in experiment.datasets}
        absent = names - {source.name for source in here.datasets}
        store, there, wanted = found.setdefault(
            experiment.name, (work.store, set(), set())
        )
        there |= {record["key"] for record in [*work.cached, *work.others]}
        wanted |= {record["key"] for record in work.cached}
        wanted |= {r["key"] for r in work.others if r["dataset"] in absent}
    return [(store, there - wanted) for store, there, wanted in found.values()]


def drop(store: Store, keys: set[str]) -> None:
    """Remove the records of these keys for good."""
    with store.writing():
        kept = [record for key, record in store.records().items() if key not in keys]
        store.replace(kept, packed=store.packed)


def pack(store: Store) -> None:
    """Compress all records of a store into one file."""
    with store.writing():
        store.replace(store.records().values(), packed=True)
