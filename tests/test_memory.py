"""Memory of a worker: measured, and limited."""

import numpy as np
import pytest

from mlbench.runner.memory import at_most, forget_peak, peak_mb


def test_the_peak_counts_what_was_used_and_freed_again():
    forget_peak()
    before = peak_mb()
    np.ones(40_000_000).sum()  # 305 MB, freed at once
    assert peak_mb() - before > 250


def test_an_allocation_past_the_limit_fails_and_the_limit_is_lifted_again():
    with pytest.raises(MemoryError), at_most(1500):
        np.ones(400_000_000)  # 3 GB
    assert np.ones(100_000_000).nbytes == 800_000_000


def test_without_a_limit_nothing_is_limited():
    with at_most(None):
        assert np.ones(1000).sum() == 1000
