"""The importance map of a confirmed trial, made after its last epoch, beside its checkpoint."""

from __future__ import annotations

import json
from math import isfinite
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from pdf_search.atomic import whole_file
from pdf_search.config import TrialConfig
from pdf_search.errors import TrialError
from pdf_search.training.groups import Groups, State
from pdf_search.training.importance.basis_importance import basis_importance, has_importance

IMPORTANCE = "importance.json"
MOST_PASSES = 10_000  # graphs times bases: what a network computes for one graph and one filter
LEAST_GRAPHS, MOST_GRAPHS = 200, 1000  # of the training part, whatever the number of bases


def trial_importance(config: TrialConfig, groups: Groups, weights: State) -> dict[str, Any] | None:
    """Measure every basis on training graphs; afterwards all is as before.

    Each basis costs a forward pass of the graphs, so their number times that of the bases is at
    most ``MOST_PASSES``; but at least ``LEAST_GRAPHS``, or all that there are, and never more than
    ``MOST_GRAPHS`` are used. ``weights``: those of the selected epoch; empty for the present ones.

    Returns:
        What ``basis_importance`` returns, over all replicates; None if there are no bases to choose
        from, or the weights are not finite.
    """
    if not has_importance(config):
        return None
    own = {name: value.clone() for name, value in groups.model_state().items()}
    moments = {name: value.clone() for name, value in groups.optimizer_state().items()}
    used = weights or own
    if not all(bool(torch.isfinite(value).all()) for value in used.values()):
        return None
    groups.load_states(used, moments)
    most = graphs_asked(len(config.basis.grid))
    try:
        parts = [
            basis_importance(group.eager, _spread(group.places["train"], most), config.basis)
            for group in groups.groups
        ]
    finally:
        groups.load_states(own, moments)
    return {**parts[0], "replicates": [row for part in parts for row in part["replicates"]]}


def write_importance(folder: Path, found: dict[str, Any]) -> None:
    """Write the file ``IMPORTANCE`` into ``folder``; numbers that are not finite become null."""
    with whole_file(folder / IMPORTANCE) as path:
        path.write_text(json.dumps(_strict(found), allow_nan=False) + "\n", encoding="utf-8")


def read_importance(folder: Path) -> dict[str, Any] | None:
    """Read what ``write_importance`` wrote; None if there is no such file.

    Raises:
        TrialError: the file is damaged.
    """
    path = folder / IMPORTANCE
    if not path.is_file():
        return None
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TrialError(f"{path}: damaged ({error})") from None
    return found


def graphs_asked(bases: int) -> int:
    """How many graphs at most are asked about each of ``bases``."""
    return min(max(MOST_PASSES // bases, LEAST_GRAPHS), MOST_GRAPHS)


def _spread(places: Tensor, most: int) -> Tensor:
    """At most ``most`` of the places [R, L], evenly spread: some sets are in class order."""
    count = places.shape[1]
    if count <= most:
        return places
    chosen = torch.linspace(0, count - 1, most, dtype=torch.float64).round().long()
    return places[:, chosen.to(places.device)]


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _strict(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_strict(inner) for inner in value]
    return None if isinstance(value, float) and not isfinite(value) else value
