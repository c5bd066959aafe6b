"""The verb ``list`` lists recorded sweeps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdf_search.cli.option_groups import option_groups
from pdf_search.cli.options import AsJson, OutputOptions
from pdf_search.cli.output import print_json, print_result, say, terminal_width
from pdf_search.errors import PdfSearchError
from pdf_search.paths import expanded

if TYPE_CHECKING:
    from pdf_search.results import Store
    from reports import SweepData


@option_groups
def list_sweeps(output: OutputOptions, as_json: AsJson = False) -> None:
    """All sweeps in the folder of sweeps, or in a database.

    Runs of `pdf-search train` are named below them, on standard error.
    """
    from pdf_search.runs import runs_below
    from reports import render_plain

    rows = _rows(output)
    if as_json:
        print_json(rows)
    elif not rows:
        say(_none(output))
    else:
        header = ["name", "data", "protocol", "trials", "confirmed", "best validation", "created"]
        print_result(render_plain(header, [_cells(row) for row in rows], terminal_width()))
        for row in rows:
            for line in [*row["failures"], *filter(None, [row["interrupted"]])]:
                print_result(f"{row['name']}: {line}")
    if output.url is None and (runs := runs_below(expanded(output.out))):
        say(f"runs of `pdf-search train`, for `explain` and `predict`: {', '.join(runs)}")


def _none(output: OutputOptions) -> str:
    """The message that there are no sweeps, with the reason if ``--out`` is no folder of sweeps."""
    from pdf_search.runs import holds_sweep, instead_of_sweep, is_run

    out = expanded(output.out)
    if output.db is not None:
        return f"no sweeps in {output.db}"
    if holds_sweep(out):
        return f"{output.out} is the folder of a sweep: `pdf-search show {output.out}`"
    what = f": {instead_of_sweep(out)}" if is_run(out) or not out.is_dir() else ""
    return f"no sweeps in {output.out}{what}"


def _rows(output: OutputOptions) -> list[dict[str, Any]]:
    """A row for each sweep; databases that cannot be read are skipped with a warning."""
    from pdf_search.results import Store
    from pdf_search.runs import databases

    if output.url is not None:
        with Store(output.url, create=False) as store:
            return [_line(data, store.place, data.sweep.name) for data in _sweeps(store)]
    files = databases(expanded(output.out).resolve())
    return [row for file in files for row in _rows_of(file, output)]


def _rows_of(file: Path, output: OutputOptions) -> list[dict[str, Any]]:
    from pdf_search.results import Store
    from pdf_search.sweep import SweepFolder

    name = file.parent.relative_to(expanded(output.out).resolve()).as_posix()
    try:
        folder = SweepFolder.find(output.out, name, None)  # it may have been renamed
        with Store(str(file), create=False) as store:
            found = _sweeps(store, folder.left)
            return [_line(data, str(file), folder.called_now(data.sweep.name)) for data in found]
    except PdfSearchError as error:
        say(f"warning: {file}: {error}")
    except (ValueError, KeyError, TypeError) as error:  # what is in a damaged record
        say(f"warning: {file}: its records cannot be read ({type(error).__name__}: {error})")
    return []


def _sweeps(store: Store, resume: str = "") -> list[SweepData]:
    from reports import load_sweep

    return [load_sweep(store, sweep.name, resume) for sweep in store.sweeps()]


def _line(data: SweepData, where: str, called: str) -> dict[str, Any]:
    sweep = data.sweep
    best = next((entry for entry in data.search if entry.rank == 1), None)
    return {
        "name": called,
        "recorded_as": sweep.name,
        "database": where,
        "data": data.title,
        "metric": sweep.metric,
        "protocol": sweep.protocol,
        "method": sweep.method,
        "trials": sweep.trials,
        "finished": sum(entry.trial.state.finished for entry in data.search),
        "confirmed": data.confirmed_whole,
        "not_asked": data.not_asked,
        "best_validation": None if best is None else best.summary.mean,
        "created": sweep.created,
        "notices": data.notices(),
        "failures": data.failures(),
        "interrupted": data.interrupted,
    }


def _cells(row: dict[str, Any]) -> list[str]:
    from pdf_search.records import METRICS
    from reports import format_value, scaled

    metric = METRICS[row["metric"]]
    best = format_value(scaled(row["best_validation"], metric), None)
    renamed = f" (recorded as {row['recorded_as']})" if row["recorded_as"] != row["name"] else ""
    return [
        row["name"] + renamed,
        row["data"],
        row["protocol"],
        f"{row['finished']}/{row['trials']}",
        "not asked for" if row["not_asked"] else str(row["confirmed"]),
        f"{metric.label} {best}",
        row["created"][:16].replace("T", " "),
    ]
