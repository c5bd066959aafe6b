"""Fits the entries of the portfolio into a space: each becomes the point that is closest to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

from pdf_search.config import BasisConfig
from pdf_search.errors import ConfigError
from pdf_search.space.domains import FloatRange, IntRange
from pdf_search.space.files.problems import Where, dotted
from pdf_search.space.points import Point
from pdf_search.space.portfolio.entry import SCHEDULES, Entry, kinds_of, shipped_portfolio
from pdf_search.space.space import Space
from pdf_search.space.tree import Branch, Fixed, Node

OTHER_KIND = 1_000.0  # distance between settings of another kind, above all others together
LOGARITHMIC = ("training.learning_rate", "training.weight_decay")
LEAST = 1e-6  # a weight decay below it is as good as none
EPS_STEP = 0.1  # of an entry's eps
STEPS, GAMMA = 5, 0.6  # decays of an entry's schedule "step" in a whole training, and their factor


def portfolio_points(space: Space) -> list[Point]:
    """Fit the shipped portfolio into a space, in its order; equal configurations count once.

    Entries that are not inside the space are left out. Limits are not considered.
    """
    return fitted(space, shipped_portfolio())


def fitted(space: Space, entries: Sequence[Entry]) -> list[Point]:
    """Fit entries into a space, as ``portfolio_points`` does it."""
    reach = Reach.of(space)
    found: dict[str, Point] = {}
    for entry in entries:
        point = Fit(entry, reach).point(space)
        if point is not None:
            found.setdefault(space.config(point).content_hash(), point)
    return list(found.values())


@dataclass(frozen=True)
class Reach:
    """The largest sizes in a space, and the kinds of each setting that occur in it.

    ``hops``: the largest number of hops of a support, 1 if there is none. ``epochs``: those that
    schedules are made for.
    """

    hidden: int
    k: int
    hops: int
    epochs: int
    kinds: Mapping[str, frozenset[Any]]

    @classmethod
    def of(cls, space: Space) -> Reach:
        """Look at the two ends of each range and at every option."""
        configs = list(space.probed())
        kinds = [kinds_of(config) for config in configs]
        return cls(
            hidden=max(config.model.hidden for config in configs),
            k=max(k for config in configs for _, k in config.basis.grid),
            hops=max(config.basis.hops or 1 for config in configs),
            epochs=configs[0].training.epochs,
            kinds={name: frozenset(each[name] for each in kinds) for name in kinds[0]},
        )


class Fit:
    """An entry, measured for a space.

    ``numbers`` are its settings that have an order, by path, in the units of a trial.
    """

    def __init__(self, entry: Entry, reach: Reach) -> None:
        k = max(1, round(entry.k_share * reach.k))
        self.kinds = entry.kinds
        self.reach = reach
        self.numbers: dict[str, float] = {
            "basis.eps.low": min(entry.eps),
            "basis.eps.high": max(entry.eps),
            "basis.k": k,
            "basis.k.low": 1,
            "basis.k.high": k,
            "basis.support.hops": reach.hops,
            "model.hidden": entry.hidden_share * reach.hidden,
            "model.layers": entry.layers,
            "model.dropout": entry.dropout,
            "training.batch_size": entry.batch_size,
            "training.learning_rate": entry.learning_rate,
            "training.weight_decay": entry.weight_decay,
            "training.schedule.step": max(1, reach.epochs // STEPS),
            "training.schedule.gamma": GAMMA,
        }

    def point(self, space: Space) -> Point | None:
        """The closest point of the space; None if the entry is not inside the space.

        Settings of which the entry says nothing have their first value.
        """
        values, _ = self._closest(space.tree, ())
        point = space.sample(lambda parameter: values[parameter.path])
        try:
            kinds = kinds_of(space.config(point))
        except ConfigError:  # the settings cannot be combined
            return None
        fixed = (name for name, known in self.reach.kinds.items() if len(known) == 1)
        return point if kinds == self.kinds | {name: kinds[name] for name in fixed} else None

    def _closest(self, node: Node, at: Where) -> tuple[Point, Any]:
        """The values of the closest point of a part of the tree, and what it builds there."""
        if isinstance(node, Fixed):
            return {}, node.value
        if isinstance(node, Branch):
            parts = {key: self._closest(child, (*at, key)) for key, child in node.children.items()}
            values = {path: value for point, _ in parts.values() for path, value in point.items()}
            return values, {key: plain for key, (_, plain) in parts.items()}
        parameter = node.parameter
        if isinstance(parameter.domain, IntRange | FloatRange):
            value = nearest(parameter.domain, self.numbers.get(_setting(at)))
            return {parameter.path: value}, value
        options = {label: self._closest(option, at) for label, option in node.options.items()}
        label = min(options, key=lambda label: self.distance(at, options[label][1]))
        point, plain = options[label]
        return {parameter.path: label, **point}, plain

    def distance(self, at: Where, plain: Any) -> float:
        """How far a value at a place of the tree is from the entry; 0 where it says nothing."""
        name = _setting(at)
        if name == "basis":
            return self._bases(plain)
        if name == "basis.support":
            hops = 0.0 if plain == "dense" else self._number("basis.support.hops", plain["hops"])
            return hops + self._kind(name, "dense" if plain == "dense" else "hops")
        if name in ("basis.eps", "basis.k") and isinstance(plain, list):
            return self._ends(name, plain)
        if isinstance(plain, Mapping):
            return sum(self.distance((*at, key), value) for key, value in plain.items())
        if name == "training.schedule.kind":
            return self._kind(name, SCHEDULES[plain])
        return self._single(name, plain)

    def _single(self, name: str, value: Any) -> float:
        if name == "basis.select":
            return float(value != "full")  # entries were found with whole grids
        return self._kind(name, value) if name in self.kinds else self._number(name, value)

    def _bases(self, plain: Any) -> float:
        basis = BasisConfig.model_validate(plain)
        eps, k = ([pair[i] for pair in basis.grid] for i in (0, 1))
        number = self.numbers
        steps = round((number["basis.eps.high"] - number["basis.eps.low"]) / EPS_STEP)
        size = (steps + 1) * number["basis.k.high"]
        ends = self._ends("basis.eps", eps) + self._ends("basis.k", k)
        kinds = self._kind("basis.standardise", basis.standardise)
        support = "dense" if basis.hops is None else {"hops": basis.hops}
        kinds += self.distance(("basis", "support"), support)
        return kinds + ends + abs(len(basis.grid) - size) / max(len(basis.grid), size)

    def _ends(self, name: str, values: Sequence[float]) -> float:
        low, high = (
            self._number(f"{name}.low", min(values)),
            self._number(f"{name}.high", max(values)),
        )
        return low + high

    def _kind(self, name: str, value: Any) -> float:
        return 0.0 if value == self.kinds[name] else OTHER_KIND

    def _number(self, name: str, value: Any) -> float:
        wanted = self.numbers.get(name)
        if wanted is None:
            return 0.0
        if name in LOGARITHMIC:
            return abs(log(max(float(value), LEAST) / max(wanted, LEAST)))
        return abs(float(value) - wanted) / max(abs(wanted), EPS_STEP)


def nearest(domain: IntRange | FloatRange, wanted: float | None) -> float:
    """The value of a range that is closest to ``wanted``; its low end for None."""
    if wanted is None:
        return domain.low
    if isinstance(domain, FloatRange) and domain.step is None:
        return min(max(wanted, domain.low), domain.high)
    step = domain.step or 1
    most = int((domain.high - domain.low) / step + 1e-6)
    return domain.low + min(max(round((wanted - domain.low) / step), 0), most) * step


def _setting(at: Where) -> str:
    """The path of the setting at a place; each eps of ``powers`` has what ``basis.k`` has."""
    return dotted(("basis", "k", *at[3:]) if at[:2] == ("basis", "powers") and at[2:] else at)
