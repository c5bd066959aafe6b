"""Grids of Triton launches at sizes that no test can compute: only the first axis is long."""

from __future__ import annotations

from math import prod
from typing import Any

import pytest
import torch
from torch import Tensor

from pdf_search.kernels.structures import Draws, GroupedTriples, Messages, Statistics

triton = pytest.importorskip("pdf_search.kernels.triton", reason="Triton is not installed")
Grid = tuple[int, ...]
LONGEST = 65_535  # of the second and third axis


class Launches:
    """Stands in for a kernel: keeps the grids that it is launched with."""

    def __init__(self, grids: list[Grid]) -> None:
        self.grids = grids

    def __getitem__(self, grid: Grid) -> Any:
        self.grids.append(grid)
        return lambda *_, **__: None


@pytest.fixture
def grids(monkeypatch: pytest.MonkeyPatch) -> list[Grid]:
    kept: list[Grid] = []
    for module in ("adamw", "batch_norm", "dropout", "messages", "segment_product"):
        path = f"{triton.__name__}.{module}"
        found = __import__(path, fromlist=["*"])
        names = [name for name, value in vars(found).items() if hasattr(value, "fn")]
        for name in names:
            monkeypatch.setattr(found, name, Launches(kept))
    return kept


def empty(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.empty(shape, dtype=dtype, device="meta")


def test_an_optimizer_of_many_parameters(grids: list[Grid]) -> None:
    state = tuple(empty(16, 100_000_000) for _ in range(4))
    ones = empty(16, 1)
    triton.adamw_step(
        state[0], state[1:], (ones, ones), empty(16, dtype=torch.bool), ones, (0.9, 0.999, 1e-8, 0)
    )
    assert [prod(grid) >= 16 * 100_000_000 / 1024 for grid in grids] == [True]
    assert max(max(grid[1:], default=1) for grid in grids) <= LONGEST


def test_batches_of_many_nodes_and_triples(grids: list[Grid]) -> None:
    many, width = 50_000_000, 1000
    x, row = empty(4, many, width), empty(4, 1, width)
    norm = torch.nn.Module()
    norm.running_mean, norm.running_var, norm.momentum, norm.eps = row, row, 0.1, 1e-5  # type: ignore[assignment]
    triton.norm_statistics(x, empty(4, many, 1), row, norm)
    statistics = Statistics(row, row, empty(4))
    triton.norm_forward(x, statistics, (row, row), "gelu")
    triton.norm_backward(x, x, empty(4, many, 1), statistics, (row, row), "relu")
    index = empty(many, dtype=torch.int64)
    where = Messages(index, index, empty(2_000_001).long(), empty(2_000_000).long(), 5_000_000)
    triton.message_forward(x, row, where, "gelu")
    triton.message_backward(empty(many, width), x, row, where, "gelu")
    order = GroupedTriples(empty(many + 1).int(), index.int(), index.int())
    order.plan["gpu"] = triton.segment_product.Chunks(*(empty(many).int() for _ in range(4)))
    triton.grouped_product(empty(many, width), empty(many, width), order)
    triton.grouped_dot(empty(many, width), empty(many, width), order)
    draws = Draws(empty(4).long(), 3, (empty(1, many).long().expand(4, -1),))
    triton.dropped(x, draws, 0.3)
    assert len(grids) > 11
    for grid in grids:
        assert grid[0] < 2**31
        assert max(grid[1:], default=1) <= LONGEST
