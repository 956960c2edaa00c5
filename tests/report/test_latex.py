r"""LaTeX by hand on small tables; compiled where a TeX is installed."""

import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlbench.report.latex import (
    MOST_LINES,
    PREAMBLE,
    Worse,
    escape,
    latex_document,
    latex_table,
    worse_over_datasets,
)
from mlbench.report.tables import Table, Value
from mlbench.stats import paired_t
from tests.report.test_report import CONFIG, record, records, report

__all__ = ["report"]  # a fixture

NASTY = [
    "a_b%c&d",
    "<script>alert(1)</script>",
    r"\input{x}",
    r"\\[2cm]",
    "$x$ $",
    "#1 ~ ^ ^^M",
    "{",
    "}",
    "[an argument]",
    "*star",
    "``quoted'' \"so\" -- and --- ?` !`",
    "± Ó é ß ł ñ ů ő ç ï α λ µ ≤ − – ° “ ” † §",
    "中文 \x07 \u200b \U0001f600",
    "two\n\nparagraphs",
    r"\end{document}",
    "|bars| @ : ; = 'a' , ,,",
]


def value(mean, best=False, deviation=None):
    return Value(mean, deviation, best)


def losses(best="lower"):
    """Three data sets, A clearly best, B and C in turns, and the mean."""
    numbers = np.array([[0.1, 0.3, 0.2], [0.2, 0.4, 0.3], [0.3, 0.4, 0.5]])
    if best == "higher":
        numbers = 1 - numbers
    rows = [
        [name, *(value(x, best=at == 0) for at, x in enumerate(row))]
        for name, row in zip("xyz", numbers, strict=True)
    ]
    mean = numbers.mean(axis=0)
    rows.append(["mean", *(value(x, at == 0, 0.1) for at, x in enumerate(mean))])
    return Table("Loss", ["data set", "A", "B", "C"], rows, ["A note."])


def line(text, *begin):
    """The cells of the line that begins with these."""
    for found in text.splitlines():
        cells = [cell.strip() for cell in found.removesuffix(r"\\").split(" & ")]
        if tuple(cells[: len(begin)]) == begin:
            return cells[len(begin) :]
    raise AssertionError(f"no line {begin} in\n{text}")


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_the_best_is_bold_and_the_second_best_underlined(better):
    text = latex_table(losses(better))
    first, second, third = (0.1, 0.2, 0.3) if better == "lower" else (0.9, 0.8, 0.7)
    assert line(text, "x") == [
        rf"\textbf{{{first:.4f}}}",
        f"{third:.4f}",
        rf"\underline{{{second:.4f}}}",
    ]


def test_a_deviation_stands_behind_the_marked_mean():
    assert line(latex_table(losses()), "mean")[0] == (
        r"\textbf{0.2000} \ensuremath{\pm} 0.1000"
    )


def test_numbers_that_print_alike_are_second_best_together():
    row = ["x", value(0.1, best=True), value(0.20001), value(0.20002), value(0.3)]
    text = latex_table(Table("Loss", ["data set", *"ABCD"], [row]))
    assert line(text, "x")[1:] == [r"\underline{0.2000}"] * 2 + ["0.3000"]


def test_a_row_of_one_number_has_no_marks():
    text = latex_table(Table("Loss", ["data set", "A"], [["x", value(0.1)]]))
    assert line(text, "x") == ["0.1000"]
    assert "bold" not in text


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_average_ranks_are_over_the_data_sets_and_not_their_mean(better):
    ranks = line(latex_table(losses(better)), "average rank")
    assert ranks == [r"\textbf{1.00}", "2.67", "2.33"]


def test_ranks_leave_out_a_data_set_that_lacks_a_number():
    made = losses()
    made.rows[0][3] = ""
    ranks = line(latex_table(made), "average rank")
    assert ranks == [r"\textbf{1.00}", "2.50", "2.50"]


