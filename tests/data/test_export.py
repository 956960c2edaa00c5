"""What is written is read back, by our readers and by those of others."""

import csv
import errno
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array, issparse
from sklearn.datasets import load_svmlight_file

from mlbench.data import export as exporting
from mlbench.data.csv_table import read_csv
from mlbench.data.dataset import Dataset
from mlbench.data.export import WRITERS, export
from mlbench.data.load import load
from mlbench.data.mulan import read_mulan
from mlbench.data.npz import read_npz
from mlbench.data.svmlight import read_svmlight
from mlbench.errors import DataError

ODD_NAMES = (
    "plain",
    "a,b",
    "it's",
    'say "no"',
    "{0,1}",
    "two words",
    " blanks ",
    "back\\slash\\",
    "%not a comment",
    "@data",
    "été 水",
    "\\'",
    "<&>",
    "numeric",
    "🙂",
)
ODD_VALUES = [0.1, -0.0, 1e-300, 1.7976931348623157e308, 5e-324, 1 / 3, 2**53 + 2.0, 7]


def dense(dataset):
    return dataset.X.toarray() if issparse(dataset.X) else dataset.X


def odd(sparse=False, n_train=None):
    """Names and values of every kind, a row without anything, an unused label."""
    rng = np.random.default_rng(0)
    d, q, n = len(ODD_NAMES), len(ODD_NAMES), 12
    X = rng.choice(ODD_VALUES, size=(n, d)) * (rng.random((n, d)) < 0.4)
    X[3], X[:, -1] = 0, 0
    Y = (rng.random((n, q)) < 0.3).astype(np.uint8)
    Y[3], Y[5], Y[:, -1] = 0, 1, 0
    labels = tuple(f"{name}!" for name in ODD_NAMES)
    return Dataset("o'dd", csr_array(X) if sparse else X, Y, ODD_NAMES, labels, n_train)


def assert_same(found, dataset):
    assert issparse(found.X) == issparse(dataset.X)
    assert_array_equal(dense(found), dense(dataset))
    assert_array_equal(found.Y, dataset.Y)
    assert found.feature_names == dataset.feature_names
    assert found.label_names == dataset.label_names
    assert found.n_train == dataset.n_train


def through_arff(dataset, folder):
    *arff, xml = export(dataset, folder / "toy.arff", "arff")
    return read_mulan(arff, xml, dataset.name)


