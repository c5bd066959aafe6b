"""How much of what a trained network gains from its bases each single basis keeps.

The trained filter is replaced by its least-squares fit on one basis, with the constant, the
identity and the diagonals always in; each row counts by its pairs. The last linear layer is then
fitted anew to the targets of the training graphs by ridge regression, and judged on each graph by
the fit on all others. The share of a basis is how far the error falls from that of the constant
and the identity alone (0) to that of the trained filter (1). Everything else of the network stays.

Legend: R replicates, L graphs, m places of a basis row, g bases of the grid, d channels (1 if
shared).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pdf_search.config import BasisConfig, TrialConfig
from pdf_search.graphs import BasisMoments
from pdf_search.model import EngineBatch, PDFNetwork
from pdf_search.records import Task
from pdf_search.training.importance.least_squares import fit_columns, left_out_errors
from pdf_search.training.replicate_trainer import PREDICTION_BATCH, ReplicateTrainer

Floats = NDArray[np.float64]

ALIKE = 0.99  # bases that correlate by more, the identity taken out, are one bundle


def has_importance(config: TrialConfig) -> bool:
    """Whether there is a choice between bases, and a trained filter to ask."""
    model = config.model
    learned = model.architecture == "pdf" and model.filter != "fixed"
    return learned and len(config.basis.grid) > 1


@torch.no_grad()
def basis_importance(
    trainer: ReplicateTrainer, graphs: Tensor, basis: BasisConfig
) -> dict[str, Any]:
    """Measure every basis of the grid on ``graphs`` [R, L], which are places in the data.

    Returns:
        Plain data: ``grid``; ``alike``, for each basis the bases that cannot be told from it;
        and for each of ``replicates`` the left-out errors ``none`` (constant and identity), ``all``
        (the trained filter) and ``errors`` (one basis each), and by how much the best basis is
        better than the best one that is not like it, as mean over graphs (``margin``) with its
        standard error (``margin_se``).
    """
    probe = Probe.of(trainer, graphs)
    sums = probe.filter_sums()
    bases = len(basis.grid)
    always = [0, 1, *range(2 + bases, 2 + bases + len(basis.diagonals))]
    fits = [sums.filter(always), *(sums.filter([*always, 2 + place]) for place in range(bases))]
    errors = probe.errors([probe.model.filter, *fits])
    alike = _alike(sums, basis)
    return {
        "grid": [list(point) for point in basis.grid],
        "alike": alike,
        "graphs": int(graphs.shape[1]),
        "replicates": [_replicate(rows, alike) for rows in errors],
    }


class AffineFilter(nn.Module):
    """A filter that is a weighted sum of the bases and a constant, for R replicates."""

    def __init__(self, coefficients: Floats, like: Tensor) -> None:
        """Take ``coefficients`` [R, 1 + m, d], the constant first, to the device of ``like``."""
        super().__init__()
        values = torch.from_numpy(coefficients).to(like)
        self.constant, self.weight = values[:, :1], values[:, 1:]

    def forward(self, rows: Tensor, weight: Tensor, fused: bool = False) -> Tensor:  # noqa: ARG002
        """Compute the filter at ``rows`` [R, L, m], or [L, m] for all replicates."""
        rows = rows.expand(weight.shape[0], *rows.shape[-2:])
        return torch.baddbmm(self.constant, rows, self.weight)


@dataclass(frozen=True)
class _FilterSums:
    """Normal equations of the trained filter's outputs on the constant and the bases."""

    products: Floats  # [R, 1 + m, 1 + m]
    mixed: Floats  # [R, 1 + m, d]
    like: Tensor

    def filter(self, columns: Sequence[int]) -> AffineFilter:
        """The fit of each replicate's filter on some columns."""
        parts = zip(self.products, self.mixed, strict=True)
        return AffineFilter(np.stack([fit_columns(*part, columns) for part in parts]), self.like)


