"""Figures to print: one function each, and the choice of an experiment's own.

Readable without colour; written as PNG, SVG or PDF, the same bytes whenever made.
"""

from mlbench.report.figures.boxes import over_datasets
from mlbench.report.figures.choose import figures_of, printed_figures
from mlbench.report.figures.columns import columns_against_fisher
from mlbench.report.figures.lines import over_dimension, over_setting
from mlbench.report.figures.printed import beside_printed
from mlbench.report.figures.ranks import critical_difference
from mlbench.report.figures.style import save
from mlbench.report.figures.timing import against_time

__all__ = [
    "against_time",
    "beside_printed",
    "columns_against_fisher",
    "critical_difference",
    "figures_of",
    "over_datasets",
    "over_dimension",
    "over_setting",
    "printed_figures",
    "save",
]
