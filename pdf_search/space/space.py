"""The search space: its parameters, points, limits and defaults. Imports no torch and no tuner."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pdf_search.config import InputShape, TrialConfig, parse_trial
from pdf_search.errors import ConfigError, SpaceError
from pdf_search.records import Protocol
from pdf_search.space.definition import POINTS, Definition, with_new_names
from pdf_search.space.domains import Parameter
from pdf_search.space.files.problems import Problems, did_you_mean
from pdf_search.space.limits import Limit, count_parameters
from pdf_search.space.tree import Node, build, parameters, points, probes, size
from pdf_search.space.validate import Checked, check_definition


@dataclass(frozen=True)
class Defaults:
    """The defaults of a sweep of this space, which the command line can change.

    ``epochs``: after how many every trial is cut; learning rate schedules stay those of
    ``training.epochs``. ``replicates``: seeds of every trial of the search. ``portfolio``: whether
    configurations of the portfolio are tried first.
    """

    trials: int
    epochs: int
    method: str
    replicates: int
    portfolio: bool
    confirm_top_k: int
    confirm_seeds: int
    metric: str
    protocol: Protocol
    folds: int | None


@dataclass(frozen=True)
class Space:
    """A checked space.

    A point of it is a flat mapping ``{path: value}``. It has a value for every parameter whose
    condition holds, and for no other.

    ``points_to_evaluate``: points tried first, such as settings of the paper. ``notes``: what a
    user should know of them, such as a setting of the paper that is not in the space.
    ``definition``: the plain data that the space was built from.
    """

    name: str
    source: str
    description: str
    defaults: Defaults
    limits: tuple[Limit, ...]
    tree: Node = field(repr=False)
    points_to_evaluate: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    definition: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def parameters(self) -> tuple[Parameter, ...]:
        """Every parameter in the order of the file; a choice comes before those in its options."""
        return tuple(parameters(self.tree))

    def sample(self, choose: Callable[[Parameter], Any]) -> dict[str, Any]:
        """Build a point from the value that ``choose`` gives for each parameter.

        It is asked only for parameters whose condition holds.

        Raises:
            SpaceError: it gave a value outside the domain.
        """
        values: dict[str, Any] = {}

        def record(parameter: Parameter) -> Any:
            values[parameter.path] = parameter.canonical(choose(parameter))
            return values[parameter.path]

        build(self.tree, record)
        return values

    def trial(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the tree of the trial at a point, as plain data for ``parse_trial``.

        Raises:
            SpaceError: not a point of this space; the message names the path and the remedy.
        """
        used: set[str] = set()

        def look_up(parameter: Parameter) -> Any:
            if parameter.path not in values:
                raise self._missing(parameter, values)
            used.add(parameter.path)
            return values[parameter.path]

        plain = self._located(lambda: build(self.tree, look_up))
        for path in values:
            if path not in used:
                raise self._surplus(path)
        assert isinstance(plain, dict)
        return plain

    def config(self, values: Mapping[str, Any]) -> TrialConfig:
        """Return the configuration of the trial at a point.

        Raises:
            SpaceError: not a point of this space.
            ConfigError: the settings do not go together.
        """
        return parse_trial(self.trial(values), f"space {self.name}")

    def contains(self, values: Mapping[str, Any]) -> None:
        """Check that ``values`` is a point of this space.

        Raises:
            SpaceError: it is not; the message names the path and the remedy.
        """
        self.trial(values)

    def violations(self, config: TrialConfig, shape: InputShape) -> list[str]:
        """Return a message for each limit that a trial breaks, with the numbers; [] if none.

        ``shape``: the input features and number of outputs of the data set.
        """
        count = count_parameters(config, shape)
        broken = (limit.violation(limit.values(config, count)) for limit in self.limits)
        return [message for message in broken if message is not None]

    def excesses(self, config: TrialConfig, shape: InputShape) -> dict[str, float]:
        """Return by how much a trial breaks each limit, by the limit's text; {} if it meets all."""
        count = count_parameters(config, shape)
        found = {limit.text: limit.excess(limit.values(config, count)) for limit in self.limits}
        return {text: excess for text, excess in found.items() if excess > 0}

    def size(self) -> int | None:
        """Return the number of points of the space; None if a domain is continuous."""
        return size(self.tree)

    def grid(self) -> Iterator[dict[str, Any]]:
        """Iterate over every point of a finite space; limits are not considered.

        Raises:
            SpaceError: some domains are continuous; the message names them.
        """
        endless = [p.path for p in self.parameters() if p.domain.values is None]
        if endless:
            raise SpaceError(
                f"{self.source}: {', '.join(endless)}: continuous, so there is no grid; "
                "give the range a step, list values in a choice, or use another method"
            )
        return points(self.tree)

    def probed(self) -> Iterator[TrialConfig]:
        """Each option of a choice and both ends of each range, all else at its first values."""
        for choose in probes(self.tree):
            try:
                yield self.config(self.sample(choose))
            except ConfigError:  # the settings cannot be combined; the first ones can
                continue

    def as_dict(self) -> dict[str, Any]:
        """Return the whole space as JSON-like data, for ``from_dict``."""
        return {
            "name": self.name,
            "source": self.source,
            "notes": list(self.notes),
            "definition": copy.deepcopy(dict(self.definition)),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Space:
        """Rebuild the space that ``as_dict`` returned, without any file or data set.

        Raises:
            SpaceError: not the data of a space.
        """
        try:
            name, source = str(data["name"]), str(data["source"])
            definition = Definition(source, copy.deepcopy(dict(data["definition"])))
            notes = tuple(str(note) for note in data["notes"])
        except (KeyError, TypeError, ValueError):
            raise SpaceError("the recorded space is damaged: start a new sweep") from None
        definition = with_new_names(definition)
        return replace(cls.of(name, definition, definition.problems()), notes=notes)

    @classmethod
    def of(cls, name: str, definition: Definition, problems: Problems) -> Space:
        """Check a definition and build its space. ``problems``: those found so far.

        Raises:
            SpaceError: lists every problem found.
        """
        checked = check_definition(definition, problems)
        if checked is not None:
            space = cls._from_checked(name, checked)
            space._check_points(checked.head.points_to_evaluate, problems)  # noqa: SLF001  (its own)
        problems.raise_if_any()
        assert checked is not None
        return space

    @classmethod
    def _from_checked(cls, name: str, checked: Checked) -> Space:
        head, plain = checked.head, checked.definition.plain
        return cls(
            name=name,
            source=checked.definition.source,
            description=head.description,
            defaults=_defaults(checked),
            limits=checked.limits,
            tree=checked.tree,
            points_to_evaluate=tuple(p for p in head.points_to_evaluate if isinstance(p, dict)),
            definition={key: value for key, value in plain.items() if key != "extends"},
        )

    def _check_points(self, points: tuple[Any, ...], problems: Problems) -> None:
        for index, point in enumerate(points):
            try:
                if isinstance(point, dict):
                    self.config(point)
            except ConfigError as error:
                problems.add((POINTS, index), str(error))

    def _located(self, action: Callable[[], Any]) -> Any:
        try:
            return action()
        except SpaceError as error:
            raise SpaceError(f"{self.source}: {error}") from None

    def _missing(self, parameter: Parameter, values: Mapping[str, Any]) -> SpaceError:
        similar = [path for path in values if path not in {p.path for p in self.parameters()}]
        hint = f"; {', '.join(similar)} is no path of this space" if similar else ""
        return SpaceError(f"{parameter.path}: the point has no value for it{hint}")

    def _surplus(self, path: str) -> SpaceError:
        every = {parameter.path: parameter for parameter in self.parameters()}
        if path not in every:
            hint = did_you_mean(path, every)
            return SpaceError(f"{self.source}: {path}: no domain of this space; {hint}")
        condition = every[path].condition
        assert condition is not None
        labels = " or ".join(str(label) for label in condition.values)
        return SpaceError(
            f"{self.source}: {path}: only open where {condition.path} = {labels}; leave it out"
        )


def _defaults(checked: Checked) -> Defaults:
    budget, example = checked.head.budget, checked.example
    return Defaults(
        trials=budget.trials,
        epochs=budget.epochs or example.training.epochs,
        method=budget.method,
        replicates=budget.replicates,
        portfolio=budget.portfolio,
        confirm_top_k=budget.confirm.top_k,
        confirm_seeds=budget.confirm.seeds,
        metric=checked.head.metric or "",
        protocol=example.protocol,
        folds=example.folds,
    )
