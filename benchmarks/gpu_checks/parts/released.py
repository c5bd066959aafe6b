"""Memory after a trial is what it was before, without the cyclic collector.

Also after a trial that ran out of memory, which must end as such, and the next one must work.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

import torch

from gpu_checks.bench import Bench, Row
from gpu_checks.compare import check
from gpu_checks.parts.trial import fraction
from gpu_checks.parts.trials import curve, train
from pdf_search.errors import TrialError
from pdf_search.training import memory


def rows(bench: Bench) -> Iterator[Row]:
    few = {"fraction": fraction(bench) / 2} if bench.interpreted else {}  # four trials
    config = bench.config(2, "zinc" if bench.interpreted else "dropout", stop_epoch=1, **few)
    gc.collect()
    gc.disable()
    try:
        reports, _ = train(bench, config)  # fills the caches of the process
        before = held(bench)
        for number in (1, 2):
            train(bench, config)
            left = held(bench) - before
            yield check(f"bytes left after trial {number}", left, 0.5, held_before=before)
        if bench.gpu:
            yield from out_of_memory(bench, before)
    finally:
        gc.enable()
    again, _ = train(bench, config)
    differ = int((curve(again) != curve(reports)).sum())
    yield check("the next trial: values that differ", differ, 0.5)


def held(bench: Bench) -> int:
    """Bytes of a GPU that torch has given out, or else of the tensors that are alive."""
    if bench.gpu:
        torch.cuda.synchronize()
        return torch.cuda.memory_allocated()
    alive = [x for x in gc.get_objects() if issubclass(type(x), torch.Tensor)]
    blocks = [t.untyped_storage() for t in alive]
    return sum({block.data_ptr(): block.nbytes() for block in blocks}.values())


def out_of_memory(bench: Bench, before: int) -> Iterator[Row]:
    """A plan that believes in more memory than there is: 300 MB for steps that need more."""
    total = torch.cuda.mem_get_info()[1]
    large = bench.config(8, "dropout", stop_epoch=1)
    planned = memory.free_bytes
    memory.free_bytes = lambda device: total  # noqa: ARG005
    torch.cuda.empty_cache()
    torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_reserved() + 3e8) / total)
    try:
        train(bench, large)
        said = "it ended well"
    except TrialError as error:
        said = str(error)
    finally:
        memory.free_bytes = planned
        torch.cuda.set_per_process_memory_fraction(1.0)
    silent = not said.startswith("out of memory")
    yield check("out of memory is not said", float(silent), 0.5, worst=said)
    yield check("bytes left after it", held(bench) - before, 0.5)
