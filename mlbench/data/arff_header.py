"""The header of an ARFF file: the relation, and the attributes with their values."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

from mlbench.data import limits
from mlbench.data.text import decode, number, short
from mlbench.errors import DataError

MOST_HEADER = 2**26  # bytes: as text they may take four times that
MOST_CATEGORIES = 2**21  # of all attributes together, by their commas
# A shortcut for most lines of most headers, which may have tens of thousands.
USUAL_KINDS: dict[str, tuple[str, ...]] = {"numeric": (), "{0,1}": ("0", "1")}

# A name or value in quotes; possessive, so that a quote that is never closed costs
# one look at the rest of the line and no memory.
QUOTED = r"""'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)\""""
_LINES = re.compile(
    r"((?:@attribute [A-Za-z0-9]++ (?:numeric|\{0,1\})\n)++)"
    r"|((?:[ \t]*+(?:%[^\n]*+)?\n)++)"  # blank lines and comments
    r"|([^\n]*+)\n"
)
_ATTRIBUTE = re.compile(
    rf"\s*(?i:@attribute)\s+(?:(?:{QUOTED})\s*|(\S+)\s+|([^\s{{]+)(?=\{{))"
    r"(\{.*\}|[A-Za-z]+)\s*",
    re.ASCII,
)
_RELATION = re.compile(r"[ \t]*(?i:@relation)\b[ \t]*(.*)")
_FIELD = re.compile(rf"[ \t]*+(?:{QUOTED}|([^,]*))[ \t]*(,|$)")


class Attribute(NamedTuple):
    """One column: a number, or one of the named categories."""

    name: str
    categories: tuple[str, ...] = ()  # none: a number


class Header(NamedTuple):
    """What stands before the rows."""

    relation: str
    attributes: tuple[Attribute, ...]


def read_header(raw: bytes, path: Path) -> Header:
    """The header in the bytes before the ``@data`` line."""
    limits.check_size(path, "bytes of header", len(raw), MOST_HEADER)
    limits.check_size(path, "categories", raw.count(b","), MOST_CATEGORIES)
    relation = ""
    attributes: list[Attribute] = []
    for found in _declarations(decode(raw.removesuffix(b"\n")) + "\n", path):
        if isinstance(found, str):
            relation = found
        else:
            attributes += found
            size = len(attributes)
            limits.check_size(path, "attributes", size, limits.MOST_COLUMNS)
    if not attributes:
        raise DataError(f"{path}: no @attribute line before @data, one is needed")
    return Header(relation, tuple(attributes))


def _declarations(text: str, path: Path) -> Iterator[list[Attribute] | str]:
    """Attributes, and names of a relation, as they come."""
    for match in _LINES.finditer(text):
        usual, _, other = match.groups()
        if usual is not None:
            yield _usual_attributes(usual, path)
        elif other is not None:
            try:
                yield _header_line(other)
            except ValueError as exc:
                line = text.count("\n", 0, match.start()) + 1
                raise DataError(f"{path}:{line}: {exc}") from None


def _usual_attributes(lines: str, path: Path) -> list[Attribute]:
    """The attributes of lines like ``@attribute name numeric``."""
    limits.check_size(path, "attributes", lines.count("\n"), limits.MOST_COLUMNS)
    words = lines.split()
    kinds = map(USUAL_KINDS.__getitem__, words[2::3])
    # made as tuples, since there may be tens of thousands: a third of the time
    made = map(tuple.__new__, repeat(Attribute), zip(words[1::3], kinds, strict=True))
    return list(made)


def _header_line(line: str) -> list[Attribute] | str:
    """The attribute a header line declares, or the name of the relation."""
    if match := _ATTRIBUTE.fullmatch(line):
        single, double, bare, glued, kind = match.groups()
        name = bare or glued or unquoted(single, double, None)
        return [Attribute(name, _categories(kind))]
    if match := _RELATION.fullmatch(line):
        return match[1]
    raise ValueError(
        f"{short(line.strip())} is not a header line, "
        "the form is: @attribute name numeric, or @attribute name {a, b}"
    )


@lru_cache  # nearly all attributes of a file share one or two declarations
def _categories(kind: str) -> tuple[str, ...]:
    if kind.lower() in ("numeric", "real", "integer"):
        return ()
    if not kind.startswith("{"):
        raise ValueError(
            f"attributes of type {short(kind)} are not supported, "
            "only numeric, real, integer and {...}"
        )
    names = tuple(fields(kind[1:-1]))
    if "" in names or len(set(names)) < len(names):
        raise ValueError(f"empty or repeated categories in {short(kind)}")
    return names


@lru_cache
def levels(categories: tuple[str, ...]) -> dict[str | float | None, float]:
    """Value of each category: by number if all are numbers, by name otherwise."""
    numbers = [number(category) for category in categories]
    if None in numbers:
        return {category: float(k) for k, category in enumerate(categories)}
    return {value: value for value in numbers if value is not None}


def value_of(text: str, attribute: Attribute) -> float:
    """The number that stands for a value of the attribute."""
    name, categories = attribute
    known = levels(categories)
    value = known.get(text, known.get(number(text))) if known else number(text)
    if value is not None:
        return value
    if text == "?":
        raise ValueError(
            f"the value of attribute {short(name)} is missing ('?'), "
            "missing values are not supported"
        )
    wanted = f"one of {short(', '.join(categories))}" if categories else "a number"
    raise ValueError(
        f"{short(text)} is not a value of attribute {short(name)}, {wanted} is needed"
    )


def fields(text: str) -> list[str]:
    """Values between commas, quotes taken off."""
    return [unquoted(*match.groups()[:3]) for match in matches(_FIELD, text)]


def matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Matches one after the other; the last group of the last one is empty."""
    position, comma = 0, ","
    while comma:
        match = pattern.match(text, position)
        if match is None:
            raise ValueError(
                f"{short(text[position:])} is not an entry, the form is: index value"
            )
        yield match
        position, comma = match.end(), match[match.re.groups]


def unquoted(single: str | None, double: str | None, bare: str | None) -> str:
    """The name or value in whichever way it was written."""
    if bare is not None:
        return bare.strip(" \t")
    return re.sub(r"\\(.)", r"\1", single if single is not None else double or "")
