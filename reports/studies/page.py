"""A study's page: one self-contained HTML file with its tables and interactive figures."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup
from plotly.offline import get_plotlyjs

from reports.environment import templates
from reports.figures import figure_section
from reports.grid import Grid
from reports.html import provenance
from reports.studies.curves import CurveFigure
from reports.studies.data import Study
from reports.studies.interactive import interactive


def study_html(study: Study, grids: Sequence[Grid], figures: Sequence[CurveFigure]) -> str:
    """Opens from disk without a network."""
    sections = [figure_section(f.name, f.title, f.text, interactive(f)) for f in figures]
    template = templates().get_template("study.html.j2")
    return template.render(
        study=study,
        grids=grids,
        figures=sections,
        provenance=[(part.sweep.name, provenance(part)) for part in study.parts],
        plotlyjs=Markup(get_plotlyjs()),
    )
