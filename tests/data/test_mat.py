import io
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.io import loadmat, savemat
from scipy.sparse import csc_matrix, issparse

from mlbench.data import limits, mat
from mlbench.data.mat import read_arrays, read_mat
from mlbench.errors import DataError

TRAIN = np.array([[1.0, 0.0], [0.5, 0.25], [0.0, -2.0]])
TEST = np.array([[0.0, 3.0]])
TRAIN_TARGET = np.array([[1, -1, -1], [-1, -1, 1]], dtype=np.int16)
TEST_TARGET = np.array([[1], [1]], dtype=np.int16)


def contents(**changes):
    arrays = {
        "train_data": TRAIN,
        "train_target": TRAIN_TARGET,
        "test_data": TEST,
        "test_target": TEST_TARGET,
    }
    return {key: a for key, a in (arrays | changes).items() if a is not None}


def saved(arrays, **options):
    file = io.BytesIO()
    savemat(file, arrays, **options)
    return file.getvalue()


def read(folder, raw):
    path = folder / "toy.mat"
    path.write_bytes(raw)
    return read_mat(path, "toy")


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("form", [np.asarray, csc_matrix])
@pytest.mark.parametrize("target_form", [np.asarray, csc_matrix])
def test_targets_become_0_and_1_with_samples_in_rows(
    tmp_path, compressed, form, target_form
):
    arrays = contents(
        train_data=form(TRAIN), train_target=target_form(TRAIN_TARGET.astype(float))
    )
    dataset = read(tmp_path, saved(arrays, do_compression=compressed))
    X = dataset.X.toarray() if issparse(dataset.X) else dataset.X
    assert issparse(dataset.X) == (form is csc_matrix)
    assert X.tolist() == [[1, 0], [0.5, 0.25], [0, -2], [0, 3]]
    assert dataset.Y.tolist() == [[1, 0], [0, 0], [0, 1], [1, 1]]
    assert dataset.n_train == 3
    assert dataset.feature_names == ("f1", "f2")
    assert dataset.label_names == ("label1", "label2")
    assert (dataset.X.dtype, dataset.Y.dtype) == (np.float64, np.uint8)
    assert dataset.Y.flags.c_contiguous
    assert X.flags.c_contiguous


dtypes = st.sampled_from([np.dtype(code) for code in "bBhHiIqQfd?"])


@settings(deadline=None)
@given(st.data(), st.booleans())
def test_arrays_read_as_scipy_reads_them(tmp_path_factory, data, compressed):
    path = tmp_path_factory.getbasetemp() / "any.mat"
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    arrays = {}
    for key in data.draw(st.lists(st.sampled_from(["a", "b_1", "long" * 7]))):
        shape = data.draw(st.tuples(st.integers(0, 4), st.integers(0, 4)))
        values = rng.integers(0, 3, size=shape).astype(data.draw(dtypes))
        sparse = values.size and data.draw(st.booleans())
        arrays[key] = csc_matrix(values.astype(float)) if sparse else values
    path.write_bytes(saved(arrays, do_compression=compressed))
    ours, theirs = read_arrays(path), loadmat(path)
    assert sorted(ours) == sorted(arrays)
    for key in arrays:
        pair = [a.toarray() if issparse(a) else a for a in (ours[key], theirs[key])]
        np.testing.assert_array_equal(*pair)


