"""Classifiers: features, reduced or not, to label scores and labels.

>>> from mlbench.classifiers import OMMF, MLkNN
"""

from mlbench.components import by_class

# Name in a config -> where the class is (see mlbench.reducers.REDUCERS).
CLASSIFIERS = {
    "mlknn": "mlbench.classifiers.mlknn:MLkNN",
    "ova": "mlbench.classifiers.ova:OVA",
    "cca": "mlbench.classifiers.cca_svm:CCASVM",
    "cs": "mlbench.classifiers.cs:CS",
    "plst": "mlbench.classifiers.plst:PLST",
    "mme": "mlbench.classifiers.mme:MME",
    "anmf": "mlbench.classifiers.anmf:ANMF",
    "mnmf": "mlbench.classifiers.mnmf:MNMF",
    "ommf": "mlbench.classifiers.ommf:OMMF",
    "oaa": "mlbench.classifiers.multiclass.oaa:OneAgainstAll",
    "ovo": "mlbench.classifiers.multiclass.ovo:OneAgainstOne",
    "srm-svm": "mlbench.classifiers.multiclass.reliability:SRMSVM",
    "drm-svm": "mlbench.classifiers.multiclass.reliability:DRMSVM",
    "ecoc": "mlbench.classifiers.multiclass.ecoc:ECOC",
}

# Those that are given neighbours and nothing else.
BY_NEIGHBOURS = frozenset({"mlknn"})

# The setting that a dimension drives where there is no reducer. Here and not in the
# classes: to know what an experiment consists of, none of them need be imported.
SIZES = {
    **dict.fromkeys(
        ("cca", "cs", "plst", "mme", "anmf", "mnmf", "ommf"), "n_components"
    ),
    "ecoc": "n_learners",
}

__getattr__, __dir__ = by_class(__name__, CLASSIFIERS)
