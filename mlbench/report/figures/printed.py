"""Measured beside printed: each number of a paper's table, and ours."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mlbench.report.figures.style import direction, looking, panels, plain, styles
from mlbench.report.published import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW = 0.3  # inches from one method to the next
PRINTED: dict[str, Any] = {
    "marker": "|",
    "markersize": 13,
    "markeredgewidth": 2,
    "color": "0.25",
}
MEASURED: dict[str, Any] = {
    "marker": "o",
    "color": "0.25",
}  # in the legend; a method has its own


@looking
def beside_printed(
    found: Sequence[Comparison], methods: Sequence[str], title: str
) -> "Figure":
    """A panel a metric, a row a method: the printed number a bar, ours a marker.

    Parameters
    ----------
    found : sequence of Comparison
        Of one table; what was not measured is left out.
    methods : sequence of str
        Of the experiment, in its order: each keeps its marker in every figure.
    title : str
    """
    there = [item for item in found if item.measured is not None]
    metrics = list(dict.fromkeys(item.metric for item in there))
    rows = [name for name in methods if name in {item.method for item in there}]
    size = (2.7, ROW * len(rows) + 0.7)
    figure, axes = panels(len(metrics), title, size)
    for ax, metric in zip(axes, metrics, strict=True):
        _panel(ax, [item for item in there if item.metric == metric], rows, methods)
        ax.set_title(direction(metric), fontsize=8)
    handles = [
        axes[0].plot([], [], linestyle="none", **how)[0] for how in (PRINTED, MEASURED)
    ]
    names = ["printed", "measured"]
    figure.legend(handles, names, loc="outside lower center", ncols=2, frameon=False)
    return figure


def _panel(ax: "Axes", found: list[Comparison], rows: list[str], methods) -> None:
    style = styles(methods)
    for item in found:
        if item.measured is None:
            continue
        y, how = rows.index(item.method), style[item.method]
        ax.plot([item.published, item.measured], [y, y], color=how.color, lw=1)
        ax.plot([item.published], [y], linestyle="none", **PRINTED)
        ax.plot(
            [item.measured],
            [y],
            linestyle="none",
            marker=how.marker,
            ms=6,
            color=how.color,
        )
    ax.set_yticks(range(len(rows)), [plain(name) for name in rows])
    ax.set_ylim(len(rows) - 0.5, -0.5)  # as in the table, from the top
    ax.margins(x=0.12)
    ax.locator_params(axis="x", nbins=4)
