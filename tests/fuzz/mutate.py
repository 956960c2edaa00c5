"""Ways to spoil a file: bytes, lines, numbers, and pieces known to make trouble."""

import random
import re

PIECES = [
    *[b"", b"\0", b"\n", b"\r\n", b"\r", b"\t", b" ", b",", b",,", b"'", b'"', b"\\"],
    *[b"{", b"}", b"{}", b"{{", b":", b"::", b"#", b"%", b"?", b"-", b"+", b".", b"e"],
    *[b"@data", b"@attribute x numeric\n", b"@attribute y {a,b}\n", b"@relation"],
    *[b"-C 2", b"-C -9", b"-C 999999999", b"numeric", b"{0,1}", b"string"],
    *[b"nan", b"NaN", b"inf", b"-Infinity", b"1e999", b"-0.0", b"0x10", b"1_0"],
    *[b"0", b"1", b"-1", b"2147483648", b"99999999999999999999", b"1e-400", b".5"],
    *[b"4294967296:1", b"0:1", b"1:nan", b"qid:3", b"{5000000000 1}", b"{-1 1}"],
    *[b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xc3", b"\xe2\x80\xa8", b"\xd9\xa1"],
    *[b"\x0b", b"\x0c", b"\x1c", b"\x85", b"\xc2\xa0", b"\xf0\x9f\x8c\x8d"],
    *[b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;", b"&#0;", b"<label name='x'/>"],
    *[b"<![CDATA[", b"<!--", b"]]>", b"</labels>", b"<?xml version='1.1'?>"],
    *[b"PK\x01\x02", b"PK\x03\x04", b"\x93NUMPY", b"|O", b"<U9", b"True", b"(9,)"],
    *[b"\xff\xff\xff\xff", b"\x00\x00\x00\x80", b"\x01\x00\x00\x00" * 2],
]
NUMBERS = re.compile(rb"[0-9]+")


def mutated(raw: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """The bytes with one to six things changed."""
    for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
        raw = rng.choice(WAYS)(raw, others, rng)
    return raw


def _place(raw: bytes, rng: random.Random) -> int:
    return rng.randrange(len(raw) + 1)


def _span(raw: bytes, rng: random.Random) -> tuple[int, int]:
    start = _place(raw, rng)
    return start, min(len(raw), start + rng.choice([1, 1, 2, 4, 8, 30, 200]))


def flip_byte(raw, _, rng):
    """Another byte in place of one."""
    at = _place(raw, rng)
    return raw[:at] + bytes([rng.randrange(256)]) + raw[at + 1 :]


def flip_bit(raw, _, rng):
    """One bit the other way round."""
    if not raw:
        return raw
    at = rng.randrange(len(raw))
    return raw[:at] + bytes([raw[at] ^ 1 << rng.randrange(8)]) + raw[at + 1 :]


def cut_out(raw, _, rng):
    """Some bytes less."""
    start, end = _span(raw, rng)
    return raw[:start] + raw[end:]


def cut_short(raw, _, rng):
    """The end is missing."""
    return raw[: _place(raw, rng)]


def repeat(raw, _, rng):
    """Some bytes again, once or many times."""
    start, end = _span(raw, rng)
    return raw[:end] + raw[start:end] * rng.choice([1, 2, 50]) + raw[end:]


def insert_piece(raw, _, rng):
    """Something known to make trouble."""
    at = _place(raw, rng)
    return raw[:at] + rng.choice(PIECES) + raw[at:]


def replace_piece(raw, _, rng):
    """Something known to make trouble in place of some bytes."""
    start, end = _span(raw, rng)
    return raw[:start] + rng.choice(PIECES) + raw[end:]


def other_number(raw, _, rng):
    """Another number in place of one."""
    found = list(NUMBERS.finditer(raw))
    if not found:
        return raw
    match = rng.choice(found)
    value = rng.choice([b"0", b"1", b"-1", b"7", b"65536", b"3000000000", b"1e300"])
    return raw[: match.start()] + value + raw[match.end() :]


def move_line(raw, _, rng):
    """A line stands elsewhere, or twice, or not at all."""
    lines = raw.split(b"\n")
    line = rng.choice(lines)
    if rng.random() < 0.7:
        lines.remove(line)
    if rng.random() < 0.7:
        lines.insert(rng.randrange(len(lines) + 1), line)
    return b"\n".join(lines)


def crossed(raw, others, rng):
    """The beginning of one file and the end of another."""
    other = rng.choice(others)
    return raw[: _place(raw, rng)] + other[_place(other, rng) :]


def line_ends(raw, _, rng):
    """Line ends of another system."""
    return raw.replace(b"\n", rng.choice([b"\r\n", b"\r"]))


WAYS = [flip_byte, flip_bit, cut_out, cut_short, repeat, insert_piece, replace_piece]
WAYS += [other_number, other_number, move_line, crossed, line_ends]
