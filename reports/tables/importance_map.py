"""The importance map of (eps, k) of the first confirmed trial that has one, as a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pdf_search.results import ImportanceMap
from pdf_search.wording import counted
from reports.grid.grid import ABSENT, Grid, Line
from reports.sweep_data import SweepData

TITLE = "Importance of (eps, k)"
MEANING = (
    "The trained filter is replaced by its least-squares fit on one basis, the identity always in, "
    "and the last linear layer is fitted anew to training graphs; the share is how much of what "
    "all bases save in left-out error this one keeps. A hint: neighbours are nearly the same."
)


@dataclass(frozen=True)
class BasisMap:
    """The map of a confirmed trial; ``called``: its name."""

    called: str
    found: ImportanceMap

    @property
    def text(self) -> str:
        """What the map says, what it was made of, and what a share is."""
        over = counted(self.found.replicates, "replicate")
        graphs = counted(self.found.graphs, "training graph")
        eps, powers = axes(self.found.grid)
        whole = len(self.found.grid) == len(eps) * len(powers)
        blank = "" if whole else " A blank (eps, k) is no basis of this model."
        made_of = f"{self.called.capitalize()}, {over}, {graphs}."
        return f"{self.found.sentence()} {made_of} {MEANING}{blank}"


def basis_map(data: SweepData) -> BasisMap | None:
    """The map of the first confirmation, in the order of the search, that recorded one."""
    for entry in data.confirmations:
        tree = entry.trial.importance
        found = None if tree is None else ImportanceMap.of(tree)
        if found is not None:
            return BasisMap(entry.called, found)
    return None


def map_grid(known: BasisMap) -> Grid:
    """The shares as a table, k down and eps across, with the best of each k."""
    found = known.found
    eps, _ = axes(found.grid)
    lines = [
        Line(f"k = {k}", (*(_cell(found.share((e, k))) for e in eps), f"{best:z.2f}"))
        for k, best in found.profile()
    ]
    return Grid(
        key="importance-map",
        title=TITLE,
        corner="share kept",
        columns=(*(f"eps {e:g}" for e in eps), "best"),
        lines=tuple(lines),
        lead=(known.text,),
    )


def axes(grid: Iterable[tuple[float, int]]) -> tuple[list[float], list[int]]:
    """The eps and the k of a grid, ascending."""
    pairs = list(grid)
    return sorted({e for e, _ in pairs}), sorted({k for _, k in pairs})


def _cell(share: float | None) -> str:
    return ABSENT if share is None else f"{share:z.2f}"
