"""Plans a study: prepares its data sets and checks everything before the first run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pdf_search.config import TrialConfig
from pdf_search.data import (
    CompactBases,
    Prepared,
    Progress,
    alike_notes,
    check_labels,
    split_hash,
    with_split_notes,
)
from pdf_search.errors import ConfigError
from pdf_search.records import METRICS
from pdf_search.runs import NAME, NAME_RULE
from pdf_search.space import Study, StudyPart
from pdf_search.sweep.begun_data import prepared_data
from pdf_search.sweep.folder import SweepFolder
from pdf_search.sweep.options import SweepOptions
from pdf_search.sweep.planned import Planned
from pdf_search.sweep.resources import Resources
from pdf_search.sweep.settled_resources import settled_resources
from pdf_search.sweep.tune.storage import check_storage
from pdf_search.wording import counted

METHOD = "listed"


@dataclass(frozen=True)
class PartPlan(Planned):
    """The plan of a listed sweep: the rows of a study on one data set under one protocol."""

    part: StudyPart

    @property
    def name(self) -> str:
        """The part's name in the database; the folder is the whole study's."""
        return self.part.name


@dataclass(frozen=True)
class StudyPlan:
    """A checked study that can start; each of its parts is recorded as a sweep."""

    study: Study
    options: SweepOptions
    folder: SweepFolder
    parts: tuple[PartPlan, ...]
    resources: Resources

    @property
    def name(self) -> str:
        """The name of the study in the database."""
        return self.folder.name

    @property
    def data(self) -> dict[str, Prepared]:
        """The prepared data sets, by the name that the jobs give."""
        return {part.part.dataset: part.data for part in self.parts}

    def recorded_options(self, part: PartPlan) -> dict[str, Any]:
        """The recorded options of a part: what a resume and the tables need besides the study."""
        head = self.study.head
        study: dict[str, Any] = {
            "name": self.name,
            "title": head.title,
            "table": head.table,
            "parts": [each.name for each in self.parts],
        }
        if nested := self.study.nested():
            study["nested"] = nested
        if part.part.same:
            study["same"] = part.part.same
        return self.options.recorded() | part.facts | {"study": study}

    def first(self, part: PartPlan) -> int:
        """The number of a part's first run; runs are numbered through all parts."""
        place = [other.name for other in self.parts].index(part.name)
        return sum(len(other.part.runs) for other in self.parts[:place])

    def predictions(self, part: PartPlan) -> Path:
        """The predictions file of a part; each has its own, since parts share trial numbers."""
        if len(self.parts) == 1:
            return self.folder.predictions
        return self.folder.path / f"predictions-{part.part.dataset}-{part.part.protocol}.parquet"

    def lines(self) -> list[str]:
        """The plan in words, one aspect a line."""
        return [f"{key:<10} {value}" for key, value in self.as_dict().items()]

    def as_dict(self) -> dict[str, str]:
        """The plan as it is printed, and as ``--json`` gives it."""
        runs = sum(len(part.part.trained) for part in self.parts)
        notes = dict.fromkeys(f"{p.info.title}: {n}" for p in self.parts for n in p.data.notes)
        words = {
            "study": f"{self.name} in {self.folder.path}: {self.study.head.title}",
            "runs": f"{runs}: " + "; ".join(_words(part) for part in self.parts),
            "resources": self.resources.words("run"),
        }
        same = dict(pair for part in self.parts for pair in part.part.same.items())
        if same:
            pairs = "; ".join(f"{row!r} is {first!r}" for row, first in same.items())
            words["equal rows"] = f"{pairs}: trained once"
        return words | ({"data notes": "; ".join(notes)} if notes else {})


def _words(plan: PartPlan) -> str:
    part, rows = plan.part, len(plan.part.trained)
    first = part.runs[0][1]
    seeds = counted(len(first.seeds), "seed")
    folds = f" x {first.folds} folds" if first.folds else ""
    cut = sorted({config.epochs for _, config in part.runs})
    epochs = f"{cut[0]}" if len(cut) == 1 else f"{cut[0]} to {cut[-1]}"
    epochs += " epoch" if cut == [1] else " epochs"
    count = f"{rows} x " if rows > 1 else ""
    return f"{count}{plan.info.title}, {part.protocol}, {seeds}{folds}, {epochs}"


def plan_study(
    study: Study,
    options: SweepOptions | None = None,
    progress: Progress | None = None,
    folder: SweepFolder | None = None,
    begun: Mapping[str, Prepared] | None = None,
) -> StudyPlan:
    """Prepare the data sets of a study and settle its resources.

    ``folder`` is that of a recorded study. ``begun`` is the data that its parts began with, by the
    names of the parts. The runs of a timing study come one after another unless ``concurrent`` says
    otherwise.

    Raises:
        ConfigError: a name or size is wrong, or the metric is undefined on the labels.
        DataError: a data set cannot be prepared.
        ResourceError: a CPU, GPU or cluster is asked for that does not exist.
    """
    options = options or SweepOptions()
    if study.head.table == "timing" and options.concurrent is None:
        options = replace(options, concurrent=1)  # concurrent runs would slow each other
    check_storage(options.storage)
    name = folder.name if folder else options.name or study.name
    if not all(NAME.fullmatch(word) for word in name.split("/")):
        raise ConfigError(f"the study's name {name!r} cannot name a folder ({NAME_RULE})")
    study = replace(study, name=name)  # it is recorded under the name that it is found by
    place = folder or SweepFolder.of(options.out, name, options.db)
    if begun is None:
        place.check_usable(new=False)
    parts = study.parts()
    runs = sum(len(part.trained) for part in parts)
    resources = settled_resources(options, runs, progress)
    data = {
        part.dataset: (begun or {}).get(part.name)
        or prepared_data(part.runs[0][1].data, options, progress)
        for part in parts
    }
    plan = StudyPlan(
        study=study,
        options=options,
        folder=place,
        parts=(),
        resources=resources,
    )
    parts = tuple(_with_listed_bases(part, data[part.dataset], progress) for part in parts)
    return replace(plan, parts=tuple(_part_plan(plan, part, data[part.dataset]) for part in parts))


def _with_listed_bases(part: StudyPart, data: Prepared, progress: Progress | None) -> StudyPart:
    """The part with the bases that ``basis.select: compact`` keeps in its runs."""

    def listed(config: TrialConfig) -> TrialConfig:
        return CompactBases(data, config, progress=progress).resolved(config)

    if all(config.basis.select == "full" for _, config in part.runs):
        return part
    return replace(part, runs=tuple((row, listed(config)) for row, config in part.runs))


def _part_plan(study: StudyPlan, part: StudyPart, data: Prepared) -> PartPlan:
    config = part.runs[0][1]
    metric = METRICS[config.data.metric or data.info.metric]
    check_labels(data, metric, None, config)
    data = with_split_notes(data, config)
    data = replace(data, notes=data.notes + alike_notes(data, (each for _, each in part.runs)))
    return PartPlan(
        options=study.options,
        folder=study.folder,
        info=data.info,
        data=data,
        split_hash=split_hash(data, config),
        metric=metric,
        epochs=max(config.epochs for _, config in part.runs),
        resources=study.resources,
        part=part,
    )
