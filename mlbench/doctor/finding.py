"""One thing that was looked at, and what the user can do about it."""

from dataclasses import asdict, dataclass, field
from typing import Any

OK = "ok"
NOTE = "note"  # it works, but not as well as it could
PROBLEM = "problem"  # something will not work


@dataclass(frozen=True)
class Finding:
    """What was found out about a subject, in words and as values for scripts."""

    status: str
    subject: str
    text: str
    fix: str | None = None  # the command that mends it, if anything is to be mended
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def data(self) -> dict[str, Any]:
        """The finding for scripts."""
        return asdict(self)


def size(count: float) -> str:
    """A number of bytes as people read it.

    >>> size(512), size(2_500_000), size(78e9)
    ('512 bytes', '2.5 MB', '78.0 GB')
    """
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count:.0f} bytes"
