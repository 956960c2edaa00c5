import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import issparse

from mlbench.data import limits, mulan
from mlbench.data.mulan import read_labels, read_mulan
from mlbench.errors import DataError

ARFF = """\
@relation toy
@attribute sun {0,1}
@attribute height numeric
@attribute sea {0,1}
@attribute width numeric
@data
"""
DENSE = ARFF + "1,2.5,0,-1\n0,0,1,4\n0,3,0,0\n"
SPARSE = ARFF + "{0 1,1 2.5,3 -1}\n{2 1,3 4}\n{1 3}\n"
XML = """\
<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="sea"></label>
<label name="sun"> </label>
</labels>"""


@pytest.fixture
def read(tmp_path):
    def read(*arffs, xml=XML):
        paths = [tmp_path / f"toy{k}.arff" for k in range(len(arffs))]
        for path, text in zip(paths, arffs, strict=True):
            path.write_text(text, encoding="utf-8")
        xml_path = tmp_path / "toy.xml"
        xml_path.write_bytes(xml if isinstance(xml, bytes) else xml.encode())
        return read_mulan(paths, xml_path, "toy")

    return read


@pytest.mark.parametrize("text", [DENSE, SPARSE])
def test_labels_are_taken_from_wherever_they_stand(read, text):
    dataset = read(text)
    X = dataset.X.toarray() if issparse(dataset.X) else dataset.X
    assert issparse(dataset.X) == (text is SPARSE)
    assert X.tolist() == [[2.5, -1], [0, 4], [3, 0]]
    assert dataset.Y.tolist() == [[0, 1], [1, 0], [0, 0]]
    assert dataset.label_names == ("sea", "sun")
    assert dataset.feature_names == ("height", "width")
    assert (dataset.name, dataset.n_train) == ("toy", None)
    assert X.dtype == np.float64
    assert dataset.Y.dtype == np.uint8
    assert dataset.Y.flags.c_contiguous
    assert X.flags.c_contiguous


@settings(deadline=None)
@given(st.permutations(range(6)), st.sets(st.integers(0, 5), min_size=1, max_size=5))
def test_every_column_goes_where_its_name_says(tmp_path_factory, order, labels):
    folder = tmp_path_factory.getbasetemp()
    matrix = np.random.default_rng(0).integers(0, 2, size=(7, 6))
    (folder / "a.arff").write_text(
        "".join(f"@attribute {k} numeric\n" for k in order)
        + "@data\n"
        + "".join(",".join(str(row[k]) for k in order) + "\n" for row in matrix)
    )
    names = [f'<label name="{k}"/>' for k in labels]
    (folder / "a.xml").write_text("<labels>" + "".join(names) + "</labels>")
    dataset = read_mulan([folder / "a.arff"], folder / "a.xml", "a")
    for k, name in enumerate(dataset.label_names):
        assert dataset.Y[:, k].tolist() == matrix[:, int(name)].tolist()
    for k, name in enumerate(dataset.feature_names):
        assert dataset.X[:, k].tolist() == matrix[:, int(name)].tolist()
    assert sorted(dataset.label_names + dataset.feature_names) == list("012345")


@pytest.mark.parametrize("second", [DENSE, SPARSE])
def test_files_are_stacked_in_order_the_first_for_training(read, second):
    dataset = read(ARFF + "1,7,1,7\n", second)
    X = dataset.X.toarray() if issparse(dataset.X) else dataset.X
    assert dataset.n_train == 1
    assert X.tolist() == [[7, 7], [2.5, -1], [0, 4], [3, 0]]
    assert dataset.Y.tolist() == [[1, 1], [0, 1], [1, 0], [0, 0]]


def test_files_with_other_attributes_are_not_stacked(read):
    with pytest.raises(DataError, match=r"toy1\.arff: its attributes are not those of"):
        read(DENSE, DENSE.replace("height", "depth"))


