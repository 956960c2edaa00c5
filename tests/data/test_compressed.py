import bz2
import gzip
import lzma
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlbench.data import compressed, limits
from mlbench.data.compressed import plain_name, read_bytes
from mlbench.data.own import read_own
from mlbench.errors import DataError

PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
endings = pytest.mark.parametrize("ending", PACK)


def written(folder, ending, raw):
    path = folder / f"toy.csv{ending}"
    path.write_bytes(raw)
    return path


@settings(deadline=None)
@given(st.sampled_from(["", *PACK]), st.binary(max_size=300))
def test_what_was_compressed_comes_back(tmp_path_factory, ending, content):
    pack = PACK.get(ending, bytes)
    path = written(tmp_path_factory.getbasetemp(), ending, pack(content))
    assert read_bytes(path) == content


@endings
def test_files_joined_to_one_are_read_one_after_the_other(tmp_path, ending):
    raw = PACK[ending](b"sun,x\n") + PACK[ending](b"") + PACK[ending](b"1,2\n")
    assert read_bytes(written(tmp_path, ending, raw)) == b"sun,x\n1,2\n"
    assert read_bytes(written(tmp_path, ".xz", lzma.compress(b"a") + bytes(8))) == b"a"
    assert read_bytes(written(tmp_path, ".gz", gzip.compress(b"a") + bytes(8))) == b"a"


@endings
def test_more_than_the_limit_is_refused_before_it_is_there(
    tmp_path, monkeypatch, ending
):
    bomb = PACK[ending](bytes(12_000_000))
    assert len(bomb) < 60_000
    monkeypatch.setattr(limits, "MOST_BYTES", 3_000_000)
    handed_out = []
    decode = compressed.DECODERS[ending]

    def counted(file):
        for part in decode(file):
            handed_out.append(len(part))
            yield part

    monkeypatch.setitem(compressed.DECODERS, ending, counted)
    with pytest.raises(
        DataError, match=r"is too large, at most 3000000 bytes are read"
    ):
        read_bytes(written(tmp_path, ending, bomb))
    assert sum(handed_out) <= 3_000_000 + compressed.PART
    assert max(handed_out) <= compressed.PART


def test_exactly_the_limit_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MOST_BYTES", 4)
    assert read_bytes(written(tmp_path, ".gz", gzip.compress(b"abcd"))) == b"abcd"
    assert read_bytes(written(tmp_path, "", b"abcd")) == b"abcd"
    with pytest.raises(DataError, match="is too large, at most 4 bytes are read"):
        read_bytes(written(tmp_path, "", b"abcde"))


def test_an_xz_file_cannot_ask_for_any_amount_of_memory(tmp_path):
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 30}]
    raw = lzma.compress(b"1,2\n", filters=filters)
    with pytest.raises(DataError, match="cannot be decompressed .*emory"):
        read_bytes(written(tmp_path, ".xz", raw))


@endings
def test_a_file_cut_short_is_refused_wherever_it_is_cut(tmp_path, ending):
    raw = PACK[ending](b"sun,x\n1,2\n")
    for length in range(len(raw)):
        path = written(tmp_path, ending, raw[:length])
        if length == 0 and ending == ".gz":
            assert read_bytes(path) == b""
            continue
        with pytest.raises(DataError, match=r"toy\.csv\.\w+: cannot be decompressed"):
            read_bytes(path)


@endings
def test_text_that_only_claims_to_be_compressed_is_refused(tmp_path, ending):
    with pytest.raises(DataError, match="cannot be decompressed"):
        read_bytes(written(tmp_path, ending, b"sun,x\n1,2\n"))


def test_what_is_not_a_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(DataError, match=": is not a file$"):
            read_bytes(path)
    with pytest.raises(DataError, match=r"cannot be read \(.*null"):
        read_bytes(tmp_path / "a\0b")
    with pytest.raises(DataError, match=r"none: cannot be read \(No such file"):
        read_bytes(tmp_path / "none")


@endings
@pytest.mark.parametrize("kind", ["arff", "csv", "svm", "dat"])
def test_every_text_form_may_be_compressed(tmp_path, ending, kind):
    text, labels = {
        "arff": ("@attribute a {0,1}\n@attribute b real\n@data\n1,2\n", 1),
        "csv": ("a,b\n1,2\n", ["a"]),
        "svm": ("a 1:2\n", None),
        "dat": ("2,a\n", None),
    }[kind]
    path = tmp_path / f"toy.{kind}{ending.upper()}"
    path.write_bytes(PACK[ending](text.encode()))
    dataset = read_own(path, labels)
    assert (dataset.name, dataset.label_names) == ("toy", ("a",))
    assert dataset.X.sum() == 2


def test_only_the_outer_ending_is_taken_off(tmp_path):
    assert plain_name(tmp_path / "a.csv.gz.gz").name == "a.csv.gz"
