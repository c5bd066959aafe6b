"""The verb ``list`` lists recorded sweeps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdf_search.cli.option_groups import option_groups
from pdf_search.cli.options import AsJson, OutputOptions
from pdf_search.cli.output import print_json, print_result, say
from pdf_search.errors import StoreError
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

    rows = [
        _line(data, where, _called(data.sweep.name, where, output))
        for store, where in _stores(output)
        for data in _sweeps(store)
    ]
    if as_json:
        print_json(rows)
    elif not rows:
        say(_none(output))
    else:
        header = ["name", "data", "protocol", "trials", "confirmed", "best validation", "created"]
        print_result(render_plain(header, [_cells(row) for row in rows]))
        for row in rows:
            for failure in row["failures"]:
                print_result(f"{row['name']}: {failure}")
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


def _stores(output: OutputOptions) -> Iterator[tuple[Store, str]]:
    """Open the databases one at a time; one that cannot be read is skipped with a warning."""
    from pdf_search.results import Store
    from pdf_search.runs import databases

    if output.url is not None:
        with Store(output.url, create=False) as store:
            yield store, store.place
        return
    for file in databases(expanded(output.out).resolve()):
        try:
            store = Store(str(file), create=False)
        except StoreError as error:
            say(f"warning: {file}: {error}")
            continue
        with store:
            yield store, str(file)


def _sweeps(store: Store) -> list[SweepData]:
    from reports import load_sweep

    return [load_sweep(store, sweep.name) for sweep in store.sweeps()]


def _called(recorded: str, where: str, output: OutputOptions) -> str:
    """The name of a sweep on the command line, since its folder may have been renamed."""
    from pdf_search.sweep import SweepFolder

    if output.url is not None:
        return recorded
    out = expanded(output.out).resolve()
    name = Path(where).parent.relative_to(out).as_posix()
    return SweepFolder.find(out, name, None).called_now(recorded)


def _line(data: SweepData, where: str, called: str) -> dict[str, Any]:
    sweep = data.sweep
    best = next((entry for entry in data.search if entry.rank == 1), None)
    runs = data.confirmations
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
        "confirmed": sum(not entry.summary.partial for entry in runs),
        "best_validation": None if best is None else best.summary.mean,
        "created": sweep.created,
        "notices": data.notices(),
        "failures": data.failures(),
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
        str(row["confirmed"]),
        f"{metric.label} {best}",
        row["created"][:16].replace("T", " "),
    ]
