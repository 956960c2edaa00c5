"""What a user can fix: every such mistake is one line, never a traceback.

The sentence says where, what, and what would be right, in that order. Anything
that is not an :class:`MlbenchError` is a bug and keeps its traceback.
"""

import difflib
from collections.abc import Iterable


class MlbenchError(Exception):
    """A mistake the user can fix; the message is one line."""


class ConfigError(MlbenchError):
    """A config file or a command-line setting that cannot be meant."""


class DataError(MlbenchError):
    """A data file that is missing, or that is not what it claims to be."""


class ResultsError(MlbenchError):
    """A results folder that cannot be read or written as asked."""


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Sentence about an unknown name, with the nearest known one as a hint.

    >>> unknown("reducer", "mdmd", ["mddm", "pca"])
    "unknown reducer 'mdmd', did you mean 'mddm'? (known: mddm, pca)"
    """
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1)
    hint = f", did you mean {close[0]!r}?" if close else ""
    return f"unknown {what} {name!r}{hint} (known: {', '.join(names)})"
