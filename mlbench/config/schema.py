"""A JSON Schema of config files: editors complete and check them with it."""

from typing import Any

from mlbench.config.model import Experiment
from mlbench.config.source import OPENML, dataset_names
from mlbench.methods import methods, new_method

DIALECT = "https://json-schema.org/draft/2020-12/schema"
IMPORT_PATH = {"type": "string", "pattern": r"^\w+(\.\w+)*:\w+$"}


def schema() -> dict[str, Any]:
    """The schema, with the settings of every method there is."""
    found = Experiment.model_json_schema()
    found["required"].remove("name")  # the file has one
    named = _with_forms(found)
    named["$defs"] |= {
        "reducer": _component("reducer"),
        "classifier": _component("classifier"),
        "dataset": _dataset(),
        "match": _match(),
    }
    return {"$schema": DIALECT, "title": "mlbench config"} | _without_noise(named)


def _with_forms(node: Any) -> Any:
    """The same with references in place of the forms that are only named."""
    if isinstance(node, list):
        return [_with_forms(item) for item in node]
    if not isinstance(node, dict):
        return node
    if isinstance(form := node.get("form"), str):
        rest = {key: value for key, value in node.items() if key != "form"}
        return rest | {"$ref": f"#/$defs/{form}"}
    return {key: _with_forms(value) for key, value in node.items()}


def _without_noise(node: Any, names: bool = False) -> Any:
    """The same without the titles that are only a key again.

    ``names``: the keys of this mapping are names, not words of the schema.
    """
    if isinstance(node, list):
        return [_without_noise(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _without_noise(value, key in ("properties", "$defs") and not names)
        for key, value in node.items()
        if names or key != "title"
    }


def _component(kind: str) -> dict[str, Any]:
    """A method: by name, by import path, or with settings."""
    known = sorted(methods(kind))
    return {
        "anyOf": [
            {"enum": known},
            IMPORT_PATH,
            {
                "type": "object",
                "minProperties": 1,
                "maxProperties": 1,
                "properties": {name: _settings(kind, name) for name in known},
                "patternProperties": {":": {"type": ["object", "null"]}},
                "additionalProperties": False,
            },
        ]
    }


def _settings(kind: str, name: str) -> dict[str, Any]:
    settings = new_method(kind, name).get_params(deep=False)
    return {
        "type": ["object", "null"],
        "properties": {
            setting: {"description": f"default: {value}"}
            for setting, value in settings.items()
        },
        "additionalProperties": False,
    }


def _dataset() -> dict[str, Any]:
    by_openml = {"type": "string", "pattern": f"^{OPENML}"}
    return {"anyOf": [{"enum": dataset_names()}, by_openml]}


def _match() -> dict[str, Any]:
    """The dimension that another method chooses."""
    shares = ["singular_values", "eigenvalues"]
    return {
        "type": "object",
        "properties": {
            "match": {"const": "mddm"},
            "threshold": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
            "of": {"enum": shares},
        },
        "required": ["match"],
        "additionalProperties": False,
    }
