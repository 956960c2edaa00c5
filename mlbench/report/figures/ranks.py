"""The critical-difference diagram: average ranks, and who cannot be told apart."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mlbench.report.figures.style import looking, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW = 0.26  # inches from one name to the next
BAR = 0.14  # the same, of the bars that join methods
SCALE = 3.6  # inches from the best rank to the worst
LETTER = 0.085  # inches, at most on average


@looking
def critical_difference(
    ranks: Mapping[str, float],
    cd: float,
    cliques: Iterable[Iterable[str]],
    title: str = "Average ranks",
) -> "Figure":
    """Methods on the scale of average ranks, best to the left.

    Below the scale a thick bar joins the methods of a clique; methods without a
    common bar differ significantly. Above it stands the critical difference.

    Parameters
    ----------
    ranks : mapping of method to average rank
        1 is the best rank, the number of methods the worst.
    cd : float
        The difference of average ranks that is significant.
    cliques : iterable of groups of methods
        Groups of methods that do not differ significantly; one of a single method is
        not drawn.
    title : str

    References
    ----------
    J. Demsar. Statistical comparisons of classifiers over multiple data sets. Journal
    of Machine Learning Research 7, 2006.
    """
    bars = [
        sorted(clique, key=ranks.__getitem__) for clique in _joining(ranks, cliques)
    ]
    ordered = sorted(ranks, key=ranks.__getitem__)  # stable: ties stay in order
    figure, ax = _canvas(ordered, len(bars), cd, title)
    _difference(ax, cd)
    for level, bar in enumerate(bars, start=1):
        ends = [ranks[bar[0]] - 0.03, ranks[bar[-1]] + 0.03]
        ax.plot(ends, [-level * BAR] * 2, color="black", lw=3.5, solid_capstyle="butt")
    start = -(len(bars) + 1) * BAR
    half = (len(ordered) + 1) // 2
    for place, name in enumerate(ordered):
        left = place < half
        row = place if left else len(ordered) - 1 - place
        _name(ax, plain(name), ranks[name], start - row * ROW, len(ordered), left)
    return figure


def _joining(ranks: Mapping[str, float], cliques) -> list[list[str]]:
    """The cliques to draw, checked."""
    found = [list(clique) for clique in cliques]
    for name in (name for clique in found for name in clique):
        if name not in ranks:
            raise ValueError(
                f"a clique must hold methods that have a rank, got {name!r}"
            )
    return [clique for clique in found if len(clique) > 1]


def _canvas(
    names: Sequence[str], bars: int, cd: float, title: str
) -> "tuple[Figure, Axes]":
    from matplotlib.figure import Figure

    methods = len(names)
    below = (bars + 1) * BAR + (methods + 1) // 2 * ROW
    above = 0.6
    aside = LETTER * (max(len(plain(name)) for name in names) + 9)  # with the rank
    size = (SCALE + 2 * aside, below + above + 0.4)
    figure = Figure(figsize=size, layout="constrained")
    ax = figure.add_subplot()
    ax.set_title(plain(title), fontsize=11, loc="left")
    span = max(methods - 1, cd, 1)  # a difference can be wider than the scale
    room = span * aside / SCALE
    ax.set_xlim(1 - room, 1 + span + room)
    ax.set_ylim(-below, above)
    ax.grid(visible=False)
    ax.set_axis_off()
    ax.plot([1, max(methods, 2)], [0, 0], color="black", lw=1)
    for rank in range(1, max(methods, 2) + 1):
        ax.plot([rank, rank], [0, 0.06], color="black", lw=1)
        ax.text(rank, 0.09, str(rank), ha="center", va="bottom", fontsize=8)
    return figure, ax


def _difference(ax: "Axes", cd: float) -> None:
    ax.plot([1, 1 + cd], [0.36, 0.36], color="black", lw=1, marker="|", markersize=7)
    label = f"critical difference {cd:.2f}"
    ax.text(1 + cd / 2, 0.41, label, ha="center", va="bottom", fontsize=8)


def _name(ax: "Axes", name: str, rank: float, y: float, methods: int, left: bool):
    """A name at the side, with an elbow to its rank on the scale."""
    low, high = 1.0, float(max(methods, 2))
    gap = 0.02 * np.ptp(ax.get_xlim())
    side = low - gap if left else high + gap
    ax.plot([rank, rank, side], [0, y, y], color="black", lw=0.8)
    label = f"{name}  {rank:.2f}" if left else f"{rank:.2f}  {name}"
    ax.text(
        side - gap / 2 if left else side + gap / 2,
        y,
        label,
        ha="right" if left else "left",
        va="center",
    )
