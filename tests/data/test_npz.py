import io
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.sparse import csr_array, issparse

from mlbench.data import limits, npz
from mlbench.data.npz import read_npz
from mlbench.errors import DataError

X = np.array([[1.0, 0.0, 2.5], [0.0, -3.0, 0.0]])
Y = np.array([[1, 0], [1, 1]])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("npz")


def saved(save=np.savez, **values):
    file = io.BytesIO()
    save(file, **values)
    return file.getvalue()


def sparse_parts(values):
    matrix = csr_array(values)
    return {
        "X_data": matrix.data,
        "X_indices": matrix.indices,
        "X_indptr": matrix.indptr,
        "X_shape": np.array(matrix.shape),
    }


def read(folder, raw):
    path = folder / "toy.npz"
    path.write_bytes(raw)
    return read_npz(path, "toy")


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("sparse", [False, True])
def test_features_and_labels_come_back(folder, save, sparse):
    features = sparse_parts(X) if sparse else {"X": X}
    names = {"feature_names": list("abc"), "label_names": ["sun", "s\u00e9a"]}
    raw = saved(save, Y=Y, n_train=1, notes=np.array(["x"]), **features, **names)
    dataset = read(folder, raw)
    assert issparse(dataset.X) == sparse
    assert (dataset.X.toarray() if sparse else dataset.X).tolist() == X.tolist()
    assert dataset.Y.tolist() == Y.tolist()
    assert dataset.feature_names == ("a", "b", "c")
    assert dataset.label_names == ("sun", "s\u00e9a")
    assert (dataset.name, dataset.n_train) == ("toy", 1)
    assert (dataset.X.dtype, dataset.Y.dtype) == (np.float64, np.uint8)


def test_names_may_be_left_out(folder):
    dataset = read(folder, saved(X=X, Y=Y))
    assert dataset.feature_names == ("f1", "f2", "f3")
    assert dataset.label_names == ("label1", "label2")
    assert dataset.n_train is None


real = st.one_of(
    arrays.integer_dtypes(endianness="?"),
    arrays.unsigned_integer_dtypes(endianness="?"),
    arrays.floating_dtypes(endianness="?"),
    arrays.boolean_dtypes(),
)


@settings(deadline=None)
@given(st.data(), real, st.sampled_from("CF"))
def test_any_real_numbers_come_back_as_float64(folder, data, dtype, order):
    elements = {"allow_nan": False, "allow_infinity": False}
    values = data.draw(
        arrays.arrays(dtype, (2, 3), elements=elements if dtype.kind == "f" else None)
    )
    dataset = read(folder, saved(X=np.array(values, order=order), Y=Y))
    np.testing.assert_array_equal(dataset.X, values.astype(np.float64))
    assert dataset.X.flags.c_contiguous
    assert not np.signbit(dataset.X[dataset.X == 0]).any()


class Trap:
    def __reduce__(self):
        return pytest.fail, ("an object of the file was made",)


def test_nothing_in_a_file_is_ever_an_object(folder):
    trap = np.empty((2, 3), dtype=object)
    trap[:] = Trap()
    for raw in (saved(X=trap, Y=Y), saved(X=X, Y=Y, label_names=trap[0, :2])):
        with pytest.raises(DataError, match="is no plain array of numbers or text"):
            read(folder, raw)
    with pytest.raises(DataError, match="is damaged, or no file of numpy.savez"):
        read(folder, pickle.dumps(Trap()))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"X": X}, "no matrix Y, samples by labels, it must hold one"),
        ({"Y": Y}, "no X, and for sparse features no X_data, it must hold X and Y or"),
        ({"X": X[0], "Y": Y}, "X has shape (3,) and type float64, a matrix is needed"),
        ({"X": X * 1j, "Y": Y}, "X is no plain array of numbers or text"),
        ({"X": X.astype(str), "Y": Y}, "X has shape (2, 3) and type <U32, a matrix is"),
        ({"X": X * np.nan, "Y": Y}, "X holds NaN or infinity, finite numbers are nee"),
        ({"X": np.full((2, 2), np.longdouble("1e400")), "Y": Y}, "X holds NaN or inf"),
        ({"X": X, "Y": Y[:1]}, "Y has 1 rows and X has 2, as many are needed"),
        ({"X": X, "Y": 2 * Y}, "Y holds 2.0, a label is 0 or 1"),
        ({"X": X, "Y": Y * np.nan}, "Y holds nan, a label is 0 or 1"),
        ({"X": X, "Y": Y[0]}, "no matrix Y, samples by labels, it must hold one"),
        ({"X": X, "Y": Y[:, :0]}, "no matrix Y, samples by labels, it must hold one"),
        ({"X": X, "Y": Y, "label_names": ["a"]}, "label_names has shape (1,) and type"),
        ({"X": X, "Y": Y, "label_names": [1, 2]}, "and type int64, 2 texts are needed"),
        ({"X": X, "Y": Y, "label_names": ["a", "a"]}, "label 'a' is named more than o"),
        ({"X": X, "Y": Y, "n_train": 2}, "n_train is not one whole number in 1..1"),
        ({"X": X, "Y": Y, "n_train": 0.5}, "n_train is not one whole number in 1..1"),
        ({"X": X, "Y": Y, "n_train": [1, 1]}, "n_train is not one whole number in 1.."),
    ],
)
def test_wrong_contents_are_refused_in_one_line(folder, values, message):
    with pytest.raises(DataError) as caught:
        read(folder, saved(**values))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("part", "values"),
    [
        ("X_indices", [0, 2, 3]),
        ("X_indices", [0, -1, 1]),
        ("X_indices", [0, 2]),
        ("X_indptr", [0, 2, 9]),
        ("X_indptr", [0, 9, 3]),
        ("X_indptr", [1, 2, 3]),
        ("X_indptr", [0, 3]),
        ("X_indptr", np.array([0, 2**64 - 1, 3], dtype=np.uint64)),
        ("X_shape", [2, 0]),
        ("X_shape", [-2, 3]),
        ("X_shape", [10**9, 3]),
    ],
)
def test_wild_indices_are_refused(folder, part, values):
    parts = sparse_parts(X) | {part: np.array(values)}
    with pytest.raises(DataError, match="the indices of X_data do not fit together"):
        read(folder, saved(Y=Y, **parts))


