"""The verb ``dashboard`` opens optuna-dashboard on the results database."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Option

from pdf_search.cli.folders import recorded_folder
from pdf_search.cli.option_groups import option_groups
from pdf_search.cli.options import OutputOptions
from pdf_search.cli.output import say
from pdf_search.errors import ConfigError


@option_groups
def dashboard(
    output: OutputOptions,
    name: Annotated[
        str | None, Argument(metavar="NAME", help="Name of the sweep; not needed with --db.")
    ] = None,
    port: Annotated[int, Option(min=0, max=65535, help="0 for any that is free.")] = 8080,
) -> None:
    """Open optuna-dashboard on a sweep's database, also while it runs, to this machine alone."""
    from pdf_search.results import Store
    from pdf_search.sweep import serve_dashboard

    if name is not None:
        folder = recorded_folder(name, output)
        folder.open_store().close()  # it has to be there
        database = folder.database
    elif output.url is not None:
        Store(output.url, create=False).close()
        database = output.url
    else:
        raise ConfigError("name a sweep, or a database with --db: `pdf-search list` lists them")
    try:
        serve_dashboard(database, port, say)
    except KeyboardInterrupt:
        say("dashboard closed")
