"""The dimensions of a sweep: the grammar, and what a wish means on given data.

==========================  ===================================================
written                     means
==========================  ===================================================
``0.1:0.8``                 fractions of the feature count, step 0.1
``0.02:1:0.02``             the same with a step of one's own
``10:50:10``                numbers of dimensions; a step is needed
``5,10,20`` or ``[5, 10]``  just these
``0.3`` or ``20``           just this one; ``1.0`` is all features, ``1`` is one
``{match: mddm, ...}``      what MDDM chooses on the training set at a threshold
==========================  ===================================================
"""

import math
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

STEP_OF_FRACTIONS = Decimal("0.1")
MOST_POINTS = 10_000  # a sweep longer than this is a slip of the keyboard


@dataclass(frozen=True)
class Dim:
    """A number of dimensions wished for: a count, a fraction, or a match."""

    count: int | None = None
    fraction: float | None = None
    threshold: float | None = None  # of what MDDM keeps: see ``share_of``
    share_of: str = "singular_values"

    @property
    def label(self) -> str:
        """The wish as text: how records and reports name it."""
        if self.count is not None:
            return str(self.count)
        if self.fraction is not None:
            return f"{float(self.fraction):g}" if self.fraction < 1 else "1.0"
        return f"mddm {self.threshold:g} of {self.share_of.replace('_', ' ')}"

    def resolve(self, n_features: int) -> int | None:
        """The count on data of so many features; None when only a fit can tell."""
        if self.fraction is not None:
            return max(1, round(self.fraction * n_features))
        return self.count


def parse_dims(wish: Any) -> tuple[Dim, ...]:
    """Dimensions from what a config or a command line says.

    >>> [dim.label for dim in parse_dims("0.1:0.3")]
    ['0.1', '0.2', '0.3']
    >>> [dim.count for dim in parse_dims("10:50:20")]
    [10, 30, 50]
    """
    if isinstance(wish, dict):
        return (_match(wish),)
    if isinstance(wish, str) and ":" in wish:
        values = _range(wish)
    elif isinstance(wish, str):
        values = [_number(part, wish) for part in wish.split(",")]
    elif isinstance(wish, list) and wish:
        values = [_number(str(part), wish) for part in wish]
    else:
        values = [_number(str(wish), wish)]
    dims = tuple(dict.fromkeys(_dims(values, wish)))
    return tuple(sorted(dims, key=lambda dim: dim.fraction or dim.count or 0))


def _number(text: str, wish: Any) -> Decimal:
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        value = Decimal("nan")
    if not value.is_finite():
        raise ValueError(
            f"{wish!r} is not a list of dimensions; "
            "write 0.1:0.8, 0.02:1:0.02, 10:50:10 or 5,10,20"
        )
    return value


def _is_fraction(value: Decimal) -> bool:
    """Whether a number was written with a decimal point."""
    return not isinstance(exponent := value.as_tuple().exponent, int) or exponent < 0


def _range(wish: str) -> list[Decimal]:
    parts = [_number(part, wish) for part in wish.split(":")]
    fractions = any(_is_fraction(part) for part in parts)
    if len(parts) == 2 and fractions:
        parts.append(STEP_OF_FRACTIONS)
    if len(parts) == 2:
        raise ValueError(f"{wish!r} needs a step, as in {wish}:10")
    if len(parts) != 3:
        raise ValueError(f"{wish!r} is not START:STOP or START:STOP:STEP")
    start, stop, step = parts
    if step <= 0 or stop < start:
        raise ValueError(f"{wish!r} is empty; write START:STOP:STEP with START <= STOP")
    points = int((stop - start) / step) + 1
    if points > MOST_POINTS:
        raise ValueError(f"{wish!r} has {points} points, at most {MOST_POINTS} are run")
    values = [start + step * index for index in range(points)]
    return [value + Decimal("0.0") for value in values] if fractions else values


def _dims(values: list[Decimal], wish: Any) -> list[Dim]:
    fractions = any(_is_fraction(value) for value in values)
    for value in values:
        if fractions and not 0 < value <= 1:
            raise ValueError(f"{value} in {wish!r} is not a fraction in (0, 1]")
        if value < 1 and not fractions:
            raise ValueError(f"{value} in {wish!r} is not a dimension, at least 1 is")
    if fractions:
        return [Dim(fraction=float(value)) for value in values]
    return [Dim(count=int(value)) for value in values]


def _match(wish: dict) -> Dim:
    shares = ("singular_values", "eigenvalues")
    threshold = wish.get("threshold", 0.99)
    share_of = wish.get("of", shares[0])
    if set(wish) - {"match", "threshold", "of"} or wish.get("match") != "mddm":
        raise ValueError(
            f"{wish!r} is not {{match: mddm, threshold: 0.99, of: singular_values}}"
        )
    if share_of not in shares:
        raise ValueError(f"of: {share_of!r} is not one of {', '.join(shares)}")
    number = isinstance(threshold, int | float) and not isinstance(threshold, bool)
    if not number or not 0 < threshold <= 1 or math.isnan(threshold):
        raise ValueError(f"threshold: {threshold!r} is not a share in (0, 1]")
    return Dim(threshold=float(threshold), share_of=share_of)
