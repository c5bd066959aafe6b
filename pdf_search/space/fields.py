"""The dotted names of everything that a trial's configuration can hold."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel

from pdf_search.config import TrialConfig

OWNED_BY_SWEEP = {
    "phase": "the sweep searches first and confirms after; leave it out",
    "stop_epoch": "write budget: {epochs: …}",
}


@cache
def config_paths() -> tuple[str, ...]:
    """Every dotted path of ``TrialConfig``, over all variants of its unions."""
    paths = (".".join(path) for path in _paths(TrialConfig, ()))
    return tuple(dict.fromkeys(p for p in paths if p not in OWNED_BY_SWEEP))


def keys_below(path: str) -> list[str]:
    """The keys that a mapping at ``path`` may have."""
    prefix = f"{path}." if path else ""
    below = (p.removeprefix(prefix) for p in config_paths() if p.startswith(prefix))
    return [key for key in below if "." not in key]


def _paths(model: type[BaseModel], at: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for name, info in model.model_fields.items():
        yield (*at, name)
        for inner in _models(info.annotation):
            yield from _paths(inner, (*at, name))


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        # Values of a mapping sit below keys of the user's own, not below the field's name.
        if getattr(annotation, "__origin__", None) is not dict:
            yield from _models(argument)
