"""What an experiment is: the checked form of a config file.

Each class is one mapping of the file. A key that is not named here is an error.
"""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from mlbench.classifiers import CLASSIFIERS, SIZES
from mlbench.config.component import (
    A_REDUCER,
    Classifier,
    Component,
    Count,
    Dims,
    DimsOfDatasets,
    MetricName,
    Reducer,
    Share,
    Values,
    one_label,
)
from mlbench.config.paper import (
    OVER_DATASETS,
    STUDY_CLAIMS,
    Assumption,
    Claim,
    Published,
    PublishedColumns,
)
from mlbench.config.source import NamedSource
from mlbench.config.strict import AlsoWritten, Strict, as_tuple, check_name, mistake
from mlbench.dims import Dim, parse_dims
from mlbench.metrics import METRICS


class Preprocessing(Strict):
    """What is done to the features before a method sees them."""

    keep: Share | None = None
    """Share of the features to keep, those that occur most."""
    by: Literal["count", "documents"] = "count"
    """What is counted: all occurrences, or the samples with any."""
    weighting: Literal["counts", "binary", "tfidf"] = "counts"
    """What an occurrence weighs."""
    scale: Literal["none", "l1", "l2", "minmax"] = "none"
    """Rows to unit length (l1, l2), or columns to [0, 1] (minmax)."""


Part = Annotated[int | float, Field(gt=0)]


# What each kind of split needs, and what it may have.
SPLIT_KEYS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "file": ((), ()),
    "random": (("train",), ("test", "repeats")),
    "kfold": (("folds",), ("repeats",)),
    "stratified": ((), ("folds", "train", "repeats")),
    "import": (("path",), ()),
}


class Splitting(Strict):
    """How samples are divided into training and test part."""

    kind: Literal["file", "random", "kfold", "stratified", "import"]
    """How: as the file says, at random, in folds, with labels in equal shares, or as a
    file of `mlbench data splits` says."""
    train: Part | None = None
    """Training samples: a number, or a share below 1."""
    test: Part | None = None
    """Test samples; without it, all others."""
    folds: int | None = Field(default=None, ge=2)
    """Number of folds, each of them the test part once."""
    repeats: Count = 1
    """How often the samples are divided anew."""
    path: str | None = None
    """File of splits, relative to the config."""

    @model_validator(mode="after")
    def _complete(self):
        needed, more = SPLIT_KEYS[self.kind]
        wanted, allowed = set(needed), {*needed, *more}
        if self.kind == "stratified" and (self.folds is None) == (self.train is None):
            raise mistake("a stratified split needs either 'folds' or 'train'")
        if self.kind == "stratified" and self.train is not None and self.train >= 1:
            raise mistake("is not a share of the samples, below 1", "train")
        given = self.model_fields_set - {"kind"}
        for key in sorted(given - allowed):
            raise mistake(f"a {self.kind} split has no {key!r}", key)
        for key in sorted(wanted - given):
            raise mistake(f"a {self.kind} split needs {key!r}")
        return self


class Tuning(Strict):
    """How settings are chosen inside the training part."""

    folds: int = Field(default=3, ge=2)
    """Number of inner folds."""
    by: MetricName = "micro_f1"
    """What a choice is judged by."""
    enough: Count | None = None
    """Samples to hold out; without it, all of them."""

    @field_validator("by")
    @classmethod
    def _known(cls, by: str) -> str:
        check_name("metric", by, METRICS)
        return by


