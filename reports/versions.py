"""The versions of featuriser and split behind numbers, and whether a table mixes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reports.sweep_data import SweepData

READ_FROM_SMILES = ("csv", "freesolv")  # the other data sets come as graphs
_NAMED = 5


def version_text(config: Mapping[str, Any]) -> str:
    """The versions of a recorded configuration, such as ``featuriser 2, split 2``.

    A configuration that names no version is of version 1.
    """
    data = config.get("data") or {}
    return f"featuriser {data.get('featuriser', 1)}, split {data.get('split_version', 1)}"


def sweep_versions(data: SweepData) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each trial's name and configuration.

    The baseline predictor is left out, because it has no model that reads graphs.
    """
    for phase, entries in (("search", data.search), ("confirm", data.confirm)):
        for entry in entries:
            if not entry.is_baseline:
                yield f"{phase} trial {entry.trial.number} of {data.sweep.name}", entry.trial.config


def version_notes(rows: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[str]:
    """Yield sentences on the versions of ``rows``, if they matter or differ.

    ``rows`` has the name and the configuration of each.
    """
    found: dict[str, list[str]] = {}
    texts: dict[str, set[str]] = {}  # of each data set
    used: set[str] = set()  # data sets for which versions matter
    for name, config in rows:
        text, dataset = version_text(config), _data_set(config)
        found.setdefault(text, []).append(name)
        texts.setdefault(dataset, set()).add(text)
        used |= {dataset} if _matters(dataset, config) else set()
    mixed = {dataset for dataset, several in texts.items() if len(several) > 1}
    if mixed:
        yield f"Versions are mixed: {'; '.join(_those(*group) for group in found.items())}."
        if mixed & used:
            yield (
                "Versions differ in how molecules become graphs or are dealt out to the parts of a "
                "split: rows of different versions are not to be compared closely."
            )
        else:
            yield "These data sets come as graphs with a split: the versions leave them alike."
    elif used:
        one = dict.fromkeys(text for dataset in sorted(used) for text in texts[dataset])
        yield f"Versions: {'; '.join(one)}."


def _data_set(config: Mapping[str, Any]) -> str:
    return str((config.get("data") or {}).get("name", ""))


def _matters(dataset: str, config: Mapping[str, Any]) -> bool:
    return dataset in READ_FROM_SMILES or (
        dataset.startswith("ogbg-") and bool(config.get("folds"))
    )


def _those(text: str, names: list[str]) -> str:
    names = list(dict.fromkeys(names))
    rest = len(names) - _NAMED
    more = [f"{rest} more"] if rest > 0 else []
    return f"{text} ({', '.join([*names[:_NAMED], *more])})"
