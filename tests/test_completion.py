"""What a shell completes, and the scripts that make it ask."""

import os
import shutil
import subprocess
import sys

import pytest
from click.shell_completion import ShellComplete

from mlbench.cli import main
from mlbench.config import config_names
from mlbench.data.catalogue import catalogue, named_or_grouped
from mlbench.metrics import METRICS


def completed(*words):
    """Names a shell would offer for the last of the words, and the types of all."""
    *before, incomplete = words
    asked = ShellComplete(main, {}, "mlbench", "_MLBENCH_COMPLETE")
    items = asked.get_completions(list(before), incomplete)
    return [item.value for item in items if item.type == "plain"], {
        item.type for item in items
    }


@pytest.mark.parametrize(
    "words", [("report",), ("results", "prune"), ("data", "splits")]
)
def test_configs_are_completed_and_so_are_files(words):
    names, types = completed(*words, "")
    assert names == list(config_names())
    assert "file" in types
    names, _ = completed(*words, "yahoo_mddm_")
    assert names == ["yahoo_mddm_dims", "yahoo_mddm_k"]


def test_data_sets_are_completed_where_one_is_asked_for():
    names, types = completed("data", "path", "emo")
    assert (names, types) == (["emotions"], {"plain"})
    names, types = completed("data", "info", "d")
    assert "digits" in names
    assert "file" in types
    names, _ = completed("data", "export", "")
    assert set(names) >= set(catalogue())
    names, _ = completed("compare", "quickstart", "--dataset", "emo")
    assert names == ["emotions"]
    names, _ = completed("data", "splits", "quickstart", "emo")
    assert names == ["emotions"]


def test_every_word_offered_for_several_sets_is_understood():
    names, _ = completed("data", "get", "")
    assert {"all", "yahoo", "mulan", *catalogue()} <= set(names)
    assert named_or_grouped(names) == list(catalogue())
    assert completed("data", "verify", "") == completed("data", "get", "")


def test_words_of_list_and_metrics_are_completed():
    assert completed("list", "c")[0] == ["classifiers", "configs"]
    assert completed("compare", "x", "--metric", "")[0] == list(METRICS)


def test_experiments_are_completed_from_the_results_folder(mlbench):
    for folder, name in (("results", "one"), ("results", "two"), ("other", "three")):
        (mlbench.folder / folder / name).mkdir(parents=True)
    (mlbench.folder / "results" / "one" / "records.jsonl").touch()
    (mlbench.folder / "other" / "three" / "records.jsonl.gz").touch()
    assert completed("results", "pack", "")[0] == ["one"]
    assert completed("results", "pack", "--results", "other", "t")[0] == ["three"]
    assert completed("results", "pack", "--results", "nowhere", "")[0] == []


def ask(words, number):
    """What a bash would be told."""
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(number)}
    env = os.environ | asked | {"_MLBENCH_COMPLETE": "bash_complete"}
    code = (
        "import sys; from mlbench.cli import main\n"
        "try: main(prog_name='mlbench')\n"
        "finally:\n"
        "    heavy = {'numpy', 'pydantic', 'yaml', 'rich'} & set(sys.modules)\n"
        "    assert not heavy, heavy\n"
    )
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, env=env, capture_output=True, text=True)
    assert not result.stderr, result.stderr
    return result.stdout.split()


@pytest.mark.parametrize(
    ("words", "number", "answer"),
    [
        ("mlbench report qu", 2, "plain,quickstart"),
        ("mlbench data get emo", 3, "plain,emotions"),
        ("mlbench data info emo", 3, "plain,emotions"),
        ("mlbench compare x --metric mac", 4, "plain,macro_f1"),
        ("mlbench results pack x", 3, None),
        ("mlbench doc", 1, "plain,doctor"),
    ],
)
def test_an_answer_costs_no_heavy_import(words, number, answer):
    found = ask(words, number)
    assert answer in found if answer else not found


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_asks_mlbench(mlbench, shell):
    shown = mlbench("completion", shell)
    assert shown.exit_code == 0, shown.output
    assert f"_MLBENCH_COMPLETE={shell}_complete" in shown.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_takes_the_script(mlbench):
    script = mlbench("completion", "bash").stdout
    lines = f"{script}\ncomplete -p mlbench"
    result = subprocess.run(
        ["bash", "--norc", "-c", lines], capture_output=True, text=True
    )
    assert "_mlbench_completion mlbench" in result.stdout, result.stderr


def test_an_unknown_shell_is_wrong_usage(mlbench):
    assert mlbench("completion", "ksh").exit_code == 2
