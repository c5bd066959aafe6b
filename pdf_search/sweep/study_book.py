"""The ledgers of a study's parts as one: runs are numbered across them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pdf_search.config import TrialConfig
from pdf_search.records import EpochReport, Phase, State
from pdf_search.results.store import Store
from pdf_search.sweep import checkpoints
from pdf_search.sweep.continuing import unfinished_jobs
from pdf_search.sweep.jobs import Job
from pdf_search.sweep.ledger import Ledger
from pdf_search.sweep.study_plan import PartPlan, StudyPlan
from pdf_search.sweep.study_view import StudyView

ORIGIN = "study: "


class StudyBook:
    """What happened to each run of a study. ``on_ended`` is called after a run has ended."""

    phase = Phase.CONFIRM

    def __init__(
        self, plan: StudyPlan, store: Store, view: StudyView, on_ended: Callable[[], None]
    ) -> None:
        self.plan = plan
        self.on_ended = on_ended
        self.ledgers: list[Ledger] = []
        self.first: list[int] = []  # number of each part's first run
        for part in plan.parts:
            self.first.append(sum(len(each.runs) for each in plan.parts[: len(self.first)]))
            self.ledgers.append(_ledger(plan, part, store, view))

    def open_jobs(self) -> list[Job]:
        """A job for each run that has not ended well, planned runs included, in order.

        A FAILED run is tried again, from its checkpoint if it has one.
        """
        jobs = []
        for part, ledger, first in zip(self.plan.parts, self.ledgers, self.first, strict=True):
            for number, (row, config) in enumerate(part.runs):
                ledger.planned(self._new(number, row, config))
            for record in list(ledger.records.values()):
                if record.state is State.FAILED:
                    ledger.save(replace(record, state=State.NOT_STARTED, message="", ended=""))
            for job in unfinished_jobs(ledger, self.plan.device, checkpoints.epoch_of):
                jobs.append(replace(job, number=first + job.number, data=part.part.dataset))
        return jobs

    def _new(self, number: int, row: str, config: TrialConfig) -> Job:
        config = config.model_copy(update={"device": self.plan.device})
        return Job(Phase.CONFIRM, number, config, f"{ORIGIN}{row}")

    def _at(self, number: int) -> tuple[Ledger, int]:
        part = max(i for i, first in enumerate(self.first) if first <= number)
        return self.ledgers[part], number - self.first[part]

    def planned(self, job: Job) -> None:
        """Every run was planned before the first one started."""

    def started(self, number: int) -> None:
        ledger, own = self._at(number)
        ledger.started(own)

    def epoch(self, number: int, report: EpochReport, device: str) -> None:
        ledger, own = self._at(number)
        ledger.epoch(own, report, device)

    def checkpoint(self, number: int, path: str) -> None:
        ledger, own = self._at(number)
        ledger.checkpoint(own, path)

    def ended(self, number: int, state: State, message: str = "") -> None:
        ledger, own = self._at(number)
        ledger.ended(own, state, message)
        self.on_ended()

    def interrupted(self) -> None:
        for ledger in self.ledgers:
            ledger.interrupted()


def _ledger(plan: StudyPlan, part: PartPlan, store: Store, view: StudyView) -> Ledger:
    assert part.data.info.shape is not None
    ledger = Ledger(
        store,
        part.name,
        Phase.CONFIRM,
        part.data.info.shape,
        view,
        checkpoints.remove,
        folder=plan.folder,
    )
    view.part(store.sweep(part.name), part.info.title)
    return ledger
