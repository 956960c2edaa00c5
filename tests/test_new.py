"""Methods and configs to begin with: they work as they are written."""

import re
import subprocess
import sys

import pytest

from mlbench.config import load_experiment
from mlbench.config.model import Experiment
from mlbench.contract import examine
from mlbench.skeletons.names import class_and_module
from tests.shell import one_line_error

KINDS = {"reducer": "MyReducer", "classifier": "MyClassifier"}
every_kind = pytest.mark.parametrize(("kind", "name"), KINDS.items())


@pytest.fixture
def here(mlbench, monkeypatch):
    """The command line in a folder whose modules are forgotten afterwards."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield mlbench
    for module in ("my_reducer", "my_classifier"):
        sys.modules.pop(module, None)


@every_kind
def test_a_new_method_passes_its_check(here, kind, name):
    assert here("new", kind, name).exit_code == 0
    module = f"my_{kind}"
    result = here("check", f"{module}:{name}")
    assert result.exit_code == 0, result.output
    assert " 0 failed, " in result.stdout.splitlines()[-1]


@every_kind
def test_the_tests_of_a_new_method_pass(here, kind, name):
    here("new", kind, name)
    command = [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p"]
    result = subprocess.run(
        [*command, "no:cacheprovider", f"test_my_{kind}.py"],
        cwd=here.folder,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout
    assert re.search(r"\b[45]\d passed", result.stdout)


def test_the_tests_of_a_new_method_fail_when_it_is_spoilt(here):
    here("new", "reducer", "MyReducer")
    file = here.folder / "my_reducer.py"
    file.write_text(file.read_text().replace("vectors.T[::-1]", "vectors.T"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    result = subprocess.run(
        [*command, "test_my_reducer.py", "-k", "directions"],
        cwd=here.folder,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 1, result.stdout
    assert "no_other_directions_vary_more_with_the_labels" in result.stdout


def test_new_methods_can_be_run(here):
    for kind, name in KINDS.items():
        here("new", kind, name)
    text = """\
datasets: [{name: toy, synthetic: {n: 60, d: 20, q: 4}}]
split: {kind: kfold, folds: 2}
dims: [2, 6]
methods: {MINE: my_reducer:MyReducer, OWN: {classifier: my_classifier:MyClassifier}}
metrics: [micro_f1]
"""
    here.config.write_text(text)
    command = [sys.executable, "-m", "mlbench", "run", "toy.yaml", "-q", "-j", "1"]
    result = subprocess.run(command, cwd=here.folder, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "6 records computed, 0 already there, 0 failed" in result.stdout


def test_the_reducer_is_nested_and_the_contract_knows(here):
    here("new", "reducer", "MyReducer")
    sys.path.append(str(here.folder))
    from my_reducer import MyReducer

    found = {finding.check: finding.status for finding in examine(MyReducer)}
    assert found["is nested"] == "ok"
    assert found["gives more columns than labels"] == "ok"


def test_a_new_config_runs_as_it_is(here):
    assert here("new", "config", "mine").exit_code == 0
    result = here("run", "mine.yaml", "-q", "-j", "1")
    assert result.exit_code == 0, result.output
    assert "10 records computed, 0 already there, 0 failed" in result.output
    assert (here.folder / "results" / "mine" / "records.jsonl").is_file()


def option_lines(text):
    """Lines that only have to lose their # to be part of a config."""
    return [line for line in text.splitlines() if re.match(r"#\w+:", line)]


def test_a_new_config_shows_every_key_there_is(here):
    here("new", "config", "mine")
    text = (here.folder / "mine.yaml").read_text()
    shown = re.findall(r"^#?(\w+):", text, flags=re.MULTILINE)
    assert sorted(shown) == sorted(Experiment.model_fields)


