"""Tells whether a point that is tried first is a setting of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pdf_search.config import TrialConfig, parse_trial
from pdf_search.data import family
from pdf_search.space.files.shipped import SHIPPED
from pdf_search.space.load import paper_names, paper_trial
from pdf_search.space.points import differences
from pdf_search.space.space import Space

PUBLISHED = "published"
CHANGED = "published, changed"
LISTED = "listed"
SETTING = ("basis", "model", "training")


def origin_of_listed(config: TrialConfig) -> str:
    """Return the origin of a listed point, as ``TrialRecord.origin`` records it.

    ``published``: it is the paper's setting for this data set. Bases, model and training are
    compared; an early cut of the epochs does not count. ``published, changed``: it differs from
    that setting, or the paper's setting is for another data set of the family. ``listed``: the
    paper has no setting for such data.
    """
    name = _setting_of(config)
    if name is None:
        return LISTED
    theirs = parse_trial(paper_trial(name), f"published setting {name}")
    same = name == family(config.data)[0] and not differences(config, theirs, SETTING)
    return PUBLISHED if same else CHANGED


def words_of_listed(space: Space, values: Mapping[str, Any]) -> str:
    """Describe the listed point at ``values``, for the line of a plan."""
    config = space.config(values)
    origin = origin_of_listed(config)
    if origin == LISTED:
        return "the point listed first"
    if origin == PUBLISHED:
        return "the published setting"
    if (name := _setting_of(config)) != family(config.data)[0]:
        return f"the published setting of {name}"
    shipped = space.source.startswith(f"{SHIPPED}/")
    return f"the published setting, changed by {'--set' if shipped else 'the space or --set'}"


def _setting_of(config: TrialConfig) -> str | None:
    """Return the name of the paper's setting for a data set or its family; None for none."""
    for name in family(config.data):
        if name in paper_names():
            return name
    return None
