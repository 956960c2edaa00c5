import math
import tracemalloc
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, issparse

from mlbench.data import arff_dense, arff_header, arff_sparse, bulk, limits, text
from mlbench.data.arff import Attribute, number, read_arff
from mlbench.errors import DataError

HEADER = """\
@relation toy
@attribute a numeric
@attribute b {0,1}
@attribute c real
@data
"""  # five lines: the first row is line 6


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("arff")


def read(folder, text, header=HEADER):
    path = folder / "toy.arff"
    path.write_bytes(text if isinstance(text, bytes) else (header + text).encode())
    return read_arff(path)


def dense(matrix):
    return matrix.toarray() if issparse(matrix) else matrix


def slow_dense(rows):
    """The definition: values between commas, one line for each sample."""
    return np.array([[float(field) for field in row.split(",")] for row in rows])


def slow_sparse(rows, d):
    """The definition: ``index value`` pairs, and zero where no value is written."""
    matrix = np.zeros((len(rows), d))
    for i, row in enumerate(rows):
        for entry in row.strip("{} ").split(",") if row.strip("{} ") else []:
            index, value = entry.split()
            matrix[i, int(index)] = float(value)
    return matrix


numbers = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.integers(-999, 999).map(str),
    st.floats(-1e4, 1e4).map("{:.6f}".format),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["0", "-0", "-0.0", "-0e1", "+1", ".5", "-.5", "5.", "1.e-2"]),
    st.decimals(-100, 100, places=25).map("{:f}".format),
    st.decimals(-100_000, 100_000, places=12).map("{:f}".format),
)
rows_of_three = st.lists(
    st.tuples(numbers, st.sampled_from("01"), numbers), min_size=1, max_size=8
)
layouts = st.sampled_from([",", ", ", " ,", "\t,\t"])


@settings(deadline=None)
@given(rows_of_three, layouts)
def test_dense_rows_are_the_numbers_between_the_commas(folder, rows, comma):
    lines = [comma.join(row) for row in rows]
    matrix = read(folder, "\n".join(lines)).matrix
    assert isinstance(matrix, np.ndarray)
    np.testing.assert_array_equal(matrix, slow_dense(lines))
    assert not np.signbit(matrix[matrix == 0]).any()


@settings(deadline=None)
@given(
    st.lists(st.dictionaries(st.sampled_from("02"), numbers), min_size=1, max_size=8),
    st.sampled_from(["{%s}", "{ %s }", " {%s}", "{%s} "]),
    layouts,
)
def test_sparse_rows_are_the_numbers_at_the_indices(folder, rows, braces, comma):
    lines = [braces % comma.join(map(" ".join, row.items())) for row in rows]
    matrix = read(folder, "\n".join(lines)).matrix
    assert isinstance(matrix, csr_array)
    assert matrix.has_canonical_format
    assert not (matrix.data == 0).any()
    np.testing.assert_array_equal(matrix.toarray(), slow_sparse(lines, 3))


pieces = st.sampled_from(
    ["0", "1", "2", "-", ".", "e", "1.5", "99999999999999999999", "1e999", "0.1", "?"]
    + [",", ",", " ", "\t", "\n", "\n", "{", "}", "{0 1}", "1,0,2", "0 1", "%", "'"]
    + ["nan", "_", "x", "\v", "\N{NO-BREAK SPACE}", "\N{ARABIC-INDIC DIGIT ONE}"]
)


@settings(deadline=None, max_examples=500)
@given(st.sampled_from(["1,0,2\n", "{0 1,2 5}\n{}\n"]), st.lists(pieces, max_size=9))
def test_whatever_the_rows_whole_chunks_read_as_line_by_line(folder, first, rest):
    """Array operations agree with the line reader, down to the bytes, or decline."""
    block = text.Block((first + "".join(rest)).encode(), 1)
    attributes = (Attribute("a"), Attribute("b", ("0", "1")), Attribute("c"))
    reader = arff_sparse if first.startswith("{") else arff_dense
    fast = reader._fast(block, 3, arff_dense.binary_columns(attributes))
    if fast is None:
        return
    careful = reader.read_carefully(block, attributes, folder)
    pairs = (
        [(fast, careful)] if reader is arff_dense else zip(fast, careful, strict=True)
    )
    for ours, theirs in pairs:
        assert ours.tolist() == theirs.tolist()
        assert not np.signbit(ours).any() or (ours < 0).any()


