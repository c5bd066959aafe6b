"""Maps the parameters of a space to Optuna's ``suggest_*``, and makes Optuna's samplers."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from math import floor
from typing import Any

from optuna.distributions import (
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.exceptions import ExperimentalWarning
from optuna.samplers import BaseSampler, PartialFixedSampler, RandomSampler, TPESampler
from optuna.trial import Trial

from pdf_search.space import Choice, IntRange, Parameter

STARTUP_SHARE = 3  # a third of the trials, but 4 to 10, is drawn at random before TPE starts
STARTUP_LEAST, STARTUP_MOST = 4, 10


def draw(trial: Trial, parameter: Parameter) -> Any:
    """Let the sampler of the trial's Optuna study choose a value for this parameter."""
    path, known = parameter.path, distribution(parameter)
    if isinstance(known, CategoricalDistribution):
        return trial.suggest_categorical(path, known.choices)
    if isinstance(known, IntDistribution):
        return trial.suggest_int(path, known.low, known.high, step=known.step, log=known.log)
    return trial.suggest_float(path, known.low, known.high, step=known.step, log=known.log)


def distribution(
    parameter: Parameter,
) -> CategoricalDistribution | IntDistribution | FloatDistribution:
    """The domain of a parameter as Optuna's distribution."""
    domain = parameter.domain
    if isinstance(domain, Choice):
        return CategoricalDistribution(domain.values)
    if isinstance(domain, IntRange):
        step = 1 if domain.log else domain.step
        return IntDistribution(domain.low, domain.high, step=step, log=domain.log)
    if domain.log or domain.step is None:
        return FloatDistribution(domain.low, domain.high, log=domain.log)
    # Optuna warns unless the range is a whole number of steps.
    steps = floor((domain.high - domain.low) / domain.step + 1e-6)
    high = round(domain.low + steps * domain.step, 10)
    return FloatDistribution(domain.low, high, step=domain.step)


def make_sampler(kind: str, seed: int, trials: int, untrained: int = 0) -> BaseSampler:
    """Make the seeded sampler "tpe", or a random one for any other ``kind``.

    TPE starts with random trials, a share of the ``trials`` in all. ``untrained`` draws, which it
    was told of but are no trials, do not count among these.
    """
    if kind != "tpe":
        return RandomSampler(seed=seed)
    startup = min(STARTUP_MOST, max(STARTUP_LEAST, trials // STARTUP_SHARE))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        # multivariate + group: conditional parameters; constant_liar: several trials at once
        return TPESampler(
            n_startup_trials=startup + untrained,
            multivariate=True,
            group=True,
            constant_liar=True,
            seed=seed,
        )


def with_fixed(sampler: BaseSampler, fixed: Mapping[str, Any]) -> BaseSampler:
    """The sampler, with the values in ``fixed`` for those parameters in every draw."""
    if not fixed:
        return sampler
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        return PartialFixedSampler(dict(fixed), sampler)
