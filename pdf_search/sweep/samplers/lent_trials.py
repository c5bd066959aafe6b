"""The trials of a sweep as a sampler should see them."""

from __future__ import annotations

from collections.abc import Container
from copy import copy

from optuna.storages import InMemoryStorage
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

LOST = "lost"  # user attribute of a draw that a killed driver did not record; it is drawn again
WINDOW = 1000  # trials from which a sampler learns; its time for a draw grows with them


class LentTrials(InMemoryStorage):
    """A storage for draws, which has the last ``WINDOW`` trials of another Optuna study.

    Those that wait at a rung are as if they were pruned there. In the study itself they are still
    open, and a sampler would not see their values.
    """

    def __init__(self, study: Study) -> None:
        super().__init__()
        self.study = study
        self.lent: list[FrozenTrial] = []

    def renew(self) -> None:
        """Look again at the study, before a draw."""
        trials = self.study.get_trials(deepcopy=False)
        drawn = [trial for trial in trials if LOST not in trial.user_attrs]
        self.lent = [_as_seen(trial, len(trials)) for trial in drawn[-WINDOW:]]

    def get_all_trials(
        self, study_id: int, deepcopy: bool = True, states: Container[TrialState] | None = None
    ) -> list[FrozenTrial]:
        """The lent trials, and the one that is drawn."""
        own: list[FrozenTrial] = super().get_all_trials(study_id, deepcopy, states)
        return [t for t in self.lent if states is None or t.state in states] + own[-1:]


def _as_seen(trial: FrozenTrial, count: int) -> FrozenTrial:
    """A copy, numbered below zero: TPE leaves out trials with the number of the one it draws."""
    seen = copy(trial)
    seen.number = trial.number - count
    if trial.state is TrialState.RUNNING and trial.intermediate_values:
        seen.state = TrialState.PRUNED
    return seen
