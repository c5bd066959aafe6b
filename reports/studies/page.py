"""The page of a study: one self-contained HTML file with its tables and interactive figures."""

from __future__ import annotations

from collections.abc import Sequence

from reports.grid.grid import Grid
from reports.pages.curves import CurveFigure
from reports.pages.environment import templates
from reports.pages.figures import curve_section
from reports.pages.html import provenance
from reports.pages.theme import DARK, packed_plotly
from reports.studies.study_data import Study


def study_html(study: Study, grids: Sequence[Grid], figures: Sequence[CurveFigure]) -> str:
    """Render the page, which opens from disk without a network."""
    template = templates().get_template("study.html.j2")
    return template.render(
        study=study,
        grids=grids,
        figures=[curve_section(figure) for figure in figures],
        provenance=[(part.sweep.name, provenance(part)) for part in study.parts],
        dark=DARK,
        plotly=packed_plotly(),
    )
