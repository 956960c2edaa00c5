"""How a command ends: 0, 1, 2, 3 or 130, never with a traceback, no colour unasked."""

import errno
import json
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import click
import pytest

from mlbench import housekeeping, listing, runner
from mlbench.data import catalogue, verify
from mlbench.report import build
from tests.shell import one_line_error

COMMAND = [sys.executable, "-m", "mlbench"]


def test_help_lists_every_code(mlbench):
    text = " ".join(mlbench("--help").output.split())
    listed = text.partition("Exit codes: ")[2].partition(". ")[0]
    assert listed == (
        "0 done, 1 an error that is explained, 2 wrong usage, 3 some trials failed, "
        "130 interrupted"
    )


@pytest.mark.parametrize(
    "command",
    [
        ["--version"],
        ["list", "metrics"],
        ["data", "list"],
        ["data", "path"],
        ["data", "verify"],
        ["results", "list"],
        ["doctor"],
        ["completion", "bash"],
    ],
)
def test_what_is_done_is_0(mlbench, monkeypatch, command):
    monkeypatch.delenv("MLBENCH_DATA", raising=False)
    monkeypatch.setenv("MLBENCH_CACHE", "cache")
    assert mlbench(*command).exit_code == 0


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        (["report", "quickstrat"], "did you mean 'quickstart'?"),
        (["report"], "no records here"),
        (["compare", "no.yaml"], "no.yaml: no such file"),
        (["data", "path", "emotion"], "did you mean 'emotions'?"),
        (["data", "info", "no.csv"], "no.csv"),
        (["data", "verify", "emotions"], "are not as they should be"),
        (["data", "list", "--data-dir", "nowhere"], "nowhere is not a folder"),
        (["data", "get", "emotions", "--data-dir", "file/x"], "file/x: cannot be made"),
        (["data", "get", "no-such"], "unknown data set"),
        (["doctor", "--results", "file/x"], "of the findings above"),
        (["results", "show", "abc"], "no record has a key"),
        (["results", "pack", "toy"], "unknown experiment"),
        (["results", "merge", "."], "no records here to merge"),
        (["results", "prune", "no.yaml"], "no.yaml: no such file"),
    ],
)
def test_an_error_is_1_and_one_line(mlbench, monkeypatch, command, hint):
    monkeypatch.delenv("MLBENCH_DATA", raising=False)
    monkeypatch.setenv("MLBENCH_CACHE", "cache")
    Path("file").touch()
    assert hint in one_line_error(mlbench(*command))


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["data"],
        ["results"],
        ["lits"],
        ["list", "colours"],
        ["list", "metrics", "--no-such"],
        ["data", "get"],
        ["report", "--figures", "bmp"],
        ["compare", "quickstart", "--test", "coin"],
        ["results", "merge", "nowhere"],
        ["doctor", "--results", "file"],
        ["completion"],
    ],
)
def test_wrong_usage_is_2(mlbench, command):
    Path("file").touch()
    result = mlbench(*command)
    assert result.exit_code == 2, result.output
    assert "Usage: " in result.output


def test_failed_trials_are_3(done):
    path = done.folder / "results" / "toy" / "records.jsonl"
    first, *rest = path.read_text().splitlines(keepends=True)
    failed = json.loads(first) | {"status": "failed", "metrics": {}, "error": "no"}
    path.write_text(json.dumps(failed) + "\n" + "".join(rest))
    result = done.run("-q")
    assert result.exit_code == 3, result.output


def interrupt(*args, **kwargs):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("place", "name", "command"),
    [
        (listing, "listing", ["list", "metrics"]),
        (catalogue, "catalogue", ["data", "list"]),
        (catalogue, "named_or_grouped", ["data", "get", "emotions"]),
        (verify, "verify", ["data", "verify", "emotions"]),
        (housekeeping, "stores", ["results", "list", "--json"]),
        (build, "recorded", ["report"]),
        (runner, "plan", ["run", "toy.yaml"]),
        (runner, "plan", ["plan", "toy.yaml"]),
    ],
)
def test_ctrl_c_is_130(mlbench, monkeypatch, place, name, command):
    monkeypatch.setattr(place, name, interrupt)
    result = mlbench(*command)
    assert result.exit_code == 130, result.output
    assert result.stderr.strip() == "Interrupted; what was done is kept."
    assert result.stdout == ""


