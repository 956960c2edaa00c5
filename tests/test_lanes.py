"""Lanes: one worker lost is one piece of work lost, and no other."""

import os
import signal
import time
from pathlib import Path

from mlbench.runner.lanes import Lanes, Lost


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
