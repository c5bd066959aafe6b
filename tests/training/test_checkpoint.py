from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

from pdf_search.errors import TrialError
from pdf_search.training.artifacts.checkpoint import CHECKPOINT, load_checkpoint, save_checkpoint

IDENTITY = {"configuration": "abc", "data": "def"}
STATE = {**IDENTITY, "epoch": 3, "model": {"w": torch.arange(4.0)}, "best": [None, 1.5]}


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "new" / "folder", STATE)
    state = load_checkpoint(tmp_path / "new" / "folder", IDENTITY)
    assert state["epoch"] == 3
    assert state["best"] == [None, 1.5]
    assert state["model"]["w"].tolist() == [0, 1, 2, 3]
    assert [p.name for p in (tmp_path / "new" / "folder").iterdir()] == [CHECKPOINT]


def test_it_is_read_without_running_code(tmp_path: Path) -> None:
    save_checkpoint(tmp_path, STATE)
    torch.load(tmp_path / CHECKPOINT, weights_only=True)

    class Evil:
        def __reduce__(self) -> tuple[object, ...]:
            return (os.mkdir, (str(tmp_path / "ran"),))

    torch.save({"format": 1, **IDENTITY, "epoch": Evil()}, tmp_path / CHECKPOINT)
    with pytest.raises(TrialError, match="damaged"):
        load_checkpoint(tmp_path, IDENTITY)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", list(IDENTITY))
def test_another_configuration_or_data_set_is_refused_by_name(tmp_path: Path, name: str) -> None:
    save_checkpoint(tmp_path, STATE)
    with pytest.raises(TrialError, match=rf"{name} \w+, but now it is other.*start the trial anew"):
        load_checkpoint(tmp_path, {**IDENTITY, name: "other"})


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(TrialError, match=r"checkpoint\.pt: there is no checkpoint"):
        load_checkpoint(tmp_path, IDENTITY)


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.95])
def test_a_torn_file_is_damaged(tmp_path: Path, kept: float) -> None:
    save_checkpoint(tmp_path, STATE)
    whole = (tmp_path / CHECKPOINT).read_bytes()
    (tmp_path / CHECKPOINT).write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(TrialError, match="damaged"):
        load_checkpoint(tmp_path, IDENTITY)


@pytest.mark.parametrize("content", [torch.zeros(2), {"format": 0, **IDENTITY}, {"epoch": 1}])
def test_a_file_of_another_version_is_refused(tmp_path: Path, content: object) -> None:
    torch.save(content, tmp_path / CHECKPOINT)
    with pytest.raises(TrialError, match="not a checkpoint of this version"):
        load_checkpoint(tmp_path, IDENTITY)
