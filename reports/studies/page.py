"""A study's page: one self-contained HTML file with its tables and interactive figures."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup
from plotly.offline import get_plotlyjs

from reports.curves import CurveFigure
from reports.environment import templates
from reports.figures import curve_section
from reports.grid import Grid
from reports.html import provenance
from reports.studies.data import Study


def study_html(study: Study, grids: Sequence[Grid], figures: Sequence[CurveFigure]) -> str:
    """Opens from disk without a network."""
    template = templates().get_template("study.html.j2")
    return template.render(
        study=study,
        grids=grids,
        figures=[curve_section(figure) for figure in figures],
        provenance=[(part.sweep.name, provenance(part)) for part in study.parts],
        plotlyjs=Markup(get_plotlyjs()),
    )
