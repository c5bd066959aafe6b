"""Makes notes on molecules that are on several rows, and on those whose values differ there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pdf_search.config import TrialConfig
from pdf_search.data.molecules.smiles_table import Targets
from pdf_search.data.prepared.folder import Prepared
from pdf_search.data.splits.split_units import molecules_of, units_of
from pdf_search.records import Protocol

_SHOWN = 3  # molecules named in a note, and rows named for one of them


def molecule_numbers(spellings: Sequence[str]) -> NDArray[np.int64]:
    """Number the molecules [G] by first occurrence; equal canonical SMILES have equal numbers."""
    number: dict[str, int] = {}
    return np.array([number.setdefault(text, len(number)) for text in spellings], np.int64)


def duplicate_notes(
    spellings: Sequence[str], lines: Sequence[int], targets: Targets
) -> tuple[str, ...]:
    """Return notes on molecules that are on several lines, and on those with different values.

    ``spellings`` has the canonical SMILES of each row and ``lines`` its line in the file.
    """
    rows: dict[str, list[int]] = {}
    for row, text in enumerate(spellings):
        rows.setdefault(text, []).append(row)
    several = {text: same for text, same in rows.items() if len(same) > 1}
    if not several:
        return ()
    places = [f"{text} on lines {_some([str(lines[i]) for i in s])}" for text, s in several.items()]
    total = sum(map(len, several.values()))
    notes = [
        f"molecules on more than one line: {len(several)}, with {total} lines in all: "
        f"{_some(places, '; ')}"
    ]
    differing = [
        f"{text} has {_values(same, lines, targets, task)}"
        for text, same in several.items()
        for task in range(targets.values.shape[1])
        if len(_known(targets.values[same, task])) > 1
    ]
    if differing:
        notes.append(f"of these, with different values: {len(differing)}: {_some(differing, '; ')}")
    return tuple(notes)


def shared_molecules(data: Prepared, config: TrialConfig, parts: Sequence[Sequence[object]]) -> str:
    """Say what the split does with molecules on several rows; "" if there are none.

    ``parts`` has the training, validation and test graphs of each split.
    """
    if data.molecules is None:
        return ""
    of = molecules_of(data.molecules).of
    if len(np.unique(of)) == len(of):
        return ""
    if len(units_of(data, config)) < len(of):
        return "all rows of a molecule are in the same part of the split (data.split_by: molecule)"
    shared = set()
    for train, *others in parts:
        kept = of[np.asarray(train)]
        shared |= {int(m) for part in others for m in np.intersect1d(of[np.asarray(part)], kept)}
    if not shared:
        return ""
    official = data.official is not None and config.protocol is Protocol.SPLIT
    why = "the official split is used as it is" if official else "rows are dealt out singly"
    remedy = "" if official else "; data.split_by: molecule keeps a molecule in one part"
    return (
        f"molecules of a validation or test part that are in the training part too: {len(shared)} "
        f"({why}{remedy})"
    )


def _known(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.unique(values[~np.isnan(values)])


def _values(same: Sequence[int], lines: Sequence[int], targets: Targets, task: int) -> str:
    found = []
    for row in same:
        value = float(targets.values[row, task])
        if not np.isnan(value):
            shown = targets.class_names[int(value)] if targets.class_names else f"{value:g}"
            found.append(f"{shown} (line {lines[row]})")
    return f"{targets.names[task]} {_some(found)}"


def _some(texts: Sequence[str], between: str = ", ") -> str:
    """The first three texts, joined, and the number of the others."""
    rest = len(texts) - _SHOWN
    return between.join([*texts[:_SHOWN], *([f"{rest} more"] if rest > 0 else [])])
