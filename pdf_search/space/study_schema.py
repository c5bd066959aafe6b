"""The JSON schema of study files, for completion and checks in editors.

``search_spaces/studies/schema.json`` is ``study_schema_text()``.
"""

from __future__ import annotations

import json
from typing import Any

from pdf_search.config import TrialConfig
from pdf_search.space.study import ROW_TREE, PublishedRow, StudyHead


def study_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a study file: a head, and rows that hold parts of a trial's tree."""
    trial = TrialConfig.model_json_schema()
    head = StudyHead.model_json_schema()
    published = PublishedRow.model_json_schema()
    parts = {name: _partial(definition) for name, definition in trial["$defs"].items()}
    row = {
        "description": "One configuration: a published setting, and what is laid over it.",
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "paper": {"type": "string", "description": "A setting of search_spaces/paper/."},
            "published": published,
            "candidates": {
                "description": "Settings laid over the row's, among which nested chooses per fold.",
                "type": "array",
                "minItems": 2,
                "items": {"type": "object", "required": ["name"]},
            },
            **{key: trial["properties"][key] for key in ROW_TREE},
        },
        "required": ["name"],
        "additionalProperties": False,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "pdf-search study",
        "description": "Fixed configurations, run on the same seeds or folds, that fill a table.",
        "type": "object",
        "properties": {**head["properties"], "rows": {"type": "array", "items": row}},
        "required": [*head["required"], "rows"],
        "additionalProperties": False,
        "$defs": {**head.get("$defs", {}), **parts},
    }


def _partial(definition: dict[str, Any]) -> dict[str, Any]:
    """A part of a trial's tree of which the published setting may give the rest."""
    return {key: value for key, value in definition.items() if key != "required"}


def study_schema_text() -> str:
    """The schema as the shipped file holds it."""
    return json.dumps(study_schema(), indent=2, sort_keys=True) + "\n"
