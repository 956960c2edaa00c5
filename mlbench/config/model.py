"""What an experiment is: the checked form of a config file.

Each class is one mapping of the file. A key that is not named here is an error.
"""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from mlbench.classifiers import CLASSIFIERS, SIZES
from mlbench.data.catalogue import catalogue
from mlbench.data.sources import EMBEDDED, RECIPES
from mlbench.dims import Dim, parse_dims
from mlbench.errors import unknown
from mlbench.metrics import METRICS
from mlbench.reducers import REDUCERS

OPENML = "openml:"  # begins the name of a set of OpenML
STUDY_CLAIMS = ("planted", "ends")  # those about features
OVER_DATASETS = "all"  # stands for the mean over the data sets in `published`


def mistake(message: str, *key: str | int) -> PydanticCustomError:
    """An error at ``key`` below the value being checked (the value itself if none)."""
    # Braces would be taken for placeholders of pydantic's own.
    text = message.replace("{", "{{").replace("}", "}}")
    return PydanticCustomError("mistake", text, {"key": key})  # type: ignore[arg-type]


class Strict(BaseModel):
    """A mapping with known keys and no others."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _only_known_keys(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            keys = ", ".join(cls.model_fields)
            raise mistake(f"{value!r} is not a mapping with the keys {keys}")
        for key in value:
            if key not in cls.model_fields:
                raise mistake(unknown("key", str(key), cls.model_fields), key)
        return value


def check_name(what: str, name: str, known: Iterable[str], *key: str | int) -> None:
    """Raise with a hint when a name is not known; an import path is let through."""
    module, colon, attribute = name.partition(":")
    if colon and module.replace(".", "_").isidentifier() and attribute.isidentifier():
        return
    if name not in set(known):
        raise mistake(unknown(what, name, known), *key)


class Component(Strict):
    """A reducer or a classifier: its name and its settings."""

    name: str
    settings: dict[str, Any] = {}


def _component(value: Any, what: str, known: Iterable[str]) -> Any:
    if isinstance(value, Component):
        return value
    if isinstance(value, str):
        check_name(what, value, known)
        return Component(name=value)
    if isinstance(value, dict) and len(value) == 1:
        ((name, settings),) = value.items()
        check_name(what, name, known, name)
        if settings is not None and not isinstance(settings, dict):
            raise mistake(f"{settings!r} is not a mapping of settings", name)
        return Component(name=name, settings=settings or {})
    raise mistake(f"{value!r} is not a {what}: write NAME or NAME: {{SETTING: VALUE}}")


def _reducer(value: Any) -> Any:
    return _component(value, "reducer", REDUCERS)


def _classifier(value: Any) -> Any:
    return _component(value, "classifier", CLASSIFIERS)


def _dims(value: Any) -> Any:
    if isinstance(value, tuple):
        return value
    try:
        return parse_dims(value)
    except ValueError as exc:
        raise mistake(str(exc)) from exc


def _dims_of_datasets(value: Any) -> Any:
    """Dimensions for every data set alike, or a mapping of data sets to theirs."""
    if not isinstance(value, dict) or "match" in value:
        return _dims(value)
    return {str(name): _dims(wish) for name, wish in value.items()}


def _labels(dims: Any) -> Any:
    if isinstance(dims, dict):
        return {name: _labels(own) for name, own in dims.items()}
    return [dim.label for dim in dims]


def _one_label(value: Any) -> Any:
    """The label of one dimension, as records carry it."""
    dims = _dims(value)
    if len(dims) != 1:
        raise mistake(f"{value!r} is not one dimension")
    return dims[0].label


Reducer = Annotated[Component, BeforeValidator(_reducer)]
Classifier = Annotated[Component, BeforeValidator(_classifier)]
Dims = Annotated[
    tuple[Dim, ...],
    BeforeValidator(_dims),
    PlainSerializer(_labels),
]
DimsOfDatasets = Annotated[
    tuple[Dim, ...] | dict[str, tuple[Dim, ...]],
    BeforeValidator(_dims_of_datasets),
    PlainSerializer(_labels),
]
Share = Annotated[float, Field(gt=0, le=1)]
Count = Annotated[int, Field(ge=1)]


class Synthetic(Strict):
    """A data set that is made: its kind and what is asked of it.

    ``topics``: a corpus like Yahoo's; ``chance`` and ``planted``: the two simulated
    experiments of the SNMF paper.
    """

    kind: Literal["topics", "chance", "planted"] = "topics"
    n: Count | None = None
    d: Count | None = None
    q: Count | None = None
    seed: int | None = Field(default=None, ge=0)
    cardinality: float | None = Field(default=None, ge=1)
    length: Count | None = None

    @model_validator(mode="after")
    def _settings_of_its_kind(self):
        known = RECIPES[self.kind].settings
        for key in sorted(self.model_fields_set - {"kind"} - set(known)):
            raise mistake(f"a set of kind {self.kind!r} has no {key!r}", key)
        return self


class Source(Strict):
    """A data set: of the catalogue, of OpenML, of a user's file, or one that is made.

    ``path`` is relative to the config; ``labels`` says which of its columns are
    labels, where the file does not.
    """

    name: str
    synthetic: Synthetic | None = None
    path: str | None = None
    labels: int | str | tuple[str, ...] | None = None

    @field_validator("labels", mode="before")
    @classmethod
    def _names(cls, labels: Any) -> Any:
        return tuple(labels) if isinstance(labels, list) else labels

    @model_validator(mode="after")
    def _known(self):
        if self.path is not None and self.synthetic is not None:
            raise mistake("a set is either read or made, not both", "path")
        if self.labels is not None and self.path is None:
            raise mistake("goes with a path", "labels")
        if self.recipe is None:
            check_name("data set", self.name, _dataset_names(), "name")
        return self

    @property
    def recipe(self) -> dict[str, Any] | None:
        """How the set is read or made; None for one of the catalogue."""
        if self.path is not None:
            labels = (
                list(self.labels) if isinstance(self.labels, tuple) else self.labels
            )
            return {"kind": "path", "path": self.path, "labels": labels}
        if self.name.startswith(OPENML):
            return {"kind": "openml"}
        if self.synthetic is None:
            return EMBEDDED.get(self.name)
        return self.synthetic.model_dump(exclude_none=True)


def _dataset_names() -> list[str]:
    return [*catalogue(), *EMBEDDED]


def _source(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if not value.startswith(OPENML):
        check_name("data set", value, _dataset_names())
    return {"name": value}


class Preprocessing(Strict):
    """What is done to the features before a method sees them."""

    keep: Share | None = None
    by: Literal["count", "documents"] = "count"
    weighting: Literal["counts", "binary", "tfidf"] = "counts"
    scale: Literal["none", "l1", "l2", "minmax"] = "none"


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
    train: Part | None = None
    test: Part | None = None
    folds: int | None = Field(default=None, ge=2)
    repeats: Count = 1
    path: str | None = None  # relative to the config

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


def _lists_of_values(value: Any) -> Any:
    """``{SETTING: [VALUE, ...]}``, with every list as a tuple."""
    if not isinstance(value, dict):
        raise mistake(f"{value!r} is not {{SETTING: [VALUE, ...]}}")
    for key, values in value.items():
        if not isinstance(values, list | tuple) or not values:
            raise mistake(f"{values!r} is not a list of values", key)
        for index, item in enumerate(values):
            if not isinstance(item, str | int | float):
                raise mistake(f"{item!r} is not a number or a word", key, index)
    return {key: tuple(values) for key, values in value.items()}


Values = Annotated[dict[str, tuple[Any, ...]], BeforeValidator(_lists_of_values)]


class Tuning(Strict):
    """How settings are chosen inside the training part."""

    folds: int = Field(default=3, ge=2)
    by: str = "micro_f1"
    enough: Count | None = None  # samples to hold out; without it, all of them

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
    classifier: Classifier | None = None
    dims: DimsOfDatasets | None = None
    tune: Values = {}

    @property
    def own_size(self) -> Dim | None:
        """The size that is stated with the reducer; dimensions do not drive it then."""
        size = self.reducer.settings.get("n_components")
        return None if size is None else parse_dims(size)[0]

    @field_validator("reducer")
    @classmethod
    def _one_size(cls, reducer: Component) -> Component:
        if (size := reducer.settings.get("n_components")) is not None:
            _one_label(size)
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


Named = Annotated[Method, BeforeValidator(_method)]


class Assumption(Strict):
    """Something the paper left unsaid, and what was chosen."""

    what: str
    why: str


def _number_or_pair(value: Any) -> Any:
    if isinstance(value, list) and len(value) == 2:
        return tuple(map(float, value))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (float(value), None)
    raise mistake(f"{value!r} is not a number or [MEAN, DEVIATION]")


Printed = Annotated[tuple[float, float | None], BeforeValidator(_number_or_pair)]


def _as_tuple(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise mistake(f"{value!r} is not a list")
    return tuple(value)


class Published(Strict):
    """Numbers printed in a paper, for one data set or the mean over all."""

    where: str
    dataset: str = OVER_DATASETS
    dim: str | None = None  # as in `dims`; without it, whatever was run
    offset: dict[str, float] = {}  # added to ours: a paper that counts from 1 has 1
    values: dict[str, dict[str, Printed]]

    _one_dim = field_validator("dim", mode="before")(_one_label)

    @field_validator("values", "offset")
    @classmethod
    def _metrics(cls, values: dict) -> dict:
        for metric in values:
            check_name("metric", metric, METRICS, metric)
        return values


class Claim(Strict):
    """Something a paper says in words, to be judged by the records.

    ``first``: the method is the best of all, in every metric, at every dimension and
    setting; for each data set, or for the mean over them. ``order``: the methods are
    in this order, best first, in the mean over the data sets. ``significant``: the
    method beats each other one in a paired t-test over the data sets. ``not_worse``:
    in such a test, one-sided, it is better than each other one less ``margin``.
    ``grows``: the more labels a data set has, the more it beats each other one (rank
    correlation over the data sets). ``always``: the method at its worst dimension
    beats the others at their best ones.

    In a study of features: ``planted``: in ``least`` columns of W the planted features
    fill one end. ``ends``: the Fisher score is high at both ends of every column.
    """

    says: str
    kind: Literal[
        "first",
        "order",
        "significant",
        "not_worse",
        "grows",
        "always",
        "planted",
        "ends",
    ]
    margin: float = Field(default=0.0, ge=0)  # of `not_worse`
    least: Count = 1  # of `planted`: columns
    end: Literal["either", "top"] = "either"  # of `planted`
    methods: Annotated[tuple[str, ...], Field(min_length=1)]  # the first is the subject
    metrics: tuple[str, ...] | None = None  # without them, all of the experiment
    dataset: str | None = None  # `all`: the mean over them; without it, each
    dim: str | None = None  # as in `dims`; without it, each

    _lists = field_validator("methods", "metrics", mode="before")(_as_tuple)
    _one_dim = field_validator("dim", mode="before")(_one_label)


class Column(Strict):
    """A column of W as a paper prints it, scaled to [0, 1]."""

    planted: Annotated[tuple[float, ...], BeforeValidator(_as_tuple)]
    rest_mean: float
    rest_variance: float


class PublishedColumns(Strict):
    """The columns of W that a paper prints for a data set."""

    where: str
    dataset: str
    method: str
    columns: Annotated[tuple[Column, ...], BeforeValidator(_as_tuple)]


class Experiment(Strict):
    """A config file, checked."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    title: str = ""
    paper: str = ""  # short name: what `mlbench reproduce` asks for
    reference: str = ""
    datasets: Annotated[
        tuple[Annotated[Source, BeforeValidator(_source)], ...], Field(min_length=1)
    ]
    preprocess: Preprocessing = Preprocessing()
    study: Literal["classify", "features"] = "classify"
    split: Splitting | None = None
    seed: int = Field(default=0, ge=0)
    dims: Dims | None = None
    classifier: Classifier = Component(name="mlknn")
    vary: Values = {}
    tuning: Tuning = Tuning()
    methods: Annotated[dict[str, Named], Field(min_length=1)]
    metrics: tuple[str, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    published: tuple[Published, ...] = ()
    published_columns: tuple[PublishedColumns, ...] = ()
    claims: tuple[Claim, ...] = ()

    _lists = field_validator(
        "datasets",
        "metrics",
        "assumptions",
        "published",
        "published_columns",
        "claims",
        mode="before",
    )(_as_tuple)

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
