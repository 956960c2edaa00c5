"""A metric over what was varied, a line for each method: the papers' Fig. 2."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from mlbench.metrics import METRICS
from mlbench.report.figures.style import (
    ASIDE,
    Style,
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

BAND = "band: ± one deviation\nover the splits"


@looking
def over_dimension(
    points: pd.DataFrame, methods: Sequence[str], metric: str, unit: str
) -> "Figure":
    """A metric over the dimension that was kept.

    Parameters
    ----------
    points : DataFrame
        Columns panel, method, x, mean, deviation. A row without x is a method that
        stands at one dimension of its own: drawn level, from side to side. Where there
        is a deviation, a band is drawn around the line.
    methods : sequence of str
        All methods of the experiment: a method looks the same in all its figures.
    metric : str
    unit : str
        What x counts, for its axis.
    """
    title = f"{METRICS[metric].title} over the dimension"
    return _lines(points, methods, metric, title, f"kept dimensions ({unit})")


@looking
def over_setting(
    points: pd.DataFrame, methods: Sequence[str], metric: str, setting: str
) -> "Figure":
    """A metric over the values of a setting; ``points`` as for the dimension.

    Values that are not all numbers stand beside each other, in order of appearance.
    """
    title = f"{METRICS[metric].title} over {plain(setting)}"
    return _lines(points, methods, metric, title, plain(setting))


def _lines(points, methods, metric: str, title: str, axis: str) -> "Figure":
    names = list(dict.fromkeys(points["panel"]))
    figure, axes = panels(len(names), title, aside=ASIDE)
    ticks = _words(points)
    if ticks:
        points = points.assign(x=points["x"].map(ticks))
    style = styles(methods)
    handles: dict[str, Any] = {}
    for ax, name in zip(axes, names, strict=True):
        here = points[points["panel"] == name]
        for place, method in enumerate(methods):
            part = here[here["method"] == method]
            if not part.empty:
                span = (here["x"].min(), here["x"].max())
                handles[method] = _line(ax, part, span, style[method], place)
        ax.set_title(plain(name))
        _ticks(ax, here, ticks)
    figure.supxlabel(axis, fontsize="medium")
    figure.supylabel(direction(metric), fontsize="medium")
    in_order = {name: handles[name] for name in methods if name in handles}
    legend(figure, in_order, BAND if points["deviation"].notna().any() else "")
    return figure


def _words(points: pd.DataFrame) -> dict[Any, int]:
    """A place for each value, if they are not all numbers."""
    values = list(dict.fromkeys(points["x"].dropna()))
    if all(isinstance(value, int | float) for value in values):
        return {}
    return {value: place for place, value in enumerate(values)}


def _ticks(ax: "Axes", points: pd.DataFrame, words: dict[Any, int]) -> None:
    """Name words; mark few numbers each by itself, as k = 6.5 has no meaning."""
    from matplotlib.ticker import MaxNLocator

    if words:
        ax.set_xticks(list(words.values()), [plain(word) for word in words])
        return
    values = sorted(set(points["x"].dropna().astype(float)))
    if len(values) <= 8:
        ax.set_xticks(values, [f"{value:g}" for value in values])
    elif all(value.is_integer() for value in values):
        ax.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))


def _line(ax: "Axes", part: pd.DataFrame, span, style: Style, place: int):
    """One method in one panel."""
    if part["x"].isna().all():
        level = part.iloc[[0, 0]]
        part = level.assign(x=[*span] if pd.notna(span[0]) else [0.0, 1.0])
    part = part.dropna(subset=["x"]).sort_values("x", kind="stable")
    x = part["x"].to_numpy(dtype=float)
    mean = part["mean"].to_numpy(dtype=float)
    deviation = part["deviation"].to_numpy(dtype=float)
    (line,) = ax.plot(x, mean, markevery=every(len(x), place), **style.line)
    if pd.notna(deviation).any():
        ax.fill_between(
            x, mean - deviation, mean + deviation, color=style.color, alpha=0.15, lw=0
        )
    return line
