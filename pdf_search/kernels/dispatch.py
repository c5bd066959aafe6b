"""Which backend serves a tensor: compiled CPU kernels, Triton kernels, or plain torch.

Every backend is a package with the operations of ``Backend``. A backend is imported when its first
tensor comes: Numba loads a compiler, and Triton comes only with torch's GPU builds.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Protocol

import torch
from torch import Tensor

from pdf_search.kernels.structures import (
    CollatedLists,
    GraphLists,
    GroupedTriples,
    Messages,
    Norm,
    Statistics,
)


class Backend(Protocol):
    """The operations of a backend; ``reference`` says what each computes."""

    def grouped_product(self, a: Tensor, b: Tensor, triples: GroupedTriples) -> Tensor: ...

    def grouped_dot(self, a: Tensor, b: Tensor, triples: GroupedTriples) -> Tensor: ...

    def places_by_group(self, key: Tensor, ptr: Tensor) -> Tensor: ...

    def message_forward(self, y: Tensor, w: Tensor, where: Messages, act: str) -> Tensor: ...

    def message_backward(
        self, grad: Tensor, y: Tensor, w: Tensor, where: Messages, act: str
    ) -> tuple[Tensor, Tensor]: ...

    def norm_statistics(
        self, x: Tensor, weight: Tensor, shift: Tensor, norm: Norm
    ) -> Statistics: ...

    def norm_forward(
        self, x: Tensor, mean: Tensor, scale: Tensor, beta: Tensor, act: str | None
    ) -> Tensor: ...

    def norm_backward(
        self,
        grad: Tensor,
        x: Tensor,
        weight: Tensor,
        statistics: Statistics,
        affine: tuple[Tensor, Tensor],
        act: str | None,
    ) -> tuple[Tensor, Tensor, Tensor]: ...

    def adamw_step(
        self,
        grad: Tensor,
        state: tuple[Tensor, Tensor, Tensor],
        corrections: tuple[Tensor, Tensor],
        active: Tensor,
        rate: float | Tensor,
        constants: tuple[float, float, float, float],
    ) -> None: ...

    def keep_factors(self, keys: Tensor, rate: float, width: int) -> Tensor: ...


class CpuBackend(Backend, Protocol):
    """What the CPU's backend has besides."""

    def collate_lists(
        self,
        graphs: Tensor,
        first_node: Tensor,
        node_count: Tensor,
        places: int,
        lists: GraphLists,
    ) -> CollatedLists: ...


def serves_cpu(device: torch.device, dtype: torch.dtype) -> bool:
    """Whether the compiled CPU kernels take such tensors."""
    return device.type == "cpu" and dtype == torch.float32


def serves_triton(device: torch.device) -> bool:
    """Whether the Triton kernels take tensors of this device."""
    return device.type == "cuda" and find_spec("triton") is not None


def backend(device: torch.device, dtype: torch.dtype = torch.float32) -> Backend:
    """The backend of a device and a type of numbers."""
    if serves_cpu(device, dtype):
        return cpu_backend()
    if serves_triton(device):
        from pdf_search.kernels import triton  # noqa: PLC0415

        return triton
    return reference_backend()


def backend_for(x: Tensor) -> Backend:
    """The backend whose segment products take this tensor."""
    return backend(x.device, x.dtype)


def has_fused_kernels(x: Tensor) -> bool:
    """Whether chains of small operations on this tensor run as one kernel."""
    fused = serves_cpu(x.device, x.dtype) or serves_triton(x.device)
    return fused and x.dtype == torch.float32


def fused_backend_for(x: Tensor) -> Backend:
    """The backend whose fused chains take this tensor; they are written for float32."""
    return backend_for(x) if has_fused_kernels(x) else reference_backend()


def cpu_backend() -> CpuBackend:
    from pdf_search.kernels import cpu  # noqa: PLC0415

    return cpu


def reference_backend() -> Backend:
    from pdf_search.kernels import reference  # noqa: PLC0415

    return reference
