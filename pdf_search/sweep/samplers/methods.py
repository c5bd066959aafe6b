"""The search methods: how each draws configurations, and how it stops trials early."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from pdf_search.errors import ConfigError

REDUCTION = 2  # the better half of the trials passes a rung


Sampler = Literal["tpe", "random", "grid"]
Stopping = Literal["none", "asha", "hyperband", "pbt"]


@dataclass(frozen=True)
class Method:
    """A search method.

    ``sampler`` draws the configurations. ``stopping`` ends trials early: ``asha``, asynchronous
    successive halving, stops the worst, compared at equal epochs; ``hyperband`` does so in
    brackets that begin to stop at different epochs. ``pbt`` ends no trial: the worst go on from
    checkpoints of the best, with other values of what ``explore`` changes.
    """

    name: str
    sampler: Sampler
    stopping: Stopping


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("tpe+asha", "tpe", "asha"),
        Method("random", "random", "none"),
        Method("random+asha", "random", "asha"),
        Method("grid", "grid", "none"),
        Method("grid+asha", "grid", "asha"),
        Method("tpe", "tpe", "none"),
        Method("hyperband", "random", "hyperband"),
        Method("pbt", "random", "pbt"),
    )
}


def find_method(name: str, given_by: str = "--method") -> Method:
    """The method of that name; ``given_by`` is where the user wrote it, for the message.

    Raises:
        ConfigError: there is no such method. The message names a close one.
    """
    if name in METHODS:
        return METHODS[name]
    close = get_close_matches(name, METHODS, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise ConfigError(
        f"method {name!r} ({given_by}): no such method.{hint} Known: {', '.join(METHODS)}"
    )
