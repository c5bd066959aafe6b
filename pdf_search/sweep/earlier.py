"""Reads earlier sweeps (``--from NAME``) as prior knowledge for a sweep of the same data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pdf_search.config import TrialConfig, parse_trial
from pdf_search.errors import ConfigError, SpaceError
from pdf_search.records import EpochReport, Phase, Protocol, State, SweepRecord, TrialRecord
from pdf_search.space import Choice, Parameter, Space, differences, point_of
from pdf_search.sweep.folder import SweepFolder
from pdf_search.sweep.planned import Planned
from pdf_search.sweep.samplers.closest import Build
from pdf_search.sweep.samplers.methods import Method
from pdf_search.sweep.samplers.prior import PriorTrial
from pdf_search.wording import counted

TOLD = (State.COMPLETE, State.PRUNED, State.DIVERGED)
SETTINGS = ("basis", "model", "training")
MOST_REASONS = 3  # how many reasons a plan names


@dataclass(frozen=True)
class Earlier:
    """What earlier sweeps know: their trials in this space, and how many of them fit, in words."""

    trials: tuple[PriorTrial, ...] = ()
    words: tuple[str, ...] = ()

    def described(self, method: Method) -> str:
        """The words of a plan with this method; "" if no sweep was named."""
        words = "; ".join(self.words)
        unused = bool(words) and method.sampler != "tpe"
        return f"{words}; the method {method.name} does not use them" if unused else words


NOTHING_EARLIER = Earlier()


def read_earlier(plan: Planned, space: Space, protocol: Protocol, build: Build) -> Earlier:
    """Read the trials of the sweeps that ``--from`` names. ``build`` makes a trial of a point.

    Raises:
        ConfigError: one of them has other data, another split, metric or protocol, or no trial.
        StoreError: there is no such sweep.
    """
    if plan.options.quick and plan.options.from_sweeps:
        for name in plan.options.from_sweeps:
            folder = _folder(name, plan)
            with folder.open_store() as store:
                store.sweep(folder.name)
        return Earlier(words=("not read with --quick, which does not list compact bases",))
    found = [_read(name, plan, space, protocol, build) for name in plan.options.from_sweeps]
    trials = tuple(trial for sweep in found for trial in sweep.trials)
    return Earlier(trials, tuple(word for sweep in found for word in sweep.words))


def _read(name: str, plan: Planned, space: Space, protocol: Protocol, build: Build) -> Earlier:
    folder = _folder(name, plan)
    with folder.open_store() as store:
        _refuse_other(name, store.sweep(folder.name), plan, protocol)
        searched = store.trials(folder.name, Phase.SEARCH)
        records = [t for t in searched if t.state in TOLD and not t.is_rerun]
        curves = store.all_epochs(folder.name, Phase.SEARCH)
    if not records:
        raise ConfigError(f"--from {name}: its search has no trial that ended; leave it out")
    kept = _Kept(space, build, plan.epochs)
    trials = tuple(kept.fitting(records, curves))
    return Earlier(trials, (f"{name}: {kept.words(len(trials), len(records))}",))


def _folder(name: str, plan: Planned) -> SweepFolder:
    return SweepFolder.find(plan.options.out, name, plan.options.db)


def _refuse_other(name: str, record: SweepRecord, plan: Planned, protocol: Protocol) -> None:
    for what, theirs, ours in (
        ("data", f"{record.dataset} {record.fingerprint[:12]}", _data(plan)),
        ("split", record.split_hash, plan.split_hash),
        ("metric", record.metric, plan.metric.name),
        ("protocol", record.protocol, protocol),
    ):
        if theirs != ours:
            raise ConfigError(
                f"--from {name}: its {what} ({theirs}) is not that of this sweep ({ours}), so its "
                "values say nothing about it; name a sweep of the same data, split, metric and "
                "protocol"
            )


def _data(plan: Planned) -> str:
    return f"{plan.info.name} {plan.data.fingerprint[:12]}"


@dataclass
class _Kept:
    """Keeps the trials of an earlier sweep that fit this one, and counts why others do not."""

    space: Space
    build: Build
    epochs: int
    misfits: Counter[str] = field(default_factory=Counter)
    shorter: int = 0

    def fitting(
        self, records: Sequence[TrialRecord], curves: dict[int, list[EpochReport]]
    ) -> Iterator[PriorTrial]:
        for record in records:
            values = self._point(record)
            if values is None:
                self.misfits[self._misfit(record)] += 1
                continue
            told = self._at_budget(record.state, curves.get(record.number, []))
            if told is None:
                self.shorter += 1
                continue
            yield PriorTrial(f"{record.sweep} trial {record.number}", values, *told)

    def words(self, kept: int, known: int) -> str:
        """How many of the ``known`` trials are ``kept``, and why the others are not."""
        said = [f"{kept} of {counted(known, 'trial')} used"]
        common = self.misfits.most_common(MOST_REASONS)
        said += [f"{count} outside this space ({reason})" for reason, count in common]
        rest = self.misfits.total() - sum(count for _, count in common)
        said += [f"{rest} outside it for other reasons"] if rest else []
        if self.shorter:
            said.append(f"{self.shorter} trained for fewer than {counted(self.epochs, 'epoch')}")
        return ", ".join(said)

    def _at_budget(
        self, state: State, curve: list[EpochReport]
    ) -> tuple[State, list[EpochReport]] | None:
        """The trial as if it had been cut after ``epochs``; None if it was cut earlier."""
        last = curve[-1].epoch if curve else 0
        within = [report for report in curve if report.epoch <= self.epochs]
        if last > self.epochs or (last == self.epochs and state is not State.DIVERGED):
            return State.COMPLETE, within
        return None if state is State.COMPLETE else (state, within)

    def _point(self, record: TrialRecord) -> dict[str, Any] | None:
        """The point of this space with the trial's configuration; None if there is none."""
        config = parse_trial(record.config, "recorded trial")
        for values in (record.params, point_of(self.space.tree, config)):
            if values is not None and self._builds(values, config):
                return self.space.sample(partial(_value, values))
        return None

    def _builds(self, values: dict[str, Any], config: TrialConfig) -> bool:
        try:
            built = self.build(values)
        except ConfigError:
            return False
        ours, theirs = (
            # The data are the same, wherever their file lies; seeds and cut are the sweep's own.
            each.model_copy(update={"data": built.data, "seeds": (0,), "stop_epoch": None})
            for each in (built, config)
        )
        return ours.content_hash() == theirs.content_hash()

    def _misfit(self, record: TrialRecord) -> str:
        """The first setting of a trial that this space does not reach."""
        known = {parameter.path: parameter for parameter in self.space.parameters()}
        for path, value in record.params.items():
            try:
                _ = path in known and known[path].canonical(value)
            except SpaceError:
                return f"{path} = {value}"
        point = self.space.sample(lambda p: record.params.get(p.path, _first(p)))
        config = parse_trial(record.config, "recorded trial")
        try:
            found = differences(config, self.build(point), SETTINGS)
        except ConfigError:
            found = []
        return found[0] if found else "its settings together"


def _value(values: dict[str, Any], parameter: Parameter) -> Any:
    return values[parameter.path]


def _first(parameter: Parameter) -> Any:
    domain = parameter.domain
    return domain.values[0] if isinstance(domain, Choice) else domain.low
