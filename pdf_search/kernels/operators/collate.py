"""Collation of a batch in one pass, on the CPU only.

On other devices ``model`` collates with operations of torch.

Legend: R replicates, B graph slots.
"""

from __future__ import annotations

from torch import Tensor

from pdf_search.kernels.dispatch import cpu_backend
from pdf_search.kernels.structures import CollatedLists, GraphLists


def collate_lists(
    graphs: Tensor, first_node: Tensor, node_count: Tensor, places: int, lists: GraphLists
) -> CollatedLists:
    """Collate the lists of ``graphs`` [R, B] into those of one batch.

    ``graphs`` are numbers in the data set, -1 for an empty slot. ``first_node`` [R, B] is the flat
    number of a slot's first node, ``node_count`` [R, B] its nodes. ``places`` is the number of
    flat node places in the batch, R * N.
    """
    return cpu_backend().collate_lists(graphs, first_node, node_count, places, lists)
