"""Lets a verb take a dataclass as a parameter, each field of which is a command-line option."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def given(*groups: Any) -> dict[str, Any]:
    """The options of the groups that were given, by name; those that are None or False are not."""
    values = {field.name: getattr(group, field.name) for group in groups for field in fields(group)}
    return {k: v for k, v in values.items() if v is not None and v is not False}


def option_groups(verb: Callable[..., None]) -> Callable[..., None]:
    """Decorate a verb: each field of a dataclass parameter becomes an option for typer.

    The verb gets the dataclasses, filled with the values of their options.
    """
    hints = get_type_hints(verb, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters: list[Parameter] = []
    for parameter in signature(verb).parameters.values():
        if parameter.name in groups:
            parameters += _options(groups[parameter.name])
        else:
            hint = hints[parameter.name]
            parameters.append(parameter.replace(annotation=hint, kind=Parameter.KEYWORD_ONLY))

    @wraps(verb)
    def flat(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{f.name: values.pop(f.name) for f in fields(group)})
        verb(**values)

    del flat.__wrapped__
    flat.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    flat.__annotations__ = {p.name: p.annotation for p in parameters}
    return flat


def _options(group: Any) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(f.name, Parameter.KEYWORD_ONLY, default=f.default, annotation=hints[f.name])
        for f in fields(group)
    ]