@pytest.fixture
def question(monkeypatch):
    """A command that asks something, and how the user answers."""

    def ask(answer):
        def asking(names):
            monkeypatch.setattr(click.termui, "visible_prompt_func", answer)
            click.confirm("May I?")

        monkeypatch.setattr(catalogue, "named_or_grouped", asking)

    return ask


def test_ctrl_c_at_a_question_is_130(mlbench, question):
    question(answer=interrupt)
    result = mlbench("data", "get", "emotions")
    assert result.exit_code == 130, result.output
    assert "Interrupted" in result.stderr


def test_the_end_of_input_at_a_question_is_1(mlbench, question):
    def end(*args):
        raise EOFError

    question(answer=end)
    result = mlbench("data", "get", "emotions")
    assert result.exit_code == 1, result.output
    assert "Aborted!" in result.stderr


def closed_pipe():
    """A pipe nobody reads any more."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


@pytest.mark.parametrize(
    "command", [["list", "metrics"], ["data", "list", "--json"], ["doctor"], ["--help"]]
)
def test_output_that_nobody_reads_ends_the_command_quietly(tmp_path, command):
    pipe = closed_pipe()
    result = subprocess.run(
        [*COMMAND, *command], cwd=tmp_path, stdout=pipe, stderr=subprocess.PIPE
    )
    os.close(pipe)
    assert result.stderr == b""
    assert result.returncode == 1  # whether all was done, nobody can say


def test_progress_that_nobody_reads_ends_a_run_quietly(mlbench):
    pipe = closed_pipe()
    command = [*COMMAND, "run", "toy.yaml", "-j", "1"]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=pipe)
    os.close(pipe)
    assert result.stdout == b""
    assert result.returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_finds_no_space_is_one_line(tmp_path):
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [*COMMAND, "list", "metrics"],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert result.returncode == 1
    assert result.stderr == "Error: output: No space left on device\n"


def raise_error(number):
    def fail(*args):
        raise OSError(number, os.strerror(number), "here")

    return fail


def test_what_the_machine_refuses_is_one_line(mlbench, monkeypatch):
    monkeypatch.setattr(listing, "listing", raise_error(errno.EROFS))
    line = one_line_error(mlbench("list", "metrics"))
    assert line == "Error: here: Read-only file system"


def test_a_bug_keeps_its_traceback(mlbench, monkeypatch):
    monkeypatch.setattr(listing, "listing", raise_error(errno.ENOENT))
    result = mlbench("list", "metrics")
    assert isinstance(result.exception, FileNotFoundError)


class Terminal:
    """A command at a terminal of its own: what it shows, and how it ends."""

    def __init__(self, *arguments, **env):
        ours, theirs = pty.openpty()
        self.screen = ours
        self.process = subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=_without_colour_settings() | {"TERM": "xterm-256color"} | env,
        )
        os.close(theirs)
        self.shown = b""

    def end(self):
        with suppress(OSError):  # Linux's way to say that the other side is closed
            while shown := os.read(self.screen, 1 << 16):
                self.shown += shown
        os.close(self.screen)
        return self.process.wait()


def _without_colour_settings():
    settings = ("NO_COLOR", "FORCE_COLOR", "COLORTERM")
    return {name: value for name, value in os.environ.items() if name not in settings}


COLOUR = re.compile(rb"\x1b\[[0-9;]*m")  # the others move the cursor


@pytest.mark.parametrize("command", [["run", "toy.yaml", "-j", "1"], ["doctor"]])
def test_a_terminal_has_colour_unless_no_color_is_set(mlbench, command):
    coloured = Terminal(*command, "--results", "one")
    assert coloured.end() == 0, coloured.shown
    assert COLOUR.search(coloured.shown)
    plain = Terminal(*command, "--results", "two", NO_COLOR="1")
    assert plain.end() == 0, plain.shown
    assert not COLOUR.search(plain.shown)


@pytest.mark.parametrize("command", [["run", "toy.yaml", "-j", "1"], ["doctor"]])
def test_a_file_has_no_escape_sequences(mlbench, command):
    env = _without_colour_settings() | {"TERM": "xterm-256color"}
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    result = subprocess.run([*COMMAND, *command], env=env, **both)
    assert result.returncode == 0, result.stdout
    assert b"\x1b" not in result.stdout
