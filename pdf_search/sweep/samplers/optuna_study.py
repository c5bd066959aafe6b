"""The Optuna study of a sweep, in the results database: it is asked for points and told results.

Optuna numbers every draw, including those that are rejected before training. A draw that became a
trial has the trial's number in the user attribute ``trial``. A trial of an earlier sweep, which is
told before the first draw, has its source in the attribute ``earlier``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import optuna
from optuna.trial import FrozenTrial, Trial, TrialState, create_trial

from pdf_search.records import EpochReport, Metric, State
from pdf_search.space import Parameter, Space
from pdf_search.sweep.samplers.draws import distribution, draw, make_sampler, with_fixed
from pdf_search.sweep.samplers.fixed_points import Point
from pdf_search.sweep.samplers.lent_trials import LOST, LentTrials
from pdf_search.sweep.samplers.optuna_storage import open_storage, open_study
from pdf_search.sweep.samplers.prior import (
    Curve,
    PriorTrial,
    best_value,
    smoothed_curve,
    thinned,
)
from pdf_search.sweep.samplers.seeds import sampler_seed

# User attributes of an Optuna trial.
TRIAL = "trial"
POINT = "point"
REJECTED = "rejected"
STATE = "state"
EARLIER = "earlier"
RETRIED = "retried"  # Optuna's number of the trial that failed and is trained once more
TWIN = "twin"  # number of the trial with this configuration, whose result was told
COMPLETE = TrialState.COMPLETE
TOLD = (COMPLETE, TrialState.PRUNED)  # Optuna's states from which TPE learns


@dataclass(frozen=True)
class Rejection:
    """Why a draw is not trained.

    ``excesses``: by how much it breaks each limit, more than 0; empty if it is within all limits.
    ``twin``: the number of the trial that has its configuration.
    """

    reason: str
    excesses: Mapping[str, float] = field(default_factory=dict)
    twin: int | None = None


Draw = tuple[int, dict[str, Any]]  # Optuna's number of the trial, and the values


class OptunaStudy:
    """The ask-and-tell interface to the Optuna study of a sweep.

    A draw depends on the seed, on how many draws came before it, and on the results told so far.
    ``draw_of`` maps each trial to its draw, ``untold`` those whose end Optuna does not know.
    ``used_points`` are the keys of the fixed points that were asked for. ``fixed`` are values that
    every draw of a sampler has.
    """

    def __init__(
        self, database: str, name: str, space: Space, metric: Metric, seed: int, trials: int
    ) -> None:
        self.storage = open_storage(database)
        self.study = open_study(self.storage, name, metric)
        self.study_id = self.storage.get_study_id_from_name(name)
        self.lent = LentTrials(self.study)
        self.drawing = optuna.create_study(storage=self.lent, direction=self.study.direction)
        self.space = space
        self.metric = metric
        self.seed = seed
        self.trials = trials
        self.fixed: dict[str, Any] = {}
        drawn = self.study.get_trials(deepcopy=False)
        self.draws = sum(LOST not in t.user_attrs for t in drawn)
        kept = [t for t in drawn if TRIAL in t.user_attrs and REJECTED not in t.user_attrs]
        self.used_points = {t.user_attrs[POINT] for t in kept if POINT in t.user_attrs}
        self.untold = {t.user_attrs[TRIAL]: t.number for t in kept if not t.state.is_finished()}
        self.draw_of = {t.user_attrs[TRIAL]: t.number for t in kept}

    def learn(self, prior: Sequence[PriorTrial]) -> None:
        """Add trials of earlier sweeps, each once. They become no trials of this sweep.

        It is called before the first draw.
        """
        known = {t.user_attrs.get(EARLIER) for t in self.study.get_trials(deepcopy=False)}
        for trial in prior:
            if trial.source not in known:
                known.add(trial.source)
                self.study.add_trial(_earlier_trial(trial, self.space, self.metric))
                self.draws += 1

    def ask(self, sampler: str) -> Draw:
        """Draw a point from the whole space with the sampler "tpe" or "random".

        TPE sees the trials that ``LentTrials`` lends it.
        """
        seed = sampler_seed(self.seed, self.draws)
        own = make_sampler(sampler, seed, self.trials)
        if sampler == "tpe":
            # A paused trial is still open in the Optuna study, where TPE would not see it.
            self.lent.renew()
            untrained = sum(t.state in TOLD and REJECTED in t.user_attrs for t in self.lent.lent)
            own = make_sampler(sampler, seed, self.trials, untrained)
            self.drawing.sampler = own
            self.study.enqueue_trial(self._values(self.drawing.ask()))
        self.study.sampler = with_fixed(own, self.fixed)
        return self._walk(self.study.ask())

    def ask_point(self, point: Point) -> Draw:
        """Make a draw whose values are given, and remember the point as used."""
        self.used_points.add(point.key)
        self.study.sampler = make_sampler("random", sampler_seed(self.seed, self.draws), 0)
        self.study.enqueue_trial(dict(point.values), user_attrs={POINT: point.key})
        return self._walk(self.study.ask())

    def _walk(self, trial: Trial) -> Draw:
        self.draws += 1
        return trial.number, self._values(trial)

    def _values(self, trial: Trial) -> dict[str, Any]:
        def choose(parameter: Parameter) -> Any:
            return draw(trial, parameter)

        return self.space.sample(choose)

    def accept(self, draw_number: int, trial_number: int) -> None:
        """Note that a draw became the trial of that number."""
        self._attribute(draw_number, TRIAL, trial_number)
        self.draw_of[trial_number] = draw_number
        self.untold[trial_number] = draw_number

    def reject(self, draw_number: int, rejection: Rejection) -> None:
        """Tell Optuna that a draw is not trained.

        One outside the limits is told as PRUNED with its excesses as constraints, so that TPE
        learns to stay within them. One with the configuration of a trial that has ended is told
        that trial's result. Any other is told as FAIL, from which no sampler learns.
        """
        self._attribute(draw_number, REJECTED, rejection.reason)
        draw, result = self._trial(draw_number), self._result(rejection.twin)
        for limit, excess in rejection.excesses.items():
            draw.set_constraint(limit, excess)
        state, value = TrialState.PRUNED if rejection.excesses else TrialState.FAIL, None
        if result is not None:
            draw.set_user_attr(TWIN, rejection.twin)
            for step, intermediate in result.intermediate_values.items():
                draw.report(intermediate, step)
            state, value = result.state, result.value if result.state is COMPLETE else None
        self.study.tell(draw_number, value, state)

    def _result(self, trial_number: int | None) -> FrozenTrial | None:
        """The Optuna trial of one of our trials; None if there is none with a result."""
        if trial_number not in self.draw_of:
            return None
        found = self.storage.get_trial(self._trial_id(self.draw_of[trial_number]))
        return found if found.state in TOLD else None

    def report(self, trial_number: int, epochs: Sequence[EpochReport]) -> None:
        """Tell Optuna the values of a trial that has paused."""
        if trial_number in self.untold:
            self._report(self.untold[trial_number], smoothed_curve(epochs))

    def tell(self, trial_number: int, state: State, epochs: Sequence[EpochReport]) -> None:
        """Tell Optuna how a trial ended; only the first call for a trial has an effect.

        A COMPLETE trial is told with its best value, a PRUNED one with its curve. A DIVERGED one
        is told as PRUNED without any value, which TPE ranks below all others. A FAILED one is told
        as FAIL.
        """
        draw_number = self.untold.pop(trial_number, None)
        if draw_number is None:
            return
        self._attribute(draw_number, STATE, state.value)
        finite = smoothed_curve(epochs)
        if state in (State.COMPLETE, State.PRUNED):
            self._report(draw_number, finite)
        if state is State.COMPLETE and finite:
            self.study.tell(draw_number, best_value(finite, self.metric))
        elif state is State.FAILED:
            self.study.tell(draw_number, state=TrialState.FAIL)
        else:
            self.study.tell(draw_number, state=TrialState.PRUNED)

    def reopen(self, trial_number: int) -> None:
        """Open a trial again that was told as FAIL, as a second Optuna trial with its values.

        So does Optuna's own ``RetryFailedTrialCallback``, since a trial that was told is final.
        """
        failed = self.storage.get_trial(self._trial_id(self.draw_of[trial_number]))
        again = create_trial(
            state=TrialState.RUNNING,
            params=failed.params,
            distributions=failed.distributions,
            user_attrs={TRIAL: trial_number, RETRIED: failed.number},
        )
        self.study.add_trial(again)
        number = self.study.get_trials(deepcopy=False)[-1].number
        self.draw_of[trial_number] = self.untold[trial_number] = number
        self.draws += 1

    def abandon_lost(self, known: set[int]) -> None:
        """Reject the draws that a killed driver never recorded as trials.

        ``known`` are the numbers of all recorded trials. Such a draw does not count: the next one
        has its seed and sees what it saw, and so is the same. A fixed point may be asked for again.
        """
        for trial in self.study.get_trials(deepcopy=False):
            number = trial.user_attrs.get(TRIAL)
            if trial.state.is_finished() or number in known:
                continue
            self.untold.pop(number, None)
            self.used_points.discard(trial.user_attrs.get(POINT, ""))
            if LOST not in trial.user_attrs:
                self._attribute(trial.number, LOST, True)
                self.draws -= 1
            if trial.state is TrialState.WAITING:
                self.study.ask()
            reason = "the driver was killed before this trial was recorded"
            self.reject(trial.number, Rejection(reason))

    def _report(self, draw_number: int, curve: Curve) -> None:
        trial = self._trial(draw_number)
        told = self.storage.get_trial(self._trial_id(draw_number)).intermediate_values
        for epoch, value in thinned(curve):
            if epoch not in told:
                trial.report(value, step=epoch)

    def _attribute(self, draw_number: int, key: str, value: Any) -> None:
        self._trial(draw_number).set_user_attr(key, value)

    def _trial(self, draw_number: int) -> Trial:
        """The Optuna trial of a draw, which an earlier process may have asked for."""
        return Trial(self.study, self._trial_id(draw_number))

    def _trial_id(self, draw_number: int) -> int:
        return self.storage.get_trial_id_from_study_id_trial_number(self.study_id, draw_number)


def _earlier_trial(trial: PriorTrial, space: Space, metric: Metric) -> FrozenTrial:
    """The Optuna trial for a trial of an earlier sweep, told as ``tell`` tells ours."""
    parameters = {parameter.path: parameter for parameter in space.parameters()}
    curve = smoothed_curve(trial.epochs)
    complete = trial.state is State.COMPLETE and bool(curve)
    told = {} if trial.state is State.DIVERGED else dict(thinned(curve))
    last = list(told.values())[-1] if told else None
    return create_trial(
        state=TrialState.COMPLETE if complete else TrialState.PRUNED,
        value=best_value(curve, metric) if complete else last,
        params=dict(trial.values),
        distributions={path: distribution(parameters[path]) for path in trial.values},
        intermediate_values=told,
        user_attrs={EARLIER: trial.source, STATE: trial.state.value},
    )
