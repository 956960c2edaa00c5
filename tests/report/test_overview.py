"""The index of all results."""

from mlbench.report.overview import overview
from tests.report.test_report import PUBLISHED, line, records, report  # noqa: F401


def test_every_experiment_has_a_row_with_its_verdicts(report):  # noqa: F811
    found = report(paper="toys", published=PUBLISHED)
    text = overview([found])
    assert line(text, "toys", "toy", "Table 9")[0].startswith("Printed numbers: ")


def test_what_is_missing_is_said(report):  # noqa: F811
    text = overview([report(records(["emotions"]))])
    assert line(text, "-", "toy", "-", "-") == ["missing: yeast; missing: scene"]


def test_a_report_of_everything_leaves_the_index(done):
    results = done.folder / "results"
    assert done("report", "--results", results).exit_code == 0
    first = (results / "README.md").read_bytes()
    assert done("report", "--results", results).exit_code == 0
    assert (results / "README.md").read_bytes() == first
