"""Batches that the CPU's kernel makes are those of plain torch, number for number."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from pdf_search.graphs.bank_builder import build_bank
from pdf_search.model.engines import engine_data
from pdf_search.model.fast_data import FastData
from pdf_search.training.cuda_graph.packed_steps import tensors_of
from tests.graphs.makers import SHAPES, basis, graph_set, random_set
from tests.model.networks import VARIANTS

BATCHES = (
    [[0, 3, 6], [2, -1, -1], [8, 7, 5]],
    [[6, 6, -1, 1]],
    [[-1, -1], [-1, 4]],
    [[-1, -1]],
    [[5, 4, 3, 2, 1, 0, 7, 8, 6]],
)


@pytest.mark.parametrize("numbers", BATCHES)
@pytest.mark.parametrize("hops", [None, 1])
@pytest.mark.parametrize("name", ["zinc", "tu"])
@pytest.mark.parametrize("shapes", [True, False])
def test_equal(numbers: list[list[int]], hops: int | None, name: str, shapes: bool) -> None:
    graphs = graph_set(SHAPES) if shapes else random_set(3, 9)
    bank = build_bank(graphs, basis(((-0.1, 2), (-0.5, 1)), hops))
    data = engine_data("fast", VARIANTS[name], graphs, bank, torch.device("cpu"))
    assert isinstance(data, FastData)
    assert data.scratch is not None
    batch = torch.tensor(numbers)
    for _ in range(2):  # the scratch is as it was
        ours = tensors_of(data.collate(batch))
        plain = tensors_of(replace(data, scratch=None).collate(batch))
        assert len(ours) == len(plain)
        for one, other in zip(ours, plain, strict=True):
            torch.testing.assert_close(
                one, other, rtol=0, atol=0, equal_nan=True, check_dtype=False
            )
