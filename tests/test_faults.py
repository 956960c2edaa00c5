"""What goes wrong at night: everything else is computed, nothing done is lost."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time

import pytest

CONFIG = """\
datasets:
  - {name: toy, synthetic: {n: 90, d: 20, q: 4}}
split: {kind: random, train: 45, test: 45, repeats: 2}
dims: [2, 4]
methods: {PCA: pca, ODD: "odd:Odd"}
metrics: [hamming_loss]
"""
ODD = """\
import os, signal, time
from pathlib import Path

import numpy as np

from mlbench.reducers.pca import PCA


class Odd(PCA):
    \"\"\"PCA that does something odd first.\"\"\"

    def fit(self, X, Y=None):
        {deed}
        return super().fit(X, Y)
"""


class Night:
    """Runs of mlbench as processes of their own, in a folder of their own."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "toy.yaml").write_text(CONFIG)

    def odd(self, deed):
        (self.folder / "odd.py").write_text(ODD.format(deed=deed))
        return self

    def start(self, *options, **settings):
        command = [sys.executable, "-m", "mlbench", "run", "toy.yaml", "-j", "2"]
        return subprocess.Popen(
            [*command, *options],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": str(self.folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            **settings,
        )

    def run(self, *options, **settings):
        process = self.start(*options, **settings)
        output, _ = process.communicate()
        return process.returncode, output

    @property
    def path(self):
        return self.folder / "results" / "toy" / "records.jsonl"

    @property
    def records(self):
        return [json.loads(line) for line in self.path.read_text().splitlines()]

    def by_status(self):
        """Number of records by method and status, newest of each key."""
        newest = {record["key"]: record for record in self.records}
        found: dict = {}
        for record in newest.values():
            place = record["method"], record["status"]
            found[place] = found.get(place, 0) + 1
        return found


@pytest.fixture
def night(tmp_path):
    return Night(tmp_path)


ALL_BUT_ODD = {("PCA", "ok"): 4, ("ODD", "failed"): 4}


@pytest.mark.parametrize(
    ("deed", "options", "reason"),
    [
        ("raise ValueError('no\\ngood')", [], "ValueError: no good"),
        ("os.kill(os.getpid(), signal.SIGKILL)", [], "its worker process was killed"),
        ("time.sleep(600)", ["--timeout", "8"], "stopped after 8 s, its --timeout"),
        (
            "np.ones((40000, 40000))",
            ["--max-memory", "2000"],
            "out of memory: more than the 2000 MB of --max-memory",
        ),
    ],
)
def test_a_fault_is_a_failed_record_with_its_reason(night, deed, options, reason):
    code, output = night.odd(deed).run(*options)
    assert code == 3, output
    assert "Traceback" not in output
    assert f"failed: toy / ODD / split 0: {reason}" in output
    assert night.by_status() == ALL_BUT_ODD
    errors = {r["error"] for r in night.records if r["status"] == "failed"}
    assert all(reason in error for error in errors)


def test_what_failed_is_left_alone_until_it_is_to_be_tried_again(night):
    night.odd("assert Path('mended').exists(), 'not yet'").run()
    code, output = night.run()
    assert code == 3
    assert "0 records computed, 8 already there, 4 failed" in output
    (night.folder / "mended").write_text("")
    code, output = night.run("--retry", "failed")
    assert code == 0, output
    assert "4 records computed, 4 already there, 0 failed" in output
    assert night.by_status() == {("PCA", "ok"): 4, ("ODD", "ok"): 4}


def test_fail_fast_stops_at_the_first_failure(night):
    text = CONFIG.replace('PCA: pca, ODD: "odd:Odd"', 'ODD: "odd:Odd", PCA: pca')
    (night.folder / "toy.yaml").write_text(text)
    code, _ = night.odd("raise ValueError('no')").run("--fail-fast", "-j", "1")
    assert code == 3
    assert night.by_status() == {("ODD", "failed"): 2}


def wait_for(condition, process):
    """Wait until something is so, or the process has ended."""
    while not condition() and process.poll() is None:
        time.sleep(0.01)  # a moment between looks, not a guess at how long it takes


def heed_ctrl_c():
    """A suite in the background has Ctrl-C ignored, and would pass that on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_ends_cleanly_and_keeps_what_is_done(night):
    night.odd("time.sleep(600)")
    process = night.start(start_new_session=True, preexec_fn=heed_ctrl_c)
    wait_for(lambda: night.path.exists() and len(night.records) >= 4, process)
    os.killpg(process.pid, signal.SIGINT)
    output, _ = process.communicate()
    assert process.returncode == 130, output
    assert "Interrupted; what was done is kept." in output
    assert "Traceback" not in output
    assert night.by_status() == {("PCA", "ok"): 4}
    code, output = night.odd("pass").run()
    assert code == 0, output
    assert "4 records computed, 4 already there" in output


def test_a_second_run_at_once_is_refused_in_one_line(night):
    night.odd("time.sleep(600)")
    first = night.start(start_new_session=True)
    wait_for(night.path.exists, first)
    code, output = night.run("--retry", "failed")
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    first.stdout.close()
    assert code == 1
    assert "another run is writing here" in output
    assert "Traceback" not in output


def test_a_full_disk_is_one_line_and_corrupts_nothing(night):
    def few_bytes():
        resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))

    code, output = night.odd("pass").run("-q", preexec_fn=few_bytes)
    assert code == 1, output
    assert "cannot be written" in output
    assert "Traceback" not in output
    code, output = night.run("-q")
    assert code == 0, output
    assert night.by_status() == {("PCA", "ok"): 4, ("ODD", "ok"): 4}
    assert len(night.records) == 8


def kill_and_resume(night, times, seed):
    """Kill a run at random moments, resume it each time; then let it end."""
    moments = random.Random(seed)
    night.odd("time.sleep(0.3)")
    killed = 0
    for _ in range(times):
        process = night.start(start_new_session=True)
        try:
            process.wait(timeout=moments.uniform(0.3, 4.5))
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            killed += 1
        process.communicate()
        if process.returncode == 0:
            night.path.unlink()  # it got through: begin again
    code, output = night.run()
    assert code == 0, output
    assert killed
    return {record["key"]: record["metrics"] for record in night.records}


@pytest.mark.parametrize("times", [3, pytest.param(30, marks=pytest.mark.soak)])
def test_a_run_killed_at_random_moments_loses_and_repeats_nothing(night, times):
    found = kill_and_resume(night, times, seed=times)
    assert len(found) == len(night.records) == 8
    night.path.unlink()
    night.run()
    assert found == {record["key"]: record["metrics"] for record in night.records}
