"""Exported models, loaded without what trains and searches: neither ray nor optuna is needed."""

from __future__ import annotations

from pathlib import Path

from pdf_search.inference import Model, load_exported
from pdf_search.paths import expanded


def load(folder: str | Path) -> Model:
    """Load a model that ``pdf-search export`` or ``Trial.export`` wrote, onto the CPU.

    The folder is enough, and nothing in it is executed.

    Raises:
        ConfigError: the folder holds none, or it is damaged or of another version.
    """
    return Model(load_exported(expanded(folder)))
