"""What the doctor sees: a sound installation, and each thing that can be amiss."""

import json
import os
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import joblib
import pytest
import threadpoolctl

from mlbench.data.catalogue import Entry, FileEntry
from mlbench.data.locate import data_dir
from mlbench.doctor import finding, folders, machine, packages
from mlbench.doctor import plugins as plugs
from mlbench.errors import DataError
from tests.shell import one_line_error


@pytest.fixture(autouse=True)
def _no_data(monkeypatch):
    monkeypatch.delenv("MLBENCH_DATA", raising=False)


@pytest.fixture
def look(mlbench):
    """The findings of ``mlbench doctor --json`` by subject, and its exit code."""

    def run(*arguments):
        result = mlbench("doctor", "--json", *arguments)
        found = json.loads(result.stdout)["findings"]
        return {each["subject"]: each for each in found}, result.exit_code

    return run


def only(findings):
    (found,) = findings
    return found


def test_a_sound_installation_has_no_problem(mlbench):
    shown = mlbench("doctor")
    assert shown.exit_code == 0, shown.output
    assert "ok       mlbench: 0." in shown.output
    assert "numpy " in shown.output
    assert "problem" not in shown.output


def test_json_and_lines_say_the_same(mlbench):
    lines = mlbench("doctor").output.splitlines()
    shown = [line.split()[:2] for line in lines if not line.startswith(" ")]
    found = json.loads(mlbench("doctor", "--json").stdout)
    assert found["problems"] == 0
    assert shown == [[f["status"], f"{f['subject']}:"] for f in found["findings"]]


def test_all_but_what_is_ok_comes_with_a_command(mlbench, monkeypatch):
    monkeypatch.setenv("MLBENCH_DATA", "nowhere")
    result = mlbench("doctor", "--json")
    for each in json.loads(result.stdout)["findings"]:
        assert (each["fix"] is None) == (each["status"] == "ok"), each


def test_a_problem_is_counted_in_the_exit_code(mlbench, monkeypatch):
    monkeypatch.setenv("MLBENCH_DATA", "nowhere")
    result = mlbench("doctor")
    assert "1 of the findings above" in one_line_error(result)
    assert "problem  data: nowhere ($MLBENCH_DATA): is not there" in result.output
    assert "         > export MLBENCH_DATA=FOLDER\n" in result.output


