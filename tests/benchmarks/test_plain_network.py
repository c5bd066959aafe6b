"""The plain PyG network that ours is compared with: of the same size, on the same graphs."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from plain_network import PlainPDF
from plain_pyg import plain_program

from pdf_search.config import parse_trial
from pdf_search.data import load_prepared, prepare
from pdf_search.parameters import parameter_count
from pdf_search.space import paper_trial


def test_an_epoch_has_the_steps_of_the_training_graphs(
    excerpts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PDF_SEARCH_CACHE", str(tmp_path))
    config = parse_trial(dict(paper_trial("zinc")))
    data = load_prepared(prepare(config.data, excerpts))
    assert data.official is not None
    train, every = len(data.official["train"]), len(data.graphs)
    assert -(-train // 64) < -(-every // 64)  # so that it matters
    step, steps, _ = plain_program(excerpts, "cpu")
    assert steps == -(-train // 64)
    step(0)
    step(1)


def test_it_has_as_many_parameters_as_ours(excerpts: Path, tmp_path: Path) -> None:
    config = parse_trial(dict(paper_trial("zinc")))
    shape = load_prepared(prepare(config.data, excerpts, tmp_path)).info.shape
    assert shape is not None
    plain = PlainPDF(config.model.model_dump(), shape, config.basis.size, torch.zeros(1, 1))
    ours = parameter_count(config.model, config.basis.size, shape)
    assert sum(p.numel() for p in plain.parameters()) == ours
