"""Whether ours is still as much faster than its rivals as the committed figures say."""

from collections.abc import Callable
from pathlib import Path

from tests.bench import turns
from tests.bench.figures import Key, key, load, what
from tests.bench.jobs import JOBS

LEAST = 0.7  # of a committed ratio: less is not noise


def check(names: list[str], folder: Path, say: Callable[[str], None]) -> list[str]:
    """Measure the jobs' ratios anew; a line for each that is not what it was."""
    committed = {key(row): row["ratio"] for row in load(folder).get("rows", [])}
    complaints = []
    for name in names:
        rivals = guarded(name, say)
        lines = missing(name, rivals, committed)
        if rivals and not lines:
            lines = _measured(name, rivals, committed, say)
        complaints += lines
    return complaints


def _measured(name, rivals, committed, say) -> list[str]:
    """A ratio too low is measured again, with more turns, before it is believed."""
    for rounds in (1, turns.ROUNDS):
        rows = turns.compare(name, JOBS[name], rivals, rounds)
        for row in rows:
            before = committed[key(row)]
            say(f"{what(row)}: {row['ratio']:g}x, committed {before:g}x")
        lines = worse(rows, committed)
        if not lines:
            break
    return lines


def guarded(name: str, say: Callable[[str], None]) -> list[int]:
    """Numbers of the rivals that are measured; of the others it is said why not."""
    numbers = []
    for number, rival in enumerate(JOBS[name].rivals, start=1):
        if rival.unguarded:
            say(f"{name} against {rival.name}: not checked, it {rival.unguarded}")
        else:
            numbers.append(number)
    return numbers


def missing(name: str, rivals: list[int], committed: dict[Key, float]) -> list[str]:
    """A line for each rival that nothing is known of."""
    pairs = [(name, JOBS[name].rivals[number - 1].name) for number in rivals]
    return [
        f"{' against '.join(pair)}: has no committed ratio, "
        f"python -m tests.bench {name} measures it"
        for pair in pairs
        if pair not in committed
    ]


def worse(rows: list[dict], committed: dict[Key, float]) -> list[str]:
    """A line for each ratio that has fallen too far, and each result that is wrong."""
    lines = []
    for row in rows:
        before = committed[key(row)]
        if not row["holds"]:
            lines.append(f"{what(row)}: not the right result, {row['check']}")
        if row["ratio"] < LEAST * before:
            lines.append(
                f"{what(row)}: {row['ratio']:g}x is {row['ratio'] / before:.0%} of the "
                f"committed {before:g}x, at least {LEAST:.0%} is asked"
            )
    return lines
