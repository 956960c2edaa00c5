"""The README names everything there is."""

from pathlib import Path

import pytest

from mlbench.classifiers import CLASSIFIERS
from mlbench.config import config_names
from mlbench.metrics import METRICS
from mlbench.reducers import REDUCERS

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*REDUCERS, *CLASSIFIERS, *METRICS, *config_names()])
def test_every_name_is_in_a_table(name):
    assert f"| `{name}` |" in README
