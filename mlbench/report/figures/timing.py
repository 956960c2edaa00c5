"""What a method costs against what it gives: seconds and a metric."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from mlbench.metrics import METRICS
from mlbench.report.figures.style import (
    ASIDE,
    direction,
    every,
    legend,
    looking,
    panels,
    plain,
    styles,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# A reducer whose sweep is one fit has the time of that fit at each of its points.
NOTE = "a fit that serves a whole\nsweep counts in full\nat each of its points"


@looking
def against_time(points: pd.DataFrame, methods: Sequence[str], metric: str) -> "Figure":
    """A metric against the seconds of fit, transform and prediction together.

    Parameters
    ----------
    points : DataFrame
        Columns panel, method, seconds, mean. Several rows of a method are the points
        of a sweep in its order, joined by a line.
    methods : sequence of str
    metric : str
    """
    names = list(dict.fromkeys(points["panel"]))
    title = f"{METRICS[metric].title} against time"
    figure, axes = panels(len(names), title, aside=ASIDE)
    style = styles(methods)
    handles: dict[str, Any] = {}
    for ax, name in zip(axes, names, strict=True):
        here = points[points["panel"] == name]
        for place, method in enumerate(methods):
            part = here[here["method"] == method]
            if part.empty:
                continue
            x, y = part["seconds"].to_numpy(float), part["mean"].to_numpy(float)
            (handles[method],) = ax.plot(
                x, y, markevery=every(len(x), place), **style[method].line
            )
        _log_axis(ax)
        ax.set_title(plain(name))
    figure.supxlabel(
        "seconds to fit, transform and predict (log scale)", fontsize="medium"
    )
    figure.supylabel(direction(metric), fontsize="medium")
    in_order = {name: handles[name] for name in methods if name in handles}
    swept = points.groupby(["panel", "method"]).size().max() > 1
    legend(figure, in_order, NOTE if swept else "")
    return figure


def _log_axis(ax: "Axes") -> None:
    """Ticks at 1, 2, 5, 10, written out; over many decades at the powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.set_xscale("log")
    low, high = ax.get_xlim()
    subs = (1.0, 2.0, 5.0) if high / low < 100 else (1.0,)
    ax.xaxis.set_major_locator(LogLocator(base=10, subs=subs))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
