"""A confirmation asked for by hand: what it was given holds for it alone, and it can be resumed."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from pdf_search.records import Phase
from pdf_search.results import Store
from pdf_search.sweep import Functions, Plan, confirm, resume
from pdf_search.sweep.driver import Driver
from pdf_search.sweep.samplers.jobs import Job
from pdf_search.sweep.trial_log.trial_log import TrialLog
from tests.sweep.by_hand import ByHand, driver
from tests.sweep.helpers import NAME
from tests.sweep.simulated import simulated_baseline

FUNCTIONS = Functions(baseline=simulated_baseline)


class Interrupted(ByHand):
    """Trains the first ``count`` trials that it is given, and only plans the rest."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count

    def train(self, job: Job, trial_log: TrialLog) -> None:
        self.count -= 1
        if self.count >= 0:
            super().train(job, trial_log)


@pytest.mark.parametrize("top_k", [0, 2])
def test_it_is_ended_by_a_resume_and_changes_nothing_of_the_sweep(
    plan: Plan, store: Store, monkeypatch: pytest.MonkeyPatch, top_k: int
) -> None:
    given = {"top_k": top_k, "seeds": 2, "confirm_epochs": 12}
    store.update_sweep(NAME, options=plan.recorded_options() | given)
    driver(plan, store).confirm(ByHand(), top_k)  # type: ignore[arg-type]
    own = [[1, 2]] * top_k
    assert seeds_confirmed(store) == own

    monkeypatch.setattr(Driver, "session", lambda _: nullcontext(Interrupted(1)))
    confirm(NAME, plan.options.out, top_k=3, seeds=4, functions=FUNCTIONS)
    recorded = store.sweep(NAME).options
    assert {key: recorded[key] for key in given} == given
    more = [[3, 4]] * top_k + [[1, 2, 3, 4]] * (3 - top_k)
    own_and_more = own + more
    assert seeds_confirmed(store) == own_and_more[: top_k + 1]

    monkeypatch.setattr(Driver, "session", lambda _: nullcontext(ByHand()))
    resume(NAME, plan.options.out, functions=FUNCTIONS)
    assert seeds_confirmed(store) == own_and_more
    resume(NAME, plan.options.out, trials=6, functions=FUNCTIONS)
    later = seeds_confirmed(store)[len(own_and_more) :]
    assert len(later) <= top_k
    assert all(seeds == [1, 2] for seeds in later)


def seeds_confirmed(store: Store) -> list[list[int]]:
    rows = store.trials(NAME, Phase.CONFIRM)
    done = [row for row in rows if row.state.finished and row.origin != "baseline"]
    return [row.config["seeds"] for row in done]
