"""The size of a trial."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Resources:
    """Of each trial, and how many trials run at once."""

    cpus: int
    gpus: float
    concurrent: int