def test_each_dimension_has_ranks_of_its_own():
    rows = [
        ["x", "2", value(0.1, best=True), value(0.2)],
        ["x", "4", value(0.3), value(0.2, best=True)],
        ["y", "2", value(0.1, best=True), value(0.2)],
        ["y", "4", value(0.1, best=True), value(0.2)],
    ]
    text = latex_table(Table("Loss", ["data set", "dim", "A", "B"], rows))
    assert line(text, "average rank", "2") == [r"\textbf{1.00}", "2.00"]
    assert line(text, "average rank", "4") == [r"\textbf{1.50}", r"\textbf{1.50}"]


def test_one_data_set_has_no_average_rank():
    made = losses()
    assert "average rank" not in latex_table(Table("L", made.head, made.rows[:1]))


def test_a_table_of_words_is_just_printed():
    text = latex_table(Table("Words", ["a", "b"], [["1 / 2", "3 %"], ["x", ""]]))
    assert line(text, "1 / 2") == [r"3 \%"]
    assert "rank" not in text
    assert "bold" not in text


def test_an_empty_table_has_a_head():
    assert line(latex_table(Table("Empty", ["a", "b"])), "a") == ["b"]


def test_notes_stand_under_the_table_in_order():
    text = latex_table(losses(), notes=["an assumption: its reason"])
    below = text[text.index(r"\end{tabular}") :]
    assert below.index("A note.") < below.index("an assumption: its reason")


def test_marked_cells_get_a_dagger_and_the_test_is_named():
    worse = Worse(frozenset({("y", "B"), ("mean", "C")}), "a test")
    text = latex_table(losses(), worse=worse)
    dagger = r"\textsuperscript{\dag}"
    assert [dagger in cell for cell in line(text, "y")] == [False, True, False]
    assert [dagger in cell for cell in line(text, "mean")] == [False, False, True]
    assert text.count(dagger) == 2
    assert "than the best of its row (a test)." in text


def test_a_mark_that_is_nowhere_in_the_table_is_refused():
    worse = Worse(frozenset({("y", "D")}), "a test")
    with pytest.raises(ValueError, match=r"in the table 'Loss', got \('y', 'D'\)"):
        latex_table(losses(), worse=worse)


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_the_test_over_data_sets_marks_the_mean(better):
    rng = np.random.default_rng(0)
    numbers = rng.uniform(size=(8, 1)) + np.array([0, 0.1, 0.001])
    numbers += rng.normal(scale=0.02, size=numbers.shape)
    numbers = numbers if better == "lower" else -numbers
    mean = numbers.mean(axis=0)
    best = int(np.argmin(mean) if better == "lower" else np.argmax(mean))
    rows = [[f"set {i}", *map(value, row)] for i, row in enumerate(numbers)]
    rows.append(["mean", *(value(x, at == best) for at, x in enumerate(mean))])
    found = worse_over_datasets(Table("Loss", ["data set", *"ABC"], rows))
    expected = {
        ("mean", name)
        for at, name in enumerate("ABC")
        if at != best
        and paired_t(numbers[:, at], numbers[:, best], better).verdict == "worse"
    }
    assert found.cells == expected == {("mean", "B")}


def test_two_data_sets_are_too_few_to_test():
    made = losses()
    assert worse_over_datasets(Table("L", made.head, made.rows[1:])) is None
    assert worse_over_datasets(made) is not None


def test_a_table_without_a_mean_has_nothing_to_test():
    made = losses()
    assert worse_over_datasets(Table("L", made.head, made.rows[:3])) is None


