"""What is right is found right, and each thing that can be wrong is found wrong."""

import hashlib
from dataclasses import replace

import pytest

from mlbench.data import catalogue as known
from mlbench.data.catalogue import Entry, FileEntry, catalogue
from mlbench.data.citations import WORKS, citations
from mlbench.data.verify import other_editions, verify
from mlbench.errors import DataError

TEXTS = {
    "t.arff": "@attribute a numeric\n@attribute s {0,1}\n@attribute t {0,1}\n"
    "@data\n1,0,1\n2,1,1\n3,0,1\n",
    "t.xml": '<labels><label name="s"/><label name="t"/></labels>',
}


def file_entry(path):
    raw = TEXTS[path].encode()
    address = f"https://x.org/{path}"
    return FileEntry(path, len(raw), hashlib.sha256(raw).hexdigest(), address)


TOY = Entry("toy", tuple(map(file_entry, TEXTS)), 3, 1, 2, 1.333, "mulan")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for path, text in TEXTS.items():
        (tmp_path / path).write_text(text)
    monkeypatch.setattr(known, "catalogue", lambda: {"toy": TOY})
    return tmp_path


def wrong(folder):
    return {
        finding.what: finding for finding in verify("toy", folder) if not finding.ok
    }


def test_the_right_files_have_nothing_wrong(folder):
    findings = verify("toy", folder)
    assert all(finding.ok for finding in findings)
    assert [finding.what for finding in findings] == [
        "bytes of t.arff",
        "SHA-256 of t.arff",
        "bytes of t.xml",
        "SHA-256 of t.xml",
        "instances",
        "features",
        "labels",
        "cardinality",
        "density",
    ]
    assert findings[-2].text == "ok: toy: cardinality: 1.333"


@pytest.mark.parametrize(
    ("field", "value", "found", "text"),
    [
        ("instances", 4, {"instances"}, "instances: 3, the catalogue says 4"),
        ("features", 9, {"features"}, "features: 1, the catalogue says 9"),
        ("labels", 3, {"labels", "density"}, "labels: 2, the catalogue says 3"),
        (
            "cardinality",
            1.335,
            {"cardinality", "density"},
            "cardinality: 1.333, the catalogue says 1.335",
        ),
    ],
)
def test_each_wrong_figure_is_found(folder, monkeypatch, field, value, found, text):
    entry = replace(TOY, **{field: value})
    monkeypatch.setattr(known, "catalogue", lambda: {"toy": entry})
    assert set(wrong(folder)) == found
    assert wrong(folder)[field].text == f"wrong: toy: {text}"


def test_a_changed_byte_is_found_by_the_checksum_alone(folder):
    path = folder / "t.arff"
    path.write_text(path.read_text().replace("3,0,1", "4,0,1"))
    assert set(wrong(folder)) == {"SHA-256 of t.arff"}


def test_a_missing_file_is_a_finding_and_nothing_is_read(folder):
    (folder / "t.xml").unlink()
    findings = verify("toy", folder)
    assert [finding.ok for finding in findings] == [True, True, False]
    assert findings[-1].text == (
        "wrong: toy: t.xml: cannot be read (No such file or directory), "
        "the catalogue says it is there"
    )


def test_a_file_that_cannot_be_parsed_is_a_finding(folder):
    (folder / "t.xml").write_text("<labels>")
    assert set(wrong(folder)) == {"bytes of t.xml", "SHA-256 of t.xml", "content"}
    assert all("\n" not in finding.text for finding in verify("toy", folder))


def test_an_unknown_set_is_refused(folder):
    with pytest.raises(DataError, match="unknown data set 'tor', did you mean 'toy'"):
        verify("tor", folder)


def test_another_edition_is_said_and_the_catalogues_is_not(folder):
    assert other_editions("toy", folder) == []
    (folder / "t.arff").write_text(TEXTS["t.arff"] + "4,0,1\n")
    (folder / "t.xml").unlink()
    assert other_editions("toy", folder) == [
        f"toy: {folder / 't.arff'} is not the file of the catalogue, "
        "results may not compare with published ones"
    ]


def test_a_file_of_the_same_size_is_told_by_its_checksum(folder):
    (folder / "t.arff").write_text(TEXTS["t.arff"].replace("3,0,1", "4,0,1"))
    assert len(other_editions("toy", folder)) == 1


def test_nothing_is_said_of_a_file_without_a_known_checksum(folder, monkeypatch):
    files = tuple(replace(file, sha256="", bytes=1) for file in TOY.files)
    entry = replace(TOY, files=files)
    monkeypatch.setattr(known, "catalogue", lambda: {"toy": entry})
    assert other_editions("toy", folder) == []


@pytest.mark.real
@pytest.mark.parametrize("name", ["emotions", "yahoo-arts-2pct", "vowel"])
def test_real_sets_have_nothing_wrong(real_data, name):
    assert all(finding.ok for finding in verify(name, real_data))
    assert other_editions(name, real_data) == []


@pytest.mark.parametrize("name", catalogue())
def test_every_set_of_the_catalogue_can_be_cited(name):
    for text in citations(name):
        assert text.startswith("@")
        assert text.endswith("\n}")
        assert text.count("{") == text.count("}")
    assert citations(name)


def test_every_work_is_cited_by_a_set_under_a_key_of_its_own():
    cited = {text for name in catalogue() for text in citations(name)}
    assert cited == set(WORKS.values())
    for key, text in WORKS.items():
        assert text.partition("{")[2].startswith(f"{key},")


def test_an_unknown_set_cannot_be_cited():
    with pytest.raises(DataError, match="did you mean 'emotions'"):
        citations("emotion")
