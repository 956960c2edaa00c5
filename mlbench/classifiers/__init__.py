"""Classifiers: reduced features to label scores and labels, one method per file."""

# Name in a config -> where the class is (see mlbench.reducers.REDUCERS).
CLASSIFIERS = {
    "mlknn": "mlbench.classifiers.mlknn:MLkNN",
}
