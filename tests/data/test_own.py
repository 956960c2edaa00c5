import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.io import savemat
from scipy.sparse import issparse

from mlbench.data.meka import label_count
from mlbench.data.own import find_own, read_own
from mlbench.errors import DataError

ARFF = """\
@relation %s
@attribute sun {0,1}
@attribute x numeric
@attribute sea {0,1}
@data
1,2.5,0
0,-3,1
"""
XML = '<labels><label name="sea"/></labels>'


def put(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_labels_of_an_arff_file_are_in_the_xml_file_beside_it(tmp_path):
    path = put(tmp_path, "toy.arff", ARFF % "'x: -C 1'")
    xml = put(tmp_path, "toy.xml", XML)
    dataset = read_own(path)
    assert (dataset.name, dataset.label_names) == ("toy", ("sea",))
    assert dataset.feature_names == ("sun", "x")
    assert find_own(path).files == [path, xml]


def test_the_xml_file_may_be_named(tmp_path):
    path = put(tmp_path, "toy.arff", ARFF % "x")
    xml = put(tmp_path, "other.XML", XML)
    assert read_own(path, "other.XML", name="mine").label_names == ("sea",)
    assert read_own(str(path), str(xml), name="mine").name == "mine"
    assert find_own(path, "other.XML").files == [path, xml]
    with pytest.raises(DataError, match=r"none\.xml: cannot be read"):
        read_own(path, "none.xml")


@pytest.mark.parametrize(
    ("relation", "labels"),
    [
        ("'x: -C 1'", ("sun",)),
        ("'x: -C -1 -split-number 9'", ("sea",)),
        ("'x -c 2'", ("sun", "x")),
        ("'-C 1 -C 2'", ("sun",)),
    ],
)
def test_without_one_they_are_counted_as_in_meka(tmp_path, relation, labels):
    path = put(tmp_path, "toy.arff", (ARFF % relation).replace("2.5", "1"))
    path.write_text(path.read_text().replace("-3", "0"))
    assert read_own(path).label_names == labels
    assert find_own(path).files == [path]


@pytest.mark.parametrize(
    ("labels", "chosen"),
    [(1, ("sun",)), (-1, ("sea",)), ("s", ("sun", "sea")), (["sea"], ("sea",))],
)
def test_or_as_the_user_says(tmp_path, labels, chosen):
    path = put(tmp_path, "toy.arff", ARFF % "'x: -C 2'")
    put(tmp_path, "toy.xml", XML.replace("sea", "sun"))
    assert read_own(path, labels).label_names == chosen
    assert find_own(path, labels).files == [path]


@settings(deadline=None)
@given(st.data(), st.booleans())
def test_a_file_of_meka_comes_back(tmp_path_factory, data, sparse):
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    q, d, n = (data.draw(st.integers(1, 4)) for _ in range(3))
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5)
    Y = (rng.random((n, q)) < 0.5).astype(int)
    last = data.draw(st.booleans())
    rows = [[*x, *y] if last else [*y, *x] for x, y in zip(X.tolist(), Y, strict=True)]
    kinds = ["numeric"] * d + ["{0,1}"] * q if last else ["{0,1}"] * q + ["numeric"] * d
    lines = [f"@relation 'toy: -C {-q if last else q}'"]
    lines += [f"@attribute a{k} {kind}" for k, kind in enumerate(kinds)] + ["@data"]
    for row in rows:
        entries = [f"{k} {value!r}" for k, value in enumerate(row) if value]
        dense = ",".join(str(value) for value in row)
        lines.append("{" + ",".join(map(_plain, entries)) + "}" if sparse else dense)
    path = put(tmp_path_factory.getbasetemp(), "meka.arff", "\n".join(lines))
    dataset = read_own(path)
    values = dataset.X.toarray() if issparse(dataset.X) else dataset.X
    assert issparse(dataset.X) == sparse
    np.testing.assert_array_equal(values, X)
    assert dataset.Y.tolist() == Y.tolist()


def _plain(entry):
    return entry.replace("np.int64(", "").replace(")", "")


