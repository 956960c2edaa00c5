"""What every mapping of a config keeps to: known keys, and mistakes in plain words."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, model_validator
from pydantic_core import PydanticCustomError

from mlbench.errors import unknown


def mistake(message: str, *key: str | int) -> PydanticCustomError:
    """An error at ``key`` below the value being checked (the value itself if none)."""
    # Braces would be taken for placeholders of pydantic's own.
    text = message.replace("{", "{{").replace("}", "}}")
    return PydanticCustomError("mistake", text, {"key": key})  # type: ignore[arg-type]


class Strict(BaseModel):
    """A mapping with known keys and no others."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True
    )

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


@dataclass(frozen=True)
class AlsoWritten:
    """Another form of a value, that a validator turns into its full form.

    Editors are told of it (``mlbench schema``); it checks nothing.
    """

    form: dict[str, Any]

    def __get_pydantic_json_schema__(self, schema: Any, full: GetJsonSchemaHandler):
        """Either form, for pydantic."""
        return {"anyOf": [self.form, full(schema)]}


def check_name(what: str, name: str, known: Iterable[str], *key: str | int) -> None:
    """Raise with a hint when a name is not known; an import path is let through."""
    module, colon, attribute = name.partition(":")
    if colon and module.replace(".", "_").isidentifier() and attribute.isidentifier():
        return
    if name not in set(known):
        raise mistake(unknown(what, name, known), *key)


def as_tuple(value: Any) -> Any:
    """A list of a config, which is a tuple once it is checked."""
    if not isinstance(value, list | tuple):
        raise mistake(f"{value!r} is not a list")
    return tuple(value)
