from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlbench.data import limits, table, text
from mlbench.data.table import read_table
from mlbench.errors import DataError


def read(folder, content):
    path = folder / "toy.dat"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_table(path, "toy")


@pytest.mark.parametrize(
    "text",
    [
        "1,2.5,10\n-3,4,9\n5,6,10\n",
        "1, 2.5, 10\r\n-3, 4, 9\r\n5, 6, 10",
        "@relation x\n@attribute a real [0, 1]\n@data\n1,2.5,10\n\n-3,4,9\n5,6,10\n\n",
    ],
)
def test_the_last_column_is_the_class_and_the_rest_are_features(tmp_path, text):
    dataset = read(tmp_path, text)
    assert dataset.X.tolist() == [[1, 2.5], [-3, 4], [5, 6]]
    assert dataset.label_names == ("9", "10")
    assert dataset.Y.tolist() == [[0, 1], [1, 0], [0, 1]]
    assert dataset.feature_names == ("f1", "f2")
    assert (dataset.name, dataset.n_train) == ("toy", None)
    assert (dataset.X.dtype, dataset.Y.dtype) == (np.float64, np.uint8)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-1e9, 1e9), st.sampled_from(["b", "a", "10", "9"])),
        min_size=1,
    )
)
def test_each_row_has_the_one_label_of_its_class(tmp_path_factory, rows):
    folder = tmp_path_factory.getbasetemp()
    dataset = read(folder, "".join(f"{x!r},{label}\n" for x, label in rows))
    assert dataset.X.ravel().tolist() == [x for x, _ in rows]
    assert (dataset.Y.sum(axis=1) == 1).all()
    for y, (_, label) in zip(dataset.Y, rows, strict=True):
        assert dataset.label_names[y.argmax()] == label


pieces = st.sampled_from(
    ["0", "1", "-", ".", "e", "1.5", "1e999", "?", ",", ",", " ", "\t", "\n", "\n", "a"]
    + ["@", "\v", "\N{NO-BREAK SPACE}", "99999999999999999999", "1,2,b\n"]
)


@settings(deadline=None, max_examples=300)
@given(st.lists(pieces, max_size=9))
def test_whatever_the_rows_whole_chunks_read_as_line_by_line(rest):
    block = text.Block(("1,2,a\n" + "".join(rest)).encode(), 1)
    fast, careful = table._Rows(), table._Rows()
    if not fast.add_block(block):
        return
    found = list(text.map_rows(block, table.HEADER, Path("toy"), careful.parse))
    careful.extend(np.array([row for row, _ in found]), [last for _, last in found])
    assert np.concatenate(fast.parts).tolist() == np.concatenate(careful.parts).tolist()
    assert fast.codes == careful.codes
    assert fast.classes == careful.classes


def test_classes_that_are_not_all_numbers_are_in_alphabetical_order(tmp_path):
    assert read(tmp_path, "1,b\n1,10\n1,9\n").label_names == ("10", "9", "b")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "toy.dat: no rows, at least one is needed"),
        ("@data\n\n", "toy.dat: no rows, at least one is needed"),
        ("1,2,a\n1,a\n", "toy.dat:2: 1 values before the class, 2 are needed"),
        ("1,2,a\n\n1,2,3,a\n", "toy.dat:3: 3 values before the class, 2 are needed"),
        ("a\n", "toy.dat:1: 0 values before the class, 1 are needed"),
        ("1,2,\n", "toy.dat:1: no class, the last value of a row is its class"),
        ("1,2,a\n1,2,\x1f\n", "toy.dat:2: no class, the last value of a row is its"),
        ("1,x,a\n", "toy.dat:1: 'x' is not a number, all values but the class are"),
        ("1,nan,a\n", "toy.dat:1: 'nan' is not a number"),
        ("1,1e999,a\n", "toy.dat:1: '1e999' is not a number"),
        ("1,?,a\n", "toy.dat:1: a value is missing ('?'), missing values are not"),
        ("1,<null>,a\n", "toy.dat:1: a value is missing ('<null>'), missing values"),
        (b"1,2,a\n1,\xff,a\n", "toy.dat:2: is not UTF-8 text"),
        ("1,2,a\n1,\0,a\n", "toy.dat:2: a NUL byte, plain text is needed"),
    ],
)
def test_a_wrong_table_is_refused_in_one_line(tmp_path, text, message):
    with pytest.raises(DataError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_as_many_classes_as_rows_do_not_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MOST_LABELS", 99)
    with pytest.raises(DataError, match="100 samples times classes, at most 99 are"):
        read(tmp_path, "".join(f"1,{k}\n" for k in range(10)))
    monkeypatch.setattr(limits, "MOST_COLUMNS", 9)
    with pytest.raises(DataError, match="10 classes, at most 9 are read"):
        read(tmp_path, "".join(f"1,{k}\n" for k in range(10)))
    monkeypatch.setattr(limits, "MOST_VALUES", 4)
    with pytest.raises(DataError, match="10 values, at most 4 are read"):
        read(tmp_path, "1,a\n" * 10)


def test_a_file_that_is_not_there_is_an_error_with_its_name(tmp_path):
    with pytest.raises(DataError, match=r"none\.dat: cannot be read \(No such file"):
        read_table(tmp_path / "none.dat", "none")


@pytest.mark.real
def test_letters_are_classes(real_data):
    dataset = read_table(real_data / "keel" / "letter.dat", "letter")
    assert "".join(dataset.label_names) == "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    assert dataset.label_names[dataset.Y[0].argmax()] == "Z"
