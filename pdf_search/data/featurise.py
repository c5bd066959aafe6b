"""SMILES to graphs, through OGB's featuriser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.data.assemble import EdgeTypes, assemble
from pdf_search.data.molecules import Table, Targets
from pdf_search.data.ogb_package import import_ogb
from pdf_search.data.raw_set import Progress, RawGraphs, RawSet
from pdf_search.errors import DataError
from pdf_search.graphs.graph_set import GraphSet

SELF_ROW = (1, 1, 1)  # bond codes of an atom's pair with itself
_SAY_EVERY = 5000
_SHOWN = 50


def read_molecules(table: Table, smiles: str, targets: Targets, say: Progress) -> RawSet:
    """The molecules of a table as graphs; bond codes are shifted by one, 0 means "no bond".

    Raises:
        DataError: SMILES that RDKit or OGB cannot read, all at once, with their lines.
    """
    cells = table.column(smiles, "smiles")
    graphs, reasons = _read(cells, say)
    if reasons:
        wrong = [(table.lines[i], cells[i], reason) for i, reason in reasons.items()]
        raise DataError(_invalid(table, smiles, wrong))
    run = _raw(graphs, targets.values)
    return RawSet([run], targets.names, self_row=SELF_ROW, class_names=targets.class_names)


def molecule_graphs(
    smiles: Sequence[str], say: Progress
) -> tuple[GraphSet | None, NDArray[np.int64], dict[int, str]]:
    """Molecules without targets, for prediction, featurised as in training.

    Returns:
        The graphs (None if there is none), the place of each in ``smiles``, and for every other
        place what is wrong with it.
    """
    graphs, reasons = _read(smiles, say)
    good = np.array([i for i in range(len(smiles)) if i not in reasons], np.int64)
    if not graphs:
        return None, good, reasons
    raw = _raw(graphs, np.full((len(graphs), 1), np.nan, np.float32))
    types = EdgeTypes(SELF_ROW, np.int64)
    count, edges, features = assemble(raw, 0)
    return (
        GraphSet(
            node_ptr=np.concatenate([[0], np.cumsum(raw.node_count)]),
            nodes=raw.nodes,
            edge_ptr=np.concatenate([[0], np.cumsum(count)]),
            edges=edges,
            edge_type=types.of(features, edges.shape[1]),
            edge_types=types.rows,
            self_type=types.self_type,
            targets=raw.targets,
        ),
        good,
        reasons,
    )


def _read(smiles: Sequence[str], say: Progress) -> tuple[list[dict[str, Any]], dict[int, str]]:
    """The graphs that can be read, and what is wrong with the others, by their place."""
    graphs, wrong = [], {}
    for i, cell in enumerate(smiles):
        if i and i % _SAY_EVERY == 0:
            say(f"reading molecules: {i:,} of {len(smiles):,}")
        graph = _graph(cell)
        if isinstance(graph, str):
            wrong[i] = graph
        else:
            graphs.append(graph)
    return graphs, wrong


def _raw(graphs: list[dict[str, Any]], targets: NDArray[np.float32]) -> RawGraphs:
    return RawGraphs(
        node_count=np.array([g["num_nodes"] for g in graphs], np.int64),
        nodes=np.concatenate([g["node_feat"] for g in graphs]),
        edge_count=np.array([g["edge_index"].shape[1] for g in graphs], np.int64),
        edges=np.concatenate([g["edge_index"] for g in graphs], axis=1),
        edge_features=np.concatenate([g["edge_feat"] for g in graphs]) + 1,
        targets=targets,
    )


def _graph(smiles: str) -> dict[str, Any] | str:
    """The graph of a molecule, or what is wrong with its SMILES."""
    from rdkit import Chem, rdBase  # noqa: PLC0415

    with rdBase.BlockLogs():
        molecule = Chem.MolFromSmiles(smiles)
        if molecule is None:
            return _reason(smiles)
        if molecule.GetNumAtoms() == 0:
            return "no atoms"
        try:
            graph: dict[str, Any] = import_ogb("ogb.utils.mol").smiles2graph(smiles)
        except ValueError as error:
            return f"OGB's featuriser does not know this molecule's bonds: {error}"
    return graph


def _reason(smiles: str) -> str:
    from rdkit import Chem  # noqa: PLC0415

    molecule = Chem.MolFromSmiles(smiles, sanitize=False)
    if molecule is None:
        return "not a SMILES string"
    problems = [problem.Message() for problem in Chem.DetectChemistryProblems(molecule)]
    return "; ".join(problems) or "not a valid molecule"


def _invalid(table: Table, column: str, wrong: list[tuple[int, str, str]]) -> str:
    lines = [f"line {line}: {cell!r}: {reason}" for line, cell, reason in wrong[:_SHOWN]]
    rest = ", ".join(str(line) for line, _, _ in wrong[_SHOWN:])
    head = (
        f"{table.path}: {len(wrong)} of {len(table.rows)} SMILES in column {column!r} cannot be "
        "read; correct these lines or remove them:"
    )
    return "\n  ".join([head, *lines, *([f"and lines {rest}"] if rest else [])])
