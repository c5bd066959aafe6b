"""Turns SMILES into graphs by OGB's featuriser.

Version 1 uses each SMILES as it is spelt, so that the order of atoms, and with it the chirality
codes, depend on the spelling. Version 2 uses the canonical SMILES, so that every spelling of a
molecule gives the same arrays; chirality is coded as R and S.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdf_search.config import FEATURISER, DataConfig
from pdf_search.data.molecules.duplicates import duplicate_notes, molecule_numbers
from pdf_search.data.molecules.isotopes import as_seen, dummy_notes, isotope_notes
from pdf_search.data.molecules.scaffolds import scaffolds_of
from pdf_search.data.molecules.smiles import canonical_smiles, read_smiles
from pdf_search.data.molecules.smiles_table import Table, Targets
from pdf_search.data.prepared.unlabelled import graph_set_of
from pdf_search.data.raw.ogb_package import import_ogb
from pdf_search.data.raw.raw_set import Progress, RawGraphs, RawSet
from pdf_search.data.splits.given_parts import given_parts
from pdf_search.errors import DataError
from pdf_search.graphs import GraphSet

SELF_ROW = (1, 1, 1)  # bond codes of an atom's pair with itself
AS_SPELT = 1  # the version of the featuriser that depends on the spelling
_CHIRALITY = 1  # column of OGB's atom features; its codes: 0 none, 1 clockwise, 2 counter
_CIP_CODES = {"R": 1, "S": 2}
_CIP_STEPS = 1_250_000  # limit of RDKit's labeller, reached after about a second
_SAY_EVERY = 5000
_UNREADABLE = 0.1  # largest share of molecules that is left out unasked
_SHOWN = 50


def read_molecules(table: Table, targets: Targets, config: DataConfig, say: Progress) -> RawSet:
    """Turn the molecules of a table into graphs.

    Rows whose molecule cannot be read are left out and named, if they are at most a tenth or
    ``config.skip_bad_rows``. Bond codes are OGB's plus 1; 0 means "no bond".

    Raises:
        DataError: RDKit or OGB cannot read more than a tenth of the molecules (the message names
            them, with lines) or any, or the split column says something else than a part.
    """
    version = config.featuriser
    cells = table.column(config.smiles, "data.smiles")
    graphs, reasons = _read(cells, say, version)
    reasons = {i: table.unreadable.get(table.lines[i], why) for i, why in reasons.items()}
    if len(reasons) > _UNREADABLE * len(cells) and not config.skip_bad_rows:
        wrong = [(table.lines[i], cells[i], reason) for i, reason in reasons.items()]
        raise DataError(_invalid(table, config.smiles, wrong))
    shown = {i: f"{cells[i]!r}: {why}" if cells[i] else why for i, why in reasons.items()}
    table = table.without(shown, "as their molecule cannot be read")
    kept = [i for i in range(len(cells)) if i not in reasons]
    targets = replace(targets, values=targets.values[kept])
    run = _raw(graphs, targets.values)
    spellings = [graph["canonical"] for graph in graphs]
    notes = dummy_notes(spellings, table.lines)
    if version != AS_SPELT:
        notes += isotope_notes(spellings, table.lines)
        spellings = as_seen(graphs)
    return RawSet(
        [run],
        targets.names,
        self_row=SELF_ROW,
        official=given_parts(table, config.split_column) if config.split_column else None,
        class_names=targets.class_names,
        notes=(
            *table.notes,
            *targets.notes,
            *notes,
            *duplicate_notes(spellings, table.lines, targets),
        ),
        rows=np.array(table.numbers, np.int64) if table.numbers else None,
        molecules=molecule_numbers(spellings),
        scaffolds=molecule_numbers(scaffolds_of([graph["canonical"] for graph in graphs])),
    )


def molecule_graphs(
    smiles: Sequence[str], say: Progress, version: int = FEATURISER
) -> tuple[GraphSet | None, NDArray[np.int64], dict[int, str]]:
    """Turn SMILES into graphs without targets, for prediction.

    ``version`` of the featuriser must be that of the training data.

    Returns:
        The graphs (None if no SMILES can be read), the place of each graph in ``smiles``, and what
        is wrong at each other place.
    """
    graphs, reasons = _read(smiles, say, version)
    good = np.array([i for i in range(len(smiles)) if i not in reasons], np.int64)
    if not graphs:
        return None, good, reasons
    raw = _raw(graphs, np.full((len(graphs), 1), np.nan, np.float32))
    return graph_set_of(raw, SELF_ROW), good, reasons


def _read(
    smiles: Sequence[str], say: Progress, version: int
) -> tuple[list[dict[str, Any]], dict[int, str]]:
    """The graphs of all SMILES that can be read, and by place what is wrong with the others."""
    graphs, wrong = [], {}
    for i, cell in enumerate(smiles):
        if i and i % _SAY_EVERY == 0:
            say(f"reading molecules: {i:,} of {len(smiles):,}")
        graph = _graph(cell, version)
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


def _graph(smiles: str, version: int) -> dict[str, Any] | str:
    """OGB's graph of a molecule with its canonical SMILES added, or a text: why there is none."""
    molecule = read_smiles(smiles)
    if isinstance(molecule, str):
        return molecule
    canonical = canonical_smiles(molecule)
    spelling = smiles.strip() if version == AS_SPELT else canonical
    from rdkit import rdBase  # noqa: PLC0415

    with rdBase.BlockLogs():
        try:
            graph: dict[str, Any] = import_ogb("ogb.utils.mol").smiles2graph(spelling)
        except ValueError as error:
            return f"OGB's featuriser does not know this molecule's bonds: {error}"
    if version != AS_SPELT:
        _set_chirality(graph["node_feat"], spelling)
    return graph | {"canonical": canonical}


def _set_chirality(nodes: NDArray[np.int64], spelling: str) -> None:
    """Replace OGB's chirality codes, which depend on the order of atoms, by those of R and S.

    By OGB's codes, both enantiomers of a symmetric molecule would have one clockwise and one
    counter-clockwise centre. An atom to which the CIP rules give no letter keeps OGB's code.
    """
    from rdkit import Chem  # noqa: PLC0415
    from rdkit.Chem import rdCIPLabeler  # noqa: PLC0415

    if not nodes[:, _CHIRALITY].any():
        return
    molecule = Chem.MolFromSmiles(spelling)
    for atom in molecule.GetAtoms():
        atom.ClearProp("_CIPCode")
    with suppress(RuntimeError):  # after too many steps, the letters found so far are used
        rdCIPLabeler.AssignCIPLabels(molecule, maxRecursiveIterations=_CIP_STEPS)
    for atom in molecule.GetAtoms():
        if atom.HasProp("_CIPCode") and (code := _CIP_CODES.get(atom.GetProp("_CIPCode").upper())):
            nodes[atom.GetIdx(), _CHIRALITY] = code


def _invalid(table: Table, column: str, wrong: list[tuple[int, str, str]]) -> str:
    lines = [f"line {line}: {cell!r}: {reason}" for line, cell, reason in wrong[:_SHOWN]]
    rest = ", ".join(str(line) for line, _, _ in wrong[_SHOWN:])
    head = (
        f"{table.path}: {len(wrong)} of {len(table.rows)} SMILES in column {column!r} cannot be "
        "read; correct these lines or remove them (--skip-bad-rows uses the others, however few):"
    )
    return "\n  ".join([head, *lines, *([f"and lines {rest}"] if rest else [])])
