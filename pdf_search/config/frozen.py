"""The base class of all configuration models, and a helper that finds models in a type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import InitErrorDetails, PydanticCustomError


class Frozen(BaseModel):
    """An immutable pydantic model.

    It refuses unknown keys, infinite numbers, nan, and true or false where a number is wanted.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _no_truth_values_as_numbers(cls, given: Any) -> Any:
        # pydantic alone reads true as 1
        fields = cls.model_fields.items() if isinstance(given, dict) else ()
        wrong = [error for name, field in fields for error in _taken_for_number(given, name, field)]
        if wrong:
            raise ValidationError.from_exception_data(cls.__name__, wrong)
        return given


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


def _taken_for_number(given: Any, name: str, field: FieldInfo) -> Iterator[InitErrorDetails]:
    value = given.get(name)
    items = value if isinstance(value, list | tuple) else [value]
    if not any(isinstance(item, bool) for item in items):
        return
    types = set(_plain_types(field.annotation))
    if types & {int, float} and not types & {bool, Any}:
        kind = PydanticCustomError("float_type" if float in types else "int_type", "no number")
        yield InitErrorDetails(type=kind, loc=(name,), input=value)


def _plain_types(annotation: Any) -> Iterator[Any]:
    yield annotation
    for argument in get_args(annotation):
        yield from _plain_types(argument)
