import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import issparse

from mlbench.data import cache
from mlbench.data import catalogue as known
from mlbench.data import load as loading
from mlbench.data.catalogue import Entry, FileEntry, catalogue
from mlbench.data.load import Description, describe, load
from mlbench.data.locate import cache_dir, data_dir, find_files, missing_files
from mlbench.errors import DataError

HEADER = "@attribute height numeric\n@attribute sea {0,1}\n@attribute width numeric\n"
FILES = {
    "dense": {
        "d.arff": HEADER + "@data\n2.5,0,1\n0.5,1,4\n3,0,2\n",
        "d.xml": '<labels><label name="sea"/></labels>',
    },
    "sparse": {
        "s1.arff": HEADER + "@data\n{0 2.5}\n{1 1,2 4}\n",
        "s2.arff": HEADER + "@data\n{}\n",
        "s.xml": '<labels><label name="sea"/></labels>',
    },
    "table": {"t.dat": "1,-2,a\n3,4,b\n"},
    "mat": {"m.mat": None},
}


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A data folder with four tiny sets, and the catalogue that knows them."""
    folder = tmp_path / "data"
    folder.mkdir()
    entries = {}
    for name, texts in FILES.items():
        for path, text in texts.items():
            if text is not None:
                (folder / path).write_text(text)
        files = tuple(FileEntry(path, 1, "", f"https://x.org/{path}") for path in texts)
        form = name if name in ("table", "mat") else "mulan"
        entries[name] = Entry(name, files, 0, 0, 0, 0.0, form)
    data, target = np.array([[1.5, 2], [0, 1]]), np.array([[1, -1]])
    arrays = {"train_data": data, "train_target": target}
    arrays |= {"test_data": data, "test_target": target}
    savemat(folder / "m.mat", arrays)
    monkeypatch.setattr(known, "catalogue", lambda: entries)
    return folder


def parsing_forbidden(*_):
    raise AssertionError("the files were parsed again")


def the_entry(fresh_cache):
    [entry] = (fresh_cache / "parsed").iterdir()
    return entry


# --- what a data set is like


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("dense", (3, 2, 1, None, 0.5, False)),
        ("sparse", (3, 2, 1, 2, 0.0, True)),
        ("table", (2, 2, 2, None, -2.0, False)),
        ("mat", (4, 2, 1, 2, 0.0, False)),
    ],
)
def test_a_description_is_that_of_the_loaded_set(folder, name, expected):
    first, again = describe(name, folder), describe(name, folder)
    dataset = load(name, folder)
    found = (first.n, first.d, first.q, first.n_train, first.minimum, first.sparse)
    assert found == expected
    assert again == first
    assert first.name == dataset.name == name
    assert dataset.X.shape == (first.n, first.d)
    assert dataset.Y.shape == (first.n, first.q)
    assert dataset.n_train == first.n_train
    assert issparse(dataset.X) == first.sparse
    assert dataset.X.min() == first.minimum


def test_the_minimum_of_a_full_sparse_matrix_is_its_smallest_value(folder):
    rows = "@data\n{0 1,2 2}\n{0 3,2 4}\n"
    (folder / "s1.arff").write_text(HEADER + rows)
    (folder / "s2.arff").write_text(HEADER + rows)
    assert describe("sparse", folder).minimum == 1.0


def test_the_digest_follows_the_values_and_not_the_text(folder):
    before = describe("dense", folder).digest
    path = folder / "d.arff"
    path.write_text(path.read_text().replace("2.5", "2.50") + "% the end\n")
    assert describe("dense", folder).digest == before
    for old, new in [("2.50", "2.25"), ("0.5,1", "0.5,0"), ("3,0,2\n", "")]:
        path.write_text(path.read_text().replace(old, new))
        after = describe("dense", folder).digest
        assert after != before
        before = after


def test_the_digest_knows_the_split(folder):
    arrays = {"X": np.ones((2, 1)), "Y": np.ones((2, 1), dtype=np.uint8)}
    digests = {loading._digest(arrays, 1, n_train) for n_train in (None, 0, 1)}
    assert len(digests) == 3


@pytest.mark.parametrize("name", FILES)
def test_the_digest_is_the_same_on_a_machine_of_another_kind(folder, name):
    arrays = loading._arrays(load(name, folder))
    swapped = {
        key: values.astype(values.dtype.newbyteorder(">"))
        for key, values in arrays.items()
    }
    wide = {
        key: values.astype(np.int64) if values.dtype.kind == "i" else values
        for key, values in arrays.items()
    }
    described = describe(name, folder)
    for other in (arrays, swapped, wide):
        digest = loading._digest(other, described.d, described.n_train)
        assert digest == described.digest


def test_an_unknown_set_is_refused_with_the_nearest_name(folder):
    with pytest.raises(
        DataError, match="unknown data set 'dens', did you mean 'dense'"
    ):
        describe("dens", folder)


# --- the cache


@pytest.mark.parametrize("name", FILES)
def test_files_are_parsed_once(folder, monkeypatch, name):
    parsed = load(name, folder)
    monkeypatch.setattr(loading, "_read", parsing_forbidden)
    kept = load(name, folder)
    describe(name, folder)
    assert kept.feature_names == parsed.feature_names
    assert kept.label_names == parsed.label_names
    assert kept.n_train == parsed.n_train
    pairs = zip(
        loading._arrays(kept).items(), loading._arrays(parsed).items(), strict=True
    )
    for (key, ours), (same_key, theirs) in pairs:
        assert key == same_key
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("name", FILES)
def test_arrays_are_read_only_whether_parsed_or_kept(folder, name):
    for dataset in (load(name, folder), load(name, folder)):
        for values in loading._arrays(dataset).values():
            assert type(values) is np.ndarray
            assert not values.flags.writeable


def test_a_kept_sparse_matrix_can_be_worked_with(folder):
    load("sparse", folder)
    X = load("sparse", folder).X
    assert X.has_canonical_format
    assert (X @ X.T).toarray()[0, 0] == 6.25
    assert X[[0, 2]].toarray().tolist() == [[2.5, 0], [0, 0]]


def test_a_changed_file_is_parsed_again(folder):
    load("table", folder)
    (folder / "t.dat").write_text("7,8,a\n")
    assert load("table", folder).X.tolist() == [[7, 8]]


def test_changed_code_parses_again(folder, monkeypatch):
    load("table", folder)
    monkeypatch.setattr(loading, "fingerprint", lambda name: "other code")
    monkeypatch.setattr(loading, "_read", parsing_forbidden)
    with pytest.raises(AssertionError, match="parsed again"):
        load("table", folder)


def damaged_versions(raw):
    yield b""
    yield raw[: len(raw) // 2]
    yield raw[:-1]
    yield raw + b"\0"
    yield bytes(len(raw))
    yield b"[1, 2]"
    yield b"[" * 100_000
    yield raw[:-1] + bytes([raw[-1] ^ 1])
    yield raw[: len(raw) // 2] + b"7" + raw[len(raw) // 2 + 1 :]


@pytest.mark.parametrize("name", ["sparse", "table"])
def test_a_damaged_entry_is_made_again(folder, fresh_cache, name):
    described = describe(name, folder)
    kept = loading._arrays(load(name, folder))
    expected = {key: values.copy() for key, values in kept.items()}  # not mapped
    for path in sorted(the_entry(fresh_cache).iterdir()):
        raw = path.read_bytes()
        for damaged in damaged_versions(raw):
            path.write_bytes(damaged)
            arrays = loading._arrays(load(name, folder))
            for key, values in arrays.items():
                np.testing.assert_array_equal(values, expected[key])
            assert path.read_bytes() == raw
            path.write_bytes(damaged)
            assert describe(name, folder) == described
        path.unlink()
        load(name, folder)
        assert path.read_bytes() == raw


def test_an_entry_holds_nothing_that_needs_pickle(folder, fresh_cache):
    load("sparse", folder)
    for path in the_entry(fresh_cache).glob("*.npy"):
        np.load(path, allow_pickle=False)
    json.loads((the_entry(fresh_cache) / "meta.json").read_text())


def test_a_cache_that_cannot_be_written_is_no_obstacle(folder, fresh_cache):
    fresh_cache.write_text("a file where the folder should be")
    assert load("table", folder).X.tolist() == [[1, -2], [3, 4]]
    assert describe("table", folder).n == 2


def test_an_entry_that_cannot_be_finished_leaves_nothing_behind(
    folder, fresh_cache, monkeypatch
):
    def full_disk(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache, "_fill", full_disk)
    assert load("table", folder).X.tolist() == [[1, -2], [3, 4]]
    assert list((fresh_cache / "parsed").iterdir()) == []


def test_many_writers_at_once_leave_one_sound_entry(fresh_cache):
    arrays = {"X": np.arange(1000.0)}
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(lambda _: cache.write("k", arrays, {"n": 1}), range(64)):
            pass
    assert the_entry(fresh_cache).name == "k"
    assert cache.read_meta("k") == {"n": 1}
    np.testing.assert_array_equal(cache.read_arrays("k")["X"], arrays["X"])


def test_the_key_depends_on_each_source_their_order_and_the_code():
    keys = {
        cache.entry_key(sources, code)
        for sources in (["a", "b"], ["b", "a"], ["a"])
        for code in ("x", "y")
    }
    assert len(keys) == 6


LIGHT = """
import sys
from pathlib import Path
from mlbench.data import catalogue, load
file = catalogue.FileEntry("t.dat", 1, "", "")
entry = catalogue.Entry("table", (file,), 0, 0, 0, 0.0, "table")
catalogue.catalogue = lambda: {"table": entry}
print(load.describe("table", Path(sys.argv[1])).n)
print({"numpy", "scipy", "pandas", "sklearn"} & set(sys.modules))
"""


def test_describing_a_kept_set_needs_nothing_heavy(folder):
    describe("table", folder)
    done = subprocess.run(
        [sys.executable, "-c", LIGHT, str(folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "2\nset()\n"


# --- where files are


@pytest.fixture
def no_variables(monkeypatch):
    monkeypatch.delenv("MLBENCH_DATA", raising=False)
    monkeypatch.delenv("MLBENCH_CACHE", raising=False)


def test_the_data_folder_is_the_option_then_the_variable_then_the_cache(
    tmp_path, monkeypatch, no_variables
):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert data_dir(None) == cache_dir() / "data"
    assert cache_dir().name == "mlbench"
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path))
    assert data_dir(None) == tmp_path / "data"
    monkeypatch.setenv("MLBENCH_DATA", str(tmp_path / "a"))
    assert data_dir(None) == tmp_path / "a"
    assert data_dir(tmp_path / "b") == data_dir(str(tmp_path / "b")) == tmp_path / "b"


def test_a_data_folder_that_is_not_there_is_named_with_its_source(
    tmp_path, monkeypatch, no_variables
):
    with pytest.raises(DataError, match="--data-dir: none is not a folder, give the"):
        data_dir("none")
    monkeypatch.setenv("MLBENCH_DATA", str(tmp_path / "none"))
    with pytest.raises(DataError, match=r"MLBENCH_DATA: .*none is not a folder, give"):
        data_dir(None)


def test_a_missing_file_is_named_with_what_would_provide_it(folder):
    (folder / "d.xml").unlink()
    with pytest.raises(DataError) as caught:
        load("dense", folder)
    assert str(caught.value) == (
        f"dense: no d.xml in {folder}, set --data-dir or MLBENCH_DATA to a folder that "
        "has it, fetch it with: mlbench data get dense, or download "
        f"https://x.org/d.xml to {folder / 'd.xml'}"
    )


def test_found_and_missing_files_are_those_of_the_entry(folder):
    entry = known.entry_named("sparse")
    assert [path.name for path in find_files(entry, folder)] == list(FILES["sparse"])
    (folder / "s2.arff").unlink()
    assert missing_files(entry, folder) == [entry.files[1]]


# --- all real sets


@pytest.mark.real
@pytest.mark.parametrize("name", catalogue())
def test_real_sets_have_the_shape_and_cardinality_of_the_catalogue(real_data, name):
    entry = catalogue()[name]
    if missing_files(entry, real_data):
        pytest.skip(f"real data: {name} is not under $MLBENCH_DATA")
    dataset = load(name, real_data)
    assert dataset.X.shape == (entry.instances, entry.features)
    assert dataset.Y.shape == (entry.instances, entry.labels)
    assert abs(dataset.Y.sum() / entry.instances - entry.cardinality) < 6e-4
    assert len(set(dataset.label_names)) == entry.labels
    described = describe(name, real_data)
    assert isinstance(described, Description)
    assert (described.n, described.d) == dataset.X.shape
