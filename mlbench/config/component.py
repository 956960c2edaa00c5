"""What methods and sweeps are written with: components, dimensions, values."""

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

from mlbench.config.strict import Strict, check_name, mistake
from mlbench.dims import Dim, parse_dims
from mlbench.methods import methods
from mlbench.metrics import METRICS

# How values are written, for editors; mlbench.config.schema puts forms in their place.
A_REDUCER = {"form": "reducer"}
A_CLASSIFIER = {"form": "classifier"}
ONE_DIM = {"anyOf": [{"type": "number"}, {"type": "string"}, {"form": "match"}]}
SOME_DIMS = {"anyOf": [*ONE_DIM["anyOf"], {"type": "array", "items": ONE_DIM}]}
DIMS_BY_DATASET = {"type": "object", "additionalProperties": SOME_DIMS}


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
    return _component(value, "reducer", methods("reducer"))


def _classifier(value: Any) -> Any:
    return _component(value, "classifier", methods("classifier"))


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


def one_label(value: Any) -> Any:
    """The label of one dimension, as records carry it."""
    dims = _dims(value)
    if len(dims) != 1:
        raise mistake(f"{value!r} is not one dimension")
    return dims[0].label


Reducer = Annotated[Component, BeforeValidator(_reducer), WithJsonSchema(A_REDUCER)]
Classifier = Annotated[
    Component, BeforeValidator(_classifier), WithJsonSchema(A_CLASSIFIER)
]
Dims = Annotated[
    tuple[Dim, ...],
    BeforeValidator(_dims),
    PlainSerializer(_labels),
    WithJsonSchema(SOME_DIMS),
]
DimsOfDatasets = Annotated[
    tuple[Dim, ...] | dict[str, tuple[Dim, ...]],
    BeforeValidator(_dims_of_datasets),
    PlainSerializer(_labels),
    WithJsonSchema({"anyOf": [*SOME_DIMS["anyOf"], DIMS_BY_DATASET]}),
]
Share = Annotated[float, Field(gt=0, le=1)]
Count = Annotated[int, Field(ge=1)]
MetricName = Annotated[str, WithJsonSchema({"enum": [*METRICS]})]


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
