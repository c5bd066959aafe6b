"""What a worker keeps for its next trial: banks and layouts, up to a number of bytes."""

from __future__ import annotations

import numpy as np
import pytest

from pdf_search.data import Prepared
from pdf_search.model import engines
from pdf_search.training import kept_layouts
from pdf_search.training.kept_layouts import Recent, array_bytes
from tests.training.trials import run, trial

OTHER = {"pairs": ((-0.3, 2), (-0.1, 1))}


def test_trials_with_the_same_graphs_and_bases_are_laid_out_once(
    freesolv: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And have the same numbers; other bases, graphs or pairs are laid out anew."""
    made: list[str] = []
    read, compact = kept_layouts.cached_bank, engines.compact
    monkeypatch.setattr(kept_layouts, "_recent", Recent(1 << 30))
    monkeypatch.setattr(
        kept_layouts, "cached_bank", lambda *a, **k: made.append("bank") or read(*a, **k)
    )
    monkeypatch.setattr(
        engines, "compact", lambda *a, **k: made.append("layout") or compact(*a, **k)
    )
    first = run(trial(stop_epoch=1), freesolv)[0].curve
    assert made == ["bank", "layout"]
    assert run(trial(stop_epoch=1), freesolv)[0].curve == first
    run(trial(stop_epoch=1, seeds=(3, 4), model={"hidden": 16}), freesolv)
    assert made == ["bank", "layout"]
    run(trial(stop_epoch=1, model={"dropout": 0.1}), freesolv)  # every pair is listed
    assert made == ["bank", "layout", "layout"]
    run(trial(stop_epoch=1, basis=OTHER), freesolv)
    run(trial(stop_epoch=1, fraction=0.2), freesolv)
    assert made == ["bank", "layout", "layout"] + 2 * ["bank", "layout"]


def test_what_was_not_used_for_longest_is_given_up() -> None:
    recent, made = Recent(16), []

    def get(key: str, size: int) -> np.ndarray:
        return recent.get(key, lambda: made.append(key) or np.zeros(size, np.int8))

    for key in ("a", "b", "a", "c", "a", "b"):
        get(key, 8)
    assert made == ["a", "b", "c", "b"]
    get("larger than all", 17)
    assert not recent.kept
    assert array_bytes((np.zeros(3), (np.zeros(2, np.int16),), "x", 1)) == 28
