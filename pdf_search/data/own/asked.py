"""What a user says about a file of her own, besides its path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pdf_search.errors import ConfigError
from pdf_search.records import Task

CLASSIFICATION = "classification"
TASKS = (str(Task.REGRESSION), CLASSIFICATION, str(Task.MULTILABEL), str(Task.MULTICLASS))
WAYS = {"random": "molecule", "scaffold": "scaffold"}  # of --split, and data.split_by for each


@dataclass(frozen=True)
class Asked:
    """What is said about a file of one's own; what is not said is guessed, or left as it is.

    ``targets`` may hold several names in one text, with commas between them. ``task`` is one of
    ``TASKS``; ``classification`` is for labels or classes, whichever the columns hold. ``split`` is
    ``random``, ``scaffold``, or the column that gives the part of each row.
    """

    smiles: str | None = None
    targets: tuple[str, ...] = ()
    task: str | None = None
    split: str | None = None
    skip_bad_rows: bool = False

    def __post_init__(self) -> None:
        single = {"--smiles": self.smiles, "--task": self.task, "--split": self.split}
        given = [(option, value) for option, value in single.items() if value is not None]
        for option, value in [*given, *(("--target", name) for name in self.targets)]:
            if not isinstance(value, str):
                raise ConfigError(f"{option} {value!r}: write a name, which is a text")
        if self.task is not None and self.task not in TASKS:
            raise ConfigError(f"--task {self.task}: write {', '.join(TASKS[:-1])} or {TASKS[-1]}")

    def named(self) -> str:
        """The options that were given, for messages; "" if none."""
        given = {
            "--smiles": self.smiles,
            "--target": self.targets,
            "--task": self.task,
            "--split": self.split,
            "--skip-bad-rows": self.skip_bad_rows,
        }
        return ", ".join(option for option, value in given.items() if value)

    def after(self, data: Mapping[str, Any]) -> Asked:
        """Return what is asked if ``--set`` gives these settings of ``data`` besides."""
        found = self
        if isinstance(smiles := data.get("smiles"), str):
            found = replace(found, smiles=smiles)
        targets = data.get("targets")
        if isinstance(targets, str):
            found = replace(found, targets=(targets,))
        elif isinstance(targets, list) and all(isinstance(name, str) for name in targets):
            found = replace(found, targets=tuple(targets))
        if data.get("task") in TASKS:
            found = replace(found, task=data["task"])
        if data.get("skip_bad_rows") is True:
            found = replace(found, skip_bad_rows=True)
        return found

    def split_settings(self) -> dict[str, str]:
        """The settings of ``data`` that the split is made by."""
        if self.split is None:
            return {}
        if self.split in WAYS:
            return {"split_by": WAYS[self.split]}
        return {"split_column": self.split}

    def target_columns(self, columns: Sequence[str]) -> tuple[str, ...]:
        """The names of the targets; a text that is no column is several names with commas."""
        names: list[str] = []
        for text in self.targets:
            names += [text] if text in columns else [name.strip() for name in text.split(",")]
        return tuple(name for name in names if name)
