from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F  # noqa: N812

from pdf_search.records import Task
from pdf_search.training.losses import batch_loss

NAN = float("nan")


def normal(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(4))


@pytest.mark.parametrize(
    ("kind", "theirs"), [("auto", F.l1_loss), ("l1", F.l1_loss), ("mse", F.mse_loss)]
)
def test_regression(kind: str, theirs: object) -> None:
    output, target = normal(2, 5, 3), normal(5, 3, 2).permute(2, 0, 1)
    ours = batch_loss(kind, Task.REGRESSION, output, target)
    for r in range(2):
        torch.testing.assert_close(ours[r], theirs(output[r], target[r]))  # type: ignore[operator]


def test_classes() -> None:
    output, target = normal(2, 5, 4), torch.tensor([[0, 3, 1, 1, 2], [2, 2, 0, 3, 1]])
    ours = batch_loss("auto", Task.MULTICLASS, output, target[..., None].float())
    for r in range(2):
        torch.testing.assert_close(ours[r], F.cross_entropy(output[r], target[r]))


def test_labels_with_gaps() -> None:
    """The mean over the labelled entries, as the authors' code and OGB's examples take it."""
    output = normal(1, 4, 3).requires_grad_()
    target = torch.tensor([[[1, 0, NAN], [NAN, NAN, NAN], [0, NAN, 1], [1, 1, 0]]])
    known = ~target.isnan()
    ours = batch_loss("auto", Task.MULTILABEL, output, target)
    theirs = F.binary_cross_entropy_with_logits(output[known], target[known])
    torch.testing.assert_close(ours[0], theirs)
    ours.sum().backward()
    assert output.grad is not None
    assert torch.isfinite(output.grad).all()
    assert (output.grad[~known] == 0).all()
    assert (output.grad[known] != 0).all()


@pytest.mark.parametrize("task", list(Task))
def test_a_batch_without_labels_costs_nothing(task: Task) -> None:
    output = normal(2, 3, 2).requires_grad_()
    target = torch.full((2, 3, 2 if task is not Task.MULTICLASS else 1), NAN)
    loss = batch_loss("auto", task, output, target)
    loss.sum().backward()
    assert loss.tolist() == [0, 0]
    assert output.grad is not None
    assert not output.grad.any()


def test_empty_slots_do_not_count() -> None:
    output, target = normal(1, 4, 1), normal(4, 1, 1).permute(1, 0, 2).clone()
    target[0, 2:] = NAN
    ours = batch_loss("mse", Task.REGRESSION, output, target)
    torch.testing.assert_close(ours[0], F.mse_loss(output[0, :2], target[0, :2]))
