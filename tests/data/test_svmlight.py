import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from mlbench.data import limits, svmlight, text
from mlbench.data.svmlight import read_svmlight
from mlbench.errors import DataError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("svm")


def read(folder, content, labels=None):
    path = folder / "toy.svm"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_svmlight(path, "toy", labels)


def test_labels_features_and_comments(folder):
    dataset = read(folder, "# first\n10,9 1:0.5 3:2\n\n9 2:-1e1 # note\n 1:4\n")
    assert isinstance(dataset.X, csr_array)
    assert dataset.X.toarray().tolist() == [[0.5, 0, 2], [0, -10, 0], [4, 0, 0]]
    assert dataset.Y.tolist() == [[1, 1], [1, 0], [0, 0]]
    assert dataset.label_names == ("9", "10")
    assert dataset.feature_names == ("f1", "f2", "f3")
    assert (dataset.X.dtype, dataset.Y.dtype) == (np.float64, np.uint8)
    assert (dataset.name, dataset.n_train) == ("toy", None)


def test_a_file_with_the_index_0_counts_from_0(folder):
    dataset = read(folder, "1 1:5\n1 0:4 2:6\n")
    assert dataset.X.toarray().tolist() == [[0, 5, 0], [4, 0, 6]]
    assert dataset.feature_names == ("f0", "f1", "f2")


def test_indices_of_a_row_may_come_in_any_order(folder):
    X = read(folder, "1 3:5 1:4\n").X
    assert X.has_canonical_format
    assert X.toarray().tolist() == [[4, 0, 5]]


def test_zeros_that_are_written_are_not_kept(folder):
    X = read(folder, "1 1:0 2:-0.0 3:1\n2 3:0\n").X
    assert (X.nnz, X.shape) == (1, (2, 3))


@settings(deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.integers(1, 6))
def test_what_sklearn_writes_comes_back(folder, seed, zero_based, q):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(5, 4)) * (rng.random((5, 4)) < 0.6)
    X[0], X[:, 0] = 1, 1  # every feature occurs, and every row has one
    Y = (rng.random((5, q)) < 0.5).astype(int)
    file = io.BytesIO()
    dump_svmlight_file(X, Y, file, zero_based=zero_based, multilabel=True)
    dataset = read(folder, file.getvalue(), [str(k) for k in range(q)])
    file.seek(0)
    theirs, _ = load_svmlight_file(file, multilabel=True, zero_based=zero_based)
    np.testing.assert_array_equal(dataset.X.toarray(), theirs.toarray())
    assert dataset.Y.tolist() == Y.tolist()


