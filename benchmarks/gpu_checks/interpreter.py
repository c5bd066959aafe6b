"""Lets Triton's interpreter stand in for a GPU: every tensor is treated as if it lay on one."""

from __future__ import annotations

from functools import partial
from typing import Any
from unittest.mock import patch


def use_everywhere() -> None:
    """Switch to it; to be called before anything else of pdf_search is imported.

    ``TRITON_INTERPRET=1`` is in the environment already.
    """
    from pdf_search.kernels import dispatch  # noqa: PLC0415

    dispatch.serves_cpu = lambda *_: False
    dispatch.runs_triton = lambda device: True  # noqa: ARG005

    from pdf_search.model import stack  # noqa: PLC0415
    from pdf_search.training.cuda_graph import replay, trainer  # noqa: PLC0415

    replay.WARM_UP = 0  # before recording; here a step takes seconds
    patch.object(trainer, "stack", partial(_with_chunks, stack)).start()


def _with_chunks(stack: Any, data: Any, graphs: Any, least: Any, chunks: bool) -> Any:
    """Chunks are made ahead, as for a GPU."""
    del chunks
    return stack(data, graphs, least, chunks=True)