class Method(Strict):
    """A column of the table: a reducer, and a classifier on what it leaves.

    ``tune`` names the classifier's settings that are chosen inside the training part,
    with the values to choose from; ``cut`` stands for how scores become labels.
    """

    reducer: Reducer = Component(name="none")
    """A name, an import path, or {NAME: {SETTING: VALUE}}."""
    classifier: Classifier | None = None
    """The same; without it, the experiment's."""
    dims: DimsOfDatasets | None = None
    """Dimensions of this method alone, or of each data set."""
    tune: Values = {}
    """Settings of the classifier to choose, and the values to choose from."""

    @property
    def own_size(self) -> Dim | None:
        """The size that is stated with the reducer; dimensions do not drive it then."""
        size = self.reducer.settings.get("n_components")
        return None if size is None else parse_dims(size)[0]

    @field_validator("reducer")
    @classmethod
    def _one_size(cls, reducer: Component) -> Component:
        if (size := reducer.settings.get("n_components")) is not None:
            one_label(size)
        return reducer

    @field_validator("tune")
    @classmethod
    def _known_cuts(cls, tune: dict) -> dict:
        for index, kind in enumerate(tune.get("cut", ())):
            check_name("kind of cut", str(kind), ("threshold", "top"), "cut", index)
        return tune


def _method(value: Any) -> Any:
    if isinstance(value, Method):
        return value
    if isinstance(value, dict) and not set(value) - set(Method.model_fields):
        return value
    if isinstance(value, dict) and len(value) > 1:
        return value  # its keys are wrong: Method says which
    return {"reducer": value}


Named = Annotated[Method, BeforeValidator(_method), AlsoWritten(A_REDUCER)]


