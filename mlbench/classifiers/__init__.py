"""Classifiers: features, reduced or not, to label scores and labels."""

# Name in a config -> where the class is (see mlbench.reducers.REDUCERS).
CLASSIFIERS = {
    "mlknn": "mlbench.classifiers.mlknn:MLkNN",
    "ova": "mlbench.classifiers.ova:OVA",
    "cca": "mlbench.classifiers.cca_svm:CCASVM",
    "cs": "mlbench.classifiers.cs:CS",
    "plst": "mlbench.classifiers.plst:PLST",
}

# Those that are given neighbours and nothing else.
BY_NEIGHBOURS = frozenset({"mlknn"})

# The setting that a dimension drives where there is no reducer. Here and not in the
# classes: to know what an experiment consists of, none of them need be imported.
SIZES = dict.fromkeys(
    ("cca", "cs", "plst"), "n_components"
)
