"""Recognises an exception that says memory ran out, whoever raised it.

While a CUDA graph is recorded the allocator's own exception is often only the context of another:
that the recording was invalid. Libraries and the driver have words of their own.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator

import torch

WORDS = ("out of memory", "can't allocate memory", "_STATUS_ALLOC_FAILED")


def out_of_memory(error: BaseException) -> BaseException | None:
    """The exception that says so: ``error`` itself, or one that led to it; None if none does."""
    return next((each for each in _chain(error) if _says_so(each)), None)


def forget_frames(error: BaseException) -> None:
    """Free the local variables that the tracebacks of ``error`` keep alive, activations above all.

    Functions that still run keep theirs.
    """
    for each in _chain(error):
        traceback.clear_frames(each.__traceback__)


def _says_so(error: BaseException) -> bool:
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return True
    return isinstance(error, RuntimeError) and any(words in str(error) for words in WORDS)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