def test_labels_within_labels_are_labels(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(
        '<labels><label name="a"><label name="b"><label name="c"/></label></label>'
        '<label name="d &amp; e"/></labels>'
    )
    assert read_labels(path) == ["a", "b", "c", "d & e"]


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ("", "is not well-formed XML"),
        ("<labels>", "is not well-formed XML"),
        ("<labels></labels>", "no label, or one without a name, the form is: <labels>"),
        ("<labels><label/></labels>", "no label, or one without a name"),
        ('<labels><label name=""/></labels>', "no label, or one without a name"),
        (XML.replace("sea", "sun"), "label 'sun' is named 2 times"),
        (XML.replace("sea", "sae"), "toy0.arff, did you mean 'sea'?"),
        (XML.replace("sea", "zzz"), "label 'zzz' is not an attribute of"),
        ('<?xml version="1.0" encoding="klingon"?><labels/>', "is not well-formed XML"),
        (b"\xff\xfe\x00", "is not well-formed XML"),
        (
            '<!DOCTYPE l [<!ENTITY a "sea">]><labels><label name="&a;"/></labels>',
            "declares a document type or an entity, plain XML is needed",
        ),
        (
            '<!DOCTYPE l SYSTEM "file:///etc/passwd"><labels/>',
            "declares a document type or an entity, plain XML is needed",
        ),
    ],
)
def test_wrong_label_files_are_refused_in_one_line(read, xml, message):
    with pytest.raises(DataError) as caught:
        read(DENSE, xml=xml)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


LAUGHS = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))


@pytest.mark.parametrize(
    "declared",
    [
        f'<!ENTITY l0 "sea">{LAUGHS}',
        f'<!ENTITY l9 "{"sea" * 100_000}">',
        '<!ENTITY l9 SYSTEM "file:///etc/passwd">',
        '<!ENTITY % p SYSTEM "http://127.0.0.1/x.dtd">%p;',
    ],
)
def test_an_entity_is_never_expanded_and_never_fetched(read, declared):
    xml = f'<!DOCTYPE l [{declared}]><labels><label name="&l9;"/></labels>'
    with pytest.raises(DataError, match="declares a document type or an entity"):
        read(DENSE, xml=xml)


def test_a_label_file_has_a_size_limit_of_its_own(read, monkeypatch):
    monkeypatch.setattr(mulan, "MOST_XML", 50)
    with pytest.raises(DataError, match=r"toy\.xml: is too large, at most 50 bytes"):
        read(DENSE)


def test_labels_within_labels_may_be_deep(tmp_path):
    path = tmp_path / "a.xml"
    deep = 20_000
    names = "".join(f'<label name="{k}">' for k in range(deep))
    path.write_text(f"<labels>{names}{'</label>' * deep}</labels>")
    assert len(read_labels(path)) == deep


def test_a_hint_is_not_looked_for_among_long_names(read):
    """Comparing two names takes the product of their lengths."""
    long = "ab" * 50_000
    with pytest.raises(DataError, match=r"is not an attribute of .*\.arff$"):
        read(DENSE.replace("sea", long), xml=XML.replace("sea", long + "c"))


def test_a_missing_label_does_not_list_every_attribute(read):
    many = "".join(f"@attribute word{k} numeric\n" for k in range(2000))
    with pytest.raises(DataError) as caught:
        read(many + "@data\n{0 1}\n")
    assert len(str(caught.value)) < 300


def test_a_label_file_that_is_not_there_is_an_error_with_its_name(tmp_path):
    with pytest.raises(DataError, match=r"none\.xml: cannot be read \(No such file"):
        read_labels(tmp_path / "none.xml")


@pytest.mark.parametrize("text", [DENSE, SPARSE])
def test_a_label_is_0_or_1(read, text):
    text = text.replace("sea {0,1}", "sea numeric").replace("2 1,", "2 7,")
    text = text.replace("0,0,1,4", "0,0,7,4")
    with pytest.raises(DataError, match="label 'sea' has the value 7, a label is 0 or"):
        read(text)


def test_categories_of_a_label_are_numbers(read):
    """Position would make {yes,no} the wrong way round."""
    with pytest.raises(DataError, match="label 'sea' has the categories 'yes, no'"):
        read(ARFF.replace("sea {0,1}", "sea {yes,no}") + "1,2,yes,3\n")


def test_a_label_declared_twice_is_refused(read):
    with pytest.raises(DataError, match="label 'sea' is declared more than once"):
        read(DENSE.replace("height", "sea"))


def test_a_set_has_features(read):
    with pytest.raises(DataError, match="every attribute is a label, none a feature"):
        read("@attribute sun {0,1}\n@attribute sea {0,1}\n@data\n0,1\n")


def test_empty_rows_cannot_fill_the_memory_with_labels(read, monkeypatch):
    monkeypatch.setattr(limits, "MOST_LABELS", 5)
    with pytest.raises(DataError, match="6 labels of samples, at most 5 are read"):
        read(SPARSE)
