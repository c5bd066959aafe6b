"""What is tried next in a replay: random recipes, a portfolio first, or what TPE asks for.

A replay has the recorded recipes only: TPE's point becomes the closest recipe not tried yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import optuna
from optuna.trial import TrialState

from pdf_search.sweep.samplers.draws import make_sampler
from replay.curve_file import Values
from replay.recipes import EPOCHS, Recipe
from replay.searches import Seen

optuna.logging.set_verbosity(optuna.logging.WARNING)


def random_recipes(count: int, total: int, source: np.random.Generator) -> list[int]:
    """So many different recipes in a random order."""
    return [int(number) for number in source.permutation(total)[:count]]


def portfolio_first(portfolio: Sequence[int], order: Sequence[int], trials: int) -> list[int]:
    """The portfolio for at most a third of the trials, then the others in their order."""
    first = list(portfolio)[: trials // 3]
    return (first + [recipe for recipe in order if recipe not in first])[:trials]


class Tpe:
    """Proposes what TPE asks for, told of every trial as far as it has got."""

    def __init__(
        self, recipes: Sequence[Recipe], judged: Values, trials: int, seed: int, first: list[int]
    ) -> None:
        self.recipes = [flat(recipe) for recipe in recipes]
        self.names = list(self.recipes[0])
        self.judged = judged
        self.trials = trials
        self.seed = seed
        self.first = first
        self.choices = {n: sorted({r[n] for r in self.recipes}, key=_order) for n in self.names}
        trial = optuna.create_study().ask()
        for name in self.names:
            self._suggest(trial, name)
        self.distributions = trial.distributions

    def __call__(self, seen: Seen) -> int | None:
        number = len(seen)
        if number >= self.trials:
            return None
        tried = {recipe for recipe, _ in seen.values()}
        if number < len(self.first):
            return self.first[number]
        study = optuna.create_study(
            direction="maximize",
            sampler=make_sampler("tpe", self.seed * 1000 + number, self.trials),
        )
        study.add_trials([self._trial(recipe, epoch) for recipe, epoch in seen.values() if epoch])
        trial = study.ask()
        point = {name: self._suggest(trial, name) for name in self.names}
        left = [recipe for recipe in range(len(self.recipes)) if recipe not in tried]
        return min(left, key=lambda recipe: self._distance(point, self.recipes[recipe]))

    def _suggest(self, trial: optuna.Trial, name: str) -> Any:
        values = self.choices[name]
        if name == "learning_rate":
            return trial.suggest_float(name, values[0], values[-1], log=True)
        return trial.suggest_categorical(name, values)

    def _trial(self, recipe: int, epoch: int) -> optuna.trial.FrozenTrial:
        value = float(self.judged[recipe, epoch - 1])
        whole = epoch == EPOCHS
        return optuna.trial.create_trial(
            state=TrialState.COMPLETE if whole else TrialState.PRUNED,
            value=value,
            params=self.recipes[recipe],
            distributions=self.distributions,
            intermediate_values={epoch: value},
        )

    def _distance(self, point: Recipe, recipe: Recipe) -> float:
        """Gower's distance: the mean over parameters of 0 or 1, or of the share of a range."""
        total = 0.0
        for name in self.names:
            a, b, values = point[name], recipe[name], self.choices[name]
            if isinstance(a, str | bool):
                total += a != b
            else:
                scale = np.log if name == "learning_rate" else float
                total += abs(scale(a) - scale(b)) / (scale(values[-1]) - scale(values[0]))
        return total / len(self.names)


def _order(value: Any) -> tuple[bool, Any]:
    return isinstance(value, str), value


def flat(recipe: Recipe) -> Recipe:
    """The recipe with one entry a parameter."""
    low, high = recipe["eps"]
    return {"eps_low": low, "eps_high": high} | {k: v for k, v in recipe.items() if k != "eps"}
