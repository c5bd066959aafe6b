"""Verbs that read results: report, list, show. Neither torch nor ray is imported by them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from pdf_search.cli.folders import recorded_folder, write_tables
from pdf_search.cli.groups import AsJson, Place, SweepName, grouped
from pdf_search.cli.words import out, out_json, say
from pdf_search.errors import ConfigError, StoreError
from pdf_search.paths import expanded
from pdf_search.records import Phase

if TYPE_CHECKING:
    from pdf_search.results import Store
    from reports import SweepData

Shown = Annotated[Phase, Option(help="Phase of --trial.")]


@grouped
def report(
    name: SweepName,
    place: Place,
    to: Annotated[
        Path | None, Option(metavar="FOLDER", help="Default: report/ in the sweep's folder.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the tables and the page of a sweep or study again, from its database alone."""
    folder = recorded_folder(name, place)
    target = expanded(to).resolve() if to is not None else folder.report
    with folder.open_store() as store:
        files = write_tables(store, folder.name, target)
    if as_json:
        out_json({"name": folder.name, "folder": target, "files": files})
        return
    out((target / "table.md").read_text(encoding="utf-8"))
    say(f"report: {target}")


@grouped
def list_sweeps(place: Place, as_json: AsJson = False) -> None:
    """All sweeps in the folder of sweeps, or in a database.

    Runs of `pdf-search train` are named below them, on standard error.
    """
    from pdf_search.sweep import runs_below
    from reports import render_plain

    rows = [
        _line(data, where, _called(data.sweep.name, where, place))
        for store, where in _stores(place)
        for data in _sweeps(store)
    ]
    if as_json:
        out_json(rows)
    elif not rows:
        say(_none(place))
    else:
        header = ["name", "data", "protocol", "trials", "confirmed", "best validation", "created"]
        out(render_plain(header, [_cells(row) for row in rows]))
        for row in rows:
            for failure in row["failures"]:
                out(f"{row['name']}: {failure}")
    if place.url is None and (runs := runs_below(expanded(place.out))):
        say(f"runs of `pdf-search train`, for `explain` and `predict`: {', '.join(runs)}")


@grouped
def show(
    name: SweepName,
    place: Place,
    trial: Annotated[int | None, Option(min=0, help="One trial in full.")] = None,
    phase: Shown = Phase.SEARCH,
    as_json: AsJson = False,
) -> None:
    """A sweep and its trials, or one trial with its values and configuration."""
    from pdf_search.results import study_parts
    from reports import find_trial, leaderboard_rows, load_sweep, show_sweep, show_trial

    folder = recorded_folder(name, place)
    with folder.open_store() as store:
        parts = [folder.called_now(part.name) for part in study_parts(store, folder.name)]
        if len(parts) > 1:
            raise ConfigError(f"study {name} has {len(parts)} parts; show one: {', '.join(parts)}")
        data = load_sweep(store, folder.name)
    if trial is None:
        if as_json:
            trials = [row.as_dict() for row in leaderboard_rows(data)]
            out_json(
                {
                    "sweep": data.sweep,
                    "notices": data.notices(),
                    "failures": data.failures(),
                    "trials": trials,
                }
            )
        else:
            out(show_sweep(data))
        return
    entry = find_trial(data, trial, phase)
    here = replace(entry.trial, checkpoint=folder.checkpoint(entry.trial.checkpoint))
    entry = replace(entry, trial=here)
    if as_json:
        out_json({"trial": entry.trial, "summary": entry.summary, "epochs": entry.epochs})
    else:
        out(show_trial(data, entry))


def _none(place: Place) -> str:
    """That nothing is listed, and why if --out is no folder of sweeps."""
    from pdf_search.sweep import instead_of_sweep, is_run

    out = expanded(place.out)
    if place.db is not None:
        return f"no sweeps in {place.db}"
    if (out / "results.db").is_file():
        return f"{place.out} is the folder of a sweep: `pdf-search show {place.out}`"
    what = f": {instead_of_sweep(out)}" if is_run(out) or not out.is_dir() else ""
    return f"no sweeps in {place.out}{what}"


def _stores(place: Place) -> Iterator[tuple[Store, str]]:
    """The databases, open one at a time; one that cannot be read is told and passed over."""
    from pdf_search.results import Store
    from pdf_search.sweep import databases

    if place.url is not None:
        with Store(place.url, create=False) as store:
            yield store, store.place
        return
    for file in databases(expanded(place.out).resolve()):
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


def _called(recorded: str, where: str, place: Place) -> str:
    """What a sweep is called on the command line: its folder may have been renamed."""
    from pdf_search.sweep import SweepFolder

    if place.url is not None:
        return recorded
    out = expanded(place.out).resolve()
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
