from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from pdf_search import graphs
from pdf_search.config import BasisConfig, parse_trial
from pdf_search.data import load_prepared, prepare
from pdf_search.space import load_space
from pdf_search.sweep.samplers.trial_builder import random_points
from pdf_search.sweep.shared_bases import shared_bases
from pdf_search.training.build_trainers import build_trainer
from pdf_search.training.replicates import ReplicateSplits

SPACE = """
data: {name: freesolv}
metric: rmse
budget: {trials: 4}
basis:
  eps: EPS
  k: {low: 1, high: {range: [1, 4]}}
  support: {choice: [dense, {hops: 2}]}
model: {hidden: 16, layers: 2}
training: {epochs: 5}
"""
WINDOW = "{low: {range: [-0.5, -0.1], step: 0.1}, high: -0.1, step: 0.1}"


def space_with(folder: Path, eps: str):  # type: ignore[no-untyped-def]
    file = folder / "window.yaml"
    file.write_text(SPACE.replace("EPS", eps))
    return load_space(str(file))


def test_each_support_has_every_basis_of_the_space(tmp_path: Path) -> None:
    bases = shared_bases(space_with(tmp_path, WINDOW))
    assert {basis.hops for basis in bases} == {None, 2}
    every = {(-round(0.1 * e, 10), k) for e in range(1, 6) for k in range(1, 5)}
    assert all(set(basis.grid) == every for basis in bases)


def test_freely_drawn_eps_are_left_to_the_trials(tmp_path: Path) -> None:
    assert not shared_bases(space_with(tmp_path, "{low: {range: [-0.5, -0.1]}, high: 0.0}"))


def test_the_first_trial_builds_for_all(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = space_with(tmp_path, WINDOW)
    configs = [parse_trial(space.trial(point)) for point in random_points(space, 8)]
    data = load_prepared(prepare(configs[0].data, cache=cache))
    data = replace(data, bases=shared_bases(space))
    built: list[BasisConfig] = []
    really = graphs.build_bank
    monkeypatch.setattr(graphs, "build_bank", lambda g, b: built.append(b) or really(g, b))
    for config in configs:
        splits = ReplicateSplits.of(config, data)
        program = build_trainer(config, data, splits, torch.device("cpu"))
        assert program.data.rows.shape[1] == config.basis.size
    assert len(built) == len({config.basis.hops for config in configs}) == 2