class Experiment(Strict):
    """A config file, checked."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    """Of the folder of its records; without it, that of the file."""
    title: str = ""
    paper: str = ""
    """Short name of the paper: what `mlbench reproduce` asks for."""
    reference: str = ""
    datasets: Annotated[tuple[NamedSource, ...], Field(min_length=1)]
    """Names of the catalogue, openml:NAME, or mappings: a file, or a recipe."""
    preprocess: Preprocessing = Preprocessing()
    study: Literal["classify", "features"] = "classify"
    """Whether methods classify, or only rank the features."""
    split: Splitting | None = None
    seed: int = Field(default=0, ge=0)
    """Decides the splits and everything random."""
    dims: Dims | None = None
    """0.1:0.8, 10:50:10, [5, 10], 20, or {match: mddm}."""
    classifier: Classifier = Component(name="mlknn")
    """Of every method that has none of its own."""
    vary: Values = {}
    """One setting of the classifier, and the values it takes in turn."""
    tuning: Tuning = Tuning()
    """How the settings under `tune` are chosen."""
    methods: Annotated[dict[str, Named], Field(min_length=1)]
    """The columns of the tables: a name, and a reducer or a mapping."""
    metrics: tuple[MetricName, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    """What the paper left unsaid; printed under the tables."""
    published: tuple[Published, ...] = ()
    """What the paper printed, to be compared."""
    published_columns: tuple[PublishedColumns, ...] = ()
    claims: tuple[Claim, ...] = ()
    """What the paper says in words, to be judged."""

    _lists = field_validator(
        "datasets",
        "metrics",
        "assumptions",
        "published",
        "published_columns",
        "claims",
        mode="before",
    )(as_tuple)

    @field_validator("vary")
    @classmethod
    def _one_setting(cls, vary: dict) -> dict:
        if len(vary) > 1:
            names = ", ".join(vary)
            raise mistake(f"one setting of the classifier can be varied, not {names}")
        return vary

    @field_validator("metrics")
    @classmethod
    def _known_metrics(cls, metrics: tuple[str, ...]) -> tuple[str, ...]:
        for index, metric in enumerate(metrics):
            check_name("metric", metric, METRICS, index)
        return metrics

    @model_validator(mode="after")
    def _complete(self):
        """To classify takes a split and something to measure; to rank features none."""
        for key in ("split", "metrics"):
            wanted, given = self.study == "classify", bool(getattr(self, key))
            if wanted and not given:
                what = "empty" if key in self.model_fields_set else "missing"
                raise mistake(f"is {what}, at least one is needed", key)
            if given and not wanted:
                raise mistake("has no meaning in a study of features", key)
        return self

    @model_validator(mode="after")
    def _distinct_datasets(self):
        names = [source.name for source in self.datasets]
        for index, name in enumerate(names):
            if name in names[:index]:
                raise mistake(f"{name!r} is listed twice", "datasets", index)
        return self

    @model_validator(mode="after")
    def _dims_of_every_dataset(self):
        names = [source.name for source in self.datasets]
        for name, method in self.methods.items():
            at = ("methods", name, "dims")
            if isinstance(method.dims, dict):
                for key in method.dims:
                    check_name("data set", key, names, *at, key)
                for missing in [each for each in names if each not in method.dims]:
                    raise mistake(f"says nothing of {missing!r}", *at)
            elif self.takes_dims(method) and not (method.dims or self.dims):
                raise mistake(f"is missing, and {name} needs it", "dims")
        return self

    @model_validator(mode="after")
    def _published_of_this_experiment(self):
        names = [OVER_DATASETS, *(source.name for source in self.datasets)]
        for index, block in enumerate(self.published):
            at = ("published", index)
            check_name("data set", block.dataset, names, *at, "dataset")
            for metric, values in block.values.items():
                for method in values:
                    where = (*at, "values", metric, method)
                    check_name("method", method, self.methods, *where)
        return self

    @model_validator(mode="after")
    def _columns_of_this_experiment(self):
        names = [source.name for source in self.datasets]
        for index, block in enumerate(self.published_columns):
            at = ("published_columns", index)
            check_name("data set", block.dataset, names, *at, "dataset")
            check_name("method", block.method, self.methods, *at, "method")
        return self

    @model_validator(mode="after")
    def _claims_of_this_experiment(self):
        names = [OVER_DATASETS, *(source.name for source in self.datasets)]
        for index, claim in enumerate(self.claims):
            at = ("claims", index)
            if (claim.kind in STUDY_CLAIMS) != (self.study == "features"):
                raise mistake(
                    f"a claim of kind {claim.kind!r} is not for this study", *at, "kind"
                )
            if claim.dataset is not None:
                check_name("data set", claim.dataset, names, *at, "dataset")
            for place, name in enumerate(claim.methods):
                check_name("method", name, self.methods, *at, "methods", place)
            for place, name in enumerate(claim.metrics or ()):
                check_name("metric", name, self.metrics, *at, "metrics", place)
        return self

    def classifier_of(self, method: Method) -> Component:
        """The classifier of a method: its own, or the experiment's."""
        return method.classifier or self.classifier

    def size_of(self, method: Method) -> str | None:
        """The setting of a method's classifier that the dimensions drive, if any.

        They drive the reducer; without one, or with one whose size is stated, the
        latent space of the classifier, unless its size is stated too. A user's own
        classifier has one if dimensions are given with it.
        """
        if method.reducer.name != "none" and method.own_size is None:
            return None
        classifier = self.classifier_of(method)
        size = SIZES.get(classifier.name)
        if classifier.name not in CLASSIFIERS and method.dims is not None:
            size = "n_components"
        return None if size in classifier.settings else size

    def takes_dims(self, method: Method) -> bool:
        """Whether dimensions mean anything to a method."""
        size = self.size_of(method)
        if size is not None:
            return size not in method.tune
        return method.reducer.name != "none" and method.own_size is None

    def dims_of(self, method: Method, dataset: str) -> tuple[Dim, ...]:
        """The dimensions of a method on a data set: its own, or the experiment's."""
        if not self.takes_dims(method):
            return (method.own_size or Dim(fraction=1.0),)
        if isinstance(method.dims, dict):
            return method.dims[dataset]
        return method.dims or self.dims or ()

    def sweeps(self, method: Method) -> bool:
        """Whether a method is run at several dimensions of one data set.

        One that is not stands at its own, whatever the others are at.
        """
        if not self.takes_dims(method):
            return False
        if isinstance(method.dims, dict):
            return any(len(own) > 1 for own in method.dims.values())
        return len(method.dims or self.dims or ()) > 1
