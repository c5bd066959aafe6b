"""The jinja environment of all templates of reports."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2


@cache
def templates() -> jinja2.Environment:
    """The environment of ``reports/templates``, made once.

    HTML templates are escaped by jinja; LaTeX templates call ``escape_latex`` themselves. An
    unknown name in a template is an error.
    """
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parents[1] / "templates"),
        autoescape=jinja2.select_autoescape(enabled_extensions=("html.j2",), default=False),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
