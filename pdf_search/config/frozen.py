"""The base class of all configuration models, and a helper that finds models in a type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """An immutable pydantic model that refuses unknown keys, infinite numbers and nan."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models whose keys may stand directly below a field with this type annotation.

    Models that are the values of a dict are left out: the user's own keys stand above theirs.
    """
    origin = get_origin(annotation)
    if origin is None and isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    if origin is not dict:
        for argument in get_args(annotation):
            yield from models_in(argument)
