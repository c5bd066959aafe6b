"""The JSON schema of space files, for completion and checks in editors.

``search_spaces/schema.json`` is ``schema_text()``.
"""

from __future__ import annotations

import json
from typing import Any

from pdf_search.config import TrialConfig
from pdf_search.space.definition import HEAD_KEYS, TREE_KEYS, Head
from pdf_search.space.parse import NOT_SEARCHED

DOMAIN = {"$ref": "#/$defs/Domain"}
PLAIN = ("DataConfig",)


def space_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a space file: a trial's tree in which values may be domains."""
    trial = TrialConfig.model_json_schema()
    head = Head.model_json_schema()
    definitions = {**trial["$defs"], **head["$defs"]}
    definitions |= {name: _open(d) for name, d in trial["$defs"].items() if name not in PLAIN}
    properties = {key: head["properties"][key] for key in HEAD_KEYS}
    properties |= {key: _or_domain(trial["properties"][key], key) for key in TREE_KEYS}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "pdf-search space",
        "description": "A search space: the tree of a trial whose values may be domains.",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "$defs": {**definitions, **_domains()},
    }


def _or_domain(schema: dict[str, Any], key: str) -> dict[str, Any]:
    if key in NOT_SEARCHED:
        return schema
    kept: dict[str, Any] = {
        name: schema[name] for name in ("description", "default") if name in schema
    }
    return {"anyOf": [_without_discriminator(schema), DOMAIN], **kept}


def _without_discriminator(schema: dict[str, Any]) -> dict[str, Any]:
    """``oneOf`` would refuse a value that two variants allow once their keys may be domains."""
    plain = {key: value for key, value in schema.items() if key not in ("discriminator", "oneOf")}
    return {**plain, "anyOf": schema["oneOf"]} if "oneOf" in schema else plain


def _open(schema: dict[str, Any]) -> dict[str, Any]:
    """A mapping's schema with domains allowed for its values."""
    if "properties" not in schema:
        return schema
    title = schema.get("title", "")
    properties = {
        key: inner if title == "TrainingConfig" and key == "epochs" else _or_domain(inner, "")
        for key, inner in schema["properties"].items()
    }
    return {**schema, "properties": properties}


def _domains() -> dict[str, Any]:
    number = {"type": "number"}
    return {
        "Domain": {"oneOf": [{"$ref": "#/$defs/Choice"}, {"$ref": "#/$defs/Range"}]},
        "Choice": {
            "description": "One of these values, or of these named options, each of which may "
            "hold further domains.",
            "type": "object",
            "properties": {
                "choice": {
                    "anyOf": [
                        {"type": "array", "minItems": 1},
                        {"type": "object", "minProperties": 1},
                    ]
                }
            },
            "required": ["choice"],
            "additionalProperties": False,
        },
        "Range": {
            "description": "Numbers from low to high, both included.",
            "type": "object",
            "properties": {
                "range": {"type": "array", "items": number, "minItems": 2, "maxItems": 2},
                "step": {"type": "number", "exclusiveMinimum": 0},
                "log": {"type": "boolean", "default": False},
                "integer": {"type": "boolean", "description": "Whole numbers only."},
            },
            "required": ["range"],
            "additionalProperties": False,
        },
    }


def schema_text() -> str:
    """The schema as the shipped file holds it."""
    return json.dumps(space_schema(), indent=2, sort_keys=True) + "\n"
