"""The parameters of a space as the domains of Ray Tune."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ray import tune

from pdf_search.errors import ConfigError
from pdf_search.space import Choice, IntRange, Parameter, Space


def parameter_space(space: Space) -> dict[str, Any]:
    """The parameters of a space as Tune's domains, by their dotted paths, for ``param_space``.

    All are drawn; ``trainable`` leaves out those whose condition does not hold, as ``point`` does.

    Raises:
        ConfigError: ``space`` is none.
    """
    check_space(space)
    return {parameter.path: _domain(parameter) for parameter in space.parameters()}


def point(space: Space, config: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that a trial used: those of Tune's ``config`` whose condition holds.

    Raises:
        ConfigError: ``space`` is none, or ``config`` lacks a parameter of it.
    """
    check_space(space)
    return space.sample(lambda parameter: _value(config, parameter.path))


def _value(config: Mapping[str, Any], path: str) -> Any:
    if path not in config:
        raise ConfigError(f"the configuration has no {path}: use parameter_space(space)")
    value = config[path]
    return value.item() if hasattr(value, "item") else value  # of numpy, as some searchers give


def check_space(space: Any) -> None:
    """Refuse what is no space, such as the name of one.

    Raises:
        ConfigError: It is none.
    """
    if not isinstance(space, Space):
        raise ConfigError(f"space: {space!r} does not fit: give pdf_search.load_space(...)")


def _domain(parameter: Parameter) -> Any:
    domain = parameter.domain
    # Of Tune's own quantised domains none counts its steps from the lowest value.
    if isinstance(domain, Choice) or (domain.values is not None and domain.step != 1):
        return tune.choice(list(domain.values or ()))
    if isinstance(domain, IntRange):
        draw = tune.lograndint if domain.log else tune.randint
        return draw(domain.low, domain.high + 1)
    return (tune.loguniform if domain.log else tune.uniform)(domain.low, domain.high)
