"""Decides which graphs train, validate and test: official splits, random splits, folds."""

from __future__ import annotations

import hashlib
import json
import warnings
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pdf_search.config import TrialConfig
from pdf_search.data.prepared.build import array_hash
from pdf_search.data.prepared.folder import Prepared
from pdf_search.data.splits.scaffold_parts import scaffold_parts
from pdf_search.data.splits.split_units import known_as, units_of
from pdf_search.errors import DataError
from pdf_search.records import Phase, Protocol, Replicate, Task
from pdf_search.wording import counted

Numbers = NDArray[np.int64]
_NONE = np.empty(0, np.int64)
INNER_FOLDS = 10  # one of them validates; fewer if the training part is too small


@dataclass(frozen=True)
class Split:
    """The sorted graph numbers of each part. ``test`` is None if it must not be seen."""

    train: Numbers
    valid: Numbers
    test: Numbers | None


def split_for(data: Prepared, config: TrialConfig, replicate: Replicate) -> Split:
    """Return the training, validation and test graphs of a replicate in the configured phase.

    The test part is given in phase CONFIRM alone. With a fixed or random split, both phases have
    the same training and validation part. With folds, the test part is the held-out fold, and a
    tenth of the other folds validates; it is more than a tenth if the largest class has fewer than
    ten graphs there. Under ``gin-curve``, phase CONFIRM trains on all of the other folds, and the
    validation part is empty. Last, ``data.train_fraction`` of the training part is kept.

    Unless ``data.split_by`` is row, whole molecules are dealt out, each with all its rows.

    Raises:
        DataError: There are too few graphs, or the test part is needed and the data hide it.
    """
    confirm = config.phase is Phase.CONFIRM
    if config.protocol is Protocol.SPLIT:
        train, valid, test = _fixed_parts(data, config, needs_test=confirm)
    else:
        train, valid, test = _fold_parts(data, config, replicate)
        if confirm and config.protocol is Protocol.GIN_CURVE:
            train, valid = np.union1d(train, valid), _NONE
    train = _fraction(data, train, config)
    return Split(train, valid, test if confirm else None)


def search_view(data: Prepared, config: TrialConfig) -> Prepared:
    """Remove the targets of the test part, which phase SEARCH must not see.

    In other phases, and with folds, where every graph trains in some fold, the data are returned
    as they are. Random parts are kept as drawn here: a stratified split needs every target.
    """
    if config.phase is not Phase.SEARCH or config.protocol is not Protocol.SPLIT:
        return data
    if data.official is not None and "test" not in data.official:
        return data
    train, valid, test = _fixed_parts(data, config, needs_test=True)
    assert test is not None
    drawn = None if data.official is not None else (train, valid, test)
    return replace(data.without_targets(test), drawn=drawn)


def split_hash(data: Prepared, config: TrialConfig) -> str:
    """Hash the split of a sweep, as 16 hexadecimal digits; it is the same in both phases."""
    if config.protocol is Protocol.SPLIT and data.official is not None:
        parts = [data.part_hashes[name] for name in ("train", "valid", "test")]
    elif config.protocol is Protocol.SPLIT:
        parts = [array_hash(part) for part in _random_parts(data, config)]
    else:
        assert config.folds is not None
        folds = [_fold_parts(data, config, Replicate(0, f)) for f in range(config.folds)]
        parts = [array_hash(part) for fold in folds for part in fold]
    fraction = config.data.train_fraction
    seed = config.data.split_seed if fraction < 1 else None
    return hashlib.sha256(json.dumps([parts, fraction, seed]).encode()).hexdigest()[:16]


def _fixed_parts(
    data: Prepared, config: TrialConfig, needs_test: bool
) -> tuple[Numbers, Numbers, Numbers | None]:
    """The official parts, or random ones if the data set has no official split."""
    if data.official is None:
        return _random_parts(data, config)
    test = data.official.get("test")
    if needs_test and test is None:
        raise DataError("the test split was asked for during search, where it is not loaded")
    return data.official["train"], data.official["valid"], test


def _random_parts(data: Prepared, config: TrialConfig) -> tuple[Numbers, Numbers, Numbers]:
    """Random parts of 80:10:10; what rounding leaves over goes to the test part."""
    if data.drawn is not None:
        train, valid, test = data.drawn
        return train, valid, test
    if config.data.split_by == "scaffold":
        return scaffold_parts(data, config)
    units = units_of(data, config)
    count = len(units)
    if count < 10:
        raise DataError(
            f"{known_as(data, config)}: {units.too_few} for a split of 80:10:10; 10 is the least"
        )
    order = np.random.default_rng(config.data.split_seed).permutation(count).astype(np.int64)
    if config.data.stratify:
        _check_stratify(data, config)
        order = order[np.argsort(_place_in_class(data, units.first[order]), kind="stable")]
    first, second = count * 8 // 10, count * 8 // 10 + count // 10
    parts = order[:first], order[first:second], order[second:]
    return units.graphs(parts[0]), units.graphs(parts[1]), units.graphs(parts[2])


