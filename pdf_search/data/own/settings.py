"""The settings of a data set made of a user's own file, with what was guessed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from pdf_search.config import DataConfig, newest
from pdf_search.data.alike import nodes_alike
from pdf_search.data.molecules.smiles_table import read_own_of, rows_for_lines
from pdf_search.data.own.asked import CLASSIFICATION, Asked
from pdf_search.data.own.guess_columns import guess_smiles, guess_targets
from pdf_search.data.own_graphs.from_pyg import SPLIT
from pdf_search.data.own_graphs.read import graph_set, is_graph_file, read_graphs
from pdf_search.data.registry import GRAPHS
from pdf_search.data.tables.cells import is_missing, is_number, number
from pdf_search.data.tables.file_bytes import unpacked_name
from pdf_search.data.tables.read_table import is_table_name, read_table
from pdf_search.data.tables.table import Table
from pdf_search.data.targets.guess_task import GUESSED
from pdf_search.errors import DataError
from pdf_search.paths import expanded
from pdf_search.records import Task


@dataclass(frozen=True)
class OwnData:
    """A data set of one's own: the settings ``data`` of a space, and facts that a space depends on.

    ``name`` is that of the file, as far as it can name a sweep. ``notes`` say what was guessed.
    """

    data: dict[str, Any]
    name: str
    task: Task
    graphs: int
    nodes: float | None = None  # mean of a graph; None for molecules, which are not read yet
    alike: bool = False  # all nodes, and edges have no features
    notes: tuple[str, ...] = field(default=())


def is_own(text: str) -> bool:
    """Whether a text names a file of one's own, in place of a data set or a space."""
    return is_table_name(Path(text)) or is_graph_file(Path(text))


def own_data(text: str, asked: Asked, sets: Mapping[str, Any] | None = None) -> OwnData:
    """Read a file of one's own as far as its settings depend on it.

    ``sets`` are settings of ``data`` that are laid over the result later, by ``--set``.

    Raises:
        DataError: The file cannot be read, a column is unknown or cannot be guessed, or the targets
            cannot be used.
    """
    asked = asked.after(sets or {})
    path = expanded(text).absolute()
    if is_graph_file(path):
        return _own_graphs(path, asked, sets or {})
    table = read_table(path, option="the data file", skip_bad=asked.skip_bad_rows)
    with rows_for_lines(table):
        data, notes = _settings(table, path, asked)
    try:
        config = DataConfig.model_validate(newest({**data, **(sets or {})}))
    except ValidationError:  # reported where the --set is laid over
        config = DataConfig.model_validate(newest(data))
    _, targets = read_own_of(config)
    if _stratified(asked, targets.task, len(targets.names)):
        data["stratify"] = True
    if asked.task is None:
        notes.append(f"task: {targets.task} ({GUESSED[targets.task]})")
    known = int((~np.isnan(targets.values)).any(axis=1).sum())
    return OwnData(data, own_name(path), targets.task, known, notes=tuple(notes))


def _own_graphs(path: Path, asked: Asked, sets: Mapping[str, Any]) -> OwnData:
    """The settings of graphs; targets and split are attributes of theirs, so none is guessed.

    Raises:
        DataError: Something is asked that graphs have not, or they cannot be read.
    """
    if asked.smiles is not None or asked.skip_bad_rows or asked.split == "scaffold":
        raise DataError(
            f"{path} holds graphs: --smiles, --split scaffold and --skip-bad-rows are "
            "for tables of molecules"
        )
    every, notes = read_graphs(path, "the data file"), []
    data: dict[str, Any] = {"name": GRAPHS, "path": str(path)}
    if targets := asked.target_columns(every.target_names):
        data["targets"] = list(targets)
    if asked.task == CLASSIFICATION:
        one = every.with_targets(data.get("targets", ())).targets.shape[1] == 1
        data["task"] = str(Task.MULTICLASS if one else Task.MULTILABEL)
    elif asked.task is not None:
        data["task"] = asked.task
    if asked.split not in (None, "random"):
        data["split_column"] = asked.split
    elif asked.split is None and every.parts and not {"split_by", "split_column"} & set(sets):
        data["split_column"] = SPLIT
        notes.append("split: given with the graphs (--split random divides them at random)")
    found = graph_set(DataConfig.model_validate(data))
    if "split_column" not in data and _stratified(
        asked, found.task, len(found.graphs.target_names)
    ):
        data["stratify"] = True
    notes += [f"task: {found.task} (guessed: {found.guess})"] if found.guess else []
    nodes = float(found.graphs.node_count.mean())
    alike = nodes_alike(found.graphs.nodes, found.graphs.edge_input)
    return OwnData(data, own_name(path), found.task, len(found.graphs), nodes, alike, tuple(notes))


def _stratified(asked: Asked, task: Task, targets: int) -> bool:
    """Whether the split is random and can keep the classes in proportion."""
    return task is not Task.REGRESSION and targets == 1 and asked.split in (None, "random")


def own_name(path: Path) -> str:
    """The name of a file without suffixes, with a dash in place of what no sweep's name may have.

    It is ``own`` if nothing is left.
    """
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", unpacked_name(path).stem)
    return re.sub(r"^[^A-Za-z0-9]+", "", plain)[:80] or "own"


def _settings(table: Table, path: Path, asked: Asked) -> tuple[dict[str, Any], list[str]]:
    notes = []
    smiles = asked.smiles
    if smiles is None:
        smiles, note = guess_smiles(table)
        notes += [note] if note else []
    table.column(smiles, "--smiles")
    split = asked.split_settings()
    targets = asked.target_columns(table.columns)
    if not targets:
        column, note = guess_targets(table, smiles, tuple(split.values()))
        targets, notes = (column,), [*notes, note]
    for name in targets:
        table.column(name, "--target")
    data: dict[str, Any] = {
        "name": "csv",
        "path": str(path),
        "smiles": smiles,
        "targets": list(targets),
    }
    if (task := _task(table, targets, asked.task)) is not None:
        data["task"] = str(task)
    data |= split
    return data | ({"skip_bad_rows": True} if asked.skip_bad_rows else {}), notes


def _task(table: Table, targets: tuple[str, ...], asked: str | None) -> Task | None:
    """The task that is asked for; ``classification`` is resolved by what the columns hold.

    Raises:
        DataError: Several columns are to be classified that do not hold 0 and 1.
    """
    if asked != CLASSIFICATION:
        return None if asked is None else Task(asked)
    columns = {name: table.column(name, "--target") for name in targets}
    others = [name for name, cells in columns.items() if not all(map(_is_label, cells))]
    if not others:
        return Task.MULTILABEL
    if len(targets) == 1:
        return Task.MULTICLASS
    raise DataError(
        f"{table.path}: --task classification: {', '.join(others)} hold other values than 0 and 1; "
        "several columns can only be labels (0 and 1), classes go one column at a time"
    )


def _is_label(cell: str) -> bool:
    return is_missing(cell) or (is_number(cell) and number(cell) in (0, 1))
