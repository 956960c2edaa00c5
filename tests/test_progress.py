"""What a run shows of itself."""

import io
from types import SimpleNamespace

import pytest
from rich.console import Console

from mlbench.progress import Lines, Screen


def trial(name):
    return SimpleNamespace(label=name)


PLAN = SimpleNamespace(
    experiment=SimpleNamespace(name="toy"), pending=["a", "b"], cached=["x"] * 7
)
OK = [{"status": "ok"}]
FAILED = [{"status": "failed", "error": "ValueError: no"}]


def show(kind, **settings):
    """Everything a run of two trials writes, and the state it ends in."""
    file = io.StringIO()
    with kind(Console(file=file, width=100, **settings)) as shown:
        shown.planned(PLAN)
        for name, records in (("one", OK), ("two", FAILED)):
            shown.started(trial(name))
            shown.finished(trial(name), records)
    return file.getvalue(), shown


def test_a_log_has_a_line_for_each_trial_and_no_control_characters():
    text, _ = show(Lines)
    first, one, two = text.splitlines()
    assert first == "toy: 2 trials to run, 7 records already there"
    assert one.startswith("[1/2] one: done, left 0:00:0")
    assert two == "[2/2] two: FAILED: ValueError: no, left 0:00:00"
    assert "\x1b" not in text


def test_a_name_with_brackets_is_shown_as_it_is():
    file = io.StringIO()
    shown = Lines(Console(file=file, width=100))
    shown.planned(PLAN)
    shown.started(trial("[red]x[/red]"))
    shown.finished(trial("[red]x[/red]"), OK)
    assert "[1/2] [red]x[/red]: done" in file.getvalue()


def test_a_terminal_shows_counts_and_what_is_running():
    text, shown = show(Screen, force_terminal=True)
    assert (shown.done, shown.failed, shown.cached, shown.running) == (2, 1, 7, [])
    assert "7 records cached" in text


@pytest.mark.parametrize("kind", [Lines, Screen])
def test_time_left_is_unknown_until_something_is_done(kind):
    shown = kind(Console(file=io.StringIO()))
    assert shown.left() == "?"
