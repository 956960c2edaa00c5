"""The columns of W against the Fisher score: Fig. 1 of the SNMF paper."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mlbench.report.figures.style import HUES, looking, panels, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@looking
def columns_against_fisher(
    columns: Sequence[tuple[Sequence[float], Sequence[float]]],
    rhos: Sequence[float | None],
    title: str = "Columns of W against the Fisher score",
) -> "Figure":
    """One panel a column: the value of each feature in W, and its Fisher score.

    Parameters
    ----------
    columns : sequence of (values, fisher)
        For each column the values of the features, and their Fisher scores.
    rhos : sequence of float or None
        For each column the rank correlation of the Fisher score with the distance from
        the middle of the sorted column; None where one of them does not vary.
    title : str
    """
    figure, axes = panels(len(columns), plain(title))
    for place, (ax, column, rho) in enumerate(
        zip(axes, columns, rhos, strict=True), start=1
    ):
        values, fisher = (np.asarray(side, dtype=float) for side in column)
        order = np.argsort(values, kind="stable")
        ax.plot(
            values[order],
            fisher[order],
            linestyle="none",
            marker=".",
            markersize=3.5,
            markeredgewidth=0,
            color=HUES[0],
            alpha=0.7,
            rasterized=True,  # thousands of marks: a picture is smaller than they are
        )
        found = "not defined" if rho is None else f"= {rho:+.2f}"
        ax.set_title(f"column {place} (ends: ρ {found})")
    figure.supxlabel(
        "value in the column, sorted (scaled to [0, 1])", fontsize="medium"
    )
    figure.supylabel("Fisher score", fontsize="medium")
    return figure