def test_the_doctor_imports_nothing_that_takes_long(tmp_path):
    code = (
        "import sys; from mlbench.cli import main\n"
        "main(['doctor'], standalone_mode=False)\n"
        "heavy = {'sklearn', 'pandas', 'matplotlib', 'pydantic'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


# Packages


def test_a_package_that_is_missing_or_old_is_a_problem(monkeypatch):
    asked = ["numpy>=1", "scipy>=99", "no-such-package>=2"]
    monkeypatch.setattr(packages, "requires", lambda name: asked)
    right, old, missing = packages.required()
    assert (right.status, list(right.values)) == (finding.OK, ["numpy"])
    assert old.status == missing.status == finding.PROBLEM
    assert old.text.endswith(", mlbench needs >=99")
    assert old.fix == "pip install 'scipy>=99'"
    assert missing.text == "is not installed, mlbench needs >=2"


def test_an_extra_that_is_missing_is_a_note(monkeypatch):
    asked = ["no-such-package>=2; extra == 'dask'", "nor-this; extra == 'dev'"]
    monkeypatch.setattr(packages, "requires", lambda name: asked)
    missing = only(packages.extras())
    assert missing.status == finding.NOTE
    assert missing.text == "is not installed, run --backend dask needs >=2"
    assert missing.fix == "pip install 'mlbench[dask]'"
    assert list(packages.required()) == []


def test_an_extra_that_is_there_is_ok(monkeypatch):
    asked = ["numpy; extra == 'dask'", "scipy>=1"]
    monkeypatch.setattr(packages, "requires", lambda name: asked)
    found = only(packages.extras())
    assert (found.status, found.values["package"]) == (finding.OK, "numpy")


def test_a_package_that_the_doctor_needs_may_be_broken(look, monkeypatch):
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    found, code = look()
    assert code == 1
    assert "blas" not in found
    assert found["threadpoolctl"]["status"] == "problem"
    assert (
        found["threadpoolctl"]["fix"] == "pip install --force-reinstall threadpoolctl"
    )
    assert "terminal" in found  # the rest is looked at all the same


# The machine


def test_fewer_cores_than_there_are_is_a_note(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(joblib, "cpu_count", lambda: 2)
    note = only(machine.cores())
    assert (note.status, note.fix) == (finding.NOTE, "mlbench run CONFIG -j 2")
    monkeypatch.setattr(joblib, "cpu_count", lambda: 64)
    assert only(machine.cores()).status == finding.OK


@pytest.mark.parametrize(
    ("library", "threads", "status", "fix"),
    [
        ("openblas", 8, finding.NOTE, "export OPENBLAS_NUM_THREADS=1"),
        ("flexiblas", 8, finding.NOTE, "export OMP_NUM_THREADS=1"),
        ("mkl", 1, finding.OK, None),
    ],
)
def test_blas_with_several_threads_is_a_note(
    monkeypatch, library, threads, status, fix
):
    about = {"internal_api": library, "version": "1.2", "num_threads": threads}
    pools = [about | {"user_api": "blas"}, about | {"user_api": "openmp"}]
    monkeypatch.setattr(threadpoolctl, "threadpool_info", lambda: pools)
    found = only(machine.blas())
    assert (found.status, found.fix) == (status, fix)
    expected = {"library": library, "version": "1.2", "threads": threads}
    assert found.values == {"libraries": [expected]}


def test_no_blas_that_can_be_asked_is_ok(monkeypatch):
    monkeypatch.setattr(threadpoolctl, "threadpool_info", list)
    assert only(machine.blas()).status == finding.OK


@pytest.fixture
def meminfo(tmp_path, monkeypatch):
    """A machine of 8 GB, of which some are free, and a container in it."""
    limit = tmp_path / "memory.max"
    limit.write_text("max\n")
    monkeypatch.setattr(machine, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(machine, "CONTAINER_LIMITS", (limit, tmp_path / "none"))

    def write(free):
        lines = ["MemTotal:  8000000 kB", f"MemAvailable: {free} kB", "HugePages: 0"]
        machine.MEMINFO.write_text("\n".join(lines))
        return limit

    return write


def test_memory_is_that_of_the_machine_or_of_the_container(meminfo):
    limit = meminfo(free=6_000_000)
    whole = only(machine.memory())
    assert whole.values == {"bytes": 8_192_000_000, "free": 6_144_000_000}
    assert whole.status == finding.OK
    limit.write_text("2000000000\n")
    assert only(machine.memory()).values == {"bytes": 2 * 10**9, "free": 2 * 10**9}


def test_little_free_memory_is_a_note(meminfo):
    meminfo(free=500_000)
    assert only(machine.memory()).status == finding.NOTE


def test_memory_is_known_without_linux(meminfo):
    assert not machine.MEMINFO.exists()
    assert only(machine.memory()).values["bytes"] > 0


# Folders


def test_the_data_folder_is_the_one_that_a_run_would_use(tmp_path, monkeypatch):
    for name in ("asked", "named"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))
    for named in ("", str(tmp_path / "named")):
        monkeypatch.setenv("MLBENCH_DATA", named)
        for option in (None, tmp_path / "asked"):
            found = next(folders.data_folder(option))
            assert Path(found.values["folder"]) == data_dir(option)


def test_no_data_folder_in_the_users_cache_is_only_a_note(look, monkeypatch, tmp_path):
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))
    found, code = look()
    assert code == 0
    assert found["data"]["status"] == "note"
    assert found["data"]["fix"] == "mlbench data get all"


@pytest.mark.parametrize("named", ["nowhere", "a file", "a file/x", "x" * 300])
def test_a_variable_that_names_no_folder_is_a_problem(look, monkeypatch, named):
    Path("a file").touch()
    monkeypatch.setenv("MLBENCH_DATA", named)
    found, code = look()
    assert code == 1
    assert found["data"]["status"] == "problem"
    assert found["data"]["fix"] == "export MLBENCH_DATA=FOLDER"
    with pytest.raises((DataError, OSError)):  # nor would a run take it
        data_dir(None)


def test_an_option_that_names_no_folder_is_a_problem_with_its_own_cure(look):
    found, code = look("--data-dir", "my data")
    assert code == 1
    assert found["data"]["fix"] == "mlbench data get all --data-dir 'my data'"


