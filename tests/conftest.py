"""What the tests share."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from mlbench import components
from tests.shell import Shell


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


@pytest.fixture(autouse=True)
def _own_search_path(monkeypatch):
    """Modules of one test's folder are not found by the next."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(components, "_searched", [])


@pytest.fixture
def mlbench(tmp_path, monkeypatch):
    """The command line, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path)


@pytest.fixture(scope="session")
def results_once(tmp_path_factory):
    """The results of one run, for tests that only look at them or add to them."""
    shell = Shell(tmp_path_factory.mktemp("once"))
    result = shell.run("-q", "-j", "2")
    assert result.exit_code == 0, result.output
    return shell.folder / "results"


@pytest.fixture
def done(mlbench, results_once):
    """A folder in which the config was run."""
    shutil.copytree(results_once, mlbench.folder / "results")
    return mlbench
