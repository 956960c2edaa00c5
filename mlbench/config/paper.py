"""What a paper says: printed numbers, claims, and what it left unsaid."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, field_validator

from mlbench.config.component import ONE_DIM, Count, one_label
from mlbench.config.strict import Strict, as_tuple, check_name, mistake
from mlbench.metrics import METRICS

STUDY_CLAIMS = ("planted", "ends")  # those about features
OVER_DATASETS = "all"  # stands for the mean over the data sets in `published`
A_NUMBER_OR_PAIR = {
    "anyOf": [
        {"type": "number"},
        {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
    ]
}


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


Printed = Annotated[
    tuple[float, float | None],
    BeforeValidator(_number_or_pair),
    WithJsonSchema(A_NUMBER_OR_PAIR),
]
WrittenDim = Annotated[str | None, WithJsonSchema(ONE_DIM)]


class Published(Strict):
    """Numbers printed in a paper, for one data set or the mean over all."""

    where: str
    dataset: str = OVER_DATASETS
    dim: WrittenDim = None  # as in `dims`; without it, whatever was run
    offset: dict[str, float] = {}  # added to ours: a paper that counts from 1 has 1
    values: dict[str, dict[str, Printed]]

    _one_dim = field_validator("dim", mode="before")(one_label)

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
    dim: WrittenDim = None  # as in `dims`; without it, each

    _lists = field_validator("methods", "metrics", mode="before")(as_tuple)
    _one_dim = field_validator("dim", mode="before")(one_label)


class Column(Strict):
    """A column of W as a paper prints it, scaled to [0, 1]."""

    planted: Annotated[tuple[float, ...], BeforeValidator(as_tuple)]
    rest_mean: float
    rest_variance: float


class PublishedColumns(Strict):
    """The columns of W that a paper prints for a data set."""

    where: str
    dataset: str
    method: str
    columns: Annotated[tuple[Column, ...], BeforeValidator(as_tuple)]