@pytest.mark.parametrize(
    "row",
    ["{0 }5", "{0 1}.", "5{ 1}", "{5}", "{0 1,}", "{,0 1}", "{2}\n{0 }", "{0 1 2 3}"],
)
def test_a_number_in_the_wrong_place_does_not_stand_in_for_a_missing_one(folder, row):
    with pytest.raises(DataError, match=r":7: "):
        read(folder, "{0 1,2 5}\n" + row + "\n")
    with pytest.raises(DataError, match=r":7: '1 0' is not a value of attribute 'a'"):
        read(folder, "1,0,2\n1 0,1,3\n,0,3\n")


@pytest.mark.parametrize("digits", range(14, 24))
def test_a_long_decimal_is_the_nearest_float(folder, digits):
    rng = np.random.default_rng(digits)
    fractions = rng.integers(0, 10, size=(50, digits)).astype(str)
    rows = [f"12.{''.join(fraction)},0,-0.5" for fraction in fractions]
    matrix = read(folder, "\n".join(rows)).matrix
    np.testing.assert_array_equal(matrix, slow_dense(rows))


@pytest.mark.parametrize("chunk", [1, 7, 20, 1000])
def test_the_size_of_a_chunk_changes_nothing(folder, monkeypatch, chunk):
    rows = [f"{i},{i % 2},{i / 8}" for i in range(50)]
    lines = [row + "\n% a comment\n\n" for row in rows]
    monkeypatch.setattr(text, "CHUNK", chunk)
    matrix = read(folder, "".join(lines)).matrix
    np.testing.assert_array_equal(matrix, slow_dense(rows))
    sparse = read(folder, "".join(f"{{0 {i}}}\n{{}}\n" for i in range(50))).matrix
    np.testing.assert_array_equal(sparse.toarray()[::2, 0], np.arange(50))


def test_plain_numbers_need_no_line_by_line_reading(folder, monkeypatch):
    monkeypatch.setattr(arff_dense, "map_rows", None)
    monkeypatch.setattr(arff_sparse, "map_rows", None)
    assert read(folder, "1,0,2.5\n-3,1,1e-3\n").matrix.shape == (2, 3)
    assert read(folder, "{0 1,2 -5.25}\n{}\n").matrix.shape == (2, 3)
    assert read(folder, "{ 2 5, 0 1 }\n{}\n% the end\n\n").matrix.shape == (2, 3)


def test_columns_of_a_sparse_row_may_come_in_any_order(folder):
    matrix = read(folder, "{2 5,0 1}\n").matrix
    assert matrix.indices.tolist() == [0, 2]
    assert matrix.data.tolist() == [1, 5]