def test_a_data_folder_that_may_not_be_read_is_a_problem(look, monkeypatch, tmp_path):
    monkeypatch.setenv("MLBENCH_DATA", str(tmp_path))
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    found, code = look()
    assert code == 1
    assert found["data"]["fix"] == f"chmod -R u+rX {tmp_path}"


def test_a_folder_inside_that_may_not_be_read_is_a_problem(look, monkeypatch, tmp_path):
    def refuse(entry, folder):
        raise PermissionError(13, "Permission denied", str(folder / "mulan"))

    monkeypatch.setattr(folders, "missing_files", refuse)
    found, code = look("--data-dir", tmp_path)
    assert code == 1
    assert found["data"]["text"].endswith("mulan: cannot be read (Permission denied)")


@pytest.fixture
def two_sets(monkeypatch, tmp_path):
    """A catalogue of two sets with a file of four bytes each, and a folder for them."""
    known = {}
    for name in ("one", "two"):
        file = FileEntry(f"own/{name}.dat", 4, "", "http://localhost/")
        known[name] = Entry(name, (file,), 1, 1, 1, 1.0, "table")
    monkeypatch.setattr(folders, "catalogue", lambda: known)
    (tmp_path / "data" / "own").mkdir(parents=True)
    return tmp_path / "data"


def test_data_sets_that_are_not_here_are_counted(look, two_sets):
    (two_sets / "own" / "one.dat").write_text("1234")
    found, code = look("--data-dir", two_sets)
    assert code == 0
    assert found["data"]["status"] == "note"
    assert (found["data"]["values"]["here"], found["data"]["values"]["known"]) == (1, 2)
    (two_sets / "own" / "two.dat").write_text("1234")
    found, _ = look("--data-dir", two_sets)
    assert found["data"]["status"] == "ok"
    assert "data files" not in found


def test_files_of_another_size_are_named(look, two_sets):
    (two_sets / "own" / "one.dat").write_text("1234")
    (two_sets / "own" / "two.dat").write_text("12345")
    found, code = look("--data-dir", two_sets)
    assert code == 0
    assert found["data files"]["values"] == {"files": ["own/two.dat"]}
    cure = f"mlbench data get two --overwrite --data-dir {two_sets}"
    assert found["data files"]["fix"] == cure


@pytest.mark.parametrize("folder", ["a file", "a file/x", "x" * 300])
def test_a_cache_that_cannot_be_is_a_problem(look, monkeypatch, folder):
    Path("a file").touch()
    monkeypatch.setenv("MLBENCH_CACHE", folder)
    found, code = look()
    assert code == 1
    assert found["cache"]["status"] == "problem"
    assert found["cache"]["fix"] == "export MLBENCH_CACHE=FOLDER"
    assert found["cache"]["values"]["writable"] is False


def test_a_cache_that_is_not_there_yet_is_ok_and_is_not_made(look, monkeypatch):
    monkeypatch.setenv("MLBENCH_CACHE", "new/cache")
    found, code = look()
    assert code == 0
    assert found["cache"]["status"] == "ok"
    assert found["cache"]["values"]["writable"] is True
    assert not Path("new").exists()


def test_a_cache_where_nothing_can_be_made_is_a_problem(look, monkeypatch):
    monkeypatch.setenv("MLBENCH_CACHE", "new/cache")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    found, code = look()
    assert code == 1
    assert f"{Path.cwd()} may not be used" in found["cache"]["text"]


def test_the_size_of_the_cache_is_that_of_its_files(look, monkeypatch):
    monkeypatch.setenv("MLBENCH_CACHE", "cache")
    Path("cache/parsed").mkdir(parents=True)
    Path("cache/parsed/one").write_bytes(b"x" * 3000)
    Path("cache/two").write_bytes(b"x" * 50)
    Path("cache/lost").symlink_to("nowhere")
    found, _ = look()
    link = len("nowhere")
    assert found["cache"]["values"]["bytes"] == 3050 + link


def test_little_space_on_the_disk_is_a_note(look, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(9, 8, 5 * 10**8))
    found, code = look()
    assert code == 0
    for subject in ("cache", "results"):
        assert found[subject]["status"] == "note"
        assert "500.0 MB of the disk free" in found[subject]["text"]


