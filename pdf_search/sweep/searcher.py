"""Ray's searcher interface over a source of jobs."""

from __future__ import annotations

from typing import Any

from ray.tune.search import Searcher

from pdf_search.sweep.halt import Halt
from pdf_search.sweep.jobs import Source
from pdf_search.sweep.ledger import Ledger
from pdf_search.sweep.payload import DATA, NUMBER, RESUME, TRIAL


class JobSearcher(Searcher):
    """Hands out jobs; how they end reaches the study through the ledger, with the right state."""

    def __init__(self, source: Source, ledger: Ledger, halt: Halt) -> None:
        super().__init__()
        self.source = source
        self.ledger = ledger
        self.halt = halt

    def suggest(self, trial_id: str) -> Any:  # noqa: ARG002
        if self.halt.due():
            return Searcher.FINISHED
        try:
            job = self.source.next()
            if job is None:
                return Searcher.FINISHED
            self.ledger.planned(job)
        except Exception as error:
            self.halt.fail(error)
            return Searcher.FINISHED
        return {
            NUMBER: job.number,
            TRIAL: job.config.model_dump_json(),
            RESUME: job.resume,
            DATA: job.data,
        }

    def on_trial_complete(
        self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False
    ) -> None:
        pass

    def save(self, checkpoint_path: str) -> None:
        """Nothing: a resume reads the database, never Ray's snapshot."""

    def restore(self, checkpoint_path: str) -> None:
        pass

    def __getstate__(self) -> dict[str, Any]:
        return {}
