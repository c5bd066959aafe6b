"""The installed ogb package, used without its side effects.

``import ogb`` starts a thread that asks the network whether a newer version exists, and
``ogb.graphproppred`` imports torch. What is needed to know a data set lies in plain files.
"""

from __future__ import annotations

import csv
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import cast

from pdf_search.errors import DataError
from pdf_search.imports import quietly


def import_ogb(module: str) -> ModuleType:
    """Import ``ogb`` or one of its modules without the version check over the network."""
    with _without_update_check(), quietly():
        return importlib.import_module(module)


@contextmanager
def _without_update_check() -> Iterator[None]:
    missing = object()
    before = sys.modules.get("outdated", missing)
    # None makes `from outdated import ...` raise ImportError, which ogb takes for "not installed".
    sys.modules["outdated"] = cast(ModuleType, None)
    try:
        yield
    finally:
        if before is missing:
            del sys.modules["outdated"]
        else:
            sys.modules["outdated"] = cast(ModuleType, before)


@cache
def graph_property_sets() -> dict[str, dict[str, str]]:
    """OGB's own table of its graph property data sets: name to column to value."""
    spec = importlib.util.find_spec("ogb")
    if spec is None or not spec.submodule_search_locations:
        raise DataError("the package ogb is not installed: pip install ogb")
    table = Path(spec.submodule_search_locations[0], "graphproppred", "master.csv")
    with table.open(newline="") as file:
        header, *rows = csv.reader(file)
    return {name: {row[0]: row[i] for row in rows} for i, name in enumerate(header) if name}


@cache
def atom_sizes() -> tuple[int, ...]:
    """Number of values of each of OGB's atom features."""
    return tuple(import_ogb("ogb.utils.features").get_atom_feature_dims())


@cache
def bond_sizes() -> tuple[int, ...]:
    """Number of values of each of OGB's bond features, without the value for "no bond"."""
    return tuple(import_ogb("ogb.utils.features").get_bond_feature_dims())
