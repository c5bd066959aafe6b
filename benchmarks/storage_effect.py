"""What `model.storage: bfloat16` does to outputs and gradients of the published ZINC network.

    python benchmarks/storage_effect.py

One batch of ZINC's excerpt, freshly initialised replicates: Euclidean norms of the difference to
float32 storage over those of float32 storage; of gradients also the parameter that differs most.
"""

from __future__ import annotations

import argparse
from typing import Any

import torch
from common import describe_machine, print_rows
from gpu_checks.bench import EXCERPTS, VARIANTS
from step_launches import zinc
from torch import Tensor

from pdf_search.config import TrialConfig
from pdf_search.data import Prepared, load_prepared, prepare
from pdf_search.model import Noise, replicate_keys
from pdf_search.training.build_trainers import build_trainer
from pdf_search.training.losses import batch_loss
from pdf_search.training.replicates import ReplicateSplits

CPU = torch.device("cpu")


def outcome(config: TrialConfig, data: Prepared) -> tuple[Tensor, dict[str, Tensor]]:
    """Outputs [R, B, 1] of the first batch, and the gradients of all parameters."""
    splits = ReplicateSplits.of(config, data)
    trainer = build_trainer(config, data, splits, CPU)
    batch = trainer.batch(splits.epoch_order(1)[:, : config.training.batch_size])
    noise = Noise(replicate_keys(trainer.replicates, 1, 0))
    out = trainer.model.train()(batch, trainer.rows, trainer.edge_types, noise)
    target = (batch.targets - trainer.mean) / trainer.std
    batch_loss(config.training.loss, trainer.task, out, target).sum().backward()
    named = trainer.model.named_parameters()
    return out.detach(), {name: p.grad for name, p in named if p.grad is not None}


def row_of(variant: str, replicates: int) -> dict[str, Any]:
    config = zinc(variant, replicates)
    data = load_prepared(prepare(config.data, EXCERPTS))
    model = config.model.model_copy(update={"storage": "bfloat16"})
    out, grads = outcome(config, data)
    rounded, changed = outcome(config.model_copy(update={"model": model}), data)
    flat, other = (torch.cat([g.flatten() for g in x.values()]) for x in (grads, changed))
    # The gradient of a bias before a norm is zero, so that its difference says nothing.
    own = {n: off(changed[n], g) for n, g in grads.items() if float(g.norm()) > 1e-4 * flat.norm()}
    name = max(own, key=lambda n: own[n])
    row: dict[str, Any] = {"network": variant, "outputs": off(rounded, out)}
    return row | {"all gradients": off(other, flat), "worst": own[name], "of": name}


def off(ours: Tensor, theirs: Tensor) -> float:
    return float((ours - theirs).norm() / theirs.norm())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--replicates", type=int, default=3)
    arguments = parser.parse_args()
    rows = [row_of(variant, arguments.replicates) for variant in arguments.variants]
    print(describe_machine("cpu", torch.get_num_threads()))
    print_rows(rows)


if __name__ == "__main__":
    main()