@pytest.mark.parametrize("n_train", [None, 5])
@pytest.mark.parametrize("sparse", [False, True])
def test_arff_gives_the_set_back_names_numbers_and_split(tmp_path, sparse, n_train):
    dataset = odd(sparse, n_train)
    assert_same(through_arff(dataset, tmp_path), dataset)
    names = ["toy.arff"] if n_train is None else ["toy-test.arff", "toy-train.arff"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [*names, "toy.xml"]


text = st.text(
    st.characters(
        exclude_categories=exporting.UNPRINTABLE,
        exclude_characters=exporting.FORBIDDEN,
    ),
    max_size=8,
)
numbers = st.floats(allow_nan=False, allow_infinity=False)


@settings(deadline=None, max_examples=80)
@given(
    names=st.lists(text.filter(bool), min_size=2, max_size=4, unique=True),
    values=st.lists(numbers, min_size=1, max_size=3),
    sparse=st.booleans(),
)
def test_any_name_and_any_number_survive_arff(tmp_path_factory, names, values, sparse):
    X = np.tile(np.array(values)[:, None], (1, len(names) - 1))
    Y = (np.arange(len(values)) % 2).astype(np.uint8)[:, None]
    X = csr_array(X) if sparse else X
    dataset = Dataset("toy", X, Y, tuple(names[1:]), (names[0],))
    found = through_arff(dataset, tmp_path_factory.getbasetemp())
    assert_array_equal(dense(found), dense(dataset))
    assert (found.feature_names, found.label_names) == (tuple(names[1:]), (names[0],))


@pytest.mark.parametrize("sparse", [False, True])
def test_csv_is_a_header_and_rows_with_the_labels_last(tmp_path, sparse):
    dataset = odd(sparse)
    (path,) = export(dataset, tmp_path / "toy.csv", "csv")
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert tuple(header) == dataset.feature_names + dataset.label_names
    d = dense(dataset).shape[1]
    assert_array_equal([[float(x) for x in row[:d]] for row in rows], dense(dataset))
    assert_array_equal([[int(y) for y in row[d:]] for row in rows], dataset.Y)


@pytest.mark.parametrize("sparse", [False, True])
def test_our_reader_of_csv_gives_the_set_back(tmp_path, sparse):
    dataset = odd(sparse)
    (path,) = export(dataset, tmp_path / "toy.csv", "csv")
    found = read_csv(path, -len(dataset.label_names), "toy")
    assert_array_equal(found.X, dense(dataset))
    assert_array_equal(found.Y, dataset.Y)
    # Blanks around a name are not a part of it there.
    assert found.feature_names == tuple(name.strip() for name in dataset.feature_names)
    assert found.label_names == tuple(name.strip() for name in dataset.label_names)


def test_a_header_that_would_be_taken_for_a_row_is_refused(tmp_path):
    with pytest.raises(DataError, match="toy: all names are numbers, as the header of"):
        export(renamed("1", "2e5"), tmp_path / "toy.csv", "csv")
    export(renamed("1", "two"), tmp_path / "toy.csv", "csv")


@pytest.mark.parametrize("n_train", [None, 5])
@pytest.mark.parametrize("sparse", [False, True])
def test_our_reader_of_npz_gives_the_set_back(tmp_path, sparse, n_train):
    dataset = odd(sparse, n_train)
    (path,) = export(dataset, tmp_path / "toy.npz", "npz")
    assert_same(read_npz(path, "toy"), dataset)


@pytest.mark.parametrize("sparse", [False, True])
def test_our_reader_of_svmlight_gives_the_set_back(tmp_path, sparse):
    dataset = odd(sparse)
    (path,) = export(dataset, tmp_path / "toy.svm", "svmlight")
    labels = [str(k) for k in range(len(dataset.label_names))]
    found = read_svmlight(path, "toy", labels)
    assert_array_equal(dense(found), dense(dataset))
    assert_array_equal(found.Y, dataset.Y)


@pytest.mark.parametrize("sparse", [False, True])
def test_npz_holds_the_arrays_and_needs_no_pickle(tmp_path, sparse):
    dataset = odd(sparse)
    (path,) = export(dataset, tmp_path / "toy", "npz")  # no ending is added
    assert path == tmp_path / "toy"
    with np.load(path, allow_pickle=False) as arrays:
        if sparse:
            parts = (arrays["X_data"], arrays["X_indices"], arrays["X_indptr"])
            X = csr_array(parts, shape=tuple(arrays["X_shape"])).toarray()
            assert "X" not in arrays
        else:
            X = arrays["X"]
            assert "X_data" not in arrays
        assert_array_equal(X, dense(dataset))
        assert_array_equal(arrays["Y"], dataset.Y)
        assert arrays["Y"].dtype == np.uint8
        assert tuple(arrays["feature_names"].tolist()) == dataset.feature_names
        assert tuple(arrays["label_names"].tolist()) == dataset.label_names


@pytest.mark.parametrize("sparse", [False, True])
def test_svmlight_is_what_scikit_learn_reads(tmp_path, sparse):
    dataset = odd(sparse)
    (path,) = export(dataset, tmp_path / "toy.svm", "svmlight")
    X, labels = load_svmlight_file(str(path), multilabel=True, zero_based=False)
    assert_array_equal(X.toarray(), dense(dataset))
    assert [list(map(int, row)) for row in labels] == [
        np.flatnonzero(row).tolist() for row in dataset.Y
    ]


def test_a_small_set_is_written_like_this(tmp_path):
    X = np.array([[1.0, 0.0], [0.0, 0.0], [0.5, 2.0]])
    Y = np.array([[1, 1], [0, 0], [0, 1]], dtype=np.uint8)
    toy = Dataset("toy", X, Y, ("a", "b c"), ("sea", 'the "sun"'))
    lines = {
        kind: export(toy, tmp_path / f"t.{kind}", kind)[0].read_text().splitlines()
        for kind in ("arff", "csv", "svmlight")
    }
    assert lines["arff"] == [
        "@relation toy",
        "@attribute a numeric",
        "@attribute 'b c' numeric",
        "@attribute sea {0,1}",
        "@attribute 'the \"sun\"' {0,1}",
        "@data",
        "1,0,1,1",
        "0,0,0,0",
        "0.5,2,0,1",
    ]
    assert lines["csv"] == ['a,b c,sea,"the ""sun"""', *lines["arff"][-3:]]
    assert lines["svmlight"] == ["0,1 1:1 2:0", " 1:0", "1 1:0.5 2:2"]
    sparse = Dataset("toy", csr_array(X), Y, toy.feature_names, toy.label_names)
    path = export(sparse, tmp_path / "s.arff", "arff")[0]
    rows = path.read_text().splitlines()[-3:]
    assert rows == ["{0 1,2 1,3 1}", "{}", "{0 0.5,1 2,3 1}"]


def test_columns_out_of_order_and_stored_zeros_are_written_in_order(tmp_path):
    X = csr_array((np.array([3.0, 0.0, 1.0]), [2, 1, 0], [0, 3]), shape=(1, 3))
    toy = Dataset("toy", X, np.array([[1]], np.uint8), ("a", "b", "c"), ("l",))
    path = export(toy, tmp_path / "t.arff", "arff")[0]
    assert path.read_text().splitlines()[-1] == "{0 1,2 3,3 1}"


@pytest.mark.parametrize("kind", WRITERS)
def test_an_earlier_file_is_replaced_and_nothing_else_is_left(tmp_path, kind):
    for _ in range(2):
        written = export(odd(), tmp_path / "toy.file", kind)
    assert sorted(tmp_path.iterdir()) == sorted(written)


@pytest.mark.parametrize("kind", WRITERS)
def test_a_write_that_fails_leaves_the_earlier_file(tmp_path, monkeypatch, kind):
    first, *_ = export(odd(), tmp_path / "toy.file", kind)
    before = first.read_bytes()

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(exporting.Path, "replace", full)
    with pytest.raises(DataError, match=r"cannot be written \(No space left on device"):
        export(odd(), tmp_path / "toy.file", kind)
    assert first.read_bytes() == before
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("kind", WRITERS)
def test_a_folder_that_is_not_there_is_one_line(tmp_path, kind):
    with pytest.raises(DataError, match=r"cannot be written \(No such file") as caught:
        export(odd(), tmp_path / "none" / "toy.file", kind)
    assert "\n" not in str(caught.value)


def renamed(feature="a", label="l"):
    return Dataset("toy", np.eye(1), np.ones((1, 1), np.uint8), (feature,), (label,))


@pytest.mark.parametrize("kind", ["arff", "csv"])
@pytest.mark.parametrize("name", ["a\nb", "a\rb", "\0", "\x85", "\u2028", "\ud800"])
def test_a_name_that_is_not_one_line_is_refused(tmp_path, kind, name):
    for dataset in (renamed(feature=name), renamed(label=name)):
        with pytest.raises(
            DataError, match="a name must be one line of text"
        ) as caught:
            export(dataset, tmp_path / "toy", kind)
        str(caught.value).encode()  # can be printed
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("names", [("a", ""), ("a", "a")])
def test_a_label_without_a_name_of_its_own_cannot_be_arff(tmp_path, names):
    with pytest.raises(DataError, match="a label must have a name of its own"):
        export(renamed(*names), tmp_path / "toy.arff", "arff")


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_finite_are_refused(tmp_path, kind, value):
    for X in (np.full((1, 1), value), csr_array(np.full((1, 1), value))):
        toy = Dataset("toy", X, np.ones((1, 1), np.uint8), ("a",), ("l",))
        with pytest.raises(DataError, match="toy: X must hold finite numbers"):
            export(toy, tmp_path / "toy", kind)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_kind_is_refused_with_the_nearest(tmp_path):
    with pytest.raises(DataError, match="unknown kind of file 'arf', did you mean"):
        export(odd(), tmp_path / "toy", "arf")


@pytest.mark.real
@pytest.mark.parametrize("name", ["emotions", "medical"])
def test_real_sets_survive_arff(real_data, tmp_path, name):
    dataset = load(name, real_data)
    assert_same(through_arff(dataset, tmp_path), dataset)
