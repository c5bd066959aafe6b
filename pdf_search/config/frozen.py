"""What all configuration trees share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Every model whose keys may stand right below a field of that type."""
    origin = get_origin(annotation)
    if origin is None and isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    if origin is not dict:  # values of a mapping stand below keys of the user's own
        for argument in get_args(annotation):
            yield from models_in(argument)
