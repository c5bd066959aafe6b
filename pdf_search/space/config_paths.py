"""Lists the dotted paths of the fields of a pydantic model, such as a trial's configuration."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from pydantic import BaseModel

from pdf_search.config import TrialConfig, models_in

OWNED_BY_SWEEP = {
    "phase": "the sweep searches first and confirms after; leave it out",
    "stop_epoch": "write budget: {epochs: …}",
}


@cache
def config_paths(model: type[BaseModel] = TrialConfig) -> tuple[str, ...]:
    """Return every dotted path of a model and the models in it, over all variants of unions.

    Paths of ``OWNED_BY_SWEEP`` are left out: no file may set them.
    """
    paths = (".".join(path) for path in _paths(model, ()))
    return tuple(dict.fromkeys(p for p in paths if p not in OWNED_BY_SWEEP))


def keys_below(path: str, model: type[BaseModel] = TrialConfig) -> list[str]:
    """Return the keys that a mapping at ``path`` may have; "" is the model itself."""
    prefix = f"{path}." if path else ""
    below = (p.removeprefix(prefix) for p in config_paths(model) if p.startswith(prefix))
    return [key for key in below if "." not in key]


def _paths(model: type[BaseModel], at: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for name, info in model.model_fields.items():
        yield (*at, name)
        for inner in models_in(info.annotation):
            yield from _paths(inner, (*at, name))
