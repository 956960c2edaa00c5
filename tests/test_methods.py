"""The methods there are: built in, registered by packages, named by import path."""

import sys

import pytest

from mlbench import classifiers, reducers
from mlbench.components import fingerprint, search_here
from mlbench.config import load_experiment
from mlbench.errors import ConfigError
from mlbench.methods import methods, new_method, path_of
from tests.shell import CONFIG


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """An installed package that registers two reducers, one under a taken name."""
    package, about = tmp_path / "toyplug", tmp_path / "toyplug-1.0.dist-info"
    for folder in (package, about):
        folder.mkdir()
    (package / "__init__.py").write_text(
        "from mlbench.reducers.pca import PCA\nclass Twice(PCA):\n    pass\n"
    )
    (about / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: toyplug\nVersion: 1\n"
    )
    (about / "entry_points.txt").write_text(
        "[mlbench.reducers]\n"
        "twice = toyplug:Twice\npca = toyplug:Twice\nodd = not a path\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    methods.cache_clear()
    yield tmp_path
    methods.cache_clear()
    sys.modules.pop("toyplug", None)


def test_a_package_registers_a_method_under_a_name(plugin):
    assert path_of("reducer", "twice") == "toyplug:Twice"
    assert type(new_method("reducer", "twice", {"n_components": 3})).__name__ == "Twice"


def test_a_package_cannot_take_over_a_name_of_ours(plugin):
    assert path_of("reducer", "pca") == "mlbench.reducers.pca:PCA"


def test_what_is_registered_wrongly_is_not_there(plugin):
    assert "odd" not in methods("reducer")


def test_a_config_names_a_registered_method(plugin, tmp_path):
    (tmp_path / "toy.yaml").write_text(CONFIG.replace("PCA: pca", "TWICE: twice"))
    experiment = load_experiment(tmp_path / "toy.yaml")
    assert experiment.methods["TWICE"].reducer.name == "twice"


def test_without_the_package_the_name_is_unknown(tmp_path):
    (tmp_path / "toy.yaml").write_text(CONFIG.replace("PCA: pca", "TWICE: twice"))
    with pytest.raises(ConfigError, match="unknown reducer 'twice'"):
        load_experiment(tmp_path / "toy.yaml")


def test_an_import_path_is_its_own_name():
    assert path_of("reducer", "x.y:Z") == "x.y:Z"


@pytest.mark.parametrize("package", [reducers, classifiers])
def test_every_class_is_imported_from_its_package_by_name(package):
    registry = getattr(package, "REDUCERS", None) or package.CLASSIFIERS
    for path in registry.values():
        module, _, name = path.partition(":")
        assert getattr(package, name).__module__ == module
        assert name in dir(package)


def test_the_registry_says_what_the_classes_say_of_neighbours():
    for name in classifiers.CLASSIFIERS:
        needs = getattr(new_method("classifier", name), "uses_neighbours", False)
        assert needs == (name in classifiers.BY_NEIGHBOURS)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        reducers.Nothing  # noqa: B018  the look-up is the test
    with pytest.raises(ImportError):
        from mlbench.classifiers import Nothing  # noqa: F401


@pytest.fixture
def folder(tmp_path):
    """A user's own folder with a module and another one that it imports."""

    def write(top, beside="SCALE = 2\n"):
        (tmp_path / "own_top.py").write_text(top)
        (tmp_path / "own_beside.py").write_text(beside)
        search_here(tmp_path)
        fingerprint.cache_clear()
        return fingerprint("own_top")

    yield write
    fingerprint.cache_clear()


def test_a_module_beside_ones_own_is_part_of_its_fingerprint(folder):
    top = "import numpy\nfrom own_beside import SCALE\n"
    assert folder(top) != folder(top, beside="SCALE = 3\n")
    assert folder("import numpy\n") == folder("import numpy\n", beside="SCALE = 3\n")


def test_a_folder_of_ones_own_comes_after_what_is_installed(tmp_path):
    before = list(sys.path)
    search_here(tmp_path)
    search_here(tmp_path)
    assert sys.path == [*before, str(tmp_path)]