@pytest.mark.parametrize(
    ("relation", "count"),
    [("x", None), ("-C", None), ("-C x", None), ("a-C 3", None), ("-C 3x", 3),
     ("-C 9999999999", None), ("-C \u0663", None), ("' -C  12 '", 12)],
)  # fmt: skip
def test_the_number_after_c_is_a_plain_one(relation, count):
    assert label_count(relation) == count


def test_labels_that_nothing_says_are_asked_for(tmp_path):
    path = put(tmp_path, "toy.arff", ARFF % "x")
    with pytest.raises(DataError, match="which attributes are labels"):
        read_own(path)
    with pytest.raises(DataError, match="which columns are labels"):
        read_own(put(tmp_path, "toy.csv", "a,b\n1,2\n"))


@pytest.mark.parametrize("count", [3, -3, 999999999, 0])
def test_a_number_of_labels_that_leaves_no_feature_is_refused(tmp_path, count):
    path = put(tmp_path, "toy.arff", ARFF % f"'x: -C {count}'")
    with pytest.raises(DataError, match=f"{count} labels of 3 columns, the number mus"):
        read_own(path)


def test_categories_of_a_label_are_numbers(tmp_path):
    path = put(
        tmp_path, "toy.arff", "@attribute a {y,n}\n@attribute b real\n@data\ny,1"
    )
    with pytest.raises(DataError, match="label 'a' has the categories 'y, n'"):
        read_own(path, 1)


def test_the_other_forms_know_their_labels(tmp_path):
    savemat(tmp_path / "toy.mat", {
        "train_data": np.eye(2), "train_target": np.array([[1, -1]]),
        "test_data": np.eye(2), "test_target": np.array([[1, -1]]),
    })  # fmt: skip
    np.savez(tmp_path / "toy.npz", X=np.eye(2), Y=np.array([[1], [0]]))
    put(tmp_path, "toy.dat", "1,a\n2,b\n")
    for name, q, n in [("toy.mat", 1, 4), ("toy.npz", 1, 2), ("toy.dat", 2, 2)]:
        path = tmp_path / name
        assert read_own(path).Y.shape == (n, q)
        assert find_own(path).files == [path]
        with pytest.raises(DataError, match="says itself which values are labels"):
            read_own(path, 1)


@pytest.mark.parametrize("ending", ["svm", "svmlight", "libsvm", "SVM"])
def test_svmlight_takes_names_of_labels(tmp_path, ending):
    path = put(tmp_path, f"toy.{ending}", "b 1:1\na 2:1\n")
    assert read_own(path).label_names == ("a", "b")
    assert read_own(path, ["b", "a"]).label_names == ("b", "a")
    with pytest.raises(DataError, match="'labels' is 2, a list of names is needed"):
        read_own(path, 2)


@pytest.mark.parametrize(
    "name", ["toy", "toy.txt", "toy.gz", "toy.npz.gz", "toy.mat.xz"]
)
def test_an_ending_that_is_not_known_is_refused(tmp_path, name):
    with pytest.raises(
        DataError, match=r"cannot tell the form by the ending, known are"
    ):
        read_own(put(tmp_path, name, "1,2\n"), 1)


@pytest.mark.parametrize("ending", [".arff", ".csv", ".svm", ".dat", ".mat", ".npz"])
@pytest.mark.parametrize(
    "raw",
    [b"", b"\0", b"\n", b"\xff\xfe\x00", b"@data", b",", b"{", b":", b"PK\x03\x04"]
    + [b"a" * 10_000, b"," * 10_000, b"{" * 10_000, b"\r" * 10_000, b"0," * 9999],
)
def test_whatever_is_in_a_file_the_error_is_one_line_with_its_name(
    tmp_path, ending, raw
):
    path = tmp_path / f"toy{ending}"
    path.write_bytes(raw)
    with pytest.raises(DataError) as caught:
        read_own(path, 1 if ending in (".arff", ".csv") else None)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(path))


@pytest.mark.real
def test_a_real_set_is_the_same_by_its_path(real_data):
    dataset = read_own(real_data / "mulan" / "emotions.arff")
    assert (dataset.X.shape, dataset.Y.shape) == ((593, 72), (593, 6))
    assert dataset.label_names[0] == "amazed-suprised"
