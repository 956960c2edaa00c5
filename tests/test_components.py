"""Fingerprints of code: what counts, and what does not."""

import sys

import pytest

from mlbench.components import fingerprint, load_object
from mlbench.errors import ConfigError


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of two modules, written anew for every question."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(top: str, helper: str = "SCALE = 2\n") -> str:
        folder = tmp_path / "toybox"
        folder.mkdir(exist_ok=True)
        (folder / "__init__.py").write_text("")
        (folder / "top.py").write_text(top)
        (folder / "helper.py").write_text(helper)
        for name in [name for name in sys.modules if name.startswith("toybox")]:
            del sys.modules[name]
        fingerprint.cache_clear()
        return fingerprint("toybox.top")

    yield write
    fingerprint.cache_clear()


TOP = '''"""Doc."""
from toybox.helper import SCALE


def f(x):
    """Say it."""
    return SCALE * x  # twice
'''


def test_comments_docstrings_and_layout_do_not_count(package):
    before = package(TOP)
    after = package(
        TOP.replace("# twice", "# double")
        .replace("Say it", "Tell")
        .replace("\n\n\n", "\n\n")
    )
    assert before == after


def test_code_counts(package):
    assert package(TOP) != package(TOP.replace("SCALE * x", "SCALE + x"))


def test_the_code_of_imported_modules_of_the_package_counts(package):
    assert package(TOP) != package(TOP, helper="SCALE = 3\n")


def test_a_module_imported_from_its_package_counts(package):
    top = "from toybox import helper\n"
    assert package(top) != package(top, helper="SCALE = 3\n")


def test_a_body_of_only_a_docstring_is_still_code(package):
    assert package('def f():\n    """Nothing."""\n')


@pytest.mark.parametrize(
    "top",
    [
        "from .helper import SCALE\n",
        "from . import helper\n",
        "from .. import toybox\n",
    ],
)
def test_a_relative_import_counts(package, top):
    if ".." in top:  # goes past the package: nothing of it is meant
        assert package(top) == package(top, helper="SCALE = 3\n")
    else:
        assert package(top) != package(top, helper="SCALE = 3\n")


@pytest.mark.parametrize("path", ["no.such:Thing", "mlbench.errors:Nothing"])
def test_what_cannot_be_imported_is_one_line(path):
    with pytest.raises(ConfigError, match="cannot be imported") as caught:
        load_object(path)
    assert "\n" not in str(caught.value)