@pytest.mark.parametrize(
    "text",
    [
        HEADER + "1,0,2\n3,1,4\n",
        HEADER + "1,0,2\n3,1,4",
        (HEADER + "1,0,2\n3,1,4\n").replace("\n", "\r\n"),
        (HEADER + "1,0,2\n3,1,4\n").replace("\n", "\r"),
        "\ufeff" + HEADER + "1,0,2\n3,1,4\n",
        "% first\n\n" + HEADER + "\n% rows\n1,0,2\n\n  % more\n3,1,4\n%\n%\n\n",
        HEADER.upper().replace("{0,1}", "{0, 1}") + "1,0,2\n3,1,4\n",
        HEADER.replace("@", "  @").replace(" ", "\t") + " 1 , 0 , 2 \n3,1,4 \n",
        HEADER.replace("@data", "@data % now") + "1,'0',2\n3,\"1\",4\n",
        HEADER.replace("{0,1}", "{1,0}") + "1.0,0.0,2\n3,1,4\n",
    ],
)
def test_the_layout_of_a_file_changes_nothing(folder, text):
    matrix = read(folder, text.encode()).matrix
    assert matrix.tolist() == [[1, 0, 2], [3, 1, 4]]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("0;", "0;"),
        ("'two words'", "two words"),
        ('"two words"', "two words"),
        (r"'it\'s'", "it's"),
        ("it's", "it's"),
        ("'@data'", "@data"),
        ("%", "%"),
        ("{x", "{x"),
        ("'numeric'", "numeric"),
        ("''", ""),
        ("żółw", "żółw"),
    ],
)
@pytest.mark.parametrize("kind", ["numeric", "INTEGER", "{0,1}", "{ 0 , '1' }"])
def test_an_attribute_may_have_any_name(folder, written, name, kind):
    attribute = read(folder, f"@attribute {written} {kind}\n@data\n1\n", "").attributes
    assert attribute == (Attribute(name, ("0", "1") if "{" in kind else ()),)


def test_a_blank_before_the_categories_may_be_left_out(folder):
    text = "@attribute a{0,1}\n@attribute 'b'{x,y}\n@data\n0,y\n"
    assert read(folder, text, "").attributes == (
        Attribute("a", ("0", "1")),
        Attribute("b", ("x", "y")),
    )


def test_names_that_are_not_utf8_are_latin1(folder):
    raw = "@attribute caf\xe9 {\xe9t\xe9, hiver}\n@data\n\xe9t\xe9\n".encode("latin-1")
    assert read(folder, raw).attributes[0].name == "caf\xe9"


@pytest.mark.parametrize(
    ("categories", "values", "expected"),
    [
        ("{0,1}", "0 1 1.0", [0, 1, 1]),
        ("{3, 1, 2}", "1 2 3", [1, 2, 3]),
        ("{-1, 2.5}", "2.5 -1", [2.5, -1]),
        ("{no, yes}", "yes no", [1, 0]),
        ("{b, 'a, c', 7}", "7|'a, c'|b", [2, 1, 0]),
        ("{'?', x}", "? x", [0, 1]),
    ],
)
def test_a_category_is_its_number_or_its_position(folder, categories, values, expected):
    rows = values.split("|" if "|" in values else " ")
    text = f"@attribute a {categories}\n@data\n" + "\n".join(rows)
    assert read(folder, text, "").matrix.ravel().tolist() == expected


