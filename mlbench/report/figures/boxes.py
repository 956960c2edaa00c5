"""The spread of a metric over the data sets, a box for each method."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from mlbench.metrics import METRICS
from mlbench.report.figures.style import direction, looking, panels, plain, styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@looking
def over_datasets(
    points: pd.DataFrame, methods: Sequence[str], metric: str
) -> "Figure":
    """Boxes over the data sets, each data set a point on top of its box.

    A box goes from the lower to the upper quartile with a bar at the median; whiskers
    reach the last point within 1.5 times its height.

    Parameters
    ----------
    points : DataFrame
        Columns panel (a dimension or setting), dataset, method, mean.
    methods : sequence of str
    metric : str
    """
    count = points["dataset"].nunique()
    title = f"{METRICS[metric].title} over {count} data sets"
    names = list(dict.fromkeys(points["panel"]))
    shown = [name for name in methods if name in set(points["method"])]
    size = (max(2.6, 0.55 * len(shown) + 0.8), 2.8 + _room(shown))
    figure, axes = panels(len(names), title, size, alike=True)
    style = styles(methods)
    for ax, name in zip(axes, names, strict=True):
        here = points[points["panel"] == name]
        for place, method in enumerate(shown):
            values = here.loc[here["method"] == method, "mean"].to_numpy(dtype=float)
            if len(values):
                _box(ax, place, values, style[method])
        ax.set_title(plain(name))
        _name(ax, shown)
    figure.supylabel(direction(metric), fontsize="medium")
    return figure


def _box(ax: "Axes", place: int, values, style) -> None:
    ax.boxplot(
        values,
        positions=[place],
        widths=0.6,
        showfliers=False,  # every point is drawn below
        medianprops={"color": style.color, "linewidth": 2},
        boxprops={"color": style.color},
        whiskerprops={"color": style.color},
        capprops={"color": style.color},
    )
    # Side by side in order of size, so that equal data sets do not cover each other.
    spread = np.linspace(-0.18, 0.18, len(values)) if len(values) > 1 else [0.0]
    ax.plot(
        place + np.asarray(spread),
        np.sort(values),
        linestyle="none",
        marker=style.marker,
        markersize=3,
        color=style.color,
        alpha=0.6,
    )


def _upright(methods: Sequence[str]) -> bool:
    """Whether names are too long, or too many, to stand beside each other."""
    return len(methods) > 8 or max(map(len, methods), default=0) > 5


def _room(methods: Sequence[str]) -> float:
    """Inches that upright names take below the axis."""
    longest = max((len(plain(name)) for name in methods), default=0)
    return 0.07 * longest if _upright(methods) else 0.0


def _name(ax: "Axes", methods: Sequence[str]) -> None:
    ax.set_xticks(range(len(methods)), [plain(name) for name in methods])
    ax.set_xlim(-0.6, len(methods) - 0.4)
    if _upright(methods):
        ax.tick_params(axis="x", labelrotation=90)
    ax.grid(visible=False, axis="x")