def test_big_endian_files_are_read(tmp_path):
    """Written by hand: SciPy writes in the order of the machine only."""

    def element(kind, data):
        return struct.pack(">II", kind, len(data)) + data + bytes(-len(data) % 8)

    def matrix(name, values):
        parts = [
            element(6, struct.pack(">II", 6, 0)),
            element(5, struct.pack(">ii", *values.shape)),
            element(1, name.encode()),
            element(9, values.T.astype(">f8").tobytes()),
        ]
        return element(14, b"".join(parts))

    raw = b"MATLAB 5.0".ljust(124) + b"\x01\x00MI"
    raw += b"".join(matrix(key, values) for key, values in contents().items())
    assert read(tmp_path, raw).X.tolist() == [[1, 0], [0.5, 0.25], [0, -2], [0, 3]]
    assert read(tmp_path, raw).X.dtype.isnative


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"test_data": None}, "no test_data, it must hold train_data, train_target, "),
        ({"test_data": TEST[:, :1]}, "2 features and 2 labels for training but 1 and "),
        ({"test_target": TEST_TARGET[:1]}, "2 labels for training but 2 and 1 for tes"),
        ({"train_target": TRAIN_TARGET.T}, "train_target has 2 columns, one for each "),
        ({"train_data": TRAIN * np.nan}, "train_data holds NaN or infinity, finite nu"),
        (
            {"train_data": csc_matrix(np.full((3, 2), np.inf))},
            "train_data holds NaN or infinity",
        ),
        ({"train_data": TRAIN * 1j}, "train_data holds no real numbers, a matrix is n"),
        ({"train_data": "text"}, "train_data holds no real numbers, a matrix is need"),
        ({"train_data": {"a": 1}}, "train_data holds no real numbers, a matrix is nee"),
        (
            {"train_data": np.array([[1, "a"]], dtype=object)},
            "train_data holds no real numbers, a matrix is needed",
        ),
        (
            {"train_data": np.ones((3, 2, 2))},
            "train_data has shape (3, 2, 2), a matrix",
        ),
        ({"train_data": np.ones((0, 2))}, "train_data has shape (0, 2), a matrix is"),
        (
            {"test_target": TEST_TARGET * 0},
            "test_target holds 0.0, a label is -1 or +1",
        ),
        ({"test_target": TEST_TARGET * 0.99}, "test_target holds 0.99, a label is -1"),
        ({"test_target": TEST_TARGET * np.nan}, "test_target holds nan, a label is -1"),
    ],
)
def test_wrong_contents_are_refused_in_one_line(tmp_path, changes, message):
    with pytest.raises(DataError) as caught:
        read(tmp_path, saved(contents(**changes)))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("form", [np.asarray, csc_matrix])
def test_minus_zero_is_zero(tmp_path, form):
    dataset = read(tmp_path, saved(contents(test_data=form([[-0.0, 3.0]]))))
    values = dataset.X.data if issparse(dataset.X) else dataset.X
    assert not np.signbit(values[values == 0]).any()


def test_other_variables_of_a_file_do_not_matter(tmp_path):
    notes = {"notes": "text", "cells": np.array([[1, "a"]], dtype=object)}
    assert read(tmp_path, saved(contents() | notes)).X.shape == (4, 2)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "is not a MATLAB file, one saved with -v7 is needed"),
        (b"PK\x03\x04" * 99, "is not a MATLAB file, one saved with -v7 is needed"),
        (
            b"\x89HDF\r\n\x1a\n" + bytes(600),
            "is a MATLAB 7.3 file, save it in MATLAB wi",
        ),
        (b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM", "is a MATLAB 7.3 file"),
        (saved(contents(), format="4"), "is not a MATLAB file, one saved with -v7 is"),
        (b"MATLAB 5.0".ljust(124) + b"\x00\x01IM", "no train_data, it must hold"),
        (b"MATLAB 5.0".ljust(124) + b"\x00\x01IM" + b"\xff" * 40, "is damaged ("),
    ],
)
def test_what_is_not_a_matlab_file_is_refused(tmp_path, raw, message):
    with pytest.raises(DataError) as caught:
        read(tmp_path, raw)
    assert message in str(caught.value)


def test_a_file_that_is_not_there_is_an_error_with_its_name(tmp_path):
    with pytest.raises(DataError, match=r"none\.mat: cannot be read \(No such file"):
        read_mat(tmp_path / "none.mat", "none")


SOUND = [
    saved(contents(**changes), do_compression=compressed)
    for changes in ({}, {"train_data": csc_matrix(TRAIN)})
    for compressed in (False, True)
]


@pytest.mark.parametrize("raw", SOUND)
def test_a_file_cut_short_is_refused_wherever_it_is_cut(tmp_path, raw):
    for length in range(0, len(raw) - 1, 5):
        with pytest.raises(DataError):
            read(tmp_path, raw[:length])


@settings(deadline=None, max_examples=300)
@given(
    st.sampled_from(SOUND),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=4),
)
def test_damaged_bytes_are_a_data_error_or_harmless(tmp_path_factory, raw, damage):
    damaged = bytearray(raw)
    for place, value in damage:
        damaged[int(place * (len(raw) - 1))] = value
    try:
        dataset = read(tmp_path_factory.getbasetemp(), bytes(damaged))
    except DataError:
        return
    assert np.isfinite(dataset.X.sum())
    assert set(dataset.Y.ravel().tolist()) <= {0, 1}