def test_the_first_category_is_the_value_not_written_in_a_sparse_row(folder):
    text = "@attribute a {red,'dark blue',green}\n@attribute b {0,1}\n@data\n"
    rows = "{0 green}\n{1 1}\n{0 'dark blue', 1 1}\n{0 red}\n"
    matrix = read(folder, text + rows, "").matrix
    assert matrix.toarray().tolist() == [[2, 0], [0, 1], [1, 1], [0, 0]]
    with pytest.raises(DataError, match="first category is '1', in sparse rows it mus"):
        read(folder, "@attribute a {1,0}\n@data\n{0 0}\n", "")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1,0", "2 values, one for each of the 3 attributes is needed"),
        ("1,0,2,3", "4 values, one for each of the 3 attributes is needed"),
        ("1,,2", "'' is not a value of attribute 'b', one of '0, 1' is needed"),
        ("1 2,0,3", "'1 2' is not a value of attribute 'a', a number is needed"),
        ("1,2,3", "'2' is not a value of attribute 'b', one of '0, 1' is needed"),
        ("nan,0,1", "'nan' is not a value of attribute 'a', a number is needed"),
        ("1,0,-inf", "'-inf' is not a value of attribute 'c', a number is needed"),
        ("1e999,0,1", "'1e999' is not a value of attribute 'a', a number is needed"),
        ("1_0,0,1", "'1_0' is not a value of attribute 'a', a number is needed"),
        ("0x1,0,1", "'0x1' is not a value of attribute 'a', a number is needed"),
        ("1.2.3,0,1", "'1.2.3' is not a value of attribute 'a', a number is needed"),
        ("-,0,1", "'-' is not a value of attribute 'a', a number is needed"),
        ("1,0,+", "'+' is not a value of attribute 'c', a number is needed"),
        ("-.,0,1", "'-.' is not a value of attribute 'a', a number is needed"),
        (".,0,1", "'.' is not a value of attribute 'a', a number is needed"),
        ("--5,0,1", "'--5' is not a value of attribute 'a', a number is needed"),
        ("1-2,0,1", "'1-2' is not a value of attribute 'a', a number is needed"),
        ("1-,0,1", "'1-' is not a value of attribute 'a', a number is needed"),
        ("e5,0,1", "'e5' is not a value of attribute 'a', a number is needed"),
        ("1e,0,1", "'1e' is not a value of attribute 'a', a number is needed"),
        (".-5,0,1", "'.-5' is not a value of attribute 'a', a number is needed"),
        (
            "1,0,?",
            "the value of attribute 'c' is missing ('?'), "
            "missing values are not supported",
        ),
        ("{0 1}", "a sparse row in a file of dense rows, one form is needed"),
        (
            "x" * 99 + ",0,1",
            f"'{'x' * 37}...' is not a value of attribute 'a', a number is needed",
        ),
    ],
)
def test_a_wrong_dense_row_is_named_by_its_line(folder, row, message):
    with pytest.raises(DataError) as caught:
        read(folder, f"1,0,2\n\n{row}\n1,0,2\n")
    assert str(caught.value) == f"{folder / 'toy.arff'}:8: {message}"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{0 1,2 5", "'{0 1,2 5' is not a sparse row, the form is: {0 1, 5 2}"),
        ("1,0,2", "'1,0,2' is not a sparse row, the form is: {0 1, 5 2}"),
        ("{0 1}, {2}", "'1}' is not a value of attribute 'a', a number is needed"),
        ("{3 1}", "'3' is not the index of an attribute, those are 0..2"),
        ("{-1 1}", "'-1' is not the index of an attribute, those are 0..2"),
        ("{0.5 1}", "'0.5' is not the index of an attribute, those are 0..2"),
        (
            "{99999999999999999999 1}",
            "'99999999999999999999' is not the index of an attribute, those are 0..2",
        ),
        ("{1e300 1}", "'1e300' is not the index of an attribute, those are 0..2"),
        ("{x 1}", "'x' is not the index of an attribute, those are 0..2"),
        ("{0 1,0 2}", "index 0 stands twice in a row, once is allowed"),
        ("{2 1,0 1,2 2}", "index 2 stands twice in a row, once is allowed"),
        ("{0}", "'0' is not an entry, the form is: index value"),
        ("{0 1,,2 3}", "',2 3' is not an entry, the form is: index value"),
        ("{0 -}", "'-' is not a value of attribute 'a', a number is needed"),
        ("{- 0}", "'-' is not the index of an attribute, those are 0..2"),
        ("{0 nan}", "'nan' is not a value of attribute 'a', a number is needed"),
        ("{1 2}", "'2' is not a value of attribute 'b', one of '0, 1' is needed"),
        (
            "{2 ?}",
            "the value of attribute 'c' is missing ('?'), "
            "missing values are not supported",
        ),
    ],
)
def test_a_wrong_sparse_row_is_named_by_its_line(folder, row, message):
    with pytest.raises(DataError) as caught:
        read(folder, f"{{0 1}}\n{{}}\n{row}\n")
    assert str(caught.value) == f"{folder / 'toy.arff'}:8: {message}"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "toy.arff: no @data line, an ARFF file has one before its rows"),
        (b"@attribute a numeric\n1\n", "toy.arff: no @data line"),
        (b"@data\n1\n", "toy.arff: no @attribute line before @data, one is needed"),
        (b"@attribute a real\n@data\n\n% x\n", "no rows after @data, at least one"),
        (b"@attribute a real\n@data", "no rows after @data, at least one"),
        (b"@attribute a real\n@data\n1\n\0\n", "toy.arff:4: a NUL byte"),
        (b"@attribute a string\n@data\nx\n", ":1: attributes of type 'string' are not"),
        (b"@attribute a\n@data\n1\n", ":1: '@attribute a' is not a header line, the"),
        (b"@attribute abc\n@data\n1\n", ":1: '@attribute abc' is not a header line"),
        (b"@attribute a {0,1\n@data\n1\n", ":1: '@attribute a {0,1' is not a header"),
        (b"@attribute a {0,,1}\n@data\n1\n", ":1: empty or repeated categories in"),
        (b"@attribute a {0,0}\n@data\n1\n", ":1: empty or repeated categories in"),
        (b"\n@attribute a real [0,1]\n@data\n1\n", ":2: '@attribute a real [0,1]' is "),
        (b"\xff\xfe@\0d\0a\0t\0a\0", ":1: a NUL byte, plain text is needed"),
        (bytes(range(1, 256)), "toy.arff: no @data line"),
    ],
)
def test_what_is_not_an_arff_file_is_refused_in_one_line(folder, raw, message):
    with pytest.raises(DataError) as caught:
        read(folder, raw)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_an_error_with_its_name(folder):
    with pytest.raises(DataError, match=r"none\.arff: cannot be read \(No such file"):
        read_arff(folder / "none.arff")


