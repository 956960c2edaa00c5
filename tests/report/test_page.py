"""The page of an experiment as text: what is in it, and what cannot get out of it."""

import base64
import hashlib
import html
import json
import re
from html.parser import HTMLParser

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mlbench.config import load_experiment
from mlbench.report.build import build
from mlbench.report.page import PAGE, _column, index, page
from mlbench.report.published import comparison_tables
from mlbench.store import Store

SCRIPT = "<script>alert(1)</script>"
MARKUP = "a_b%c&d"
CONFIG = {
    "title": "Toy",
    "reference": "A. Author. Journal 1, 2024.",
    "datasets": ["emotions", "yeast", "scene"],
    "split": {"kind": "random", "train": 0.5, "repeats": 2},
    "dims": "2,4",
    "methods": {"ORI": "none", "A": "pca", "B": "mddm"},
    "metrics": ["hamming_loss", "average_precision"],
    "assumptions": [{"what": "scaled", "why": "not said"}],
}
MADE_BY = {"versions": {"numpy": "2.0"}, "commit": "abc+", "blas": ["one, 1 thread"]}


def record(dataset, method, repeat, request, loss, **more):
    """What a trial leaves behind."""
    return {
        "dataset": dataset,
        "method": method,
        "repeat": repeat,
        "request": request,
        "setting": {},
        "dim": 10 if request == "1.0" else int(request),
        "status": "ok",
        "key": f"{dataset}/{method}/{repeat}/{request}".ljust(64, "0"),
        "parts": {},
        "metrics": {"hamming_loss": loss, "average_precision": 1 - loss},
        "seconds": {"fit": 0.123456789, "transform": 0.5, "predict": 0.25},
        "peak_mb": 250.5,
        "reducer": {"pca": {"whiten": True}},
        "classifier": {"mlknn": {}},
        "provenance": MADE_BY | {"started": f"2024-01-0{repeat + 1}T00:00:00+00:00"},
    } | more


def records(datasets=("emotions", "yeast", "scene"), methods=("ORI", "A", "B")):
    """Two splits of every cell; the loss differs in every one of them."""
    for place, dataset in enumerate(datasets):
        for column, method in enumerate(methods):
            for request in ["1.0"] if method == "ORI" else ["2", "4"]:
                loss = 0.1 * place + 0.01 * column + 0.001 * float(request) + 0.1
                for repeat in (0, 1):
                    yield record(dataset, method, repeat, request, loss + 0.02 * repeat)


@pytest.fixture
def report(tmp_path):
    """A report and its records, from records and changes to the config."""

    def report(written=None, **changes):
        config = tmp_path / "toy.yaml"
        config.write_text(yaml.safe_dump(CONFIG | changes, sort_keys=False))
        store = Store(tmp_path / "results" / "toy")
        with store.writing():
            store.append(records() if written is None else written)
        made = build(load_experiment(config), tmp_path / "results")
        return made, list(store.records().values())

    return report


