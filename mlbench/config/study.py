"""Any experiment as a study of the features of its data sets."""

from mlbench.config.model import Component, Experiment, Method
from mlbench.dims import Dim

RANKERS = ("snmf", "fisher")


def feature_study(experiment: Experiment) -> Experiment:
    """The experiment with its rankers alone, on all samples.

    An experiment without any is given SNMF: every study shows the Fisher score beside.
    Named "features": its records belong in a folder of that name, in the experiment's.
    """
    if experiment.study == "features":
        return experiment
    rankers = {
        name: method
        for name, method in experiment.methods.items()
        if method.reducer.name in RANKERS
    }
    return Experiment(
        name="features",
        title=f"Features of {experiment.title or experiment.name}",
        study="features",
        datasets=experiment.datasets,
        preprocess=experiment.preprocess,
        seed=experiment.seed,
        dims=(Dim(count=1),),
        methods={
            name: Method(reducer=method.reducer) for name, method in rankers.items()
        }
        or {"SNMF": Method(reducer=Component(name="snmf"))},
    )