def test_short_rows_of_many_attributes_take_no_memory(folder):
    """A table of 2e4 x 2e4 that is only claimed would take 3.2 GB."""
    header = "".join(f"@attribute {i} numeric\n" for i in range(20_000)) + "@data\n"
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=":20002: 1 values, one for each"):
            read(folder, "1\n" * 20_000, header)
        assert read(folder, "{0 1}\n" * 20_000, header).matrix.nnz == 20_000
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()


def test_one_odd_line_is_read_alone_and_the_rest_at_once(folder, monkeypatch):
    monkeypatch.setattr(text, "CHUNK", 100)
    plain = [f"{i},{i % 2},0.5" for i in range(200)]
    rows = [*plain[:100], "'7',1,+2", *plain[100:]]
    matrix = read(folder, "\n".join(rows)).matrix
    np.testing.assert_array_equal(matrix[:100], slow_dense(plain[:100]))
    np.testing.assert_array_equal(matrix[100], [7, 1, 2])
    np.testing.assert_array_equal(matrix[101:], slow_dense(plain[100:]))
    with pytest.raises(DataError, match=r":106: 1 values, one for each of the 3"):
        read(folder, "\n".join([*plain[:100], "7", *plain[100:]]))


@pytest.mark.parametrize(
    ("limit", "most", "rows", "message"),
    [
        ("MOST_COLUMNS", 2, "1,0,2\n", "toy.arff: 3 attributes, at most 2 are read"),
        ("MOST_VALUES", 5, "1,0,2\n3,0,4\n", ": 6 values, at most 5 are read"),
        ("MOST_ENTRIES", 2, "{0 1,2 5}\n{0 3}\n", ": 3 values, at most 2 are read"),
        ("MOST_ENTRIES", 1, "{}\n{}\n", "toy.arff: 2 rows, at most 1 are read"),
        ("MOST_LINE", 9, "1,0,2\n1000,0,2000\n", ":7: 12 bytes, at most 9 are read"),
        ("MOST_BYTES", 99, "1,0,2\n" * 9, "toy.arff: is too large, at most 99 bytes"),
    ],
)
def test_what_would_fill_the_memory_is_refused(
    folder, monkeypatch, limit, most, rows, message
):
    monkeypatch.setattr(text, "CHUNK", 1)
    monkeypatch.setattr(limits, limit, most)
    with pytest.raises(DataError) as caught:
        read(folder, rows)
    assert message in str(caught.value)


