"""The parts of the README that are made, not written: ``make readme``.

Each stands between two comments that name it. A test keeps them current.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from mlbench.data.catalogue import Entry, catalogue
from mlbench.data.citations import citations

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"


def papers() -> str:
    """The verdicts on all papers, as ``mlbench report`` wrote them last."""
    text = (ROOT / "results" / "README.md").read_text(encoding="utf-8")
    table = re.search(r"^\| paper .*?(?=\n\n)", text, re.DOTALL | re.MULTILINE)
    assert table
    return re.sub(r" {2,}", " ", re.sub(r"-{4,}", "---", table[0]))


def datasets() -> str:
    """Rows of the catalogue; the sets of one corpus share a row."""
    rows = []
    for names, entries in _families():
        sizes = [_span([getattr(e, size) for e in entries]) for size in SIZES]
        cells = [", ".join(f"`{name}`" for name in names), *sizes, _cited(names[0])]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


SIZES = ("instances", "features", "labels")


def _families() -> Iterator[tuple[list[str], list[Entry]]]:
    """Sets with a reference of their own one by one, those of a corpus together."""
    grouped: dict[str, list[Entry]] = {}
    for entry in catalogue().values():
        corpus = re.sub(r"^yahoo-\w+", "yahoo", entry.name)
        grouped.setdefault(corpus, []).append(entry)
    for entries in grouped.values():
        yield [entry.name for entry in entries], entries


def _span(numbers: list[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _cited(name: str) -> str:
    """Authors and year of the first work to cite, from its BibTeX."""
    entry = citations(name)[0]
    people, year = (
        re.search(rf"{key} = {{(.*)}}", entry) for key in ("author", "year")
    )
    assert people
    assert year
    families = [_plain(one.partition(",")[0]) for one in people[1].split(" and ")]
    if len(families) > 3 or "others" in families:
        return f"{families[0]} et al. {year[1]}"
    several = ", ".join(families[:-1])
    return (
        f"{several} and {families[-1]} {year[1]}"
        if several
        else f"{families[0]} {year[1]}"
    )


def _plain(name: str) -> str:
    """A name without the braces and commands of LaTeX."""
    accents = {r"\'": "\u0301", r"\`": "\u0300", r"\"": "\u0308", r"\c": "\u0327"}
    accents |= {r"\~": "\u0303", r"\^": "\u0302"}
    for command, accent in accents.items():
        pattern = rf"{{?{re.escape(command)}\s*{{?(\w)}}?}}?"
        name = re.sub(pattern, rf"\1{accent}", name)
    return unicodedata.normalize("NFC", name.replace("{", "").replace("}", ""))


def speed() -> str:
    """Ours against each rival, from the last ``make bench``."""
    found = json.loads((ROOT / "results" / "bench" / "bench.json").read_text())
    lines = ["| job | rival | rival's time / ours |", "| --- | --- | --- |"]
    for row in found["rows"]:
        lines.append(f"| {row['title']} | {row['rival']} | {row['ratio']:g} |")
    return "\n".join(lines)


PARTS = {"papers": papers, "datasets": datasets, "speed": speed}


def renewed(text: str) -> str:
    """The text of the README with every part made anew."""
    for name, make in PARTS.items():
        before, begin, rest = text.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition(f"<!-- /{name} -->")
        assert begin, f"README.md has no place for {name}"
        assert end, f"README.md has no end of {name}"
        text = f"{before}{begin}{make()}\n{end}{after}"
    return text


if __name__ == "__main__":
    README.write_text(renewed(README.read_text(encoding="utf-8")), encoding="utf-8")
