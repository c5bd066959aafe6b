"""Loading a search space by the words of Python instead of those of the command line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pdf_search.data import Asked, Dataset
from pdf_search.errors import ConfigError, SpaceError
from pdf_search.space import Space
from pdf_search.space import load_space as load


def load_space(
    source: str | Path,
    settings: Mapping[str, Any] | None = None,
    *,
    smiles: str | None = None,
    target: str | Sequence[str] = (),
    task: str | None = None,
    split: str | None = None,
    skip_bad_rows: bool = False,
) -> Space:
    """Load the search space of a shipped name, a data set, a space file, or a data file.

    Args:
        source: ``"zinc"``, ``"./mine.yaml"``, ``"molecules.csv"``, ``"graphs.npz"``.
        settings: Changes by dotted path, as ``--set`` makes them: ``{"training.epochs": 40}``, or
            a domain in place of a value: ``{"model.hidden": {"choice": [32, 64]}}``.
        smiles: Of a data file: the column of the molecules; by default it is guessed, and said.
        target: Of a data file: the column or columns to predict.
        task: Of a data file: ``regression`` or ``classification``.
        split: Of a data file: ``random``, ``scaffold``, or a column; by default that of the graphs,
            else random.
        skip_bad_rows: Of a data file: leave out rows that cannot be read.

    Raises:
        ConfigError: an argument is no name.
        SpaceError: no such space, or a list of every problem with line, key and remedy.
        DataError: the data file cannot be read.
    """
    if isinstance(source, Dataset):
        raise ConfigError(
            "a space is loaded for a file: save the data set, dataset.save('mine.npz'), and give "
            "that name"
        )
    if not isinstance(source, str | Path):
        raise ConfigError(f"source: {source!r} does not fit: give the name of a space, or a file")
    if not isinstance(settings, Mapping | None):
        raise ConfigError(f"settings: {settings!r} does not fit: give a dict, by dotted path")
    sets = [f"{path}={_as_json(path, value)}" for path, value in (settings or {}).items()]
    several = isinstance(target, Iterable) and not isinstance(target, str)
    targets: tuple[Any, ...] = tuple(target) if several else (target,)
    asked = Asked(smiles, targets, task, split, skip_bad_rows)
    return load(str(source), sets, asked=asked)


def _as_json(path: str, value: Any) -> str:
    try:
        return json.dumps(value)
    except (TypeError, ValueError) as error:
        raise SpaceError(
            f"settings: {path}: {error}: give plain numbers, texts, lists and dicts of them"
        ) from None