def with_sparse_train_data(rows, starts):
    """A file whose 3 x 2 training data has these indices, written by hand."""
    ints = [struct.pack(f"<{len(part)}i", *part) for part in (rows, starts)]
    parts = [
        struct.pack("<IIII", 6, 8, 5, 3),
        struct.pack("<IIii", 5, 8, 3, 2),
        struct.pack("<II16s", 1, 10, b"train_data"),
        *[struct.pack("<II", 5, len(i)) + i + bytes(-len(i) % 8) for i in ints],
        struct.pack("<IIddd", 9, 24, 1, 2, 3),
    ]
    body = b"".join(parts)
    return saved(contents(train_data=None)) + struct.pack("<II", 14, len(body)) + body


def test_indices_of_a_sparse_array_are_rows_column_by_column(tmp_path):
    dataset = read(tmp_path, with_sparse_train_data([0, 2, 1], [0, 2, 3]))
    assert dataset.X.toarray()[:3].tolist() == [[1, 0], [0, 3], [2, 0]]


@pytest.mark.parametrize(
    ("rows", "starts"),
    [
        ([0, 1, 2], [0, 2, 9]),
        ([0, 1, 3], [0, 2, 3]),
        ([0, 1, -1], [0, 2, 3]),
        ([0, 1, 2], [0, 9, 0]),
        ([0, 1, 2], [1, 2, 3]),
        ([0, 1, 2], [0, 3]),
    ],
)
def test_wild_indices_of_a_sparse_array_are_refused(tmp_path, rows, starts):
    with pytest.raises(DataError, match="indices of a sparse array do not fit"):
        read(tmp_path, with_sparse_train_data(rows, starts))


def test_a_negative_size_is_not_taken_for_whatever_fits(tmp_path):
    raw = saved(contents()).replace(struct.pack("<ii", 3, 2), struct.pack("<ii", -1, 2))
    with pytest.raises(DataError, match=r"is damaged \(\(-1, 2\) is not a shape\)"):
        read(tmp_path, raw)


@pytest.mark.parametrize(
    ("limit", "most", "message"),
    [
        ("MOST_VALUES", 5, "train_data and test_data: 8 values, at most 5 are read"),
        ("MOST_COLUMNS", 1, "toy.mat: 2 features, at most 1 are read"),
        ("MOST_BYTES", 400, "toy.mat: is too large, at most 400 bytes are read"),
    ],
)
def test_what_would_fill_the_memory_is_refused(
    tmp_path, monkeypatch, limit, most, message
):
    monkeypatch.setattr(limits, limit, most)
    with pytest.raises(DataError, match=message):
        read(tmp_path, saved(contents()))


def test_a_small_sparse_target_cannot_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MOST_VALUES", 9)
    wide = {"train_target": csc_matrix(np.ones((4, 3))), "test_target": TEST_TARGET}
    wide["test_target"] = np.ones((4, 1))
    with pytest.raises(DataError, match="train_target: 12 labels, at most 9 are read"):
        read(tmp_path, saved(contents(**wide)))


@pytest.mark.parametrize("rows", [2**31 - 1, 2**24 + 1])
def test_a_sparse_array_of_rows_that_are_only_claimed_is_refused(tmp_path, rows):
    """By rows it would need a number for each of them, 17 GB."""
    raw = with_sparse_train_data([0, 2, 1], [0, 2, 3])
    claimed = raw.replace(struct.pack("<IIii", 5, 8, 3, 2), _shape(rows, 2))
    assert claimed != raw
    with pytest.raises(DataError, match="a sparse array has more than 16777216 values"):
        read(tmp_path, claimed)


def _shape(*dims):
    return struct.pack("<IIii", 5, 8, *dims)


@pytest.mark.parametrize("times", [1, 5])
def test_a_small_compressed_file_cannot_fill_the_memory(tmp_path, monkeypatch, times):
    monkeypatch.setattr(limits, "MOST_BYTES", 100_000)
    zeros = {f"train_data{k}": np.zeros((3, 10_000 // times)) for k in range(times)}
    raw = saved(contents() | zeros, do_compression=True)
    assert len(raw) < 3000
    with pytest.raises(
        DataError, match=r"is damaged \(it holds more than 100000 bytes"
    ):
        read(tmp_path, raw)


def test_a_file_of_very_many_arrays_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(mat, "MOST_ARRAYS", 3)
    with pytest.raises(DataError, match=r"is damaged \(it holds more than 3 arrays\)"):
        read(tmp_path, saved(contents()))


@pytest.mark.real
def test_a_real_file_reads_as_scipy_reads_it(real_data):
    path = real_data / "lamda" / "arts.mat"
    ours, theirs = read_arrays(path), loadmat(path)
    assert sorted(ours) == sorted(key for key in theirs if not key.startswith("__"))
    for key, values in ours.items():
        np.testing.assert_array_equal(values, theirs[key])
