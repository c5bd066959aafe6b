"""Uses the installed ogb package without its side effects.

``import ogb`` starts a thread that asks over the network whether there is a newer version, and
``ogb.graphproppred`` imports torch. The facts about the data sets are in plain files of the
package, which are read directly.
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
    # With None, `from outdated import ...` raises ImportError, and ogb then skips the check.
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
    """Return OGB's table of its graph property data sets: ``table[name][column]``.

    Raises:
        DataError: The package ogb is not installed.
    """
    spec = importlib.util.find_spec("ogb")
    if spec is None or not spec.submodule_search_locations:
        raise DataError("the package ogb is not installed: pip install ogb")
    table = Path(spec.submodule_search_locations[0], "graphproppred", "master.csv")
    with table.open(newline="") as file:
        header, *rows = csv.reader(file)
    return {name: {row[0]: row[i] for row in rows} for i, name in enumerate(header) if name}


@cache
def atom_sizes() -> tuple[int, ...]:
    """Return the number of values of each of OGB's atom features."""
    return tuple(import_ogb("ogb.utils.features").get_atom_feature_dims())


@cache
def bond_sizes() -> tuple[int, ...]:
    """Return the number of values of each of OGB's bond features, "no bond" not counted."""
    return tuple(import_ogb("ogb.utils.features").get_bond_feature_dims())
