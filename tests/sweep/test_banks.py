from __future__ import annotations

from pathlib import Path

import pytest

from pdf_search.config import BasisConfig
from pdf_search.data import banks as banks_module
from pdf_search.data import load_prepared, prepare
from pdf_search.graphs import build
from pdf_search.space import load_space
from pdf_search.sweep.banks import prepare_banks, shared_bases
from pdf_search.sweep.trials import example

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


def test_one_bank_for_each_support_has_every_basis_of_the_space(tmp_path: Path) -> None:
    configs = list(shared_bases(space_with(tmp_path, WINDOW)))
    assert {config.basis.hops for config in configs} == {None, 2}
    every = {(-round(0.1 * e, 10), k) for e in range(1, 6) for k in range(1, 5)}
    assert all(set(config.basis.grid) == every for config in configs)


def test_freely_drawn_eps_are_left_to_the_trials(tmp_path: Path) -> None:
    assert not list(shared_bases(space_with(tmp_path, "{low: {range: [-0.5, -0.1]}, high: 0.0}")))


def test_trials_only_select(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = space_with(tmp_path, WINDOW)
    config = BasisConfig.model_validate(space.trial(example(space))["basis"])
    data = load_prepared(prepare(next(iter(shared_bases(space))).data, cache=cache))
    said: list[str] = []
    prepare_banks(space, data, said.append)
    assert any("bases" in line for line in said)

    def refuse(*_: object) -> None:
        raise AssertionError("a bank was built again")

    monkeypatch.setattr(build, "build_bank", refuse)
    assert banks_module.cached_bank(data, config).grid == config.grid
