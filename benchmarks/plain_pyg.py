"""A training step of the ZINC model as one would write it with PyG."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from plain_network import PlainPDF
from torch.nn.functional import l1_loss
from torch_geometric.data import Data


def plain_program(
    data_root: Path | None, device: str
) -> tuple[Callable[[int], object], int, Callable[[], float]]:
    """A training step by number (batches are made beforehand), and the steps of an epoch."""
    from engine_cells import matrix_milliseconds  # noqa: PLC0415

    from pdf_search.config import parse_trial  # noqa: PLC0415
    from pdf_search.data import load_prepared, prepare  # noqa: PLC0415
    from pdf_search.graphs.bank_builder import build_bank  # noqa: PLC0415
    from pdf_search.graphs.batch import DeviceData  # noqa: PLC0415
    from pdf_search.space import paper_trial  # noqa: PLC0415

    config = parse_trial(dict(paper_trial("zinc")))
    data = load_prepared(prepare(config.data, data_root))
    assert data.official is not None
    train = np.asarray(data.official["train"])
    graphs = data.graphs.subset(train[:512])
    ours = DeviceData.build(graphs, build_bank(graphs, config.basis), torch.device(device))
    batches = []
    for numbers in torch.arange(len(graphs), device=device).split(64):
        batch = ours.collate(numbers[None])
        index = torch.stack([batch.pair_source[0], batch.pair_target[0]])
        batches.append(
            Data(
                x=batch.nodes[0],
                edge_index=index,
                edge_type=batch.pair_type[0],
                rows=ours.rows[batch.pair_row[0]],
                batch=batch.node_slot[0],
                y=batch.targets[0],
            )
        )
    shape = data.info.shape
    assert shape is not None
    settings = config.model.model_dump()
    model = PlainPDF(settings, shape, config.basis.size, ours.edge_types).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=5e-5)

    def step(number: int) -> object:
        batch = batches[number % len(batches)]
        optimizer.zero_grad()
        loss = l1_loss(model(batch), batch.y)
        loss.backward()
        return optimizer.step()

    return step, -(-len(train) // 64), lambda: matrix_milliseconds(step)
