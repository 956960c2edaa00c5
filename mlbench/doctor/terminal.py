"""Where output goes: whether it is a terminal, in colour, how wide, what letters."""

import os
import shutil
import sys
from collections.abc import Iterator

from mlbench.doctor.finding import NOTE, OK, Finding


def terminal() -> Iterator[Finding]:
    """What standard output can show."""
    is_terminal = sys.stdout.isatty()
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") in ("dumb", "unknown")
    width = shutil.get_terminal_size().columns
    encoding = (sys.stdout.encoding or "ascii").lower()
    values = {
        "terminal": is_terminal,
        "colour": is_terminal and not plain,
        "no_color": bool(os.environ.get("NO_COLOR")),
        "width": width,
        "encoding": encoding,
    }
    text = f"{width} columns" if is_terminal else "none, output goes to a file or pipe"
    text += ", in colour" if values["colour"] else ", no colour"
    text += " (NO_COLOR)" if values["no_color"] else ""
    if encoding.replace("-", "") == "utf8":
        yield Finding(OK, "terminal", text, values=values)
    else:
        text += f"; letters are written as {encoding}, which lacks some"
        yield Finding(NOTE, "terminal", text, "export PYTHONUTF8=1", values)
