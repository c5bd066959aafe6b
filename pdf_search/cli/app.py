"""The program ``pdf-search``: its verbs, and how errors become messages and exit codes."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from pdf_search import __version__
from pdf_search.cli.output import say
from pdf_search.cli.process import prepare_process
from pdf_search.cli.verbs.bases import bases
from pdf_search.cli.verbs.cache import cache
from pdf_search.cli.verbs.data import data
from pdf_search.cli.verbs.doctor import doctor
from pdf_search.cli.verbs.explain import explain
from pdf_search.cli.verbs.export import export
from pdf_search.cli.verbs.plan import plan
from pdf_search.cli.verbs.predict import predict
from pdf_search.cli.verbs.quickstart import quickstart
from pdf_search.cli.verbs.recorded.compare import compare
from pdf_search.cli.verbs.recorded.confirm import confirm
from pdf_search.cli.verbs.recorded.dashboard import dashboard
from pdf_search.cli.verbs.recorded.delete import delete
from pdf_search.cli.verbs.recorded.list import list_sweeps
from pdf_search.cli.verbs.recorded.report import report
from pdf_search.cli.verbs.recorded.rerun import rerun
from pdf_search.cli.verbs.recorded.resume import resume
from pdf_search.cli.verbs.recorded.show import show
from pdf_search.cli.verbs.recorded.watch import watch
from pdf_search.cli.verbs.spaces import spaces
from pdf_search.cli.verbs.study import study
from pdf_search.cli.verbs.sweep import sweep
from pdf_search.cli.verbs.tables import tables
from pdf_search.cli.verbs.train import train
from pdf_search.errors import FullDiskError, PdfSearchError
from pdf_search.full_disk import full_words, is_full
from pdf_search.imports import show_only_our_warnings
from pdf_search.signals import Interrupting, exit_code, receiving


class Verbs(TyperGroup):
    """The group of verbs; it turns our own errors into a message and an exit code.

    So is a full disk. Any other exception is a bug, and is shown with its traceback.
    """

    def invoke(self, ctx: Any) -> Any:
        """Run the verb; a signal exits with 128 and its number, Ctrl-C with 130."""
        try:
            with receiving(Interrupting()):
                return super().invoke(ctx)
        except PdfSearchError as error:
            say(f"error: {error}")
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt as error:
            say("interrupted")
            raise typer.Exit(exit_code(error)) from None
        except (typer.Exit, typer.Abort):
            raise
        except Exception as error:
            if not is_full(error):
                raise
            place = getattr(error, "filename", None) or Path.cwd()
            say(f"error: {full_words(place, tempfile.gettempdir())}")
            raise typer.Exit(FullDiskError.exit_code) from None


app = typer.Typer(
    cls=Verbs,
    help="Hyperparameter search for PDF graph networks: sweep, confirm, report.",
    epilog="Start with: pdf-search quickstart",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_VERBS = {
    "Search": {
        "quickstart": quickstart,
        "plan": plan,
        "sweep": sweep,
        "confirm": confirm,
        "resume": resume,
        "rerun": rerun,
        "train": train,
        "study": study,
    },
    "Results": {
        "report": report,
        "list": list_sweeps,
        "show": show,
        "watch": watch,
        "dashboard": dashboard,
        "compare": compare,
        "explain": explain,
        "predict": predict,
        "export": export,
    },
    "Around": {
        "data": data,
        "bases": bases,
        "spaces": spaces,
        "doctor": doctor,
        "delete": delete,
        "cache": cache,
    },
}
for _panel, _verbs in _VERBS.items():
    for _name, _verb in _verbs.items():
        app.command(_name, rich_help_panel=_panel)(_verb)
app.add_typer(tables, name="tables", rich_help_panel="Results")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"pdf-search {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the program ``pdf-search``."""
    if not sys.warnoptions:
        show_only_our_warnings()
    try:
        prepare_process()
    except PdfSearchError as error:
        say(f"error: {error}")
        sys.exit(error.exit_code)
    app(prog_name="pdf-search")
