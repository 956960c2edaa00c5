import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlbench.data import bulk, csv_table, limits, text
from mlbench.data.csv_table import read_csv
from mlbench.errors import DataError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("csv")


def read(folder, content, labels=("sun",)):
    path = folder / "toy.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_csv(path, labels, "toy")


names = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1),
    min_size=2,
    max_size=5,
    unique=True,
).filter(lambda found: any(text.number(name) is None for name in found))
values = st.floats(allow_nan=False, allow_infinity=False)


@settings(deadline=None)
@given(st.data(), names, st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
def test_what_the_csv_module_writes_comes_back(folder, data, names, quoting):
    q = data.draw(st.integers(1, len(names) - 1))
    n, d = data.draw(st.integers(1, 5)), len(names) - q
    Y = data.draw(
        st.lists(
            st.lists(st.sampled_from([0, 1]), min_size=q, max_size=q),
            min_size=n,
            max_size=n,
        )
    )
    X = data.draw(
        st.lists(st.lists(values, min_size=d, max_size=d), min_size=n, max_size=n)
    )
    file = io.StringIO()
    writer = csv.writer(file, quoting=quoting)
    writer.writerow(names)
    writer.writerows([*y, *x] for y, x in zip(Y, X, strict=True))
    dataset = read(folder, file.getvalue(), names[:q])
    assert dataset.Y.tolist() == Y
    np.testing.assert_array_equal(dataset.X, np.array(X))
    assert dataset.label_names + dataset.feature_names == tuple(names)


@pytest.mark.parametrize(
    "content",
    [
        "sun,x,sea\n1,2.5,0\n0,-3,1\n",
        "sun,x,sea\r\n1,2.5,0\r\n0,-3,1",
        "\ufeffsun,x,sea\n1,2.5,0\n\n0,-3,1\n\n",
        '\n \n"sun", x ,"sea"\n 1 ,"2.5",0\n0,-3, 1\n',
    ],
)
def test_the_layout_of_a_file_changes_nothing(folder, content):
    dataset = read(folder, content, ["sea", "sun"])
    assert dataset.X.tolist() == [[2.5], [-3]]
    assert dataset.Y.tolist() == [[0, 1], [1, 0]]
    assert dataset.label_names == ("sea", "sun")
    assert dataset.feature_names == ("x",)
    assert (dataset.X.dtype, dataset.Y.dtype) == (np.float64, np.uint8)
    assert dataset.X.flags.c_contiguous
    assert dataset.Y.flags.c_contiguous


@pytest.mark.parametrize(
    ("labels", "chosen"),
    [(2, [0, 1]), (-1, [3]), ("l", [1, 2]), ("lx", [2]), (["x", "a"], [3, 0])],
)
def test_labels_are_named_or_counted(folder, labels, chosen):
    names = ["a", "l1", "lx", "x"]
    dataset = read(folder, ",".join(names) + "\n1,0,1,0\n0,0,0,1\n", labels)
    rows = np.array([[1, 0, 1, 0], [0, 0, 0, 1]])
    assert dataset.label_names == tuple(names[k] for k in chosen)
    assert dataset.Y.tolist() == rows[:, chosen].tolist()
    rest = [k for k in range(4) if k not in chosen]
    assert dataset.X.tolist() == rows[:, rest].tolist()


def test_a_first_line_of_numbers_is_a_row(folder):
    dataset = read(folder, "1,2.5\n0,3\n", 1)
    assert dataset.Y.tolist() == [[1], [0]]
    assert dataset.label_names + dataset.feature_names == ("c1", "c2")


def test_names_may_hold_commas_braces_and_quotes(folder):
    dataset = read(folder, '"a, {b}","say ""x"""\n1,2\n', ["a, {b}"])
    assert dataset.feature_names == ('say "x"',)


def test_a_feature_that_is_named_twice_is_two_features(folder):
    assert read(folder, "sun,x,x\n1,2,3\n").X.tolist() == [[2, 3]]


@pytest.mark.parametrize(
    ("content", "labels", "message"),
    [
        ("", 1, "toy.csv: is empty, a line of names and rows are needed"),
        (" \n\n", 1, "toy.csv: is empty, a line of names and rows are needed"),
        ("sun,x\n", 1, "toy.csv: no rows after the names, at least one is needed"),
        ("sun,x\n1,2\n1\n", 1, ":3: 1 values, one for each of the 2 columns is needed"),
        ("sun,x\n1,2\n1,2,3\n", 1, ":3: 3 values, one for each of the 2 columns is ne"),
        ("sun,x\n1,nan\n", 1, ":2: 'nan' is not a value of column 'x', a number is"),
        ("sun,x\n1,1e999\n", 1, ":2: '1e999' is not a value of column 'x', a number"),
        ("sun,x\n1,\n", 1, ":2: '' is not a value of column 'x', a number is needed"),
        ("sun,x\n1,2\n0,inf", 1, ":3: 'inf' is not a value of column 'x', a number"),
        ('sun,x\n1,"2\n3"\n', 1, ":2: is not comma-separated (unexpected end of data)"),
        ('sun,"x\n1,2\n', 1, ":1: is not comma-separated (unexpected end of data)"),
        ('sun,x\n1,"2"3\n', 1, ":2: is not comma-separated (',' expected after '\"')"),
        ("sun,x\n1,2\n\0,2\n", 1, ":3: a NUL byte, plain text is needed"),
        ("sun,x\n2,2\n", 1, "toy.csv: label 'sun' has the value 2, a label is 0 or 1"),
        ("sun,x\n1,2\n", ["sum"], "no column is named 'sum', did you mean 'sun'?"),
        ("sun,x\n1,2\n", ["sun", "sun"], "label 'sun' is asked for twice"),
        ("sun,sun,x\n1,1,2\n", ["sun"], "label 'sun' is declared more than once"),
        ("sun,sun,x\n1,1,2\n", 2, "toy.csv: label 'sun' is declared twice"),
        ("sun,x\n1,2\n", 2, "2 labels of 2 columns, the number must be in 1..1, or"),
        ("sun,x\n1,2\n", 0, "0 labels of 2 columns, the number must be in 1..1, or"),
        ("sun,x\n1,2\n", "z", "toy.csv: no column begins with 'z'"),
        ("sun,x\n1,2\n", "", "toy.csv: no column begins with ''"),
        ("sun,sea\n1,0\n", ["sun", "sea"], "every attribute is a label, none a fea"),
        (b"sun,x\n1,\xff\n", 1, ":2: '\xff' is not a value of column 'x', a number is"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(folder, content, labels, message):
    with pytest.raises(DataError) as caught:
        read(folder, content, labels)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(folder / "toy.csv"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("limit", "most", "message"),
    [
        ("MOST_COLUMNS", 2, "toy.csv: 3 columns, at most 2 are read"),
        ("MOST_VALUES", 5, "toy.csv: 6 values, at most 5 are read"),
        ("MOST_LINE", 5, "toy.csv:1: 8 bytes, at most 5 are read"),
        ("MOST_LABELS", 1, "toy.csv: 2 labels of samples, at most 1 are read"),
    ],
)
def test_what_would_fill_the_memory_is_refused(
    folder, monkeypatch, limit, most, message
):
    monkeypatch.setattr(limits, limit, most)
    with pytest.raises(DataError, match=message):
        read(folder, "sun,x,y\n1,2,3\n0,4,5\n")


pieces = st.sampled_from(
    ["0", "1", "2", "-", ".", "e", "1.5", "1e999", "?", ",", ",", " ", "\t", "\n", "\n"]
    + ['"', '"3"', "1,2", "nan", "\v", "\N{NO-BREAK SPACE}", "99999999999999999999"]
)


@settings(deadline=None, max_examples=300)
@given(st.lists(pieces, max_size=9))
def test_whatever_the_rows_whole_chunks_read_as_line_by_line(folder, rest):
    block = text.Block(("1,2\n" + "".join(rest)).encode(), 1)
    fast = bulk.dense_rows(text.rows(block, csv_table.NO_COMMENT), 2)
    if fast is not None:
        careful = csv_table.read_carefully(block, ["a", "b"], folder)
        assert fast.tobytes() == careful.tobytes()


def test_plain_numbers_need_no_line_by_line_reading(folder, monkeypatch):
    monkeypatch.setattr(csv_table, "read_carefully", None)
    assert read(folder, "sun,x\n1,2.5\n0,-1e-3\n\n").X.shape == (2, 1)