def test_a_header_has_a_size_limit_of_its_own(folder, monkeypatch):
    monkeypatch.setattr(arff_header, "MOST_HEADER", 50)
    with pytest.raises(DataError, match="bytes of header, at most 50 are read"):
        read(folder, "1,0,2\n")


def test_an_attribute_that_is_declared_twice_is_two_columns(folder):
    text = "@attribute a real\n@attribute a {0,1}\n@data\n2,1\n"
    assert [a.name for a in read(folder, text, "").attributes] == ["a", "a"]


def test_the_relation_is_kept_as_written(folder):
    raw = HEADER.replace("toy", "'Music: -C 6 %'").replace("@r", " @R") + "1,0,2\n"
    assert read(folder, raw.encode()).relation == "'Music: -C 6 %'"


@pytest.mark.parametrize("quote", ["'", '"', "\\", "{", "'a\\"])
def test_quotes_that_are_never_closed_take_no_time(folder, quote):
    """A pattern that goes back and forth would take hours on a line like this."""
    with pytest.raises(DataError, match=":6: "):
        read(folder, (quote * 3 + ",") * 30_000 + "\n")
    with pytest.raises(DataError, match=r":1: .* is not a header line"):
        read(folder, "@attribute " + quote * 100_000 + "\n@data\n1\n", "")


@given(st.text("0123456789+-.eE_x \u0661", max_size=8))
def test_a_number_is_a_finite_decimal_and_nothing_else(text):
    value = number(text)
    if value is not None:
        assert value == float(text)
        assert math.copysign(1, value) == 1 or value < 0
        assert not set("_x \u0661") & set(text)


@pytest.mark.parametrize("beside", ["8", "8.5", "8e0"])
def test_every_short_text_is_a_number_to_arrays_if_it_is_one_alone(beside):
    for length in range(1, 5):
        for marks in product("01.-+e", repeat=length):
            text = "".join(marks)
            together = bulk.numbers(f"7 {text} {beside}\n".encode(), 3)
            alone = number(text)
            assert (together is None) == (alone is None), text
            assert alone is None or together.tolist() == [7, alone, float(beside)]


@pytest.mark.parametrize("blank", [b"\n", b" \n", b"\t\n\n"])
def test_blanks_alone_are_no_number_to_arrays(blank):
    assert bulk.numbers(blank, 1) is None
    assert bulk.dense_rows([b""], 1) is None


@pytest.mark.parametrize(
    "text", [b"1 . 2.5\n", b". 1 2.5\n", b"1 2.5 .\n", b"1.5 2\n.\n"]
)
def test_a_point_that_stands_alone_is_not_taken_for_one_of_a_number(text):
    assert bulk.numbers(text, 2) is None


@pytest.mark.real
@pytest.mark.parametrize("name", ["emotions", "medical", "yeast"])
def test_real_files_read_as_with_an_independent_reader(real_data, name):
    liac = pytest.importorskip("arff", reason="the independent reader is liac-arff")
    path = real_data / "mulan" / f"{name}.arff"
    ours = read_arff(path)
    with path.open(encoding="utf-8") as file:
        theirs = liac.load(file, return_type=liac.DENSE)
    assert [a.name for a in ours.attributes] == [a[0] for a in theirs["attributes"]]
    rows = [[float(value) for value in row] for row in theirs["data"]]
    np.testing.assert_array_equal(dense(ours.matrix), np.array(rows))


@pytest.mark.real
def test_a_large_sparse_file_is_never_dense(real_data):
    liac = pytest.importorskip("arff", reason="the independent reader is liac-arff")
    path = real_data / "yahoo" / "yahoo-arts.arff"
    tracemalloc.start()
    try:
        matrix = read_arff(path).matrix
        assert tracemalloc.get_traced_memory()[1] < 100e6  # dense: 1.4 GB
    finally:
        tracemalloc.stop()
    with path.open(encoding="utf-8") as file:
        values, rows, columns = liac.load(file, return_type=liac.COO)["data"]
    theirs = csr_array((np.array(values, float), (rows, columns)), shape=matrix.shape)
    assert (matrix != theirs).nnz == 0