class Reader(HTMLParser):
    """The elements of a page with their attributes, and the text of each tag."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self._open = [], {}, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._open.append(tag)
        self.text.setdefault(tag, []).append("")

    def handle_endtag(self, tag):
        while self._open.pop() != tag:
            pass

    def handle_data(self, data):
        if self._open:
            self.text[self._open[-1]][-1] += data

    def of(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]


def numbers(text):
    """What the script of a page works on."""
    return json.loads(Reader(text).text["script"][0])


def test_the_same_records_give_the_same_bytes(report):
    made, recorded = report()
    assert page(made, recorded) == page(made, recorded)
    assert index([made]) == index([made])


def test_nothing_is_fetched_from_anywhere(report):
    made, recorded = report()
    for text in (page(made, recorded), index([made])):
        read = Reader(text)
        names = {tag for tag, _ in read.tags}
        assert not names & {"link", "img", "iframe", "object", "embed", "base"}
        assert not [a for _, a in read.tags if a.keys() & {"src", "srcset", "style"}]
        assert not re.search(r"@import|url\(|fetch\(|XMLHttp|innerHTML|eval\(", text)
        # The only address is the name that SVG has in a document.
        assert set(re.findall(r"https?://[^\"' ]+", text)) <= {
            "http://www.w3.org/2000/svg"
        }


def test_the_policy_lets_only_this_style_and_this_script_run(report):
    for text in (page(*report()), index([])):
        (policy,) = (
            attrs["content"]
            for attrs in Reader(text).of("meta")
            if attrs.get("http-equiv") == "Content-Security-Policy"
        )
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        assert rules["default-src"] == "'none'"
        for tag in ("style", "script"):
            (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
            digest = hashlib.sha256(content.encode()).digest()
            wanted = f"'sha256-{base64.b64encode(digest).decode()}'"
            assert rules[f"{tag}-src"] == wanted


def named(report, name):
    """The two pages of an experiment that calls whatever it can by one name."""
    made, recorded = report(
        [
            *records(["emotions"], ["ORI", name, "B"]),
            record("yeast", name, 0, "2", 0.1, status="failed", error=name, dim=None),
        ],
        title=name,
        reference=name,
        methods={"ORI": "none", name: "pca", "B": "mddm"},
        assumptions=[{"what": name, "why": name}],
        claims=[{"says": name, "kind": "order", "methods": [name, "B"]}],
        published=[{"where": name, "values": {"hamming_loss": {name: 0.5}}}],
    )
    return page(made, recorded), index([made])


@pytest.mark.parametrize(
    "name", [SCRIPT, MARKUP, "</script><b>", "' \" <!-- {{ 7*7 }}"]
)
def test_a_name_is_only_ever_text(report, name):
    for evil, plain in zip(named(report, name), named(report, "C"), strict=True):
        shape = [(tag, list(attrs)) for tag, attrs in Reader(evil).tags]
        assert shape == [(tag, list(attrs)) for tag, attrs in Reader(plain).tags]
        assert SCRIPT not in evil
    whole = page(*report(title=name, methods={"ORI": "none", name: "pca"}))
    assert Reader(whole).text["title"] == Reader(whole).text["h1"] == [name]
    assert numbers(whole)["methods"] == ["ORI", name]


def test_the_numbers_are_those_of_the_frame(report):
    made, recorded = report()
    results = numbers(page(made, recorded))["results"]
    assert [each["metric"] for each in results] == ["Hamming loss", "Average precision"]
    rows = {(row[0], row[1]): row[3:] for row in results[0]["rows"]}
    frame = made.frame[made.frame["metric"] == "hamming_loss"]
    for cell in frame.itertuples():
        requests = ["2", "4"] if cell.request == "1.0" else [cell.request]
        for request in requests:  # one of no dimension stands in every row
            column = ["ORI", "A", "B"].index(cell.method)
            mean, deviation, _ = rows[cell.dataset, request][column]
            assert mean == pytest.approx(cell.mean, rel=1e-5)
            assert deviation == pytest.approx(cell.deviation, rel=1e-5)


def test_the_best_of_a_row_is_marked(report):
    rows = numbers(page(*report()))["results"][0]["rows"]
    for row in rows:
        means = [cell[0] for cell in row[3:]]
        assert [cell[2] for cell in row[3:]] == [m == min(means) for m in means]


def test_the_mean_over_the_data_sets_comes_last_and_only_of_what_all_have(report):
    some = [r for r in records() if (r["dataset"], r["method"]) != ("yeast", "B")]
    rows = numbers(page(*report(some)))["results"][0]["rows"]
    *each, last, very_last = rows
    assert not any(row[0] == "mean over the data sets" for row in each)
    assert last[0] == very_last[0] == "mean over the data sets"
    expected = sum(row[4][0] for row in each if row[1] == "2") / 3
    assert last[4][0] == pytest.approx(expected, rel=1e-5)
    assert last[5] is None


def test_one_data_set_has_no_mean_over_data_sets(report):
    rows = numbers(page(*report(records(["yeast"]))))["results"][0]["rows"]
    assert {row[0] for row in rows} == {"yeast"}


def test_the_page_is_that_of_the_text_report(report):
    made, recorded = report()
    text = made.text
    for each in numbers(page(made, recorded))["results"]:
        for row in each["rows"]:
            for mean, _, best in filter(None, row[3:]):
                assert f"{'**' if best else ''}{mean:.4f}" in text


PUBLISHED = [
    {
        "where": "Table 9",
        "dataset": "emotions",
        "dim": 4,
        "values": {"hamming_loss": {"B": 0.134, "A": [0.3, 0.1]}},  # ours: 0.134, 0.124
    },
    {"where": "Table 9", "values": {"hamming_loss": {"ORI": 0.1}}},  # ours: 0.211
]


def test_every_published_number_stands_beside_ours(report):
    first, second, third = numbers(page(*report(published=PUBLISHED)))["against"]
    place = ["Table 9", "emotions", "Hamming loss"]
    assert first == [*place, "B", 0.134, None, 0.134, 0.0141421, 0.0, "reproduced"]
    assert second[:7] == [*place, "A", 0.3, 0.1, 0.124]
    assert second[9] == "better"
    assert third[1] == "mean over the data sets"
    assert third[6:] == [0.211, 0.1, 1.11, "differs"]


def test_verdicts_are_counted_for_each_table(report):
    text = page(*report(published=PUBLISHED))
    table = re.search(r'<table class="tally">(.*?)</table>', text, re.DOTALL)[1]
    rows = [
        [re.sub("<.*?>", "", cell) for cell in re.findall(r"<t[hd]\b.*?</t[hd]>", row)]
        for row in re.findall("<tr>(.*?)</tr>", table, re.DOTALL)
    ]
    assert rows == [
        ["published in", "data set", "reproduced", "better", "differs", "numbers"],
        ["Table 9", "emotions", "1", "1", "0", "2"],
        ["Table 9", "mean over the data sets", "0", "0", "1", "1"],
    ]


def test_the_published_tables_are_also_there_in_their_own_shape(report):
    made, recorded = report(published=PUBLISHED)
    shown = html.unescape(page(made, recorded))
    for table in comparison_tables(made.experiment, made.against):
        assert f"<h3>{table.title}</h3>" in shown
        for row in table.rows:
            assert f"<td>{row[1]}</td>" in shown
        for note in table.notes:
            assert note in shown


def test_claims_come_with_their_verdict_and_findings(report):
    claim = {"says": "A wins", "kind": "order", "methods": ["A", "B"]}
    made, recorded = report(claims=[claim, claim | {"methods": ["B", "A"]}])
    read = Reader(page(made, recorded))
    verdicts = [a["data-verdict"] for a in read.of("span") if "data-verdict" in a]
    expected = [
        each
        for j in made.claims
        for each in [j.verdict, *(f.verdict for f in j.findings)]
    ]
    assert verdicts == expected
    assert set(verdicts) == {"holds", "does not hold"}


def unpacked(trials):
    """The fields of every record again."""
    for i in range(trials["count"]):
        yield {
            name: column["values"][column["at"][i] if "at" in column else i]
            for name, column in trials["fields"].items()
        }


def test_every_record_is_there_with_its_details(report):
    chosen = record(
        "yeast", "A", 0, "2", 0.1, chosen={"alpha": 0.9, "top": None}, reached=0.5
    )
    bad = record("yeast", "B", 0, "2", 0, status="failed", error="ValueError: no")
    made, recorded = report([*records(["emotions"]), chosen, bad])
    rows = list(unpacked(numbers(page(made, recorded))["trials"]))
    assert len(rows) == len(recorded) == 12
    first, good, failed = rows[0], rows[-2], rows[-1]
    assert first["fit, s"] == 0.123457
    assert first["peak memory, MB"] == 250.5
    assert first["reducer"] == "pca (whiten = True)"
    assert first["classifier"] == "mlknn"
    assert [good["chosen"], good["inner score"]] == ["alpha = 0.9", 0.5]
    assert [failed["status"], failed["reason"]] == ["failed", "ValueError: no"]
    assert [good["reason"], failed["chosen"]] == [None, None]


def test_failed_cells_and_missing_data_sets_are_named_at_the_top(report):
    bad = record("yeast", "B", 0, "2", 0, status="failed", error="ValueError: no")
    text = page(*report([*records(["emotions"]), bad]))
    top = text.partition('id="figures"')[0]
    assert "No record of: scene." in top
    assert "<li>yeast / B / 2: ValueError: no</li>" in top


def test_provenance_says_what_made_how_many_records_and_when(report):
    old = [r | {"provenance": {}} for r in records(["scene"])]
    text = page(*report([*records(["emotions", "yeast"]), *old]))
    part = text.partition('id="provenance"')[2]
    rows = re.findall(r'<tr><th scope="row">.*</tr>', part)
    assert "20</td><td><code>abc+</code>" in rows[0]
    assert "2024-01-01T00:00:00+00:00 to 2024-01-02T00:00:00+00:00" in rows[0]
    assert "10</td><td><code>unknown</code>" in rows[1]


def test_records_without_any_number_still_make_a_page(report):
    bad = [record("yeast", "A", 0, "2", 0, status="failed", error="no", dim=None)]
    found = numbers(page(*report(bad)))
    assert found["results"] == []
    assert found["trials"]["count"] == 1


def test_a_study_of_features_makes_a_page(report):
    features = {"top": [{"name": f"word {i}"} for i in range(50)], "agreement": 0.5}
    ranked = record("emotions", "A", 0, "2", 0, metrics={}, features=features)
    changes = {"study": "features", "split": None, "metrics": []}
    made, recorded = report([ranked], **changes)
    (row,) = unpacked(numbers(page(made, recorded))["trials"])
    assert row["top features"].startswith("word 0, word 1, ")


def test_chosen_settings_have_a_table(report):
    chosen = [r | {"chosen": {"alpha": 0.9}} for r in records(["emotions"], ["B"])]
    (found,) = numbers(page(*report(chosen)))["more"]
    assert found["title"] == "Chosen settings"
    assert found["rows"][0] == ["emotions", "B", "2", "alpha 0.9 (2)"]


@given(st.lists(st.one_of(st.none(), st.integers(0, 5), st.text(max_size=2))))
def test_a_packed_column_unpacks_to_its_values(values):
    packed = json.loads(json.dumps(_column(values)))
    at = packed.get("at", range(len(values)))
    assert [packed["values"][place] for place in at] == values
    assert len(packed["values"]) <= max(len(values), 1)


def test_the_index_links_every_experiment_and_counts_its_verdicts(report):
    claim = {"says": "A wins", "kind": "order", "methods": ["A", "B"]}
    made, _ = report(published=PUBLISHED, claims=[claim])
    found = numbers(index([made]))
    (line,) = found["experiments"]
    assert line["page"] == f"toy/{PAGE}"
    assert line["verdicts"] == {"reproduced": 1, "better": 1, "differs": 1}
    assert found["verdicts"] == ["reproduced", "better", "differs"]
    assert [line["holding"], line["claims"]] == [1, 1]
    assert [line["datasets"], line["wanted"], line["failed"]] == [3, 3, 0]


def test_an_index_of_nothing_is_a_page():
    assert "0 with records" in index([])


def test_a_record_takes_few_bytes(report):
    small, large = (
        page(*report(record("yeast", "A", i, "2", 0.1 + i / 1e5) for i in range(n)))
        for n in (10, 1010)
    )
    assert len(large) - len(small) < 90 * 1000
