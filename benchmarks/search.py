"""Compares search methods by replay on recorded curves: what each finds for how many epochs.

Rows are methods and data sets, over sampler seeds. A replay chooses among the recorded recipes
only; ``real_searches.py`` searches for real. The portfolio of a set is chosen on the other sets.
Ends with exit code 1 if a figure falls behind the one on file.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from common import describe_machine, print_rows, standard_error
from plotly.subplots import make_subplots
from replay.curve_file import CURVES, Curves, read_curves
from replay.figures import GRID, Anytime, Loss, Make, Sight, loss, random_full
from replay.portfolio import choose
from replay.proposals import Tpe, portfolio_first, random_recipes
from replay.recipes import EPOCHS, SETS, recipes
from replay.searches import Full, Promoting, Propose, Rule, Stopping, in_order

from pdf_search.sweep.tune.rules.rungs import rung_epochs

ON_FILE = Path(__file__).parent / "results" / "search_figures.json"
WARMUP = 3
RUNGS = rung_epochs(WARMUP, EPOCHS)
RAY_RUNGS = (4, 12, 36)  # before: one epoch after warm-up, then three times as late
DEFAULT = "portfolio, tpe+asha"
RANDOM = "random in full"
BEST_EPOCH = "random in full, by the best epoch"
TARGET, BUDGET = 32, 16  # random trials in full
SLACK = {"times_fewer_epochs": 0.9, "sets_better": 1.0, "lost": 1.15, "regret": 1.15}

Row = dict[str, Any]


def methods(portfolio: Sequence[int]) -> dict[str, Make]:
    """The methods by name; those that end with asha run as many trials as there are recipes."""
    known = recipes()

    def drawn(first: Sequence[int], rule: type[Promoting] | None) -> Make:
        def make(sight: Sight, source: np.random.Generator, seed: int) -> tuple[Propose, Rule]:  # noqa: ARG001
            order = random_recipes(len(known), len(known), source)
            order = portfolio_first(first, order, len(known))
            return in_order(order), Full() if rule is None else rule(RUNGS)

        return make

    def asked(first: Sequence[int], rule: type[Promoting] | None) -> Make:
        def make(sight: Sight, source: np.random.Generator, seed: int) -> tuple[Propose, Rule]:  # noqa: ARG001
            start = list(first)[: len(known) // 3]
            propose = Tpe(known, sight.compared, len(known), seed, start)
            return propose, Full() if rule is None else rule(RUNGS)

        return make

    def ray(sight: Sight, source: np.random.Generator, seed: int) -> tuple[Propose, Rule]:  # noqa: ARG001
        return in_order(random_recipes(len(known), len(known), source)), Stopping(RAY_RUNGS)

    return {
        RANDOM: random_full,
        BEST_EPOCH: random_full,
        "random, stopped for good": ray,
        "random+asha": drawn((), Promoting),
        "tpe in full": asked((), None),
        "tpe+asha": asked((), Promoting),
        "portfolio, random+asha": drawn(portfolio, Promoting),
        DEFAULT: asked(portfolio, Promoting),
    }


def compare(sets: Sequence[Curves], seeds: int, tpe_seeds: int) -> tuple[list[Row], Anytimes]:
    """A row for each set and method, and what each found after how many epochs."""
    rows, found = [], {}
    for curves in sets:
        others = [other for other in sets if other is not curves]
        portfolio = choose(others) if others else []
        for name, make in methods(portfolio).items():
            print(f"{curves.name}: {name}", file=sys.stderr, flush=True)
            count = tpe_seeds if "tpe" in name else seeds
            found[curves.name, name] = Anytime.of(curves, make, count, name != BEST_EPOCH)
        rows += [_row(curves, name, found) for name in methods(portfolio)]
    return rows, found


Anytimes = dict[tuple[str, str], Anytime]


def _row(curves: Curves, name: str, found: Anytimes) -> Row:
    target = float(found[curves.name, RANDOM].worth[:, TARGET - 1].mean())
    own = found[curves.name, name]
    worth, tested = own.worth[:, BUDGET - 1], own.tested[:, BUDGET - 1]
    epochs = own.epochs_to(target)
    return {
        "set": curves.name,
        "method": name,
        "seeds": len(worth),
        "epochs to 32 random": epochs,
        "times fewer": TARGET * EPOCHS / epochs,
        "worth at 640 epochs": curves.sign * float(worth.mean()),
        "standard error": float(standard_error(worth)),
        "test": curves.sign * float(tested.mean()),
    }


def losses(sets: Sequence[Curves], seeds: int) -> list[Row]:
    """What stopping loses of 16 random trials, by rule and set, and on average."""
    rules: dict[str, Any] = {
        f"stopped for good at {RAY_RUNGS}": lambda: Stopping(RAY_RUNGS),
        f"stopped for good at {RUNGS}": lambda: Stopping(RUNGS),
        f"promoted at {RUNGS}": lambda: Promoting(RUNGS),
    }
    rows = []
    for name, rule in rules.items():
        each = [loss(curves, rule, seeds) for curves in sets]
        rows += [_loss_row(name, c.name, one) for c, one in zip(sets, each, strict=True)]
        mean = Loss(*np.mean([(x.lost, x.regret, x.epochs) for x in each], axis=0))
        rows.append(_loss_row(name, "mean", mean))
    return rows


def _loss_row(rule: str, name: str, found: Loss) -> Row:
    return {
        "rule": rule,
        "set": name,
        "best of 16 lost": found.lost,
        "regret": found.regret,
        "share of epochs": found.epochs,
    }


def figures(sets: Sequence[Curves], rows: Sequence[Row], lost: Sequence[Row]) -> dict[str, float]:
    """The figures that are kept on file."""
    own = {row["set"]: row for row in rows if row["method"] == DEFAULT}
    plain = {row["set"]: row for row in rows if row["method"] == RANDOM}
    spent = float(np.mean([row["epochs to 32 random"] for row in own.values()]))
    better = [
        c.sign * (own[c.name]["worth at 640 epochs"] - plain[c.name]["worth at 640 epochs"]) > 0
        for c in sets
    ]
    mean = next(r for r in lost if r["set"] == "mean" and r["rule"].startswith("promoted"))
    return {
        "sets": len(sets),
        "times_fewer_epochs": TARGET * EPOCHS / spent,
        "sets_better": float(np.mean(better)),
        "lost": mean["best of 16 lost"],
        "regret": mean["regret"],
        "share_of_epochs": mean["share of epochs"],
    }


def fallen_behind(new: Mapping[str, float], old: Mapping[str, float]) -> list[str]:
    """The figures that are worse than those on file by more than their slack."""
    behind = []
    for name, slack in SLACK.items():
        if name in old and new["sets"] == old["sets"]:
            limit = slack * old[name]
            if new[name] < limit if slack <= 1 else new[name] > limit:
                behind.append(f"{name}: {new[name]:.3g}, on file {old[name]:.3g}")
    return behind


def plot(sets: Sequence[Curves], found: Anytimes) -> go.Figure:
    """Worth of the pick against epochs spent, with the standard error, a panel a set."""
    figure = make_subplots(rows=1, cols=len(sets), subplot_titles=[c.name for c in sets])
    for column, curves in enumerate(sets, start=1):
        for place, (name, one) in enumerate(
            (name, one) for (owner, name), one in found.items() if owner == curves.name
        ):
            mean = curves.sign * np.nanmean(one.worth, axis=0)
            error = standard_error(one.worth)
            style = {"color": COLOURS[place]}
            bars = {"type": "data", "array": error, "thickness": 0.7, "width": 0}
            line = go.Scatter(x=GRID, y=mean, error_y=bars, name=name, line=style)
            line.update(legendgroup=name, showlegend=column == 1)
            figure.add_trace(line, row=1, col=column)
    figure.update_xaxes(type="log", title="epochs spent")
    return figure.update_layout(template="plotly_white", legend={"orientation": "h", "y": -0.2})


COLOURS = ("#000000", "#cc79a7", "#999999", "#0072b2", "#e69f00", "#d55e00", "#56b4e9", "#009e73")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer seeds: under ten minutes")
    parser.add_argument("--seeds", type=int, default=200, help="sampler seeds")
    parser.add_argument("--tpe-seeds", type=int, help="of the methods with TPE; default: --seeds")
    parser.add_argument("--out", type=Path, help="folder for the tables and the plot")
    parser.add_argument("--keep", action="store_true", help="put the figures on file")
    arguments = parser.parse_args()
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
    seeds = min(arguments.seeds, 100) if arguments.quick else arguments.seeds
    tpe_seeds = arguments.tpe_seeds or (10 if arguments.quick else seeds)
    sets = [read_curves(name) for name in SETS if (CURVES / f"{name}.parquet").is_file()]
    rows, found = compare(sets, seeds, tpe_seeds)
    lost = losses(sets, seeds)
    new = figures(sets, rows, lost)
    print(describe_machine("cpu", 1))
    print_rows(rows)
    print_rows(lost)
    print(json.dumps(new, indent=1))
    if arguments.out:
        pd.DataFrame(rows).to_csv(arguments.out / "methods.csv", index=False)
        pd.DataFrame(lost).to_csv(arguments.out / "stopping.csv", index=False)
        plot(sets, found).write_html(arguments.out / "search.html", include_plotlyjs="directory")
    behind = fallen_behind(new, json.loads(ON_FILE.read_text())) if ON_FILE.is_file() else []
    for line in behind:
        print(f"behind: {line}")
    if arguments.keep:
        ON_FILE.write_text(json.dumps(new, indent=1) + "\n")
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(main())
