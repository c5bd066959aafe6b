"""Other graph networks as settings of a PDF network: the files of ``search_spaces/taxonomy``.

Each file gives bases and a filter with which f(G) is the matrix of that network. All other settings
are those of the data set's space.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pdf_search.config import Frozen
from pdf_search.errors import SpaceError
from pdf_search.space.definition import Definition, merge
from pdf_search.space.files.problems import did_you_mean
from pdf_search.space.files.shipped import shipped_names, shipped_tree
from pdf_search.space.parse import is_domain
from pdf_search.space.settings.merge import forget, overlay

PREFIX = "taxonomy/"


class TaxonomySetting(Frozen):
    """One file of ``search_spaces/taxonomy``.

    ``matrix``: f(G) as the network's authors write it. ``source``: where they do. ``basis``: None
    for the bases of the data set's space.
    """

    title: str
    matrix: str
    source: str
    basis: dict[str, Any] | None = None
    model: dict[str, Any]

    @property
    def tree(self) -> dict[str, Any]:
        """The part of a trial's tree that the setting gives; a copy."""
        parts = {"basis": self.basis, "model": self.model}
        return {key: copy.deepcopy(part) for key, part in parts.items() if part is not None}

    def over(self, trial: Mapping[str, Any]) -> dict[str, Any]:
        """Return the tree of a trial with the setting's bases and filter in place of its own."""
        below = {key: part for key, part in trial.items() if key != "basis" or self.basis is None}
        return overlay(below, self.tree)


def taxonomy_names() -> list[str]:
    """Return the names of the shipped settings, such as ``taxonomy/gcn``."""
    return [PREFIX + name for name in shipped_names("taxonomy")]


def taxonomy_setting(name: str) -> TaxonomySetting:
    """Load a shipped setting.

    Raises:
        SpaceError: there is none of that name.
    """
    if name not in taxonomy_names():
        raise SpaceError(f"no setting {name!r}; {did_you_mean(name, taxonomy_names())}")
    return TaxonomySetting.model_validate(shipped_tree(name)[0])


def lay_setting(definition: Definition, setting: TaxonomySetting) -> Definition:
    """Return a definition with the setting's bases and filter in place of its own.

    Raises:
        SpaceError: ``model`` in the space is a choice between whole models.
    """
    if is_domain(definition.plain.get("model")):
        raise SpaceError(
            f"{definition.source}: model is a choice, so {setting.title} cannot be laid over it; "
            "write the settings of one option below model itself"
        )
    plain, marks = copy.deepcopy(definition.plain), dict(definition.marks)
    below = replace(definition, plain=plain, marks=marks)
    if setting.basis is not None:
        below.plain.pop("basis", None)
        forget(below.marks, ("basis",))
    top = replace(definition, plain=setting.tree, marks={})
    return merge(below, top)
