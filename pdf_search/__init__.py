"""Hyperparameter search for PDF graph networks (Parameterized Decomposition & Filtering)."""

from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name == "Dataset":  # not before it is used: it imports numpy and more
        from pdf_search.data import Dataset  # noqa: PLC0415

        return Dataset
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
