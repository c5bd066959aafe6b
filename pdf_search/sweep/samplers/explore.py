"""What population based training changes, and how (Jaderberg et al. 2017, arXiv:1711.09846)."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, exp, log
from random import Random
from typing import Any

from pdf_search.config import Change, InputShape, TrialConfig
from pdf_search.errors import ConfigError
from pdf_search.space import Choice, FloatRange, Parameter, Space
from pdf_search.sweep.samplers.closest import Build

RATE, DECAY, DROPOUT = "training.learning_rate", "training.weight_decay", "model.dropout"
FACTORS = (0.8, 1.2)
SHARE = 4  # the worst fourth of the population goes on from the best fourth
RESAMPLED = 0.25  # share of the values that are drawn anew
LEAST = 3  # epochs of a segment; one or two say nothing
SEGMENTS = 8  # of a trial, at most


def perturbation_epochs(warmup: int, epochs: int) -> tuple[int, ...]:
    """The epochs after which a population is perturbed, ascending; the last leaves a whole segment.

    The first segment is longer than the longest ``warmup``, and all are alike.
    """
    segment = max(LEAST, warmup + 1, -(-epochs // SEGMENTS))
    return tuple(range(segment, epochs - segment + 1, segment))


def explored_parameters(space: Space) -> dict[str, Parameter]:
    """The parameters of the space that a population changes while it trains, by path.

    Raises:
        ConfigError: the space searches none of them.
    """
    known = {p.path: p for p in space.parameters() if _is_numeric(p)}
    found = {path: known[path] for path in (RATE, DECAY, DROPOUT) if path in known}
    if not found:
        raise ConfigError(
            f"method pbt changes {RATE}, {DECAY} and {DROPOUT} while it trains, and space "
            f"{space.name} searches none of them. Give one a range, or take another method"
        )
    return found


def population_base(
    space: Space, portfolio: tuple[Mapping[str, Any], ...], shape: InputShape, build: Build
) -> Mapping[str, Any]:
    """The point whose settings a population shares: the first listed or of the portfolio.

    Raises:
        ConfigError: there is none, or it cannot be trained within the limits of the space.
    """
    points = [*space.points_to_evaluate, *portfolio]
    if not points:
        raise ConfigError(
            f"method pbt trains one architecture, the first of points_to_evaluate or of the "
            f"portfolio, and space {space.name} has none. List one, or take another method"
        )
    if broken := space.violations(build(dict(points[0])), shape):
        raise ConfigError(
            f"method pbt trains one architecture, the first point of space {space.name}, and that "
            f"is outside the limits: {'; '.join(broken)}. List another one first"
        )
    return points[0]


def population_words(space: Space, epochs: tuple[int, ...], trials: int) -> str:
    """What a population of so many trials does after the ``epochs``, in words for the plan."""
    count = replaced(trials)
    return (
        f"after epoch {', '.join(map(str, epochs))} the worst {count} of {trials} go on from the "
        f"best {count}, with changed {', '.join(explored_parameters(space))}; all have the other "
        "settings of the first trial"
    )


def replaced(count: int) -> int:
    """How many of ``count`` members a perturbation replaces: a fourth, at most half."""
    return min(ceil(count / SHARE), count // 2)


def explored(
    config: TrialConfig, epoch: int, parameters: Mapping[str, Parameter], random: Random
) -> TrialConfig:
    """The configuration with values of the ``parameters`` changed after ``epoch``.

    A value is drawn anew, or multiplied by a factor within its range; one of a list of values
    moves to a neighbour.
    """
    now = config.at(epoch + 1)
    values = {
        RATE: now.training.learning_rate,
        DECAY: now.training.weight_decay,
        DROPOUT: now.model.dropout,
    }
    values |= {path: _moved(values[path], p, random) for path, p in parameters.items()}
    change = Change(
        after=epoch,
        learning_rate=values[RATE],
        weight_decay=values[DECAY],
        dropout=values[DROPOUT],
    )
    changes = (*(c for c in config.training.changes if c.after < epoch), change)
    training = config.training.model_copy(update={"changes": changes})
    return config.model_copy(update={"training": training})


def _moved(value: float, parameter: Parameter, random: Random) -> float:
    domain = parameter.domain
    again = random.random() < RESAMPLED
    if isinstance(domain, FloatRange) and domain.step is None:
        if not again:
            return min(max(value * random.choice(FACTORS), domain.low), domain.high)
        if domain.log:
            drawn = exp(random.uniform(log(domain.low), log(domain.high)))
            return min(max(drawn, domain.low), domain.high)
        return random.uniform(domain.low, domain.high)
    assert domain.values is not None
    ordered = sorted(float(known) for known in domain.values)
    if again or value not in ordered:
        return random.choice(ordered)
    place = ordered.index(value) + random.choice((-1, 1))
    return ordered[min(max(place, 0), len(ordered) - 1)]


def _is_numeric(parameter: Parameter) -> bool:
    domain = parameter.domain
    return not isinstance(domain, Choice) or all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in domain.values
    )
