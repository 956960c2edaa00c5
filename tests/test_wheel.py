"""The wheel holds all that is needed: mlbench works far from its checkout."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from mlbench.config import config_names

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The wheel, built from the checkout and unpacked as an installer would."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


@pytest.fixture
def mlbench(unpacked, tmp_path):
    """The command of the wheel, in an empty folder."""

    def run(*arguments):
        command = [sys.executable, "-m", "mlbench", *arguments]
        return subprocess.run(
            command,
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(unpacked)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    return run


def test_everything_that_is_not_code_is_inside(unpacked):
    tracked = subprocess.run(
        ["git", "ls-files", "mlbench"], cwd=ROOT, capture_output=True, text=True
    )
    if tracked.returncode:
        pytest.skip("not a git checkout")
    for name in tracked.stdout.split():
        assert (unpacked / name).is_file()
    for path in config_names().values():
        assert (unpacked / "mlbench" / "configs" / path.name).is_file()
    assert not (unpacked / "tests").exists()


def test_a_config_is_run_by_name_and_reported(mlbench):
    small = ("-o", "split.repeats=1", "-o", "dims=[5]", "-o", "name=small")
    assert "6 records computed" in mlbench("run", "quickstart", *small, "-j", "1")
    assert "| MDDM" in mlbench("report", "results/small/config.yaml")


def test_the_configs_of_the_papers_are_found_by_name(mlbench):
    listed = mlbench("list", "configs")
    for name in config_names():
        assert name in listed
