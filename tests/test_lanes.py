"""Lanes: one worker lost is one piece of work lost, and no other."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mlbench.runner.lanes import Lanes, Lost, _Lane


def square(x):
    return x * x


def die_on_three(x):
    if x == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return x * x


def die_once(marker):
    path = Path(marker)
    if not path.exists():
        path.write_text("")
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def hang_on_three(x):
    if x == 3:
        time.sleep(600)
    return x * x


def threads(_):
    import numpy as np
    from threadpoolctl import threadpool_info

    np.ones((2, 2)) @ np.ones((2, 2))
    return [pool["num_threads"] for pool in threadpool_info()]


def test_all_work_is_done_once():
    with Lanes(2) as lanes:
        found = list(lanes.map(square, range(20)))
    assert sorted(found) == [(x, x * x) for x in range(20)]


def test_a_worker_keeps_to_a_kind_of_work_while_there_is_any():
    lanes = Lanes(2, kind=lambda item: item[0])
    mine, other = _Lane(None, None, kind="b"), _Lane(None, None, kind="a")
    lanes._busy = {"of the other": other}

    def next_of(*items):
        return lanes._next(mine, [(item, 1) for item in items])

    assert next_of("a1", "c1", "b1") == 2  # its own kind
    assert next_of("a1", "c1", "d1") == 1  # a kind that nobody is at
    assert next_of("a1", "a2") == 0  # better than to wait


def test_a_killed_worker_loses_its_own_work_only():
    with Lanes(2) as lanes:
        found = dict(lanes.map(die_on_three, range(6)))
    assert isinstance(found.pop(3), Lost)
    assert found == {x: x * x for x in range(6) if x != 3}


def test_work_whose_worker_was_lost_once_is_done_again(tmp_path):
    with Lanes(1) as lanes:
        ((_, outcome),) = lanes.map(die_once, [str(tmp_path / "marker")])
    assert outcome == "done"


def test_work_over_its_time_is_stopped_and_the_rest_is_done():
    with Lanes(2, timeout=3) as lanes:
        found = dict(lanes.map(hang_on_three, range(6)))
    assert "--timeout" in str(found.pop(3))
    assert found == {x: x * x for x in range(6) if x != 3}


def test_a_worker_uses_one_thread():
    with Lanes(1) as lanes:
        ((_, found),) = lanes.map(threads, [0])
    assert found
    assert set(found) == {1}


def own_pid_then_wait(path):
    Path(path).write_text(str(os.getpid()))
    time.sleep(600)


PARENT = """
from tests.test_lanes import own_pid_then_wait
from mlbench.runner.lanes import Lanes
with Lanes(1) as lanes:
    list(lanes.map(own_pid_then_wait, [{path!r}]))
"""


def is_alive(pid):
    """Whether a process is there and not merely waiting to be buried."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    return "State:\tZ" not in status


@pytest.mark.skipif(sys.platform != "linux", reason="Linux only: prctl")
def test_a_worker_does_not_outlive_a_killed_parent(tmp_path):
    path = tmp_path / "pid"
    code = PARENT.format(path=str(path))
    parent = subprocess.Popen(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[1]
    )
    while not (path.exists() and path.read_text()):
        assert parent.poll() is None
        time.sleep(0.01)  # a moment between looks
    worker = int(path.read_text())
    parent.kill()
    parent.wait()
    patience = time.monotonic() + 30
    while is_alive(worker):
        assert time.monotonic() < patience
        time.sleep(0.01)