def test_every_option_of_a_new_config_can_be_switched_on(here):
    here("new", "config", "mine")
    file = here.folder / "mine.yaml"
    text = file.read_text()
    assert len(option_lines(text)) > 5
    for line in option_lines(text):
        file.write_text(text.replace(line, line[1:]))
        key = line[1:].partition(":")[0]
        assert key in load_experiment(file).model_fields_set
    for line in re.findall(r"^  # ([A-Z]+: .+)$", text, flags=re.MULTILINE):
        file.write_text(text.replace(f"  # {line}", f"  {line}"))
        assert len(load_experiment(file).methods) == 4


@pytest.mark.parametrize("name", ["2024", "yes", "1.5", "config", "null"])
def test_a_config_may_have_any_name_of_a_file(here, name):
    assert here("new", "config", name).exit_code == 0
    assert load_experiment(here.folder / f"{name}.yaml").name == name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("MyReducer", ("MyReducer", "my_reducer")),
        ("my_reducer", ("MyReducer", "my_reducer")),
        ("myReducer", ("MyReducer", "my_reducer")),
        ("My_Reducer", ("MyReducer", "my_reducer")),
        ("MNMTF2", ("MNMTF2", "mnmtf2")),
        ("MyMLReducer", ("MyMLReducer", "my_ml_reducer")),
        ("_hidden", ("Hidden", "hidden")),
    ],
)
def test_class_and_module_follow_from_either_name(name, expected):
    assert class_and_module(name) == expected


def test_new_says_what_it_wrote_and_what_to_do_next(here):
    assert here("new", "reducer", "my_reducer").output == (
        "wrote my_reducer.py\n"
        "wrote test_my_reducer.py\n"
        "Next:\n"
        "  mlbench check my_reducer:MyReducer\n"
        "  pytest test_my_reducer.py\n"
        "  mlbench run quickstart --reducer my_reducer:MyReducer\n"
    )
    assert here("new", "config", "mine", "--to", "deep/er").output == (
        "wrote deep/er/mine.yaml\n"
        "Next:\n"
        "  cd deep/er\n"
        "  mlbench plan mine.yaml\n"
        "  mlbench run mine.yaml\n"
        "  mlbench report mine.yaml\n"
    )


def test_nothing_is_replaced_unless_forced(here):
    precious = here.folder / "test_my_reducer.py"
    precious.write_text("mine")
    line = one_line_error(here("new", "reducer", "MyReducer"))
    assert "test_my_reducer.py: is there already; --force replaces it" in line
    assert precious.read_text() == "mine"
    assert not (here.folder / "my_reducer.py").exists()
    assert here("new", "reducer", "MyReducer", "--force").exit_code == 0
    assert "assert_keeps_contract" in precious.read_text()
    assert here("new", "reducer", "MyReducer", "--force").exit_code == 0


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        ("reducer", "my-reducer", "'my-reducer' is not a name in Python; my_reducer"),
        ("reducer", "2nd", "'2nd' is not a name in Python; MyReducer would be one"),
        ("classifier", "", "'' is not a name in Python"),
        ("classifier", "__", "'__' is not a name in Python"),
        ("classifier", "../up", "is not a name in Python; up would be one"),
        ("reducer", "Class", "class is a word of Python itself"),
        ("reducer", "Random", "random is the name of a module that is installed"),
        ("config", "../up", "'../up' is not a file name of letters, digits"),
        ("config", "", "is not a file name of letters, digits"),
        ("config", ".yaml", "is not a file name of letters, digits"),
        ("config", "mine ", "is not a file name of letters, digits"),
    ],
)
def test_a_name_that_cannot_be_is_one_line(here, kind, name, words):
    before = set(here.folder.iterdir())
    assert words in one_line_error(here("new", kind, name))
    assert set(here.folder.iterdir()) == before


def test_a_folder_that_cannot_be_made_is_one_line(here):
    (here.folder / "file").write_text("")
    line = one_line_error(here("new", "config", "mine", "--to", "file/below"))
    assert "mine.yaml: cannot be written" in line


def test_nothing_heavy_is_imported_to_write_a_file(here):
    code = (
        "import sys; from mlbench.cli import main\n"
        "main(['new', 'reducer', 'MyReducer'], standalone_mode=False)\n"
        "heavy = {'sklearn', 'pandas', 'scipy', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, cwd=here.folder, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
