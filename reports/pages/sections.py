"""The sections with figures on the page of a sweep: which there are, and what stands in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reports.pages.curves import learning_figure, stopping_curves
from reports.pages.figures import curve_section, importance_figure, stopping_figure
from reports.pages.importance import LEFT_OUT, ImportanceReport
from reports.pages.importance_map import map_figure
from reports.pages.parallel import parallel, parallel_figure, parallel_text
from reports.pages.pareto_figure import pareto_figure
from reports.pages.predicted import predicted_figure, read_predicted
from reports.pages.searched_bases import searched_bases, searched_figure, searched_text
from reports.pages.theme import figure_section
from reports.sweep_data import SweepData
from reports.tables.importance_map import TITLE, basis_map

Section = dict[str, Any]


def figure_sections(
    data: SweepData, label: str, shares: ImportanceReport, predictions: Path | None
) -> list[Section]:
    """The sections in the order of the page; those that have nothing to show are left out."""
    return [
        *_predicted(data, predictions),
        *_training(data, label),
        *_search(data, label, shares),
        *_bases(data, label),
        *_importance(data, shares),
    ]


def _predicted(data: SweepData, file: Path | None) -> Iterator[Section]:
    title = "Predicted against true"
    try:
        found = read_predicted(file, data)
    except (OSError, ValueError) as error:
        yield figure_section("predicted", title, f"{file} cannot be read: {error}", None)
        return
    if found is not None:
        yield figure_section("predicted", title, *predicted_figure(found, data))


def _training(data: SweepData, label: str) -> Iterator[Section]:
    learning, stopping = learning_figure(data, label), stopping_curves(data)
    if learning:
        yield curve_section(learning)
    if stopping:
        text = "Every search trial, by its end: a dot marks where a trial stopped."
        yield figure_section("stopping", "Early stopping", text, stopping_figure(stopping, label))


def _search(data: SweepData, label: str, shares: ImportanceReport) -> Iterator[Section]:
    if cost := pareto_figure(data, label):
        text = (
            "Every search trial with a value. The line joins the COMPLETE trials that no other "
            "COMPLETE trial beats at no higher cost; rings mark confirmed ones."
        )
        yield figure_section("pareto", "Quality against cost", text, cost)
    if lines := parallel(data, shares):
        title = "What was tried, and how it went"
        yield figure_section("parallel", title, parallel_text(lines), parallel_figure(lines))


def _bases(data: SweepData, label: str) -> Iterator[Section]:
    if known := basis_map(data):
        yield figure_section("importance-map", TITLE, known.text, map_figure(known.found))
    if searched := searched_bases(data):
        title, figure = "Where the search looked: (eps, k)", searched_figure(searched, label)
        yield figure_section("searched-bases", title, searched_text(searched), figure)


def _importance(data: SweepData, shares: ImportanceReport) -> Iterator[Section]:
    title = "Hyperparameter importance"
    if shares.rows:
        text = (
            f"Over the {shares.basis}. Each parameter alone, no interactions; a grey bar explains "
            f"no more than chance would. {shares.left_out_text()}"
        )
        yield figure_section("importance", title, text.strip(), importance_figure(shares))
    elif data.search:
        reason = shares.basis if shares.basis.startswith(LEFT_OUT) else "No sampled value varies."
        yield figure_section("importance", title, f"{reason} {shares.left_out_text()}", None)