def test_a_long_table_breaks_over_pages_with_its_head_on_each():
    rows = [["x", str(i), value(0.1, best=True), value(0.2)] for i in range(31)]
    made = Table("Loss", ["data set", "dim", "A", "B"], rows, ["A note."])
    text = latex_table(made)
    assert text.count("data set & dim & A & B") == 2
    assert r"\begin{table}" not in text
    assert text.index(r"\end{longtable}") < text.index("A note.")
    short = latex_table(Table("Loss", made.head, rows[:MOST_LINES]))
    assert r"\begin{table}" in short


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b%c&d", r"a\_b\%c\&d"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("$#~^", r"\$\#\textasciitilde{}\textasciicircum{}"),
        ("<b>", r"\textless{}b\textgreater{}"),
        ("---", "-{}-{}-"),
        ("*a [b]", "{*}a {[}b{]}"),  # after a line end, they would be its own
        ("a-b", "a-b"),
        ("Ó é", r"\'{O} \'{e}"),
        ("e\u0301", r"\'{e}"),  # letter and accent apart
        ("ǘ", r"\'{\"{u}}"),
        ("0.1 ± 0.2", r"0.1 \ensuremath{\pm} 0.2"),
        ("λ", r"\ensuremath{\lambda}"),
        ("中", "{[}U+4E2D{]}"),
        (" a\n\n b\t", "a b"),
    ],
)
def test_text_is_escaped(text, expected):
    assert escape(text) == expected


@given(st.text())
def test_escaped_text_is_one_line_of_printable_ascii_with_matching_braces(text):
    shown = escape(text)
    assert shown.isascii()
    assert shown.isprintable()
    depth = 0
    for at, character in enumerate(shown):
        if at and shown[at - 1] == "\\":
            continue
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
        assert character not in "%&$#_~^"
    assert depth == 0


def test_the_document_holds_everything_the_report_does(report):
    failed = record(
        "emotions", "C", 0, "2", 0.1, status="failed", error="a_b", dim=None
    )
    made = report(
        [*records(["emotions", "scene"]), failed],
        title="T & T",
        reference="A. Author",
        methods=CONFIG["methods"] | {"C": "nmf"},
        assumptions=[{"what": "scaled_features", "why": "NMF"}],
        published=[
            {
                "where": "Table 9",
                "dataset": "scene",
                "dim": 2,
                "values": {"hamming_loss": {"A": 0.5}},
            }
        ],
        claims=[{"says": "B_is_best", "kind": "first", "methods": ["B", "A"]}],
    )
    text = latex_document(made)
    for part in [
        r"T \& T",
        "A. Author",
        r"B\_is\_best: holds",
        "Table 9, scene",
        "Hamming loss (lower is better)",
        "Average precision (higher is better)",
        r"\item yeast",
        r"emotions / C / 2: a\_b",
        r"scaled\_features: NMF",
    ]:
        assert part in text, part


def test_the_document_is_the_same_twice(report):
    made = report()
    assert latex_document(made) == latex_document(made)


def compiled(text, folder):
    """Run whatever TeX is there; its log if it fails."""
    for name, options in {
        "pdflatex": ["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"],
        "tectonic": ["--untrusted"],
    }.items():
        if program := shutil.which(name):
            (folder / "t.tex").write_text(text, encoding="ascii")
            done = subprocess.run(
                [program, *options, "t.tex"],
                cwd=folder,
                capture_output=True,
                check=False,
            )
            assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
            return folder / "t.pdf"
    pytest.skip("no TeX: install pdflatex (texlive-latex-recommended) or tectonic")


def test_the_document_of_a_report_compiles(report, tmp_path):
    assert compiled(latex_document(report()), tmp_path).stat().st_size > 0


def test_names_that_are_markup_compile(tmp_path):
    rows = [
        [name, name, value(0.1, best=True, deviation=0.01), value(0.2), name]
        for name in NASTY
    ]
    head = ["[a]", "*b", "_c%", r"\d", "#e"]
    short = Table(" ".join(NASTY), head, rows, NASTY)
    long = Table("Long $", head, rows * 3, NASTY)
    text = "\n\n".join(
        [PREAMBLE, latex_table(short), latex_table(long), r"\end{document}"]
    )
    assert compiled(text, tmp_path).stat().st_size > 0
