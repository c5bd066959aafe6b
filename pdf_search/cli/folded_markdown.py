"""Markdown on a terminal, whose tables fold what a narrow one has no room for.

Rich would cut it off.
"""

from __future__ import annotations

from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, TableElement
from rich.table import Table


class _FoldedTable(TableElement):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for part in super().__rich_console__(console, options):
            if isinstance(part, Table):
                for column in part.columns:
                    column.overflow = "fold"
            yield part


class FoldedMarkdown(Markdown):
    """Markdown as rich draws it, with no letter of a table lost."""

    elements: ClassVar = {**Markdown.elements, "table_open": _FoldedTable}
