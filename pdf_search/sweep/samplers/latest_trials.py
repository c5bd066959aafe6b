"""The trials of a sweep as a sampler should see them, and the study in which it draws."""

from __future__ import annotations

import logging
from collections.abc import Container, Sequence
from copy import copy
from itertools import islice
from typing import Any

import optuna
from optuna.samplers import BaseSampler
from optuna.storages import InMemoryStorage
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

WINDOW = 1000  # trials from which a sampler learns; its time for a draw grows with them
BEFORE = 10**9  # TPE leaves out trials with the number of the one it draws, which is 0

# It would tell of each draw's study.
logging.getLogger("optuna.storages._in_memory").setLevel(logging.WARNING)


class LatestTrials:
    """The last ``WINDOW`` draws of an Optuna study, and earlier ones that have not ended."""

    def __init__(self) -> None:
        self.trials: dict[int, FrozenTrial] = {}  # by Optuna's number

    def add(self, number: int, trial: FrozenTrial) -> None:
        """Add a draw, the last one so far."""
        self.trials[number] = trial = copy(trial)
        trial.number = number - BEFORE
        if len(self.trials) > 2 * WINDOW:
            latest = set(self._latest())
            self.trials = {
                n: t for n, t in self.trials.items() if n in latest or not t.state.is_finished()
            }

    def forget(self, number: int) -> None:
        """Remove a draw that does not count."""
        self.trials.pop(number, None)

    def values(self, number: int) -> dict[int, float]:
        """The values by step that Optuna was told of a draw that has not ended."""
        return self.trials[number].intermediate_values

    def ended(
        self, number: int, state: TrialState, value: float | None, attributes: dict[str, Any]
    ) -> None:
        """Note how a draw ended."""
        trial = self.trials[number]
        trial.value, trial.state = value, state
        trial.user_attrs = trial.user_attrs | attributes

    def lent(self) -> list[FrozenTrial]:
        """The last ``WINDOW`` draws, numbered below zero, for a sampler.

        Those that wait at a rung are as if they were pruned there: they are still open, and a
        sampler would not see their values.
        """
        return [_as_seen(self.trials[number]) for number in reversed(list(self._latest()))]

    def _latest(self) -> Any:
        return islice(reversed(self.trials), WINDOW)


def _as_seen(trial: FrozenTrial) -> FrozenTrial:
    if trial.state is not TrialState.RUNNING or not trial.intermediate_values:
        return trial
    seen = copy(trial)
    seen.state = TrialState.PRUNED
    return seen


class _OneDraw(InMemoryStorage):
    """Has the trial that is drawn, and the lent ones."""

    def __init__(self, lent: Sequence[FrozenTrial]) -> None:
        super().__init__()
        self.lent = lent

    def get_all_trials(
        self, study_id: int, deepcopy: bool = True, states: Container[TrialState] | None = None
    ) -> list[FrozenTrial]:
        """The lent trials, and the one that is drawn."""
        own: list[FrozenTrial] = super().get_all_trials(study_id, deepcopy, states)
        return [t for t in self.lent if states is None or t.state in states] + own


def drawing(
    lent: Sequence[FrozenTrial], direction: StudyDirection, sampler: BaseSampler
) -> optuna.Study:
    """A study in memory for one draw by a sampler that sees the ``lent`` trials."""
    return optuna.create_study(storage=_OneDraw(lent), direction=direction, sampler=sampler)
