"""The epochs at which a method decides on trials, and what it does there, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdf_search.sweep.samplers.explore import perturbation_epochs, population_words
from pdf_search.sweep.samplers.methods import REDUCTION
from pdf_search.sweep.samplers.trial_builder import longest_warmup
from pdf_search.sweep.tune.rules.brackets import bracket_words
from pdf_search.sweep.tune.rules.rungs import LEAST_SAVED, rung_epochs, share_saved
from pdf_search.wording import counted

if TYPE_CHECKING:
    from pdf_search.sweep.plan import Plan


def decision_epochs(plan: Plan) -> tuple[int, ...]:
    """The epochs at which trials wait; () for none, and where rungs can save next to nothing."""
    if plan.method.stopping == "none":
        return ()
    warmup = longest_warmup(plan.space)
    if plan.method.stopping == "pbt":
        return perturbation_epochs(warmup, plan.epochs)
    rungs = rung_epochs(warmup, plan.epochs)
    return rungs if _saved(plan, rungs) >= LEAST_SAVED else ()


def stopping_words(plan: Plan) -> str:
    """What happens to trials at the plan's ``rungs``."""
    epochs = counted(plan.epochs, "epoch")
    if plan.method.stopping == "none":
        return f"none (method {plan.method.name})"
    if plan.method.stopping == "pbt":
        if not plan.rungs:
            return f"none: {epochs} leave no room for a perturbation"
        return population_words(plan.space, plan.rungs, plan.trials)
    if not plan.rungs:
        trials = counted(plan.trials, "trial")
        return f"none: with {trials} of {epochs} it can save next to nothing"
    if plan.method.stopping == "hyperband":
        return bracket_words(plan.rungs, REDUCTION, plan.trials)
    rungs, keep = ", ".join(map(str, plan.rungs)), max(1, plan.top_k)
    return (
        f"the best 1/{REDUCTION}, at least {keep}, go on after epoch {rungs}; it can save "
        f"{_saved(plan, plan.rungs):.0%} of the epochs"
    )


def _saved(plan: Plan, rungs: tuple[int, ...]) -> float:
    return share_saved(rungs, plan.epochs, plan.trials, REDUCTION, max(1, plan.top_k))