def can_stratify(data: Prepared) -> bool:
    """Whether a random split can keep classes in proportion: those of one target."""
    return data.info.task is not Task.REGRESSION and data.graphs.targets.shape[1] == 1


def _check_stratify(data: Prepared, config: TrialConfig) -> None:
    """Refuse to keep classes in proportion where there are none, or several labels a graph."""
    if not can_stratify(data):
        raise DataError(
            f"{known_as(data, config)}: data.stratify keeps the classes of one target in "
            f"proportion; the task is {data.info.task}, of "
            f"{counted(data.graphs.targets.shape[1], 'target')}: leave it out"
        )


def _fold_parts(
    data: Prepared, config: TrialConfig, replicate: Replicate
) -> tuple[Numbers, Numbers, Numbers]:
    """The parts of a fold: training without validation, validation, and the held-out fold."""
    folds, seed = config.folds, config.data.split_seed
    if config.data.split_by == "scaffold":
        raise DataError(
            f"data.split_by: scaffold deals out 80:10:10, protocol {config.protocol} has folds: "
            "set protocol to split, or split_by to molecule"
        )
    if folds is None or replicate.fold is None or not 0 <= replicate.fold < folds:
        raise DataError(f"fold {replicate.fold} is not one of 0..{(folds or 0) - 1}")
    units = units_of(data, config)
    name = known_as(data, config)
    if len(units) < folds:
        raise DataError(f"{name}: {units.too_few} for {folds} folds")
    most = _most_folds(data, units.first)
    if most < folds:
        remedy = f"give at most {most} folds" if most > 1 else "give more graphs"
        raise DataError(
            f"{name}: {units} cannot be split into {folds} folds: the largest class has {most}, "
            f"and folds keep the classes in proportion; {remedy}"
        )
    rest, held_out = _folds(_classes(data, units.first), len(units), folds, seed)[replicate.fold]
    inner_count = inner_folds(data, units.first[rest])
    if inner_count < 2:
        raise DataError(
            f"{name}: {units} in {folds} folds leave {len(rest)} to train on, too few to hold one "
            "out for validation: give more graphs, or other folds"
        )
    inner = _folds(_classes(data, units.first[rest]), len(rest), inner_count, seed)[0]
    return units.graphs(rest[inner[0]]), units.graphs(rest[inner[1]]), units.graphs(held_out)


def inner_folds(data: Prepared, graphs: Numbers) -> int:
    """Return the number of inner folds of training graphs, one of which validates: at most ten."""
    return min(INNER_FOLDS, _most_folds(data, graphs))


def _most_folds(data: Prepared, graphs: Numbers) -> int:
    """The most folds that these graphs allow: the size of the largest class, else their number."""
    if data.info.task is not Task.MULTICLASS:
        return len(graphs)
    return int(np.unique(data.graphs.targets[graphs, 0], return_counts=True)[1].max())


def _classes(data: Prepared, graphs: Numbers) -> bytes | None:
    """The class numbers to stratify by, as bytes, which ``cache`` can hash; None if no classes."""
    if data.info.task is not Task.MULTICLASS:
        return None
    return np.asarray(data.graphs.targets[graphs, 0]).astype(np.int64).tobytes()


@cache
def _folds(
    classes: bytes | None, graphs: int, folds: int, seed: int
) -> tuple[tuple[Numbers, Numbers], ...]:
    """The training and held-out positions of each fold, sorted."""
    from sklearn.model_selection import KFold, StratifiedKFold  # noqa: PLC0415

    kind = KFold if classes is None else StratifiedKFold
    labels = None if classes is None else np.frombuffer(classes, np.int64)
    splitter = kind(folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # A class with fewer graphs than folds is absent from some folds. Split notes report it.
        warnings.filterwarnings("ignore", message="The least populated class")
        parts = [*splitter.split(np.zeros(graphs), labels)]
    return tuple((np.sort(a).astype(np.int64), np.sort(b).astype(np.int64)) for a, b in parts)


def _fraction(data: Prepared, train: Numbers, config: TrialConfig) -> Numbers:
    """A random fraction of the training units with the classes in proportion.

    A larger fraction with the same seed contains a smaller one.
    """
    fraction = config.data.train_fraction
    if fraction >= 1:
        return train
    units = units_of(data, config)
    here = np.unique(units.of[train])
    order = np.random.default_rng([config.data.split_seed, 1]).permutation(here)
    if data.info.task is Task.MULTICLASS:
        order = order[np.argsort(_place_in_class(data, units.first[order]), kind="stable")]
    return units.graphs(order[: max(1, round(fraction * len(here)))])


def _place_in_class(data: Prepared, order: Numbers) -> NDArray[np.float64]:
    """The position of each graph among those of its class in ``order``, between 0 and 1."""
    labels = np.asarray(data.graphs.targets[order, 0])
    labels = np.nan_to_num(labels, nan=-1)  # graphs without a class are dealt out like one
    place = np.empty(len(order))
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        place[members] = (np.arange(len(members)) + 0.5) / len(members)
    return place