@dataclass(frozen=True)
class Probe:
    """The graphs, and what the network makes of them with one filter or another."""

    trainer: ReplicateTrainer
    graphs: Tensor  # [R, L]
    targets: list[Floats]  # of each replicate, [L, t]

    @classmethod
    def of(cls, trainer: ReplicateTrainer, graphs: Tensor) -> Probe:
        """Read the targets of ``graphs`` [R, L] and put the network in evaluation mode."""
        batches = _batches(trainer, graphs)
        targets = _by_replicate([batch.targets for batch in batches], graphs)
        if trainer.task is Task.MULTICLASS:
            targets = [np.eye(int(t.max()) + 1)[t[:, 0].astype(np.int64)] for t in targets]
        trainer.model.eval()
        return cls(trainer, graphs, targets)

    @property
    def model(self) -> PDFNetwork:
        """The network."""
        assert isinstance(self.trainer.model, PDFNetwork)
        return self.trainer.model

    def run(self, batch: EngineBatch) -> None:
        """Run the network on a batch; hooks see what it computes."""
        self.trainer.model(batch, self.trainer.rows, self.trainer.edge_types)

    def errors(self, filters: Sequence[nn.Module]) -> list[list[Floats]]:
        """Left-out errors of each replicate, [L], with each of ``filters`` in its filter's place.

        A batch is made once and serves all filters.
        """
        seen: list[list[Tensor]] = [[] for _ in filters]
        for batch in _batches(self.trainer, self.graphs):
            for features, used in zip(seen, filters, strict=True):
                with _filter_of(self.model, used), _inputs_of(self.model.head, features):
                    self.run(batch)
        by_filter = [_by_replicate(features, self.graphs) for features in seen]
        return [
            [left_out_errors(features[r], targets) for features in by_filter]
            for r, targets in enumerate(self.targets)
        ]

    def filter_sums(self) -> _FilterSums:
        """Sum the products of bases and filter outputs over all pairs."""
        sums: list[tuple[Tensor, Tensor]] = []

        def add(_: nn.Module, given: tuple[Tensor, Tensor], output: Tensor) -> None:
            rows, weight = given[0], given[1].double()
            rows = rows.expand(weight.shape[0], *rows.shape[-2:]).double()
            x = torch.cat([torch.ones_like(rows[..., :1]), rows], -1)
            weighted = (x * weight).transpose(1, 2)
            sums.append((weighted @ x, weighted @ output.double()))

        hook = self.model.filter.register_forward_hook(add)
        try:
            for batch in _batches(self.trainer, self.graphs):
                self.run(batch)
        finally:
            hook.remove()
        parts = zip(*sums, strict=True)
        products, mixed = (torch.stack(part).sum(0).cpu().numpy() for part in parts)
        return _FilterSums(products, mixed, self.model.head.weight)


@contextmanager
def _filter_of(model: PDFNetwork, other: nn.Module) -> Iterator[None]:
    own = model.filter
    try:
        model.filter = other  # type: ignore[assignment]
        yield
    finally:
        model.filter = own


@contextmanager
def _inputs_of(module: nn.Module, seen: list[Tensor]) -> Iterator[None]:
    """Append what ``module`` is given to ``seen``."""
    hook = module.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    try:
        yield
    finally:
        hook.remove()


def _batches(trainer: ReplicateTrainer, graphs: Tensor) -> Iterator[EngineBatch]:
    """Batches of the graphs, collated one by one: they take no more room than to predict."""
    for start in range(0, graphs.shape[1], PREDICTION_BATCH):
        yield trainer.batch(graphs[:, start : start + PREDICTION_BATCH])


def _by_replicate(values: Sequence[Tensor], graphs: Tensor) -> list[Floats]:
    """Join values [R, B, ...] of batches of ``graphs`` [R, L] and leave out places of no graph."""
    joined = torch.cat([v.double() for v in values], 1).cpu().numpy()
    there = (graphs >= 0).cpu().numpy()
    return [row[here] for row, here in zip(joined, there, strict=True)]


def _replicate(errors: list[Floats], alike: list[list[int]]) -> dict[str, Any]:
    """The record of a replicate whose left-out errors with each filter these are."""
    own, none, *single = errors
    return {
        "none": float(_mean(none)),
        "all": float(_mean(own)),
        "errors": _mean(np.stack(single)).tolist(),
        **_margin(np.stack(single), alike),
    }


def _mean(errors: Floats) -> Floats:
    """The mean over graphs, the last axis; nan where no graph has a value."""
    there = ~np.isnan(errors)
    total = np.where(there, errors, 0.0).sum(-1)
    return np.asarray(np.where(there.any(-1), total / there.sum(-1).clip(min=1), np.nan))


def _alike(sums: _FilterSums, basis: BasisConfig) -> list[list[int]]:
    products = sums.products[0] / sums.products[0][0, 0]
    moments = BasisMoments(basis.grid, basis.diagonals, products, 0, 0)
    near = moments.correlation(diagonals=basis.diagonals) > ALIKE
    np.fill_diagonal(near, True)
    return [np.flatnonzero(row).tolist() for row in near]


def _margin(errors: Floats, alike: list[list[int]]) -> dict[str, float | None]:
    """By how much the best basis beats the best one that is not like it, over graphs."""
    means = _mean(errors)
    best = int(np.argmin(means))
    others = [b for b in range(len(means)) if b not in alike[best]]
    if not others:
        return {"margin": None, "margin_se": None}
    rival = min(others, key=lambda b: float(means[b]))
    gained = errors[rival] - errors[best]
    gained = gained[~np.isnan(gained)]
    spread = float(gained.std(ddof=1) / np.sqrt(len(gained))) if len(gained) > 1 else None
    return {"margin": float(gained.mean()) if len(gained) else None, "margin_se": spread}
