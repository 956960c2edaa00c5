"""Tables as Markdown, aligned so that they also read well as plain text."""

from mlbench.report.tables import Table, Value


def escape(text: str) -> str:
    """Text that Markdown shows as it is."""
    for character in "\\`*_|<>[]&":
        text = text.replace(character, f"\\{character}")
    return text


def table(made: Table) -> str:
    """One table with its heading and notes."""
    head = [escape(name) for name in made.head]
    rows = [[_cell(value) for value in row] for row in made.rows]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [_line(head, widths), _line(["-" * width for width in widths], widths)]
    lines += [_line(row, widths) for row in rows]
    notes = [f"*{escape(note)}*" for note in made.notes]
    return "\n\n".join([f"### {escape(made.title)}", "\n".join(lines), *notes])


def _cell(value: "str | Value") -> str:
    if isinstance(value, Value):
        return f"**{value.text}**" if value.best else value.text
    return escape(value)


def _line(cells: list[str], widths: list[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return f"| {' | '.join(padded)} |"
