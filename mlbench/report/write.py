"""Everything a report has, as files beside the records it was made from."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from mlbench.errors import ResultsError
from mlbench.report.build import Report
from mlbench.report.overview import overview

FIGURES = "figures"
FORMATS = ("svg",)  # by default; others take time and can be asked for


def write(report: Report, folder: Path, formats: Sequence[str] = FORMATS) -> None:
    """Text, numbers, LaTeX, figures, a page: the same bytes for the same records."""
    # Imported here: matplotlib and jinja2 are for those who want pictures and pages.
    from mlbench.report.figures import figures_of, printed_figures, save
    from mlbench.report.latex import latex_document
    from mlbench.report.page import PAGE, page

    _keep(folder / "report.md", report.text)
    _keep(folder / "table.csv", report.frame.to_csv(index=False, lineterminator="\n"))
    _keep(folder / "tables.tex", latex_document(report))
    _keep(folder / PAGE, page(report, report.records))
    made = figures_of(report.experiment, report.frame, report.records)
    made |= printed_figures(report.experiment, report.against)
    for name, figure in made.items():
        for suffix in formats:
            path = folder / FIGURES / f"{name}.{suffix}"
            with _writing(path):
                save(figure, path)


def write_overview(reports: Iterable[Report], results: Path) -> None:
    """The index over all experiments: to read, and to look at."""
    from mlbench.report.page import INDEX, index

    reports = list(reports)
    _keep(results / "README.md", overview(reports))
    _keep(results / INDEX, index(reports))


def _keep(path: Path, text: str) -> None:
    with _writing(path):
        path.write_text(text, encoding="utf-8")


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        path.parent.mkdir(exist_ok=True)
        yield
    except OSError as exc:
        raise ResultsError(f"{path}: cannot be written ({exc.strerror})") from exc
