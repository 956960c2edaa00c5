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

from mlbench.classifiers import CLASSIFIERS
from mlbench.data.catalogue import catalogue
from mlbench.dims import Dim, parse_dims
from mlbench.errors import unknown
from mlbench.metrics import METRICS
from mlbench.reducers import REDUCERS

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


Reducer = Annotated[Component, BeforeValidator(_reducer)]
Classifier = Annotated[Component, BeforeValidator(_classifier)]
Dims = Annotated[
    tuple[Dim, ...],
    BeforeValidator(_dims),
    PlainSerializer(lambda dims: [dim.label for dim in dims]),
]
Share = Annotated[float, Field(gt=0, le=1)]
Count = Annotated[int, Field(ge=1)]


class Synthetic(Strict):
    """Sizes of an embedded Yahoo-like corpus (see mlbench.data.synthetic)."""

    n: Count = 1000
    d: Count = 500
    q: Count = 12
    seed: int = Field(default=0, ge=0)
    cardinality: float = Field(default=1.6, ge=1)
    length: Count = 60


class Source(Strict):
    """A data set: one of the catalogue, or an embedded one with its sizes."""

    name: str
    synthetic: Synthetic | None = None

    @model_validator(mode="after")
    def _known(self):
        if self.synthetic is None:
            check_name("data set", self.name, catalogue(), "name")
        return self


def _source(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    check_name("data set", value, catalogue())
    return {"name": value}


class Preprocessing(Strict):
    """What is done to the features before a method sees them."""

    keep: Share | None = None
    by: Literal["count", "documents"] = "count"
    weighting: Literal["counts", "binary", "tfidf"] = "counts"
    scale: Literal["none", "l1", "l2", "minmax"] = "none"


Part = Annotated[int | float, Field(gt=0)]


class Splitting(Strict):
    """How samples are divided into training and test part."""

    kind: Literal["file", "random", "kfold"]
    train: Part | None = None
    test: Part | None = None
    folds: int | None = Field(default=None, ge=2)
    repeats: Count = 1

    @model_validator(mode="after")
    def _complete(self):
        wanted = {"file": set(), "random": {"train"}, "kfold": {"folds"}}[self.kind]
        allowed = wanted | ({"repeats"} if self.kind != "file" else set())
        allowed |= {"test"} if self.kind == "random" else set()
        given = self.model_fields_set - {"kind"}
        for key in sorted(given - allowed):
            raise mistake(f"a {self.kind} split has no {key!r}", key)
        for key in sorted(wanted - given):
            raise mistake(f"a {self.kind} split needs {key!r}")
        return self


class Method(Strict):
    """A column of the table: a reducer, and a classifier on what it leaves."""

    reducer: Reducer = Component(name="none")
    classifier: Classifier | None = None
    dims: Dims | None = None


def _method(value: Any) -> Any:
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


def _one_label(value: Any) -> Any:
    """The label of one dimension, as records carry it."""
    dims = _dims(value)
    if len(dims) != 1:
        raise mistake(f"{value!r} is not one dimension")
    return dims[0].label


class Published(Strict):
    """Numbers printed in a paper, for one data set or the mean over all."""

    where: str
    dataset: str = OVER_DATASETS
    dim: str | None = None  # as in `dims`; without it, whatever was run
    values: dict[str, dict[str, Printed]]

    _one_dim = field_validator("dim", mode="before")(_one_label)

    @field_validator("values")
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
    method beats each other one in a paired t-test over the data sets. ``always``: the
    method at its worst dimension beats the others at their best ones.
    """

    says: str
    kind: Literal["first", "order", "significant", "always"]
    methods: Annotated[tuple[str, ...], Field(min_length=1)]  # the first is the subject
    metrics: tuple[str, ...] | None = None  # without them, all of the experiment
    dataset: str | None = None  # `all`: the mean over them; without it, each
    dim: str | None = None  # as in `dims`; without it, each

    _lists = field_validator("methods", "metrics", mode="before")(_as_tuple)
    _one_dim = field_validator("dim", mode="before")(_one_label)


class Experiment(Strict):
    """A config file, checked."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    title: str = ""
    reference: str = ""
    datasets: Annotated[
        tuple[Annotated[Source, BeforeValidator(_source)], ...], Field(min_length=1)
    ]
    preprocess: Preprocessing = Preprocessing()
    split: Splitting
    seed: int = Field(default=0, ge=0)
    dims: Dims
    classifier: Classifier = Component(name="mlknn")
    vary: dict[str, tuple[Any, ...]] = {}
    methods: Annotated[dict[str, Named], Field(min_length=1)]
    metrics: Annotated[tuple[str, ...], Field(min_length=1)]
    assumptions: tuple[Assumption, ...] = ()
    published: tuple[Published, ...] = ()
    claims: tuple[Claim, ...] = ()

    _lists = field_validator(
        "datasets", "metrics", "assumptions", "published", "claims", mode="before"
    )(_as_tuple)

    @field_validator("vary", mode="before")
    @classmethod
    def _one_setting(cls, value: Any) -> Any:
        form = "{SETTING: [VALUE, ...]}, one setting of the classifier"
        if not isinstance(value, dict) or len(value) > 1:
            raise mistake(f"{value!r} is not {form}")
        for key, values in value.items():
            if not isinstance(values, list) or not values:
                raise mistake(f"{values!r} is not a list of values", key)
            for index, item in enumerate(values):
                if not isinstance(item, str | int | float):
                    raise mistake(f"{item!r} is not a number or a word", key, index)
        return {key: tuple(values) for key, values in value.items()}

    @field_validator("metrics")
    @classmethod
    def _known_metrics(cls, metrics: tuple[str, ...]) -> tuple[str, ...]:
        for index, metric in enumerate(metrics):
            check_name("metric", metric, METRICS, index)
        return metrics

    @model_validator(mode="after")
    def _distinct_datasets(self):
        names = [source.name for source in self.datasets]
        for index, name in enumerate(names):
            if name in names[:index]:
                raise mistake(f"{name!r} is listed twice", "datasets", index)
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
    def _claims_of_this_experiment(self):
        names = [OVER_DATASETS, *(source.name for source in self.datasets)]
        for index, claim in enumerate(self.claims):
            at = ("claims", index)
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

    def dims_of(self, method: Method) -> tuple[Dim, ...]:
        """The dimensions of a method: its own, or the experiment's."""
        return method.dims or self.dims
