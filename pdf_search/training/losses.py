"""Losses: one value per replicate, so that no replicate's gradient reaches another.

Legend: R replicates, B graph slots.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from pdf_search.records import Task


def batch_loss(kind: str, task: Task, output: Tensor, target: Tensor) -> Tensor:
    """Mean loss over the labelled entries of each replicate's batch, [R]; 0 where there is none.

    ``output`` is [R, B, outputs]. ``target`` is [R, B, tasks], nan for unlabelled entries and
    empty slots. ``kind`` is ``auto``, ``l1`` or ``mse``. Regression takes the squared error for
    ``mse`` and otherwise the absolute error. Classes always take cross-entropy, and labels binary
    cross-entropy.
    """
    labelled = ~target.isnan()
    filled = torch.where(labelled, target, 0.0)
    if task is Task.MULTICLASS:
        logits = output.transpose(1, 2)
        values = cross_entropy(logits, filled[..., 0].long(), reduction="none")[..., None]
    elif task is Task.MULTILABEL:
        values = binary_cross_entropy_with_logits(output, filled, reduction="none")
    else:
        error = output - filled
        values = error.square() if kind == "mse" else error.abs()
    values = torch.where(labelled, values, 0.0)
    return values.sum((1, 2)) / labelled.sum((1, 2)).clamp(min=1)
