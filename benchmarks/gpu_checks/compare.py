"""How far tensors are apart, and whether a kernel stays inside its own memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from gpu_checks.bench import Row
from pdf_search.training.replicate_trainer import ReplicateTrainer

Named = dict[str, Tensor]
ROUNDING = 1e-10  # of all of a replicate: what float64 leaves of a gradient that is exactly zero
UNFILLED = (torch.empty, torch.empty_like, Tensor.new_empty)
FILLED = (torch.zeros, torch.zeros_like, torch.full, Tensor.new_zeros)
PAD = 4096  # numbers on either side of a guarded tensor


def relative(ours: Tensor, theirs: Tensor, scale: float = 0.0) -> float:
    """|ours - theirs| / |theirs| by Euclidean norms; ``scale``: in place of the latter, if given.

    Infinite where ours has a value that is not finite.
    """
    ours, theirs = (x.detach().cpu().double() for x in (ours, theirs))
    if ours.shape != theirs.shape or not ours.isfinite().all():
        return float("inf")
    difference = float((ours - theirs).norm())
    size = scale or float(theirs.norm())
    return difference / size if size else (float("inf") if difference else 0.0)


def worst(ours: Mapping[str, Tensor], theirs: Mapping[str, Tensor]) -> tuple[float, str]:
    """The largest relative difference of any tensor, and its name."""
    assert ours.keys() == theirs.keys()
    return largest((relative(ours[name], theirs[name]), name) for name in theirs)


def worst_by_replicate(
    ours: Mapping[str, Tensor], theirs: Mapping[str, Tensor]
) -> tuple[float, str]:
    """The same for each replicate of tensors [R, ...].

    What is zero but for rounding, as the gradient of a bias before a norm, is held against the
    whole replicate.
    """
    assert ours.keys() == theirs.keys()
    found = [(0.0, "")]
    for r in range(len(next(iter(theirs.values()), ()))):
        whole = sum(float(t[r].detach().double().square().sum()) for t in theirs.values()) ** 0.5
        for name, their in theirs.items():
            nothing = float(their[r].detach().double().norm()) <= ROUNDING * whole
            scale = whole if nothing else 0.0
            found.append((relative(ours[name][r], their[r], scale), f"{name} of replicate {r}"))
    return largest(found)


def largest(found: Iterable[tuple[float, str]]) -> tuple[float, str]:
    return max(found, key=lambda pair: float("inf") if pair[0] != pair[0] else pair[0])


def check(what: str, error: float, limit: float, **more: Any) -> Row:
    """A row that fails if the error is above the limit, or not a number."""
    return {"what": what, "error": error, "limit": limit, **more}


def checked(what: str, found: tuple[float, str], limit: float, **more: Any) -> Row:
    return check(what, found[0], limit, worst=found[1], **more)


def state_of(trainer: ReplicateTrainer) -> dict[str, Named]:
    """Copies of all that a step changes, by kind and name: parameters, moments, buffers, counts.

    The optimizer's tensors have the layout of its values, of which the parameters are views.
    """
    names = [name for name, _ in trainer.model.named_parameters()]
    parts = {"parameter": trainer.optimizer.values, "moment": trainer.optimizer.mean,
             "square": trainer.optimizer.square}  # fmt: skip
    state = {
        kind: {
            name: flat.as_strided(p.shape, p.stride(), p.storage_offset()).clone()
            for name, p in zip(names, trainer.optimizer.parameters, strict=True)
        }
        for kind, flat in parts.items()
    }
    state["buffer"] = {name: b.clone() for name, b in trainer.model.named_buffers()}
    state["steps"] = {"steps": trainer.optimizer.steps.clone()}
    return state


def changes(before: dict[str, Named], after: dict[str, Named]) -> dict[str, Named]:
    """What was added, in float64."""
    return {
        kind: {
            name: tensor.double() - before[kind][name].double() for name, tensor in named.items()
        }
        for kind, named in after.items()
    }


class Guarded(TorchFunctionMode):
    """New tensors lie between pads, so that a kernel that leaves its own memory is noticed.

    Pads and new memory hold NaN, so that what is read outside, or never written, spreads.
    """

    def __init__(self) -> None:
        super().__init__()
        self.pads: list[Tensor] = []

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        fresh = func in UNFILLED
        if not fresh and func not in FILLED:
            return out
        return self.inside(out.fill_(float("nan")) if fresh and out.is_floating_point() else out)

    def inside(self, tensor: Tensor) -> Tensor:
        """A copy of the tensor between pads: NaN, or 0 around integers, which may be places."""
        nothing = float("nan") if tensor.is_floating_point() else 0
        size = tensor.numel() + 2 * PAD
        with torch._C.DisableTorchFunction():
            whole = torch.full((size,), nothing, dtype=tensor.dtype, device=tensor.device)
            view = whole[PAD : PAD + tensor.numel()].view(tensor.shape)
            view.copy_(tensor)
        self.pads += [whole[:PAD], whole[PAD + tensor.numel() :]]
        return view

    def written(self) -> bool:
        """Whether anything was written outside of its tensor."""
        return any(
            not bool((pad.isnan() if pad.is_floating_point() else pad == 0).all())
            for pad in self.pads
        )
