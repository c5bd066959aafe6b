"""A Ray Tune searcher that suggests the jobs of a source."""

from __future__ import annotations

from typing import Any

from ray.tune.search import Searcher

from pdf_search.stop_condition import StopCondition
from pdf_search.sweep.samplers.jobs import Source
from pdf_search.sweep.trial_log.trial_log import TrialLog
from pdf_search.sweep.tune.payload import DATA, LEFT, NUMBER, RESUME, TRIAL


class JobSearcher(Searcher):
    """Suggests the jobs of a source one by one, until it is empty or there is a reason to stop.

    The Optuna study is told how trials end by the trial log, not by this searcher.
    """

    def __init__(self, source: Source, trial_log: TrialLog, stop_condition: StopCondition) -> None:
        super().__init__()
        self.source = source
        self.trial_log = trial_log
        self.stop_condition = stop_condition

    def suggest(self, trial_id: str) -> Any:  # noqa: ARG002
        """The next job as Ray's ``config`` of a trial, after it is recorded; None for none yet.

        An exception ends the run: it is kept in the stop condition, and nothing more is suggested.
        """
        if self.stop_condition.due():
            return Searcher.FINISHED
        try:
            self.trial_log.store.wait()  # Optuna would not
            job = self.source.next()
            if job is None:
                return None if self.source.waits() else Searcher.FINISHED
            self.trial_log.planned(job)
        except Exception as error:
            self.stop_condition.fail(error)
            return Searcher.FINISHED
        return {
            NUMBER: job.number,
            TRIAL: job.config.model_dump_json(),
            RESUME: job.resume,
            DATA: job.data,
            LEFT: self.stop_condition.seconds_left,
        }

    def on_trial_complete(
        self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False
    ) -> None:
        """Do nothing; the recorder has told the trial log."""

    def save(self, checkpoint_path: str) -> None:
        """Do nothing; a resume reads the database, never Ray's snapshot."""

    def restore(self, checkpoint_path: str) -> None:
        """Do nothing; see ``save``."""

    def __getstate__(self) -> dict[str, Any]:
        return {}
