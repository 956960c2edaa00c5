"""The README: names everything there is, and every command in it works as written."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from mlbench.classifiers import CLASSIFIERS
from mlbench.config import config_names, load_experiment
from mlbench.data.catalogue import catalogue
from mlbench.metrics import METRICS
from mlbench.reducers import REDUCERS
from tests.readme import README, ROOT, renewed

TEXT = README.read_text(encoding="utf-8")
MAKE = ("make demo", "make test")  # typed before there is a command


def blocks(kind, text=TEXT):
    """The fenced blocks of a language."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def sections():
    """Title and text of every section that shows commands."""
    parts = re.split(r"^## ", TEXT, flags=re.MULTILINE)[1:]
    named = [(part.partition("\n")[0], part) for part in parts]
    return [pytest.param(part, id=title) for title, part in named if blocks("sh", part)]


@pytest.mark.parametrize("name", [*REDUCERS, *CLASSIFIERS, *METRICS, *config_names()])
def test_every_name_is_in_a_table(name):
    assert f"| `{name}` |" in TEXT


def test_every_data_set_is_in_a_table():
    rows = [line for line in TEXT.splitlines() if line.startswith("| `")]
    for name in catalogue():
        assert any(f"`{name}`" in row for row in rows)


def test_what_is_made_is_current():
    assert renewed(TEXT) == TEXT, "run: make readme"


def test_every_file_it_points_to_is_there():
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (ROOT / target).exists()


@pytest.mark.parametrize("text", blocks("yaml"))
def test_every_config_shown_is_one(text, tmp_path):
    path = tmp_path / "shown.yaml"
    whole = {"metrics": ["micro_f1"], "methods": {"PCA": "pca"}, "dims": 3}
    path.write_text(yaml.safe_dump(whole | yaml.safe_load(text)))
    assert load_experiment(path).datasets


@pytest.fixture
def workplace(tmp_path):
    """A folder with the results of this checkout, and the data sets that are used."""
    shutil.copytree(ROOT / "results", tmp_path / "results")
    source = os.environ.get("MLBENCH_DATA")
    if source:
        for pattern in ("mulan/emotions*", "mulan/scene*", "lamda/*"):
            for file in Path(source).glob(pattern):
                link = tmp_path / "data" / file.relative_to(source)
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(file)
    return tmp_path


@pytest.mark.parametrize("text", sections())
def test_every_command_works_as_written(text, workplace):
    commands = "\n".join(blocks("sh", text))
    if "--data-dir data" in commands and not (workplace / "data").exists():
        pytest.skip("real data: set MLBENCH_DATA to the folder of the data sets")
    for code in blocks("python", text):
        if name := re.match(r"# (\w+\.py)\n", code):
            (workplace / name[1]).write_text(code)
    commands = re.sub(r"^make .*$", "", commands, flags=re.MULTILINE)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    clean = {k: v for k, v in os.environ.items() if k != "MLBENCH_DATA"}
    done = subprocess.run(
        ["bash", "-e"],
        input=commands,
        cwd=workplace,
        env=clean | {"PATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Traceback" not in done.stderr


def test_what_is_typed_first_is_what_ci_runs_on_a_clean_clone():
    ci = (ROOT / ".ci" / "run").read_text()
    assert "make demo" in ci
    assert "make check" in ci
    assert "\ncheck: test " in (ROOT / "Makefile").read_text()


def test_every_line_shown_is_a_command_of_mlbench_or_make():
    for block in blocks("sh"):
        for line in block.splitlines():
            assert line.startswith(("mlbench ", *MAKE))


@pytest.mark.parametrize("code", blocks("python"))
def test_every_python_example_runs(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    compiled = compile(code, "README.md", "exec")
    if "dask_jobqueue" not in code:  # that one needs a SLURM cluster
        exec(compiled, {"__name__": "readme"})  # noqa: S102  our own text
