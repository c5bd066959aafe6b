"""Which graphs train, validate and test: official splits, random splits, folds."""

from __future__ import annotations

import hashlib
import json
import warnings
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pdf_search.config import TrialConfig
from pdf_search.data.prepared.build import array_hash
from pdf_search.data.prepared.folder import Prepared
from pdf_search.data.splits.split_units import known_as, units_of
from pdf_search.errors import DataError
from pdf_search.records import Phase, Protocol, Replicate, Task

Numbers = NDArray[np.int64]
_NONE = np.empty(0, np.int64)
INNER_FOLDS = 10  # one of which validates; fewer where the training part is too small


@dataclass(frozen=True)
class Split:
    """Sorted graph numbers. ``test`` is None where it must not be looked at."""

    train: Numbers
    valid: Numbers
    test: Numbers | None


def split_for(data: Prepared, config: TrialConfig, replicate: Replicate) -> Split:
    """The graphs of a replicate's train, validation and test part in the configured phase.

    Fixed and random splits: the test part is given in phase CONFIRM only. Folds: search holds a
    tenth of each training fold out for validation and never gives the held-out part; confirmation
    gives it, after training on all other folds (``gin-curve``) or on all but the same tenth
    (``inner``). Of fewer than ten graphs of the largest class, one is held out instead of a tenth.
    Unless ``data.split_by`` is row, "graphs" are molecules, each with all its rows.

    Raises:
        DataError: too few graphs, or a test split asked of data that hides it.
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
    """The data as phase SEARCH may see it: targets of a fixed test part are gone.

    With folds every graph trains in some fold, and the data is returned as it is.
    """
    if config.phase is not Phase.SEARCH or config.protocol is not Protocol.SPLIT:
        return data
    if data.official is not None and "test" not in data.official:
        return data
    _, _, test = _fixed_parts(data, config, needs_test=True)
    assert test is not None
    return data.without_targets(test)


def split_hash(data: Prepared, config: TrialConfig) -> str:
    """Hash of the partition that a sweep works on; the same in both phases."""
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
    if data.official is None:
        return _random_parts(data, config)
    test = data.official.get("test")
    if needs_test and test is None:
        raise DataError("the test split was asked for during search, where it is not loaded")
    return data.official["train"], data.official["valid"], test


def _random_parts(data: Prepared, config: TrialConfig) -> tuple[Numbers, Numbers, Numbers]:
    """80:10:10 at random; the remainder goes to the test part."""
    units = units_of(data, config)
    count = len(units)
    if count < 10:
        raise DataError(
            f"{known_as(data, config)}: {units.too_few} for a split of 80:10:10; 10 is the least"
        )
    order = np.random.default_rng(config.data.split_seed).permutation(count).astype(np.int64)
    first, second = count * 8 // 10, count * 8 // 10 + count // 10
    parts = order[:first], order[first:second], order[second:]
    return units.graphs(parts[0]), units.graphs(parts[1]), units.graphs(parts[2])


def _fold_parts(
    data: Prepared, config: TrialConfig, replicate: Replicate
) -> tuple[Numbers, Numbers, Numbers]:
    """Training part without its inner part, the inner part, and the held-out part of a fold."""
    folds, seed = config.folds, config.data.split_seed
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
    """Of how many folds of these training graphs one validates: ten, or fewer of few graphs."""
    return min(INNER_FOLDS, _most_folds(data, graphs))


def _most_folds(data: Prepared, graphs: Numbers) -> int:
    """In how many folds these graphs can be laid: no more than the largest class has members."""
    if data.info.task is not Task.MULTICLASS:
        return len(graphs)
    return int(np.unique(data.graphs.targets[graphs, 0], return_counts=True)[1].max())


def _classes(data: Prepared, graphs: Numbers) -> bytes | None:
    """Class numbers to stratify by, as bytes so that they can key a cache."""
    if data.info.task is not Task.MULTICLASS:
        return None
    return np.asarray(data.graphs.targets[graphs, 0]).astype(np.int64).tobytes()


@cache
def _folds(
    classes: bytes | None, graphs: int, folds: int, seed: int
) -> tuple[tuple[Numbers, Numbers], ...]:
    """Training and held-out positions of each fold."""
    from sklearn.model_selection import KFold, StratifiedKFold  # noqa: PLC0415

    kind = KFold if classes is None else StratifiedKFold
    labels = None if classes is None else np.frombuffer(classes, np.int64)
    splitter = kind(folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # A class with fewer graphs than folds is absent from some of them: no reason to stop.
        warnings.filterwarnings("ignore", message="The least populated class")
        parts = [*splitter.split(np.zeros(graphs), labels)]
    return tuple((np.sort(a).astype(np.int64), np.sort(b).astype(np.int64)) for a, b in parts)


def _fraction(data: Prepared, train: Numbers, config: TrialConfig) -> Numbers:
    """A random part of the training units, classes in proportion; a larger one contains it."""
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
    """Where each graph stands among those of its class in ``order``, as a fraction of them."""
    labels = np.asarray(data.graphs.targets[order, 0])
    place = np.empty(len(order))
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        place[members] = (np.arange(len(members)) + 0.5) / len(members)
    return place
