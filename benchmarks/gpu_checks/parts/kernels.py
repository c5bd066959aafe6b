"""Each kernel against plain torch in float64 on the CPU, tensor by tensor.

Inputs and new memory lie between pads of NaN: a kernel that reads or writes outside of its tensors
is noticed. Values that are not finite must not be hidden, nor spread to other channels or
replicates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from gpu_checks.bench import CPU, Bench, Row
from gpu_checks.compare import Guarded, check, checked, relative, worst
from gpu_checks.parts.cases import Case, adamw, all_cases, message, norm, segment_product
from pdf_search.kernels import reference
from pdf_search.kernels.dispatch import backend

BAD = (float("inf"), float("-inf"), float("nan"))


def rows(bench: Bench) -> Iterator[Row]:
    for case in all_cases(bench.interpreted or not bench.gpu):
        yield checked(case.name, difference(case, bench.device), case.limit)
    for case in unusual_cases():
        for bad in BAD:
            yield check(f"{bad} in {case.name}", not_finite(case, bench.device, bad), 1e-4)


def difference(case: Case, device: torch.device) -> tuple[float, str]:
    """The worst tensor of a case; infinite where memory of others was written."""
    guard = Guarded()
    with guard:
        ours = case.run(backend(device, case.rounded), mover(guard.inside, device, case.rounded))
    theirs = case.run(reference, mover(lambda x: x, CPU, torch.float64))
    if guard.written():
        return float("inf"), "written outside of a tensor"
    return worst(ours, theirs)


def mover(
    inside: Callable[[Tensor], Tensor], device: torch.device, dtype: torch.dtype
) -> Callable[[Tensor], Tensor]:
    def put(tensor: Tensor) -> Tensor:
        moved = tensor.to(device, dtype if tensor.is_floating_point() else None)
        return inside(moved.clone())

    return put


def unusual_cases() -> list[Case]:
    f32 = torch.float32
    cases = [segment_product((7, own, 60, 5, 6, 9), f32) for own in (7, 1)]
    cases += [message([3, 2, 0, 3], 3, 4, act) for act in ("gelu", "relu")]
    cases += [norm(40, 5, act, training=True) for act in (None, "gelu", "relu")]
    return [*cases, adamw(50, as_tensor=False)]


def not_finite(case: Case, device: torch.device, bad: float) -> float:
    """One bad number in one input after another; infinite where it is hidden."""
    worst_of_all = 0.0
    for number, tensor in enumerate(case.inputs):
        flat = tensor.view(-1)
        place = 2 * tensor.shape[-1] // 3  # in the first row of the first replicate
        kept = flat[place].clone()
        flat[place] = bad
        ours = case.run(backend(device), mover(lambda x: x, device, torch.float32))
        theirs = case.run(reference, mover(lambda x: x, CPU, torch.float64))
        flat[place] = kept
        for name, their in theirs.items():
            any_slope = number < case.activated and name.startswith("grad")
            worst_of_all = max(worst_of_all, spread(ours[name].cpu(), their, any_slope))
    return worst_of_all


def spread(ours: Tensor, theirs: Tensor, any_slope: bool) -> float:
    """How far the channels and replicates are apart that should be finite."""
    lost = ~theirs.isfinite()
    if not any_slope and bool(ours[lost].isfinite().any()):
        return float("inf")
    if not bool(lost.any()):
        return relative(ours, theirs)
    channels = ~lost.flatten(0, -2).any(0) if theirs.dim() > 1 else ~lost
    errors = [relative(ours[..., channels], theirs[..., channels])]
    if theirs.dim() > 2:  # replicates first
        whole = ~lost.flatten(1).any(1)
        errors.append(relative(ours[whole], theirs[whole]))
    return max(errors)
