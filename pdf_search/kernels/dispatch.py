"""Chooses the backend of a tensor: compiled CPU kernels, Triton kernels, or plain torch.

Every backend is a package with the operations of ``Backend``. It is imported at its first use,
because Numba loads a compiler and Triton comes only with torch's GPU builds. Compiled kernels sum
in float32, so what is float64 goes to plain torch, which sums in float64.
"""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor

from pdf_search.kernels.probe import why_plain_torch
from pdf_search.kernels.structures import (
    CollatedLists,
    Draws,
    GraphLists,
    GroupedTriples,
    Messages,
    Norm,
    Statistics,
)


class Backend(Protocol):
    """The operations that every backend has; ``reference`` gives their shapes in full."""

    def product(self, a: Tensor, b: Tensor) -> Tensor:
        """The matrix product of each replicate."""

    def grouped_product(self, a: Tensor, b: Tensor, triples: GroupedTriples) -> Tensor:
        """Sum of ``a[first] * b[second]`` over the triples of each group, [groups, d] float32."""

    def grouped_dot(self, a: Tensor, b: Tensor, triples: GroupedTriples) -> Tensor:
        """Sum of the dot products ``a[first] . b[second]`` over each group, [groups, 1]."""

    def places_by_group(self, key: Tensor, ptr: Tensor) -> Tensor:
        """The stable order that sorts entries by ``key``, [P]."""

    def message_forward(
        self, y: Tensor, w: Tensor, where: Messages, act: str, dtype: torch.dtype = torch.float32
    ) -> Tensor:
        """The messages ``act(y[node] + w[type])``, [M, d], stored as ``dtype``."""

    def message_backward(
        self, grad: Tensor, y: Tensor, w: Tensor, where: Messages, act: str
    ) -> tuple[Tensor, Tensor]:
        """The gradients for ``y`` and ``w``."""

    def norm_statistics(self, x: Tensor, weight: Tensor, shift: Tensor, norm: Norm) -> Statistics:
        """The statistics of a training batch; updates the running statistics of ``norm``."""

    def norm_forward(
        self,
        x: Tensor,
        statistics: Statistics,
        affine: tuple[Tensor, Tensor],
        act: str | None,
    ) -> Tensor:
        """``act((x - mean) * rstd * gamma + beta)``, [R, L, d]."""

    def norm_backward(
        self,
        grad: Tensor,
        x: Tensor,
        weight: Tensor,
        statistics: Statistics,
        affine: tuple[Tensor, Tensor],
        act: str | None,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The gradients for x, gamma, beta and the shift."""

    def adamw_step(
        self,
        grad: Tensor,
        state: tuple[Tensor, Tensor, Tensor],
        corrections: tuple[Tensor, Tensor],
        active: Tensor,
        rate: float | Tensor,
        constants: tuple[float, float, float, float],
    ) -> None:
        """Update ``state`` in place: values, mean and mean square of the gradient, each [R, S]."""

    def dropped(self, x: Tensor, draws: Draws, rate: float) -> Tensor:
        """``x`` [..., L, d] times its dropout factors, 0 or 1 / (1 - rate)."""


class CpuBackend(Backend, Protocol):
    """The operations of the compiled CPU backend, which can also collate a batch."""

    def collate_lists(
        self,
        graphs: Tensor,
        first_node: Tensor,
        node_count: Tensor,
        places: int,
        lists: GraphLists,
    ) -> CollatedLists:
        """The lists of a batch of graphs; see ``operators.collate``."""


def serves_cpu(device: torch.device, dtype: torch.dtype) -> bool:
    """Whether the compiled CPU kernels take such tensors: float32 on the CPU."""
    return device.type == "cpu" and dtype == torch.float32


def serves_triton(device: torch.device, dtype: torch.dtype) -> bool:
    """Whether the Triton kernels take such tensors: float32 or bfloat16 where Triton runs."""
    return dtype in (torch.float32, torch.bfloat16) and runs_triton(device)


def runs_triton(device: torch.device) -> bool:
    """Whether Triton kernels run on this device: on a GPU, if one could be run there."""
    return device.type == "cuda" and why_plain_torch(device) is None


def backend(device: torch.device, dtype: torch.dtype = torch.float32) -> Backend:
    """The backend for tensors of this device and dtype; plain torch where no other takes them."""
    if serves_cpu(device, dtype):
        return cpu_backend()
    if serves_triton(device, dtype):
        from pdf_search.kernels import triton  # noqa: PLC0415

        return triton
    return reference_backend()


def backend_for(x: Tensor) -> Backend:
    """The backend of the segment products of this tensor, which may be bfloat16 on a GPU."""
    return backend(x.device, x.dtype)


def has_fused_kernels(x: Tensor) -> bool:
    """Whether chains of small operations on this float32 tensor run as one compiled kernel."""
    fused = serves_cpu(x.device, x.dtype) or serves_triton(x.device, x.dtype)
    return fused and x.dtype == torch.float32


def fused_backend_for(x: Tensor) -> Backend:
    """The backend of the fused kernels of this tensor; plain torch where it is not float32."""
    return backend_for(x) if x.dtype == torch.float32 else reference_backend()


def cpu_backend() -> CpuBackend:
    """The compiled CPU kernels; the first call loads Numba."""
    from pdf_search.kernels import cpu  # noqa: PLC0415

    return cpu


def reference_backend() -> Backend:
    """The operations in plain torch, which take tensors of every device and dtype."""
    from pdf_search.kernels import reference  # noqa: PLC0415

    return reference
