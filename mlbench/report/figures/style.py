"""How every figure looks, and how it is written: the same bytes whenever made.

Told apart without colour: each method has a marker and a line style of its own, the
same in every figure of an experiment.
"""

import math
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlbench.errors import ResultsError
from mlbench.metrics import METRICS

if TYPE_CHECKING:  # matplotlib is loaded when a figure is made, not before
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, made for colour-blind readers; yellow is left out as too
# pale for a line on paper.
HUES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "h")
LINES: tuple[Any, ...] = (
    "solid",
    (0, (5, 2)),
    (0, (1, 1)),
    (0, (5, 1.5, 1, 1.5)),
    (0, (8, 2, 2, 2, 2, 2)),
)
LONGEST = 28  # characters of a name; a longer one would push the data aside
PANEL = (3.1, 2.5)  # inches
ABREAST = 3  # panels
MOST_MARKERS = 10  # along one line
ASIDE = 1.6  # inches for a legend

LOOK = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "figure.titlesize": 11,
    "legend.fontsize": 8.5,
    "legend.title_fontsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "lines.linewidth": 1.3,
    "lines.markersize": 4.5,
    "figure.dpi": 100,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,  # letters stay letters: searchable, and journals ask for it
    "svg.hashsalt": "mlbench",  # names inside the file, otherwise drawn by chance
}
# What is written about the making of a file: nothing, as it would hold the date.
NOTHING = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


@contextmanager
def look() -> Iterator[None]:
    """Our settings, whatever the user's own are."""
    import matplotlib.style

    with matplotlib.style.context(["default", LOOK]):
        yield


def looking(draw):
    """Let a function draw with our settings."""

    @wraps(draw)
    def drawn(*args, **kwargs):
        with look():
            return draw(*args, **kwargs)

    return drawn


def save(figure: "Figure", path: Path) -> None:
    """Write a figure as PNG, SVG or PDF, by the suffix of the path."""
    suffix = path.suffix.lower()
    if suffix not in NOTHING:
        raise ValueError(
            f"a figure must end in one of {', '.join(NOTHING)}, got {path.name!r}"
        )
    try:
        with look(), warnings.catch_warnings():
            # A letter the font lacks is drawn as a box: no reason to write nothing.
            warnings.filterwarnings("ignore", message="Glyph .* missing")
            figure.savefig(path, format=suffix[1:], metadata=NOTHING[suffix])
    except OSError as exc:
        raise ResultsError(f"{path}: cannot be written ({exc.strerror})") from exc


def plain(text: object) -> str:
    r"""Text that matplotlib shows as it is, on one line, cut if it is very long.

    >>> print(plain("a  $x$"))
    a \$x\$
    """
    words = " ".join(str(text).split())
    if len(words) > LONGEST:
        words = words[: LONGEST - 1] + "…"
    words = "".join(c if c.isprintable() else "\ufffd" for c in words)
    return words.replace("$", r"\$")


@dataclass(frozen=True)
class Style:
    """How one method is drawn."""

    color: str
    marker: str
    linestyle: Any

    @property
    def line(self) -> dict[str, Any]:
        """The style as arguments of a plot."""
        return vars(self) | {"markerfacecolor": "white", "markeredgewidth": 1.1}


def styles(methods: Iterable[str]) -> dict[str, Style]:
    """A style for each method, by its place.

    The three lists have lengths without a common divisor, so that hundreds of methods
    go by before a style comes again, and 55 before marker and line do.
    """
    return {
        name: Style(
            HUES[i % len(HUES)], MARKERS[i % len(MARKERS)], LINES[i % len(LINES)]
        )
        for i, name in enumerate(methods)
    }


def panels(
    count: int,
    title: str,
    size: tuple[float, float] = PANEL,
    *,
    aside: float = 0.0,
    alike: bool = False,
) -> "tuple[Figure, list[Axes]]":
    """A figure with so many axes of this size (inches), and a title above them.

    ``aside`` is the room for a legend at the right; ``alike`` gives all axes the same
    y scale.
    """
    from matplotlib.figure import Figure

    abreast = 2 if count in (2, 4) else min(count, ABREAST)
    rows = math.ceil(count / abreast)
    width, height = size
    figure = Figure(
        figsize=(abreast * width + aside, rows * height + 0.6), layout="constrained"
    )
    # To the left, where no legend is.
    figure.suptitle(title, x=0.01, horizontalalignment="left")
    grid = figure.add_gridspec(rows, abreast)
    axes: list[Axes] = []
    for index in range(count):
        shared = axes[0] if alike and axes else None
        place = grid[divmod(index, abreast)]
        axes.append(figure.add_subplot(place, sharey=shared))
    return figure, axes


def legend(figure: "Figure", handles: dict[str, Any], note: str = "") -> None:
    """Name what is drawn, beside the data; ``note`` stands above the names."""
    if not handles:
        return
    drawn = figure.legend(
        list(handles.values()),
        ["-"] * len(handles),
        loc="outside right center",
        frameon=False,
        title=note or None,
        alignment="left",
        handlelength=3.2,
    )
    # Set afterwards: matplotlib leaves out names that begin with an underscore.
    for text, name in zip(drawn.get_texts(), handles, strict=True):
        text.set_text(plain(name))


def direction(metric: str) -> str:
    """The name of a metric with the good side, for an axis."""
    about = METRICS[metric]
    return f"{about.title} ({about.better} is better)"


def every(points: int, place: int) -> tuple[int, int]:
    """Which points of a line get a marker; shifted, so that lines do not hide them."""
    step = max(1, math.ceil(points / MOST_MARKERS))
    return place % step, step


def slug(words: Sequence[str]) -> str:
    """A name for a file: letters, digits, dots and dashes.

    >>> slug(["hamming_loss", "over k = 6/7"])
    'hamming_loss-over-k-6-7'
    """
    return re.sub(r"[^A-Za-z0-9_.]+", "-", "-".join(words)).strip("-.")
