"""The Optuna study of a sweep, in the results database: it is asked for points and told results.

Optuna numbers every draw, including those that are rejected before training. A draw that became a
trial has the trial's number in the user attribute ``trial``. A trial of an earlier sweep, which is
told before the first draw, has its source in the attribute ``earlier``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import optuna
from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial, TrialState, create_trial

from pdf_search.records import EpochReport, Metric, State
from pdf_search.space import Parameter, Space
from pdf_search.sweep.samplers.draws import distribution, draw, make_sampler, with_fixed
from pdf_search.sweep.samplers.fixed_points import Point
from pdf_search.sweep.samplers.latest_trials import LatestTrials, drawing
from pdf_search.sweep.samplers.optuna_storage import close_storage, open_storage, open_study
from pdf_search.sweep.samplers.prior import (
    Curve,
    PriorTrial,
    best_value,
    last_value,
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
LOST = "lost"  # a draw that a killed driver did not record; it is drawn again
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


@dataclass(frozen=True)
class Draw:
    """A point that was drawn; Optuna's tables do not have it yet.

    ``point`` is the key of the fixed point that it is, "" for none.
    """

    values: dict[str, Any]
    params: dict[str, Any]
    distributions: dict[str, BaseDistribution]
    point: str = ""


class OptunaStudy:
    """The ask-and-tell interface to the Optuna study of a sweep.

    A draw depends on the seed, on how many draws came before it, and on the results told so far.
    Draws are made in memory, of the last trials alone, and Optuna's tables are written but never
    read after the start: the time for a draw does not depend on how many came before it.
    ``draw_of`` maps each trial to its draw, ``untold`` those whose end Optuna does not know.
    ``used_points`` are the keys of the fixed points that were asked for. ``fixed`` are values that
    every draw of a sampler has. ``wait`` waits for a server that is gone.
    """

    def __init__(
        self,
        database: str,
        name: str,
        space: Space,
        metric: Metric,
        seed: int,
        trials: int,
        wait: Callable[[], None] | None = None,
    ) -> None:
        self.storage = open_storage(database, wait)
        self.study = open_study(self.storage, name, metric)
        self.study_id = self.storage.get_study_id_from_name(name)
        self.space = space
        self.metric = metric
        self.seed = seed
        self.trials = trials
        self.fixed: dict[str, Any] = {}
        drawn = [t for t in self._all() if LOST not in t.user_attrs]
        self.draws = len(drawn)
        kept = [t for t in drawn if TRIAL in t.user_attrs and REJECTED not in t.user_attrs]
        self.used_points = {t.user_attrs[POINT] for t in kept if POINT in t.user_attrs}
        self.untold = {t.user_attrs[TRIAL]: t.number for t in kept if not t.state.is_finished()}
        self.draw_of = {t.user_attrs[TRIAL]: t.number for t in kept}
        self.latest = LatestTrials()
        for trial in drawn:
            self.latest.add(trial.number, trial)

    def close(self) -> None:
        """Close its connections to the database."""
        close_storage(self.storage)

    def learn(self, prior: Sequence[PriorTrial]) -> None:
        """Add trials of earlier sweeps, each once. They become no trials of this sweep.

        It is called before the first draw.
        """
        if not prior:
            return
        known = {t.user_attrs.get(EARLIER) for t in self._all()}
        for trial in prior:
            if trial.source not in known:
                known.add(trial.source)
                self._add(_earlier_trial(trial, self.space, self.metric))

    def ask(self, sampler: str) -> Draw:
        """Draw a point from the whole space with the sampler "tpe" or "random".

        The next call draws the same, unless the draw is accepted or rejected before.
        """
        lent = self.latest.lent() if sampler == "tpe" else []
        untrained = sum(t.state in TOLD and REJECTED in t.user_attrs for t in lent)
        seed = sampler_seed(self.seed, self.draws)
        own = make_sampler(sampler, seed, self.trials, untrained)
        return self._walk(drawing(lent, self.study.direction, with_fixed(own, self.fixed)))

    def ask_point(self, point: Point) -> Draw:
        """Make a draw whose values are given, and remember the point as used."""
        self.used_points.add(point.key)
        own = make_sampler("random", sampler_seed(self.seed, self.draws), 0)
        study = drawing([], self.study.direction, own)
        study.enqueue_trial(dict(point.values))
        return replace(self._walk(study), point=point.key)

    def _walk(self, study: optuna.Study) -> Draw:
        trial = study.ask()

        def choose(parameter: Parameter) -> Any:
            return draw(trial, parameter)

        values = self.space.sample(choose)
        return Draw(values, trial.params, trial.distributions)

    def accept(self, drawn: Draw, trial_number: int) -> None:
        """Note that a draw became the trial of that number."""
        number = self._add(_frozen(drawn, TrialState.RUNNING, {TRIAL: trial_number}))
        self.draw_of[trial_number] = number
        self.untold[trial_number] = number

    def reject(self, drawn: Draw, rejection: Rejection) -> None:
        """Tell Optuna that a draw is not trained.

        One outside the limits is told as PRUNED with its excesses as constraints, so that TPE
        learns to stay within them. One with the configuration of a trial that has ended is told
        that trial's result. Any other is told as FAIL, from which no sampler learns.
        """
        attributes: dict[str, Any] = {REJECTED: rejection.reason}
        result = self._result(rejection.twin)
        if result is None:
            state = TrialState.PRUNED if rejection.excesses else TrialState.FAIL
            excesses = dict(rejection.excesses)
            self._add(_frozen(drawn, state, attributes, constraints=excesses))
            return
        values, value = result.intermediate_values, result.value
        attributes[TWIN] = rejection.twin
        frozen = _frozen(
            drawn, result.state, attributes, value=value, intermediate_values=dict(values)
        )
        self._add(frozen)

    def _result(self, trial_number: int | None) -> FrozenTrial | None:
        """The Optuna trial of one of our trials; None if there is none with a result."""
        if trial_number not in self.draw_of:
            return None
        found = self.storage.get_trial(self._trial_id(self.draw_of[trial_number]))
        return found if found.state in TOLD else None

    def report(self, trial_number: int, epochs: Sequence[EpochReport]) -> None:
        """Tell Optuna the values of a trial that has paused."""
        if trial_number in self.untold:
            number = self.untold[trial_number]
            self._report(number, self._trial_id(number), smoothed_curve(epochs))

    def tell(self, trial_number: int, state: State, epochs: Sequence[EpochReport]) -> None:
        """Tell Optuna how a trial ended; only the first call for a trial has an effect.

        A COMPLETE trial is told with its best value, a PRUNED one with its curve, whose last value
        is its own as Optuna has it. A DIVERGED one is told as PRUNED without any value, which TPE
        ranks below all others. A FAILED one is told as FAIL.
        """
        number = self.untold.pop(trial_number, None)
        if number is None:
            return
        trial_id, curve = self._trial_id(number), smoothed_curve(epochs)
        self.storage.set_trial_user_attr(trial_id, STATE, state.value)
        if state in (State.COMPLETE, State.PRUNED):
            self._report(number, trial_id, curve)
        told = TrialState.FAIL if state is State.FAILED else TrialState.PRUNED
        value = last_value(self.latest.values(number))
        if state is State.COMPLETE and curve:
            told, value = COMPLETE, best_value(curve, self.metric)
        self.storage.set_trial_state_values(trial_id, told, None if value is None else [value])
        self.latest.ended(number, told, value, {STATE: state.value})

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
        self.draw_of[trial_number] = self.untold[trial_number] = self._add(again)

    def abandon_lost(self, known: set[int]) -> None:
        """Reject the draws that a killed driver never recorded as trials.

        ``known`` are the numbers of all recorded trials. Such a draw does not count: the next one
        has its seed and sees what it saw, and so is the same. A fixed point may be asked for again.
        """
        for trial in self._all():
            number = trial.user_attrs.get(TRIAL)
            if trial.state.is_finished() or number in known:
                continue
            self.untold.pop(number, None)
            self.used_points.discard(trial.user_attrs.get(POINT, ""))
            self.latest.forget(trial.number)
            trial_id = self._trial_id(trial.number)
            if trial.state is TrialState.WAITING:  # of an older version, or of a person
                self.storage.set_trial_state_values(trial_id, TrialState.RUNNING)
            if LOST not in trial.user_attrs:
                self.storage.set_trial_user_attr(trial_id, LOST, True)
                self.draws -= 1
            reason = "the driver was killed before this trial was recorded"
            self.storage.set_trial_user_attr(trial_id, REJECTED, reason)
            self.storage.set_trial_state_values(trial_id, TrialState.FAIL)

    def _report(self, number: int, trial_id: int, curve: Curve) -> None:
        told = self.latest.values(number)
        for epoch, value in thinned(curve):
            if epoch not in told:
                self.storage.set_trial_intermediate_value(trial_id, epoch, value)
                told[epoch] = value

    def _add(self, trial: FrozenTrial) -> int:
        """Write a draw into Optuna's tables, all of it at once; gives Optuna's number."""
        trial_id = self.storage.create_new_trial(self.study_id, trial)
        number = self.storage.get_trial_number_from_id(trial_id)
        self.latest.add(number, trial)
        self.draws += 1
        return number

    def _all(self) -> list[FrozenTrial]:
        # Not through the study, which keeps all that it has read.
        return self.storage.get_all_trials(self.study_id, deepcopy=False)

    def _trial_id(self, number: int) -> int:
        return self.storage.get_trial_id_from_study_id_trial_number(self.study_id, number)


def _frozen(drawn: Draw, state: TrialState, attributes: dict[str, Any], **told: Any) -> FrozenTrial:
    """The Optuna trial of a draw."""
    point = {POINT: drawn.point} if drawn.point else {}
    return create_trial(
        state=state,
        params=drawn.params,
        distributions=drawn.distributions,
        user_attrs=point | attributes,
        **told,
    )


def _earlier_trial(trial: PriorTrial, space: Space, metric: Metric) -> FrozenTrial:
    """The Optuna trial for a trial of an earlier sweep, told as ``tell`` tells ours."""
    parameters = {parameter.path: parameter for parameter in space.parameters()}
    curve = smoothed_curve(trial.epochs)
    complete = trial.state is State.COMPLETE and bool(curve)
    told = {} if trial.state is State.DIVERGED else dict(thinned(curve))
    return create_trial(
        state=TrialState.COMPLETE if complete else TrialState.PRUNED,
        value=best_value(curve, metric) if complete else last_value(told),
        params=dict(trial.values),
        distributions={path: distribution(parameters[path]) for path in trial.values},
        intermediate_values=told,
        user_attrs={EARLIER: trial.source, STATE: trial.state.value},
    )
