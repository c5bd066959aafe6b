"""Builds the configuration of a trial from a point of the space, for either phase."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pdf_search.config import TrialConfig, parse_trial, with_stop_epoch
from pdf_search.records import Phase
from pdf_search.space import FloatRange, Parameter, Space
from pdf_search.sweep.samplers.seeds import confirm_seeds, search_seeds

PROBES = 64  # random points from which the longest warm-up of a space is estimated


@dataclass(frozen=True)
class TrialBuilder:
    """Builds trial configurations of one sweep.

    ``epochs`` and ``confirm_epochs`` are the epochs after which trials of the two phases stop.
    ``search_count`` and ``confirm_count`` are the numbers of their seeds. ``device`` is where
    trials run; it does not change a configuration's hash. ``metric`` replaces the data set's, None
    for no change.
    ``resolve`` lists the bases that ``basis.select: compact`` keeps, which depend on the data.
    """

    space: Space
    seed: int
    epochs: int
    confirm_epochs: int
    confirm_count: int
    device: str
    metric: str | None = None
    resolve: Callable[[TrialConfig], TrialConfig] | None = None
    search_count: int = 1

    def search(self, values: Mapping[str, Any]) -> TrialConfig:
        """The search configuration of a point.

        Raises:
            ConfigError: the values cannot be combined.
        """
        tree = self.space.trial(values)
        if self.metric is not None:
            tree["data"] = {**tree["data"], "metric": self.metric}
        seeds = search_seeds(self.seed, self.search_count)
        tree |= {"phase": Phase.SEARCH, "device": self.device, "seeds": seeds}
        config = parse_trial(with_stop_epoch(tree, self.epochs), f"space {self.space.name}")
        return config if self.resolve is None else self.resolve(config)

    def confirm(self, recorded: Mapping[str, Any]) -> TrialConfig:
        """The confirm configuration of a recorded search trial, on fresh seeds."""
        seeds = confirm_seeds(self.seed, self.confirm_count, self.search_count)
        tree = {**recorded, "phase": Phase.CONFIRM, "device": self.device, "seeds": seeds}
        return parse_trial(with_stop_epoch(tree, self.confirm_epochs), "recorded trial")


def example(space: Space) -> dict[str, Any]:
    """A point of the space: the first listed one, or a random one."""
    listed = space.points_to_evaluate
    return dict(listed[0]) if listed else next(iter(random_points(space, 1)))


def random_points(space: Space, count: int) -> list[dict[str, Any]]:
    """The same ``count`` random points at every call, for inspecting a space.

    Trials are never drawn here.
    """
    choose = _chooser(random.Random(0))
    return [space.sample(choose) for _ in range(count)]


def longest_warmup(space: Space) -> int:
    """The most epochs of warm-up that the listed and some random points of the space have."""
    points = [*map(dict, space.points_to_evaluate), *random_points(space, PROBES)]
    return max(parse_trial(space.trial(p)).training.schedule.warmup for p in points)


def _chooser(source: random.Random) -> Callable[[Parameter], Any]:
    def choose(parameter: Parameter) -> Any:
        domain = parameter.domain
        if isinstance(domain, FloatRange) and domain.step is None:
            return source.uniform(domain.low, domain.high)
        assert domain.values is not None
        return source.choice(domain.values)

    return choose