def test_given_labels_fix_the_columns(folder):
    dataset = read(folder, "b 1:1\na,b 1:1\n", ["c", "b", "a"])
    assert dataset.Y.tolist() == [[0, 1, 0], [0, 1, 1]]
    assert dataset.label_names == ("c", "b", "a")
    with pytest.raises(DataError, match="label 'b' is not a known one$"):
        read(folder, "b 1:1\n", ["c", "a"])
    with pytest.raises(DataError, match="a label is asked for twice, or none is"):
        read(folder, "b 1:1\n", ["b", "b"])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1 9999999999:1", "'9999999999' is not the index of a feature, those are 0.."),
        ("1 1048577:1", "'1048577' is not the index of a feature, those are 0..104857"),
        ("1 1e300:1", "'1e300' is not the index of a feature"),
        ("1 -1:1", "'-1' is not the index of a feature"),
        ("1 1.5:1", "'1.5' is not the index of a feature"),
        ("1 qid:3 1:1", "'qid' is not the index of a feature"),
        ("1 :3", "'' is not the index of a feature"),
        ("1 1:nan", "'1:nan' is not a feature, the form is index:value with a number"),
        ("1 1:-inf", "'1:-inf' is not a feature, the form is index:value with a numb"),
        ("1 1:", "'1:' is not a feature, the form is index:value with a number"),
        ("1 5", "'5' is not a feature, the form is index:value with a number"),
        ("1 1:2:3", "'1:2:3' is not a feature, the form is index:value with a number"),
        ("1 1:2 1:3", "index 1 stands twice in a row, once is allowed"),
        ("1 2:2 1:1 2:3", "index 2 stands twice in a row, once is allowed"),
        ("1,,2 1:1", "'1,,2' is not a list of labels, the form is: 3,5 1:0.5 7:2"),
        ("1, 1:1", "'1,' is not a list of labels, the form is: 3,5 1:0.5 7:2"),
        ("1,1 1:1", "'1,1' is not a list of labels, the form is: 3,5 1:0.5 7:2"),
        ("1 1:1\0", "a NUL byte, plain text is needed"),
        ("1 1:1 2:", "'2:' is not a feature, the form is index:value with a number"),
    ],
)
def test_a_wrong_row_is_named_by_its_line(folder, row, message):
    with pytest.raises(DataError) as caught:
        read(folder, f"1 1:1\n\n{row}\n1 1:1\n")
    assert str(caught.value).startswith(f"{folder / 'toy.svm'}:3: {message}")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "toy.svm: no features, rows like '3,5 1:0.5 7:2' are needed"),
        ("1,2\n3\n", "toy.svm: no features, rows like '3,5 1:0.5 7:2' are needed"),
        ("1:1\n2:1\n", "toy.svm: no row has a label, one at least is needed"),
    ],
)
def test_a_file_without_labels_or_features_is_refused(folder, content, message):
    with pytest.raises(DataError) as caught:
        read(folder, content)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("limit", "most", "message"),
    [
        ("MOST_ENTRIES", 1, "toy.svm: 2 values, at most 1 are read"),
        ("MOST_ENTRIES", 2, "toy.svm: 3 values, at most 2 are read"),
        ("MOST_COLUMNS", 2, "toy.svm: 3 labels, at most 2 are read"),
        ("MOST_LABELS", 5, "toy.svm: 6 labels of samples, at most 5 are read"),
        ("MOST_LINE", 5, "toy.svm:1: 10 bytes, at most 5 are read"),
    ],
)
def test_what_would_fill_the_memory_is_refused(
    folder, monkeypatch, limit, most, message
):
    monkeypatch.setattr(text, "CHUNK", 1)
    monkeypatch.setattr(limits, limit, most)
    with pytest.raises(DataError, match=message):
        read(folder, "a 1:1 2:1\nb,c 1:1\n")


pieces = st.sampled_from(
    ["0", "1", "2", "-", ".", "e", "1.5", "3:4", "1e999", "5:", ":6", ":", ",", ",a"]
    + [" ", " ", "\t", "\n", "\n", "#", "nan", "\v", "99999999999999999999", "\xe9"]
)


@settings(deadline=None, max_examples=500)
@given(st.lists(pieces, max_size=9))
def test_whatever_the_rows_whole_chunks_read_as_line_by_line(folder, rest):
    block = text.Block(("1,2 1:5 3:6\n" + "".join(rest)).encode(), 1)
    fast_labels, careful_labels = svmlight._Labels(), svmlight._Labels()
    try:
        fast = svmlight._fast(block, fast_labels)
    except ValueError:
        fast = None
    if fast is None:
        return
    lines = block._replace(raw=block.raw + b"\n# so that it takes the careful way")
    careful = svmlight._read_block(lines, folder, careful_labels)
    for ours, theirs in zip(fast, careful, strict=True):
        assert ours.tobytes() == theirs.astype(ours.dtype).tobytes()
    assert fast_labels.counts == careful_labels.counts
    assert fast_labels.columns == careful_labels.columns


@pytest.mark.parametrize("row", ["0 .\n1 1:0.5", "0 5\n1 2:", "0 5\n1 :2", "0 -\n1 2:"])
def test_a_number_in_the_wrong_place_does_not_stand_in_for_a_missing_one(folder, row):
    with pytest.raises(DataError, match=r":2: .* is not a feature"):
        read(folder, "1 1:1.5\n" + row + "\n")


@pytest.mark.parametrize("chunk", [1, 9, 1000])
def test_the_size_of_a_chunk_changes_nothing(folder, monkeypatch, chunk):
    monkeypatch.setattr(text, "CHUNK", chunk)
    rows = [f"{i % 3},x {i % 5 + 1}:{i}" for i in range(1, 40)]
    rows[20] += "  # read alone"
    dataset = read(folder, "\n".join(rows))
    assert dataset.Y.sum() == 2 * len(rows)
    assert dataset.X.sum(axis=1).tolist() == list(range(1, 40))


def test_a_label_that_is_not_utf8_is_read_as_latin1(folder):
    assert read(folder, b"caf\xe9 1:1\n").label_names == ("caf\xe9",)
