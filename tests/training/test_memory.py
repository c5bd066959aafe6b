"""A trial that cannot fit is refused with the sizes, before anything is built."""

from __future__ import annotations

from types import SimpleNamespace

import psutil
import pytest

from pdf_search.data import Prepared
from pdf_search.errors import TrialError
from pdf_search.training.memory import BYTES_A_PAIR, check_memory
from tests.training.trials import trial


def free(monkeypatch: pytest.MonkeyPatch, pairs: int) -> None:
    available = pairs * BYTES_A_PAIR
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=available))


def test_refused_with_the_sizes_and_the_remedy(
    freesolv: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    free(monkeypatch, 100)
    with pytest.raises(TrialError, match=r"pairs need about .* GB, .* free.*hop support"):
        check_memory(trial(), freesolv)


def test_dropout_lists_all_pairs(freesolv: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    every = int((freesolv.graphs.node_count**2).sum())
    free(monkeypatch, every - 1)
    one_step = {"pairs": ((-0.3, 1),)}
    check_memory(trial(basis=one_step), freesolv)
    with pytest.raises(TrialError, match=f"{every:,} pairs"):
        check_memory(trial(basis=one_step, model={"hidden": 8, "dropout": 0.1}), freesolv)
