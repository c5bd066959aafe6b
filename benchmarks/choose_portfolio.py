"""Chooses the portfolio on all recorded curves and writes it where searches read it."""

from __future__ import annotations

import argparse
from pathlib import Path

import yaml
from replay.curve_file import CURVES, read_curves
from replay.portfolio import SIZE, choose, regret
from replay.recipes import SETS, Recipe, recipes

ENTRIES = Path(__file__).parents[1] / "search_spaces" / "portfolio" / "entries.yaml"
HEAD = """\
# Configurations that are tried after the published setting, in terms that fit any data set: k_share
# and hidden_share are shares of the space's highest k and of its largest hidden size. Chosen on the
# recorded curves of {sets} by benchmarks/choose_portfolio.py.
"""


def entry(recipe: Recipe) -> dict[str, object]:
    """A recipe in the words of the portfolio's file."""
    renamed = {
        "eps": list(recipe["eps"]),
        "k_share": round(recipe["k_share"], 2),
        "support": "dense" if recipe["dense"] else "hops",
        "learning_rate": float(f"{recipe['learning_rate']:.2g}"),
        "schedule": "annealed" if recipe["annealed"] else "step",
    }
    same = {k: v for k, v in recipe.items() if k not in ("dense", "annealed")}
    return same | renamed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--out", type=Path, default=ENTRIES)
    arguments = parser.parse_args()
    sets = [read_curves(name) for name in SETS if (CURVES / f"{name}.parquet").is_file()]
    chosen = choose(sets, arguments.size)
    known = recipes()
    body = yaml.safe_dump({"entries": [entry(known[number]) for number in chosen]}, sort_keys=False)
    arguments.out.write_text(HEAD.format(sets=", ".join(c.name for c in sets)) + body)
    for number in chosen:
        print(number, {curves.name: round(float(regret(curves)[number]), 2) for curves in sets})


if __name__ == "__main__":
    main()
