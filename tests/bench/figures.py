"""The figures on the disk: what was measured last, beside what was measured before."""

import json
from pathlib import Path

from mlbench.errors import ResultsError
from tests.bench.jobs import JOBS
from tests.bench.page import page

Key = tuple[str, str]  # job and rival


def key(row: dict) -> Key:
    """What a row of the table is about."""
    return row["job"], row["rival"]


def what(row: dict) -> str:
    """The same in words."""
    return " against ".join(key(row))


def load(folder: Path) -> dict:
    """The figures in a folder."""
    path = folder / "bench.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as exc:
        raise ResultsError(
            f"{path}: is not there or is not JSON, python -m tests.bench makes it"
        ) from exc


def keep(found: dict, folder: Path) -> dict:
    """Leave the figures in a folder, and return all that are there now."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "bench.json"
    kept = merged(load(folder), found) if path.exists() else found
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    (folder / "bench.md").write_text(page(kept), encoding="utf-8")
    return kept


def merged(before: dict, found: dict) -> dict:
    """The new figures over the old ones, if those are of the same processor.

    Rows keep the order of the jobs; those of a job that is no more are left out.
    """
    if before.get("machine", {}).get("cpu") != found["machine"]["cpu"]:
        return found
    rows = [*before.get("rows", []), *found.get("rows", [])]
    latest = {key(row): row for row in rows}
    known = [(name, rival.name) for name, job in JOBS.items() for rival in job.rivals]
    return before | found | {"rows": [latest[each] for each in known if each in latest]}
