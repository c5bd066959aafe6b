"""A small space file to change, and a way to write it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

Write = Callable[[str], str]

SMALL = """
description: a small space
data: {name: zinc}
budget: {trials: 5}
basis:
  choice:
    few: {pairs: [[-0.1, 4], [-0.5, 4]]}
    window:
      eps:
        low: {range: [-0.5, 0.0], step: 0.1}
        high: {range: [-0.5, 0.0], step: 0.1}
        step: 0.1
      k: {low: 1, high: {range: [2, 4]}}
      support: {choice: [dense, {hops: 2}]}
model:
  hidden: {choice: [16, 32]}
  filter: {choice: [lin, 2l]}
training:
  epochs: 20
  learning_rate: {range: [1e-4, 1e-2], log: true}
  schedule:
    choice:
      flat: {kind: constant}
      steps: {kind: step, step: {range: [2, 8], step: 2}, gamma: {choice: [0.3, 0.5]}}
"""

FINITE = """
data: {name: zinc}
basis:
  choice:
    few: {pairs: [[-0.1, 4]]}
    window:
      eps: {low: {range: [-0.5, 0.0], step: 0.25}, high: 0.0, step: 0.25}
      k: {range: [1, 2]}
model:
  hidden: {choice: [16, 32]}
training: {epochs: 20}
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a space file and gives its path."""

    def write_file(text: str) -> str:
        path = tmp_path / "mine.yaml"
        path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        return str(path)

    return write_file


@pytest.fixture
def small(write: Write) -> str:
    return write(SMALL)


@pytest.fixture
def finite(write: Write) -> str:
    return write(FINITE)
