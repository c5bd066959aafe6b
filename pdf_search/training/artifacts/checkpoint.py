"""Checkpoints: each is replaced as a whole, and read without running code stored in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from pdf_search.atomic import whole_file
from pdf_search.config import TrialConfig
from pdf_search.data import Prepared
from pdf_search.errors import TrialError
from pdf_search.parameters import parameter_count

CHECKPOINT = "checkpoint.pt"
FORMAT = 1


class CheckpointError(TrialError):
    """A checkpoint from which no trial can continue: missing, damaged or of another version."""


def save_checkpoint(folder: Path, state: dict[str, Any]) -> None:
    """Write ``state`` (plain data and tensors) as the checkpoint in ``folder``."""
    content = {"format": FORMAT, **state}
    with whole_file(folder / CHECKPOINT) as path:
        torch.save(content, path)


def checkpoint_bytes(config: TrialConfig, data: Prepared) -> int:
    """The bytes of a checkpoint, about: the parameters and both moments of each replicate."""
    assert data.info.shape is not None
    count = parameter_count(config.model, config.basis.size, data.info.shape)
    return 3 * 4 * count * len(config.replicates)


def identity(config: TrialConfig, fingerprint: str | None) -> dict[str, str]:
    """What must be the same when a checkpoint is used: the configuration's hash, the fingerprint.

    A fingerprint of None (data not known) is left out.
    """
    # The budget may grow when a stopped trial is continued. What changed on the way is checked
    # by the trial, since only changes before the checkpoint's epoch matter.
    config = config.unchanged.model_copy(update={"stop_epoch": None})
    known = {"configuration": config.content_hash(), "data": fingerprint}
    return {name: value for name, value in known.items() if value is not None}


def load_checkpoint(folder: Path, identity: dict[str, str]) -> dict[str, Any]:
    """Load the state saved in ``folder``, with its tensors on the CPU.

    ``identity``: values that must equal those saved with it; see the function ``identity``.

    Raises:
        CheckpointError: there is no checkpoint, or it is damaged or of another version.
        TrialError: it belongs to another configuration or data set.
    """
    path = folder / CHECKPOINT
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise CheckpointError(f"{path}: there is no checkpoint to continue from") from None
    except Exception as error:
        raise CheckpointError(f"{path}: damaged ({error}). Start the trial anew.") from error
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise CheckpointError(f"{path}: not a checkpoint of this version. Start the trial anew.")
    for name, value in identity.items():
        if state.get(name) != value:
            raise TrialError(
                f"{path}: saved with {name} {state.get(name)}, but now it is {value}. "
                "Restore the old one, or start the trial anew."
            )
    return state
