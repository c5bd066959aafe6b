from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pdf_search.graphs.graph_set import GraphSet
from tests.graphs.makers import EDGE_TYPES


@pytest.fixture(scope="session")
def zinc(data_root: Path) -> GraphSet:
    """ZINC's validation molecules."""
    with np.load(data_root / "ZINC" / "zinc12k.npz") as file:
        part = {
            name: file[f"val_{name}"]
            for name in ("x", "node_ptr", "edge_index", "edge_attr", "edge_ptr", "y")
        }
    return GraphSet(
        node_ptr=part["node_ptr"].astype(np.int64),
        nodes=part["x"].astype(np.int64)[:, None],
        edge_ptr=part["edge_ptr"].astype(np.int64),
        edges=part["edge_index"].astype(np.int32),
        edge_type=part["edge_attr"].astype(np.int32),
        edge_types=EDGE_TYPES,
        self_type=1,
        targets=part["y"][:, None],
    )
