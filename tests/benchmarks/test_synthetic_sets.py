"""A set as large as the published one, made by repeating the graphs at hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from synthetic.ogb_files import PUBLISHED
from synthetic_sets import floating_operations, whole

from pdf_search.config import DataConfig
from pdf_search.data import load_prepared, prepare
from pdf_search.kernels.cpu.products import product


def test_graphs_come_again_with_their_own_bonds(excerpts: Path, tmp_path: Path) -> None:
    few = load_prepared(prepare(DataConfig(name="ogbg-molhiv"), excerpts, tmp_path))
    many = whole(replace(few, info=replace(few.info, name="ogbg-molpcba"))).graphs
    own, count = few.graphs, PUBLISHED["ogbg-molpcba"]
    assert len(many) == count
    rounds, rest = divmod(count, len(own))
    assert many.node_ptr[-1] == rounds * own.node_ptr[-1] + own.node_ptr[rest]
    assert many.edge_ptr[-1] == many.edges.shape[1] == len(many.edge_type)
    for number in (0, 1, len(own) - 1):
        again = number + 3 * len(own)
        there = np.arange(many.edge_ptr[again], many.edge_ptr[again + 1])
        here = slice(own.edge_ptr[number], own.edge_ptr[number + 1])
        assert (many.edges[:, there] == own.edges[:, here]).all()
        assert (many.edge_type[there] == own.edge_type[here]).all()
        assert many.node_count[again] == own.node_count[number]


@pytest.mark.parametrize("width", [8, 256])
def test_the_operations_of_every_product_are_counted(width: int) -> None:
    a = torch.ones(2, width, width)
    assert floating_operations(lambda: product(a, a)) == 2 * 2 * width**3
