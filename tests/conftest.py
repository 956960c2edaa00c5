"""What the tests share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real_data():
    """The folder of the real data sets; without one the test is skipped, visibly."""
    folder = os.environ.get("MLBENCH_DATA")
    if not folder:
        pytest.skip("real data: set MLBENCH_DATA to the folder of the data sets")
    return Path(folder)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory, monkeypatch):
    """Parsed data of the tests never lands in the user's own cache."""
    folder = tmp_path_factory.getbasetemp() / "cache"
    monkeypatch.setenv("MLBENCH_CACHE", str(folder))