@pytest.mark.parametrize(
    ("part", "values"),
    [("X_indices", [0.0, 2.0, 1.0]), ("X_shape", [2, 3, 1]), ("X_data", ["a"] * 3)],
)
def test_parts_that_are_no_sparse_matrix_are_refused(folder, part, values):
    parts = sparse_parts(X) | {part: np.array(values)}
    with pytest.raises(DataError, match="are not those of a CSR matrix"):
        read(folder, saved(Y=Y, **parts))


def test_a_thousand_million_features_are_refused(folder):
    parts = sparse_parts(X) | {"X_shape": np.array([2, 10**9])}
    with pytest.raises(DataError, match="1000000000 columns, at most 1048576 are read"):
        read(folder, saved(Y=Y, **parts))


def test_indices_in_any_order_and_repeated_ones_add_up(folder):
    parts = {"X_data": [1, 2, 4.0], "X_indices": [2, 0, 2], "X_indptr": [0, 3, 3]}
    dataset = read(folder, saved(Y=Y, X_shape=[2, 3], **parts))
    assert dataset.X.toarray().tolist() == [[2, 0, 5], [0, 0, 0]]
    assert dataset.X.has_canonical_format


def with_member(name, content, kind=zipfile.ZIP_STORED):
    """A sound archive with one member replaced by these bytes."""
    members = {key: saved_array(value) for key, value in {"X": X, "Y": Y}.items()}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", kind) as archive:
        for key, member in (members | {name: content}).items():
            archive.writestr(f"{key}.npy", member)
    return file.getvalue()


def saved_array(values):
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


@pytest.mark.parametrize(
    "shape", [b"(9, 3)", b"(999999999999999999999, 3)", b"(2,  )", b"(2,-3)", b"((2),)"]
)
def test_a_shape_that_is_only_claimed_is_refused(folder, shape):
    content = saved_array(X)
    forged = content.replace(b"(2, 3)", shape)
    forged = (
        forged.replace(b" " * (len(shape) - 6), b"", 1) if len(shape) > 6 else forged
    )
    with pytest.raises(DataError, match="is damaged, or no file of numpy.savez"):
        read(folder, with_member("X", forged))


@pytest.mark.parametrize("kind", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_ways_of_compressing_that_numpy_does_not_use_are_refused(folder, kind):
    with pytest.raises(DataError, match="in a way that numpy.savez does not use"):
        read(folder, with_member("X", saved_array(X), kind))


def test_a_small_file_cannot_fill_the_memory(folder, monkeypatch):
    monkeypatch.setattr(limits, "MOST_BYTES", 1_000_000)
    raw = saved(np.savez_compressed, X=np.zeros((1000, 1000)), Y=Y)
    assert len(raw) < 20_000
    with pytest.raises(DataError, match="is too large, at most 1000000 bytes are read"):
        read(folder, raw)


@pytest.mark.parametrize(
    ("limit", "most", "message"),
    [
        ("MOST_VALUES", 5, "toy.npz: 6 values, at most 5 are read"),
        ("MOST_COLUMNS", 2, "toy.npz: 3 columns, at most 2 are read"),
    ],
)
def test_what_would_be_larger_here_than_in_the_file_is_refused(
    folder, monkeypatch, limit, most, message
):
    monkeypatch.setattr(limits, limit, most)
    with pytest.raises(DataError, match=message):
        read(folder, saved(X=X.astype(bool), Y=Y))


def test_an_archive_of_very_many_members_is_refused(folder, monkeypatch):
    monkeypatch.setattr(npz, "MOST_MEMBERS", 1)
    with pytest.raises(DataError, match="2 members, at most 1 are read"):
        read(folder, saved(X=X, Y=Y))


def test_a_member_that_is_there_twice_is_refused(folder):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("X.npy", saved_array(X))
        archive.writestr("X", saved_array(X))
    with pytest.raises(DataError, match="X is in it twice"):
        read(folder, file.getvalue())


def test_names_that_are_no_text_are_refused(folder):
    for mark in (0x110000, 0xD800):
        content = saved_array(np.array(["a", "b"]))
        content = content[:-8] + np.array([mark, 98], "<u4").tobytes()
        with pytest.raises(DataError, match="label_names is not text"):
            read(folder, with_member("label_names", content))


@pytest.mark.parametrize("raw", [b"", b"PK", b"PK\x05\x06" + bytes(18), b"x" * 99])
def test_what_is_not_an_archive_is_refused(folder, raw):
    with pytest.raises(DataError, match=r"toy\.npz: "):
        read(folder, raw)


def test_a_file_cut_short_is_refused_wherever_it_is_cut(folder):
    raw = saved(X=X, Y=Y)
    for length in range(0, len(raw), 7):
        with pytest.raises(DataError):
            read(folder, raw[:length])
