"""Where data comes from: the catalogue, OpenML, a file, or a recipe."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from mlbench.config.component import Count
from mlbench.config.strict import AlsoWritten, Strict, check_name, mistake
from mlbench.data.catalogue import catalogue
from mlbench.data.sources import EMBEDDED, RECIPES

OPENML = "openml:"  # begins the name of a set of OpenML


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
            check_name("data set", self.name, dataset_names(), "name")
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


def dataset_names() -> list[str]:
    """Names of the sets of the catalogue and of those that come with mlbench."""
    return [*catalogue(), *EMBEDDED]


def _source(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if not value.startswith(OPENML):
        check_name("data set", value, dataset_names())
    return {"name": value}


NamedSource = Annotated[
    Source, BeforeValidator(_source), AlsoWritten({"form": "dataset"})
]