def test_results_that_cannot_be_written_are_a_problem(look):
    Path("a file").touch()
    found, code = look("--results", "a file/results")
    assert code == 1
    assert found["results"]["status"] == "problem"


# Plug-ins


@pytest.fixture
def register(tmp_path, monkeypatch):
    """Make a package that registers a reducer, as an installation would."""

    def install(package, name, source, value=None):
        module = package.replace("-", "_")
        root = tmp_path / "site" / package
        about = root / f"{module}-1.0.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Name: {package}\nVersion: 1.0\n")
        value = value or f"{module}:Mine"
        (about / "entry_points.txt").write_text(
            f"[mlbench.reducers]\n{name} = {value}\n"
        )
        (root / f"{module}.py").write_text(source)
        monkeypatch.syspath_prepend(str(root))
        monkeypatch.delitem(sys.modules, module, raising=False)

    return install


def test_no_plug_ins_are_ok(monkeypatch):
    monkeypatch.setattr(plugs, "entry_points", lambda group: [])
    assert only(plugs.plugins()).text == "none"


def test_a_plug_in_that_can_be_imported_is_ok(register):
    register("sound-plug", "sound", "class Mine: pass")
    found = only(plugs.plugins())
    assert found.status == finding.OK
    assert found.text == "reducer sound, sound_plug:Mine of sound-plug"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("raise ValueError('no\\ngood')", "ValueError: no good"),
        ("import sys; sys.exit('gone')", "SystemExit: gone"),
        ("import no_such_module", "No module named 'no_such_module'"),
        ("class Other: pass", "has no attribute 'Mine'"),
        ("class Mine:", "IndentationError"),
    ],
)
def test_a_plug_in_that_cannot_be_imported_is_a_problem(look, register, source, reason):
    register("bad-plug", "bad", source)
    found, code = look()
    assert code == 1
    assert found["plug-in"]["status"] == "problem"
    assert reason in found["plug-in"]["text"]
    assert found["plug-in"]["fix"] == "pip install --force-reinstall bad-plug"


def test_a_plug_in_that_names_no_class_is_a_problem(register):
    register("odd-plug", "odd", "", value="not an import path")
    assert only(plugs.plugins()).status == finding.PROBLEM


def test_what_a_plug_in_prints_is_not_our_output(look, register):
    register("loud-plug", "loud", "print('hello')\nclass Mine: pass")
    found, code = look()  # it is still JSON
    assert code == 0
    assert found["plug-in"]["status"] == "ok"


def test_a_plug_in_named_like_one_of_ours_is_a_note(register):
    register("pca-plug", "pca", "class Mine: pass")
    found = only(plugs.plugins())
    assert found.status == finding.NOTE
    assert found.fix == "mlbench run CONFIG --reducer pca_plug:Mine"


def test_the_second_plug_in_of_a_name_is_a_note(register):
    register("first-plug", "same", "class Mine: pass")
    register("second-plug", "same", "class Mine: pass")
    assert [f.status for f in plugs.plugins()] == [finding.OK, finding.NOTE]


def test_list_shows_plug_ins_without_importing_them(mlbench, register, monkeypatch):
    from mlbench.methods import methods

    source = '1 / 0\nclass Mine:\n    """Reduces to nothing."""\n'
    register("listed-plug", "listed", source)
    register("torn-plug", "torn", "class Mine(")
    methods.cache_clear()
    try:
        lines = mlbench("list", "reducers").output.splitlines()
    finally:
        methods.cache_clear()
    assert "listed               Reduces to nothing." in lines
    assert any(line.startswith("torn ") for line in lines)


# The terminal


@pytest.mark.parametrize(
    ("encoding", "status"), [("utf-8", "ok"), ("ascii", "note"), ("latin-1", "note")]
)
def test_letters_that_cannot_be_written_are_a_note(tmp_path, encoding, status):
    result = subprocess.run(
        [sys.executable, "-m", "mlbench", "doctor", "--json"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONIOENCODING": encoding},
        capture_output=True,
    )
    *_, terminal = json.loads(result.stdout)["findings"]
    assert terminal["status"] == status
    assert terminal["values"]["terminal"] is False
    assert terminal["values"]["colour"] is False
