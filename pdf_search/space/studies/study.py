"""The study: fixed configurations, each run on the same seeds or folds, that fill one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field

from pdf_search.config import Frozen, TrialConfig, parse_trial
from pdf_search.records import Phase, Protocol
from pdf_search.space.data_set import DEFAULT_FOLDS
from pdf_search.space.definition import Count
from pdf_search.space.settings.merge import ABSENT, tree_differences

ROW_TREE = ("data", "basis", "model", "training", "protocol", "folds", "engine")
"""The keys of a trial's tree that a row of a study may have."""

Text = Annotated[str, Field(min_length=1)]
MOST_SEEDS = 1000


class PublishedRow(Frozen):
    """The published number that is shown beside a row: ``method`` as in ``reports/baselines``."""

    table: Literal["ablation", "results", "timing"] = Field(
        "results", description="the kind of published table"
    )
    method: Text = Field(description="name of the method in reports/baselines")


class StudyHead(Frozen):
    """What a study file holds besides its rows.

    ``seeds``: how many; with folds, all folds are trained for each seed. ``epochs``: after how many
    every run is cut; None for no cut. ``protocols``: every row is run under each of them; without
    any, under its own. ``nested`` needs rows with candidates, and chooses among their ``inner``
    runs.
    """

    title: Text = Field(description="title of the table")
    description: str = Field("", description="what the study is for")
    table: Literal["ablation", "results", "folds", "timing"] = Field(
        description="which table is made of the runs"
    )
    seeds: Annotated[int, Field(ge=1, le=MOST_SEEDS, strict=True)] = Field(
        4, description="on how many seeds each row is trained"
    )
    epochs: Count | None = Field(
        None, description="after how many epochs every run is cut; schedules stay"
    )
    protocols: tuple[Protocol, ...] = Field(
        (), description="protocols that every row is run under: [inner, gin-curve]"
    )


@dataclass(frozen=True)
class StudyRow:
    """One configuration of a study.

    ``dataset``: name of the data set, or the stem of the file if it is one's own. ``paper``: the
    paper's setting that the row starts from, None for none. ``candidate_of``: for a candidate,
    the row of the table for which protocol ``nested`` chooses among it and others.
    """

    name: str
    dataset: str
    config: TrialConfig
    paper: str | None = None
    published: PublishedRow | None = None
    candidate_of: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the row as JSON-like data, with every setting written out."""
        plain = self.config.model_dump(mode="json")
        published = None if self.published is None else self.published.model_dump()
        head = {
            "name": self.name,
            "paper": self.paper,
            "published": published,
            "candidate_of": self.candidate_of,
        }
        return head | {key: plain[key] for key in ROW_TREE}


@dataclass(frozen=True)
class StudyPart:
    """The runs of a study on one data set under one protocol, which are recorded as one sweep.

    ``runs``: the name and configuration of each row, in the order of the file. A row whose
    configuration equals an earlier one is shown in the table but not trained again.
    """

    name: str
    dataset: str
    protocol: Protocol
    runs: tuple[tuple[str, TrialConfig], ...]

    @cached_property
    def same(self) -> dict[str, str]:
        """Name of each row that is not trained, and of the earlier row that it equals."""
        first: dict[tuple[str, ...], str] = {}
        for row, config in self.runs:
            first.setdefault(_trained_alike(config), row)
        found = {row: first[_trained_alike(config)] for row, config in self.runs}
        return {row: other for row, other in found.items() if row != other}

    @property
    def trained(self) -> dict[int, tuple[str, TrialConfig]]:
        """The rows that are trained, by their index in ``runs``."""
        return {n: run for n, run in enumerate(self.runs) if run[0] not in self.same}


def _trained_alike(config: TrialConfig) -> tuple[str, ...]:
    # Which bases compact keeps is not known before the data are there.
    return config.content_hash(), config.engine, config.precision, config.basis.select


@dataclass(frozen=True)
class Study:
    """A checked study, after ``--only``, ``--epochs``, ``--seeds`` and ``--set``."""

    name: str
    source: str
    head: StudyHead
    rows: tuple[StudyRow, ...]

    def parts(self) -> tuple[StudyPart, ...]:
        """Split the study into its parts: for each data set, in the order of the rows, by protocol.

        The name of a part is that of the study if it is the only one, else
        ``{study}/{dataset}/{protocol}``.

        Raises:
            ConfigError: a row cannot run under one of the study's protocols or with its seeds.
        """
        found: dict[tuple[str, Protocol], list[tuple[str, TrialConfig]]] = {}
        for dataset in dict.fromkeys(row.dataset for row in self.rows):
            rows = [row for row in self.rows if row.dataset == dataset]
            own = dict.fromkeys(row.config.protocol for row in rows)
            for protocol in self._trained() or own:
                found[dataset, protocol] = [
                    (row.name, self._run(row, protocol))
                    for row in rows
                    if self.head.protocols or row.config.protocol is protocol
                ]
        return tuple(
            StudyPart(
                self.name if len(found) == 1 else f"{self.name}/{dataset}/{protocol}",
                dataset,
                protocol,
                tuple(runs),
            )
            for (dataset, protocol), runs in found.items()
        )

    def _trained(self) -> tuple[Protocol, ...]:
        """The protocols to train under: those listed, with ``inner`` in place of ``nested``."""
        inner = [Protocol.INNER if p is Protocol.NESTED else p for p in self.head.protocols]
        return tuple(dict.fromkeys(inner))

    def nested(self) -> dict[str, dict[str, list[str]]]:
        """Return the rows of protocol ``nested``: data set to row to names of its candidates."""
        found: dict[str, dict[str, list[str]]] = {}
        for row in self.rows:
            if row.candidate_of is not None:
                names = found.setdefault(row.dataset, {}).setdefault(row.candidate_of, [])
                names.append(row.name)
        return found

    def _run(self, row: StudyRow, protocol: Protocol) -> TrialConfig:
        folds = None if protocol is Protocol.SPLIT else row.config.folds or DEFAULT_FOLDS
        cut = self.head.epochs
        tree = {
            **row.config.model_dump(),
            "phase": Phase.CONFIRM,
            "protocol": protocol,
            "folds": folds,
            "seeds": tuple(range(self.head.seeds)),
            "stop_epoch": cut if cut and cut < row.config.training.epochs else None,
        }
        return parse_trial(tree, f"{self.source}: row {row.name}")

    def as_dict(self) -> dict[str, Any]:
        """Return the whole study as JSON-like data, with every setting of a row written out."""
        return {
            "name": self.name,
            "source": self.source,
            **self.head.model_dump(mode="json"),
            "rows": [row.as_dict() for row in self.rows],
        }

    def changes_from(self, recorded: Mapping[str, Any]) -> list[str]:
        """List the settings in which this study differs from a recorded one, with both values.

        ``recorded`` is what ``as_dict`` returned then; the source file is not compared.
        """
        mine, theirs = self.as_dict(), dict(recorded)
        for tree in (mine, theirs):
            tree.pop("source", None)
            tree["rows"] = {f"{r['name']} ({r['data']['name']})": r for r in tree["rows"]}
        return [_change(*place) for place in tree_differences(mine, theirs)]


def _change(path: str, mine: Any, theirs: Any) -> str:
    if mine is ABSENT or theirs is ABSENT:
        return f"{path}: only {'there' if mine is ABSENT else 'now'}"
    return f"{path}: {theirs} there, {mine} now"
