r"""Tables as LaTeX: one to paste into a paper, or all of a report as a document.

A table needs the packages ``booktabs``, ``graphicx``, ``longtable`` and ``textcomp``.
What comes from data, configs or records is text, never markup: it is escaped to plain
ASCII, so that a name such as ``\input{x}`` is printed and any TeX engine can read it.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mlbench.report.published import comparison_tables
from mlbench.report.tables import DIGITS, MEAN, Table, Value, tables
from mlbench.stats import ALPHA, average_ranks, paired_t

if TYPE_CHECKING:  # build makes reports; this only reads one
    from mlbench.report.build import Report

RANK = "average rank"
MOST_LINES = 30  # of a table that floats; a longer one may break over pages
LEAST_SETS = 3  # for a paired t test: of two differences a spread says little

# ASCII that TeX reads as an order, or prints as something else.
_ASCII = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedblright{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",  # after the end of a line it would open an argument
    "]": "{]}",
    "*": "{*}",  # the same, for a starred line end
}
_SIGNS = {
    "±": r"\ensuremath{\pm}",
    "×": r"\ensuremath{\times}",
    "≤": r"\ensuremath{\le}",
    "≥": r"\ensuremath{\ge}",
    "≠": r"\ensuremath{\ne}",
    "∞": r"\ensuremath{\infty}",
    "−": r"\ensuremath{-}",
    "·": r"\ensuremath{\cdot}",
    "°": r"\textdegree{}",
    "†": r"\dag{}",
    "§": r"\S{}",
    "–": r"\textendash{}",
    "—": r"\textemdash{}",
    "‘": r"\textquoteleft{}",
    "’": r"\textquoteright{}",
    "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}",
    "…": r"\dots{}",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
    **{
        chr(code): rf"\ensuremath{{\{unicodedata.name(chr(code)).split()[-1].lower()}}}"
        for code in range(ord("α"), ord("ω") + 1)
        if chr(code) not in "ολς"  # no such command, or Unicode spells it otherwise
    },
    "λ": r"\ensuremath{\lambda}",
    "µ": r"\ensuremath{\mu}",  # the micro sign, which is not the letter
}
# Combining marks, by the accent that LaTeX puts on a letter.
_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
}


def escape(text: str) -> str:
    r"""Text that LaTeX prints as it is, in ASCII; a blank of any kind is a space.

    A letter with accents becomes a letter with LaTeX's accents. Of what is left
    outside ASCII, what has no command here is printed by its number.

    >>> print(escape("a_b%c&d"), escape("Kovács ± 中"))
    a\_b\%c\&d Kov\'{a}cs \ensuremath{\pm} {[}U+4E2D{]}
    """
    words = " ".join(unicodedata.normalize("NFC", text).split())
    shown = "".join(map(_character, words))
    return re.sub(r"([-'])(?=\1)", r"\1{}", shown)  # two would run together


def _character(character: str) -> str:
    if character in _ASCII:
        return _ASCII[character]
    if character in _SIGNS:
        return _SIGNS[character]
    if " " <= character <= "~":
        return character
    letter, *marks = list(unicodedata.normalize("NFD", character))
    if marks and letter.isascii() and all(mark in _ACCENTS for mark in marks):
        for mark in marks:
            letter = rf"\{_ACCENTS[mark]}{{{letter}}}"
        return letter
    return f"{{[}}U+{ord(character):04X}{{]}}"


@dataclass(frozen=True)
class Worse:
    """Cells that a test finds worse than the best of their row.

    A cell is named by the words its row begins with and its column: ``("yeast", "A")``,
    or ``("mean", "0.2", "A")`` in a table with dimensions.
    """

    cells: frozenset[tuple[str, ...]]
    test: str  # in words, for the note under the table


def worse_over_datasets(made: Table) -> Worse | None:
    """What the paired t test over the data sets of a table marks in its mean rows.

    Each method is held against the one with the best mean, on the data sets that have
    a number for both. None when nothing can be tested: no mean, too few data sets.
    """
    keys, better = _keys(made), _better(made)
    cells, tested = set(), False
    for mean in (row for row in made.rows if row[0] == MEAN):
        sets = _sets_beside(made, mean, keys)
        best = next((at for at, value in enumerate(mean) if _is_best(value)), None)
        for at in range(keys, len(mean)):
            if best is None or at == best or not isinstance(mean[at], Value):
                continue
            pairs = [
                (a.mean, b.mean)
                for a, b in ((row[at], row[best]) for row in sets)
                if isinstance(a, Value) and isinstance(b, Value)
            ]
            if len(pairs) < LEAST_SETS:
                continue
            tested = True
            ours, best_ones = zip(*pairs, strict=True)
            if paired_t(ours, best_ones, better).verdict == "worse":
                cells.add(_name(made, mean, at, keys))
    test = f"paired t test over the data sets, two-sided, level {ALPHA:g}"
    return Worse(frozenset(cells), test) if tested else None


def latex_table(
    made: Table, *, worse: Worse | None = None, notes: Iterable[str] = ()
) -> str:
    r"""One table: the best of a row bold, the second best underlined.

    Below the rows of a table over two data sets or more stands the average rank of
    each method; below the table stand its own notes and the given ones, such as the
    assumptions of an experiment. A table of more than 30 lines can break over pages.

    Parameters
    ----------
    made : Table
    worse : Worse or None
        The cells that get a dagger, and the test that found them.
    notes : iterable of str
        What else is to stand under the table.

    Examples
    --------
    >>> row = ["a_b", Value(0.1, best=True), Value(0.2)]
    >>> print(latex_table(Table("Loss", ["data set", "A", "B"], [row])))
    \begin{table}[htbp]
    \centering
    \caption{Loss}
    \label{tab:loss}
    \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%
    \begin{tabular}{lll}
    \toprule
    data set & A & B \\
    \midrule
    a\_b & \textbf{0.1000} & \underline{0.2000} \\
    \bottomrule
    \end{tabular}}
    \par\medskip\begin{minipage}{\linewidth}\footnotesize\raggedright
    Best of a row in bold, second best underlined.\par
    \end{minipage}
    \end{table}
    """
    keys = _keys(made)
    _check_cells(made, worse, keys)
    body = _body(made, worse, keys)
    ranks = _rank_rows(made, keys)
    if ranks:
        body += [r"\midrule", *ranks]
    said = [*_legend(made, worse, bool(ranks)), *made.notes, *notes]
    below = [rf"{escape(note)}\par" for note in said]
    lines = _floating if len(made.rows) + len(ranks) <= MOST_LINES else _breaking
    return "\n".join(lines(made, body, below))


def _floating(made: Table, body: list[str], below: list[str]) -> Iterator[str]:
    """A table that LaTeX finds a place for; shrunk if it is wider than the page."""
    yield from (r"\begin{table}[htbp]", r"\centering", *_caption(made))
    yield r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
    yield from (rf"\begin{{tabular}}{{{_columns(made)}}}", r"\toprule", _head(made))
    yield from (r"\midrule", *body, r"\bottomrule", r"\end{tabular}}")
    if below:
        opening = r"\begin{minipage}{\linewidth}\footnotesize\raggedright"
        yield from (rf"\par\medskip{opening}", *below, r"\end{minipage}")
    yield r"\end{table}"


def _breaking(made: Table, body: list[str], below: list[str]) -> Iterator[str]:
    """A table over several pages, its head on each; small, as it cannot be shrunk."""
    yield r"\begingroup\scriptsize\setlength{\tabcolsep}{3pt}"
    yield rf"\begin{{longtable}}{{{_columns(made)}}}"
    yield from ("%\n".join(_caption(made)) + r"\\", r"\toprule", _head(made))
    yield from (r"\midrule", r"\endfirsthead")
    yield from (r"\toprule", _head(made), r"\midrule", r"\endhead")
    yield from (r"\bottomrule", r"\endfoot", *body, r"\end{longtable}")
    yield from (r"\footnotesize\raggedright\noindent", *below, r"\endgroup")


def _columns(made: Table) -> str:
    """All to the left: so means are under each other, with a deviation or without."""
    return "l" * len(made.head)


def _caption(made: Table) -> list[str]:
    slug = re.sub("[^a-z0-9]+", "-", made.title.lower()).strip("-")
    return [rf"\caption{{{escape(made.title)}}}", rf"\label{{tab:{slug}}}"]


def _head(made: Table) -> str:
    return _line(escape(name) for name in made.head)


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _body(made: Table, worse: Worse | None, keys: int) -> list[str]:
    """The rows, with air between data sets that have several."""
    lines: list[str] = []
    better = _better(made)
    marked = worse.cells if worse else frozenset()
    before = made.rows[0][0] if made.rows else ""
    for row in made.rows:
        if row[0] != before:
            lines += _gap(made, row[0])
        before = row[0]
        second = _second(row, better)
        lines.append(
            _line(
                escape(cell)
                if isinstance(cell, str)
                else _number(cell, second, _name(made, row, at, keys) in marked)
                for at, cell in enumerate(row)
            )
        )
    return lines


def _gap(made: Table, name: str | Value) -> list[str]:
    if name == MEAN:
        return [r"\midrule"]
    several = len({row[0] for row in made.rows}) < len(made.rows)
    return [r"\addlinespace"] if several else []


def _number(value: Value, second: float | None, marked: bool) -> str:
    mean, _, rest = value.text.partition(" ")
    shown = escape(mean)
    if value.best:
        shown = rf"\textbf{{{shown}}}"
    elif round(value.mean, DIGITS) == second:
        shown = rf"\underline{{{shown}}}"
    shown += f" {escape(rest)}" if rest else ""
    return shown + (r"\textsuperscript{\dag}" if marked else "")


def _second(row: Sequence[str | Value], better: str) -> float | None:
    """The best printed number of a row that is not marked as the best."""
    values = [value for value in row if isinstance(value, Value)]
    rest = [round(value.mean, DIGITS) for value in values if not value.best]
    if not rest or len(rest) == len(values):
        return None
    return min(rest) if better == "lower" else max(rest)


def _legend(made: Table, worse: Worse | None, ranked: bool) -> Iterator[str]:
    if any(_is_best(cell) for row in made.rows for cell in row):
        yield "Best of a row in bold, second best underlined."
    if worse:
        yield f"†: significantly worse than the best of its row ({worse.test})."
    if ranked:
        yield (
            "Average rank: 1 is best, ties share the mean; over the data sets with a "
            "number for every method."
        )


def _rank_rows(made: Table, keys: int) -> list[str]:
    """The average ranks over the data sets, for each dimension and setting."""
    kinds = dict.fromkeys(tuple(row[1:keys]) for row in made.rows)
    return [
        _line([RANK, *(escape(str(word)) for word in kind), *_ranks(made, kind, keys)])
        for kind in kinds
        if len(_complete(made, kind, keys)) > 1
    ]


def _ranks(made: Table, kind: tuple, keys: int) -> list[str]:
    numbers = [
        [cell.mean for cell in row if isinstance(cell, Value)]
        for row in _complete(made, kind, keys)
    ]
    shown = [f"{rank:.2f}" for rank in average_ranks(numbers, _better(made))]
    best = min(shown, key=float)
    return [rf"\textbf{{{rank}}}" if rank == best else rank for rank in shown]


def _complete(made: Table, kind: tuple, keys: int) -> list[list[str | Value]]:
    """The rows of data sets, at one dimension and setting, that lack no number."""
    return [
        row
        for row in made.rows
        if row[0] != MEAN
        and tuple(row[1:keys]) == kind
        and len(row) - keys > 1
        and all(isinstance(cell, Value) for cell in row[keys:])
    ]


def _sets_beside(made: Table, mean: list[str | Value], keys: int):
    """The rows of the data sets that a mean row is over."""
    return [row for row in made.rows if row[0] != MEAN and row[1:keys] == mean[1:keys]]


def _keys(made: Table) -> int:
    """How many columns of words stand before the first number; all, without one."""
    return min(
        (at for row in made.rows for at, cell in enumerate(row) if _is_number(cell)),
        default=len(made.head),
    )


def _better(made: Table) -> str:
    """The direction of a table: where its best numbers are."""
    for row in made.rows:
        values = [cell for cell in row if isinstance(cell, Value)]
        best = [value.mean for value in values if value.best]
        rest = [value.mean for value in values if not value.best]
        if best and rest:
            return "lower" if best[0] < rest[0] else "higher"
    return "lower"  # nothing differs in print


def _is_number(cell: str | Value) -> bool:
    return isinstance(cell, Value)


def _is_best(cell: str | Value) -> bool:
    return isinstance(cell, Value) and cell.best


def _name(made: Table, row: Sequence[str | Value], at: int, keys: int):
    """The words a row begins with, and the column."""
    return (*map(str, row[:keys]), made.head[at])


def _check_cells(made: Table, worse: Worse | None, keys: int) -> None:
    known = {
        _name(made, row, at, keys) for row in made.rows for at in range(keys, len(row))
    }
    strange = sorted(worse.cells - known) if worse else []
    if strange:
        raise ValueError(
            f"a cell to mark must be in the table {made.title!r}, got {strange[0]!r}"
        )


PREAMBLE = r"""\documentclass[a4paper]{article}
\usepackage[landscape,margin=1.5cm]{geometry}
\usepackage{booktabs,graphicx,longtable,textcomp}
\setlength{\parindent}{0pt}
% As many tables on a page as it holds.
\renewcommand{\topfraction}{1}
\renewcommand{\bottomfraction}{1}
\renewcommand{\textfraction}{0}
\renewcommand{\floatpagefraction}{0.8}
\setcounter{topnumber}{9}
\setcounter{bottomnumber}{9}
\setcounter{totalnumber}{9}
\begin{document}"""

FLUSH = r"\clearpage"  # so that no table floats past what comes next


def latex_document(report: "Report") -> str:
    """The verdicts, tables and assumptions of a report, ready to compile."""
    experiment = report.experiment
    parts = [PREAMBLE, rf"\section*{{{escape(experiment.title or experiment.name)}}}"]
    if experiment.reference:
        parts.append(escape(experiment.reference))
    parts += _list(
        "Claims", [f"{c.says}: {c.verdict} ({c.counts})" for c in report.claims]
    )
    parts += map(latex_table, comparison_tables(experiment, report.against))
    parts.append(FLUSH)
    for made in tables(experiment, report.frame):
        parts.append(latex_table(made, worse=worse_over_datasets(made)))
    parts += map(latex_table, report.more)
    parts.append(FLUSH)
    parts += _list("Missing data sets", report.missing)
    parts += _list("Failed", report.failed)
    parts += _list("Assumptions", assumption_notes(report))
    return "\n\n".join([*parts, r"\end{document}"]) + "\n"


def assumption_notes(report: "Report") -> list[str]:
    """What the paper left unsaid and what was chosen, a note each."""
    return [f"{item.what}: {item.why}" for item in report.experiment.assumptions]


def _list(title: str, items: Sequence[str]) -> list[str]:
    if not items:
        return []
    lines = [rf"\item {escape(item)}" for item in items]
    return [
        "\n".join(
            [
                rf"\subsection*{{{title}}}",
                r"\begin{itemize}",
                *lines,
                r"\end{itemize}",
            ]
        )
    ]
