"""Makes the notes on a split: classes that a part lacks, small parts, shared molecules."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from pdf_search.config import TrialConfig
from pdf_search.data.molecules.duplicates import shared_molecules
from pdf_search.data.prepared.folder import Prepared
from pdf_search.data.splits.split_parts import INNER_FOLDS, Numbers, inner_folds, split_for
from pdf_search.data.splits.split_units import units_of
from pdf_search.data.splits.task_notes import task_notes, untrained_notes
from pdf_search.data.targets.target_notes import averaged_note, imbalance_notes, scale_notes
from pdf_search.records import Phase, Protocol, Replicate, Task
from pdf_search.wording import counted

_PARTS = ("training", "validation", "test")
_SHOWN = 5  # classes named one by one


def with_split_notes(data: Prepared, config: TrialConfig) -> Prepared:
    """Return the data with the notes on the split of ``config`` added to its own.

    Raises:
        DataError: The data cannot be split as ``config`` asks.
    """
    parts = _parts(data, config)
    evaluated = [(_PARTS[i], [split[i] for split in parts]) for i in (1, 2)]
    notes = [
        *_class_notes(data, config, parts),
        *_size_notes(data, config, parts),
        *untrained_notes(data, [split[0] for split in parts]),
        *task_notes(data, evaluated),
        *averaged_note(data),
        *imbalance_notes(data),
        *scale_notes(data, config),
    ]
    told = [_scaffold_note(data, config, parts[0]), shared_molecules(data, config, parts)]
    return replace(data, notes=(*data.notes, *notes, *filter(None, told)))


Parts = list[tuple[Numbers, Numbers, Numbers]]


def _parts(data: Prepared, config: TrialConfig) -> Parts:
    """The training, validation and test part of each different split."""
    changes: dict[str, object] = {"phase": Phase.CONFIRM}
    if config.protocol is not Protocol.SPLIT:
        changes["protocol"] = Protocol.INNER  # the parts of the search, where validation has graphs
    full = config.model_copy(update=changes)
    splits = [split_for(data, full, Replicate(0, fold)) for fold in _folds(config)]
    return [(s.train, s.valid, s.test) for s in splits if s.test is not None]


def _folds(config: TrialConfig) -> list[int | None]:
    return [*range(config.folds)] if config.folds else [None]


def _class_notes(data: Prepared, config: TrialConfig, parts: Parts) -> list[str]:
    """A note on each class of which some part has no graph, for the first few such classes."""
    if data.info.task is not Task.MULTICLASS:
        return []
    labels = np.asarray(data.graphs.targets[:, 0])
    notes = []
    for number in np.unique(labels[~np.isnan(labels)]).astype(int).tolist():
        lacking = Counter(
            name
            for split in parts
            for name, part in zip(_PARTS, split, strict=True)
            if not (labels[part] == number).any()
        )
        if lacking:
            count = int((labels == number).sum())
            notes.append(_class_note(_class_name(data, number), count, config, lacking))
    rest = len(notes) - _SHOWN
    more = [f"and {counted(rest, 'more class', 'more classes')} that some parts lack"][: rest > 0]
    return [*notes[:_SHOWN], *more]


def _class_name(data: Prepared, number: int) -> str:
    return data.class_names[number] if number < len(data.class_names) else str(number)


def _scaffold_note(
    data: Prepared, config: TrialConfig, parts: tuple[Numbers, Numbers, Numbers]
) -> str:
    """Say how a split by scaffold came out; "" for another split."""
    if config.data.split_by != "scaffold" or data.scaffolds is None or data.official is not None:
        return ""
    each = [
        f"{len(part):,} {name} of {len(np.unique(data.scaffolds[part])):,}"
        for name, part in zip(_PARTS, parts, strict=True)
    ]
    return f"split by scaffold: {', '.join(each)} scaffolds"


def _class_note(name: str, count: int, config: TrialConfig, lacking: Counter[str]) -> str:
    graphs = counted(count, "graph")
    few = f", fewer than the {config.folds} folds" if count < (config.folds or 0) else ""
    if config.folds:
        where = ", ".join(f"the {p} part of {lacking[p]}" for p in _PARTS if lacking[p])
        return f"class {name} has {graphs}{few}: none in {where} of {config.folds} folds"
    where = ", ".join(f"the {part} part" for part in _PARTS if lacking[part])
    return f"class {name} has {graphs}: none in {where}"


def _size_notes(data: Prepared, config: TrialConfig, parts: Parts) -> list[str]:
    """Notes on a validation part that is not a tenth, and on a single graph to train on."""
    train, valid, test = parts[0]
    notes = []
    rest = np.setdiff1d(units_of(data, config).first, test)  # the training part and its inner one
    if config.folds and inner_folds(data, rest) < INNER_FOLDS:
        whole = len(data.graphs) - len(test)
        notes.append(
            f"too few graphs to hold a tenth of a training part out: {len(valid)} of {whole} "
            "validate in the search"
        )
    fraction = config.data.train_fraction
    if fraction < 1 and len(train) == 1:
        notes.append(f"data.train_fraction {fraction:g} leaves one graph to train on")
    return notes
