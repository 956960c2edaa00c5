import hashlib
import re
import subprocess
import sys

import pytest

from mlbench.data.catalogue import catalogue
from mlbench.data.locate import missing_files


def test_every_set_has_the_files_its_format_needs():
    endings = {"mulan": {".arff", ".xml"}, "mat": {".mat"}, "table": {".dat"}}
    for entry in catalogue().values():
        found = {"." + file.path.rpartition(".")[2] for file in entry.files}
        assert found == endings[entry.format]


def test_every_file_can_be_checked_and_found():
    for entry in catalogue().values():
        for file in entry.files:
            assert re.fullmatch("[0-9a-f]{64}", file.sha256)
            assert file.bytes > 0
            assert file.url.startswith(("https://", "openml:"))
            assert not file.path.startswith("/")
            assert ".." not in file.path


def test_files_keep_their_order_training_first():
    paths = [file.path for file in catalogue()["scene"].files]
    assert paths == [
        f"mulan/scene{part}" for part in ("-train.arff", "-test.arff", ".xml")
    ]


def test_the_sets_of_the_papers_are_known():
    assert len(catalogue()) == 41
    arts = catalogue()["yahoo-arts"]
    assert (arts.instances, arts.features, arts.labels) == (7484, 23146, 26)
    assert (arts.cardinality, arts.format) == (1.654, "mulan")
    assert catalogue()["yahoo-arts-2pct"].format == "mat"
    assert catalogue()["letter"].format == "table"


def test_the_catalogue_needs_nothing_heavy():
    program = (
        "import sys; from mlbench.data.catalogue import catalogue; catalogue();"
        "import mlbench.data.locate;"
        "print({'numpy', 'scipy', 'pandas', 'sklearn'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"


@pytest.mark.real
@pytest.mark.parametrize("name", catalogue())
def test_real_files_have_the_size_and_checksum_they_should(real_data, name):
    entry = catalogue()[name]
    if missing_files(entry, real_data):
        pytest.skip(f"real data: {name} is not under $MLBENCH_DATA")
    for file in entry.files:
        raw = (real_data / file.path).read_bytes()
        assert len(raw) == file.bytes
        assert hashlib.sha256(raw).hexdigest() == file.sha256
