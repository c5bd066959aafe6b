"""Builds the JSON schemas of space and study files, for completion and checks in editors.

``search_spaces/schema.json`` and ``search_spaces/studies/schema.json`` hold their ``schema_text``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pdf_search.config import TrialConfig
from pdf_search.space.definition import HEAD_KEYS, TREE_KEYS, Head
from pdf_search.space.parse import NOT_SEARCHED
from pdf_search.space.studies.study import ROW_TREE, PublishedRow, StudyHead

DOMAIN = {"$ref": "#/$defs/Domain"}
PLAIN = ("DataConfig",)


def space_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a space file, in which values may be domains."""
    trial = TrialConfig.model_json_schema()
    head = Head.model_json_schema()
    properties = {key: head["properties"][key] for key in HEAD_KEYS}
    properties |= {key: _or_domain(trial["properties"][key], key) for key in TREE_KEYS}
    opened = {name: _open(d) for name, d in trial["$defs"].items() if name not in PLAIN}
    return _file(
        "pdf-search space",
        "A search space: the tree of a trial whose values may be domains.",
        _mapping(properties),
        trial["$defs"] | head["$defs"] | opened | _domains(),
    )


def study_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a study file.

    It has a head and rows; each row holds parts of a trial's tree.
    """
    trial = TrialConfig.model_json_schema()
    head = StudyHead.model_json_schema()
    row = {
        "name": {"type": "string", "minLength": 1},
        "paper": {"type": "string", "description": "A setting of search_spaces/paper/."},
        "published": PublishedRow.model_json_schema(),
        "candidates": {
            "description": "Settings laid over the row's, among which nested chooses per fold.",
            "type": "array",
            "minItems": 2,
            "items": {"type": "object", "required": ["name"]},
        },
        **{key: trial["properties"][key] for key in ROW_TREE},
    }
    description = "One configuration: a published setting, and what is laid over it."
    rows = {"type": "array", "items": _mapping(row, ["name"]) | {"description": description}}
    return _file(
        "pdf-search study",
        "Fixed configurations, run on the same seeds or folds, that fill a table.",
        _mapping({**head["properties"], "rows": rows}, [*head["required"], "rows"]),
        head.get("$defs", {}) | {name: _partial(d) for name, d in trial["$defs"].items()},
    )


def schema_text(schema: dict[str, Any]) -> str:
    """Return a schema as JSON text, as the shipped file holds it."""
    return json.dumps(schema, indent=2, sort_keys=True) + "\n"


def _file(
    title: str, description: str, mapping: dict[str, Any], definitions: dict[str, Any]
) -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "description": description,
        **mapping,
        "$defs": definitions,
    }


def _mapping(properties: dict[str, Any], required: Sequence[str] = ()) -> dict[str, Any]:
    """Return the schema of a mapping with these keys and no other."""
    known = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**known, "required": list(required)} if required else known


def _partial(definition: dict[str, Any]) -> dict[str, Any]:
    """Return a part's schema with no required keys: the setting of the paper may give them."""
    return {key: value for key, value in definition.items() if key != "required"}


def _or_domain(schema: dict[str, Any], key: str) -> dict[str, Any]:
    if key in NOT_SEARCHED:
        return schema
    kept: dict[str, Any] = {
        name: schema[name] for name in ("description", "default") if name in schema
    }
    return {"anyOf": [_without_discriminator(schema), DOMAIN], **kept}


def _without_discriminator(schema: dict[str, Any]) -> dict[str, Any]:
    """Turn ``oneOf`` into ``anyOf``.

    Once keys may be domains, two variants can allow the same value, which ``oneOf`` would refuse.
    """
    plain = {key: value for key, value in schema.items() if key not in ("discriminator", "oneOf")}
    return {**plain, "anyOf": schema["oneOf"]} if "oneOf" in schema else plain


def _open(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a mapping's schema with domains allowed for its values."""
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
    some, named = {"type": "array", "minItems": 1}, {"type": "object", "minProperties": 1}
    ends = {
        "range": {"type": "array", "items": number, "minItems": 2, "maxItems": 2},
        "step": {"type": "number", "exclusiveMinimum": 0},
        "log": {"type": "boolean", "default": False},
        "integer": {"type": "boolean", "description": "Whole numbers only."},
    }
    return {
        "Domain": {"oneOf": [{"$ref": "#/$defs/Choice"}, {"$ref": "#/$defs/Range"}]},
        "Choice": {
            "description": "One of these values, or of these named options, each of which may "
            "hold further domains.",
            **_mapping({"choice": {"anyOf": [some, named]}}, ["choice"]),
        },
        "Range": {
            "description": "Numbers from low to high, both included.",
            **_mapping(ends, ["range"]),
        },
    }
