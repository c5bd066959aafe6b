"""Search methods by name: how configurations are drawn, and whether trials are stopped early."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from pdf_search.errors import ConfigError

REDUCTION = 3  # one of three trials passes a rung


@dataclass(frozen=True)
class Method:
    """``sampler`` draws configurations; ``asha`` stops the worst at equal epochs."""

    name: str
    sampler: Literal["tpe", "random", "grid"]
    asha: bool


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("tpe+asha", "tpe", asha=True),
        Method("random", "random", asha=False),
        Method("random+asha", "random", asha=True),
        Method("grid", "grid", asha=False),
        Method("tpe", "tpe", asha=False),
    )
}


def find_method(name: str, given_by: str = "--method") -> Method:
    """The method of that name; ``given_by`` is where the user wrote it.

    Raises:
        ConfigError: no such method; names the close ones.
    """
    if name in METHODS:
        return METHODS[name]
    close = get_close_matches(name, METHODS, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise ConfigError(
        f"method {name!r} ({given_by}): no such method.{hint} Known: {', '.join(METHODS)}"
    )
