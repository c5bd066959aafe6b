"""Collation in one pass; on the CPU only. Elsewhere ``model`` collates by operations of torch.

Legend: R replicates, B graph slots.
"""

from __future__ import annotations

from torch import Tensor

from pdf_search.kernels.dispatch import cpu_backend
from pdf_search.kernels.structures import CollatedLists, GraphLists


def collate_lists(
    graphs: Tensor, first_node: Tensor, node_count: Tensor, places: int, lists: GraphLists
) -> CollatedLists:
    """The lists of a batch of ``graphs`` [R, B], numbers of the data set, -1 for an empty slot.

    ``first_node`` [R, B]: flat number of a slot's first node; ``node_count`` [R, B]; ``places``:
    flat node places of the batch.
    """
    return cpu_backend().collate_lists(graphs, first_node, node_count, places, lists)
