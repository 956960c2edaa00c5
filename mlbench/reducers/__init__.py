"""Reducers: (X, Y) to fewer columns, one method per file.

>>> from mlbench.reducers import MDDM, MNMTF
"""

from mlbench.components import by_class

# Name in a config -> where the class is. Strings, so that naming a method costs no
# import; a user's own class is given in the same form.
REDUCERS = {
    "none": "mlbench.reducers.none:Identity",
    "pca": "mlbench.reducers.pca:PCA",
    "lsi": "mlbench.reducers.lsi:LSI",
    "lpp": "mlbench.reducers.lpp:LPP",
    "nmf": "mlbench.reducers.nmf:NMF",
    "cca": "mlbench.reducers.cca:CCA",
    "mlsi": "mlbench.reducers.mlsi:MLSI",
    "mlda": "mlbench.reducers.mlda:MLDA",
    "mddm": "mlbench.reducers.mddm:MDDM",
    "fisher": "mlbench.reducers.fisher:Fisher",
    "mnmtf": "mlbench.reducers.mnmtf:MNMTF",
    "nmf-mlda": "mlbench.reducers.nmf_mlda:NMFMLDA",
    "nmf-sum": "mlbench.reducers.nmf_sum:SumNMF",
    "snmf": "mlbench.reducers.snmf:SNMF",
}

# Those that may hold a matrix of features by features.
SQUARE = frozenset({"pca", "lpp", "cca", "mlsi", "mlda", "nmf-mlda"})

__getattr__, __dir__ = by_class(__name__, REDUCERS)
