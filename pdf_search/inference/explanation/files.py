"""Writing an explanation into a folder: data, plots, one page."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from pdf_search.errors import ConfigError
from pdf_search.inference.explanation import plain_data
from pdf_search.inference.explanation.basis_map import importance_table
from pdf_search.inference.explanation.explain import Explanation
from pdf_search.inference.explanation.page import explanation_page
from pdf_search.inference.explanation.plots import write_plots

_TABLES: dict[str, Callable[[Explanation], Any]] = {
    "channels.csv": plain_data.channel_table,
    "spectrum.csv": plain_data.spectrum_table,
    "depth.csv": plain_data.depth_table,
    "weights.csv": plain_data.weight_table,
    "signals.parquet": plain_data.signal_table,
    "response.parquet": plain_data.response_table,
}


def write_explanation(found: Explanation, folder: Path) -> list[str]:
    """Write data, plots and page into ``folder``; returns the file names, sorted.

    Files of an earlier call are replaced.

    Raises:
        ConfigError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _write(found, folder)
    except OSError as error:
        raise ConfigError(
            f"{folder} cannot be written ({error.strerror or error}): name another with --to"
        ) from None


def _write(found: Explanation, folder: Path) -> list[str]:
    for name, table in _TABLES.items():
        if name.endswith(".csv"):
            table(found).to_csv(folder / name, index=False)
        else:
            table(found).to_parquet(folder / name, index=False)
    tables = list(_TABLES)
    if found.importance is not None:
        importance_table(found.importance).to_csv(folder / "importance.csv", index=False)
        tables.append("importance.csv")
    np.savez_compressed(folder / "matrices.npz", **plain_data.arrays(found))  # type: ignore[arg-type]
    text = json.dumps(_strict(plain_data.summary(found)), indent=1, allow_nan=False)
    (folder / "summary.json").write_text(text + "\n", encoding="utf-8")
    (folder / "explain.html").write_text(explanation_page(found), encoding="utf-8")
    plots = [file.name for file in write_plots(found, folder)]
    return sorted([*tables, "matrices.npz", "summary.json", "explain.html", *plots])


def _strict(value: Any) -> Any:
    """Replace numbers that are not finite by None, since JSON has neither nan nor infinity."""
    if isinstance(value, dict):
        return {name: _strict(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_strict(inner) for inner in value]
    if isinstance(value, (float, np.floating)):
        return float(value) if isfinite(value) else None
    return value
