"""The verb ``show`` shows a sweep, or one of its trials."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from typer import Option

from pdf_search.cli.folders import part_names, recorded_folder
from pdf_search.cli.option_groups import option_groups
from pdf_search.cli.options import AsJson, OutputOptions, SweepName
from pdf_search.cli.output import print_json, print_result, terminal_width
from pdf_search.errors import ConfigError
from pdf_search.records import Phase

Shown = Annotated[Phase, Option(help="Phase of --trial.")]


@option_groups
def show(
    name: SweepName,
    output: OutputOptions,
    trial: Annotated[int | None, Option(min=0, help="One trial in full.")] = None,
    phase: Shown = Phase.SEARCH,
    as_json: AsJson = False,
) -> None:
    """A sweep and its trials, or one trial with its values and configuration."""
    from reports import (
        find_trial,
        leaderboard_rows,
        load_sweep,
        search_findings,
        show_sweep,
        show_trial,
    )

    folder = recorded_folder(name, output)
    with folder.open_store() as store:
        parts = part_names(store, folder)
        if len(parts) > 1:
            raise ConfigError(f"study {name} has {len(parts)} parts; show one: {', '.join(parts)}")
        data = load_sweep(store, folder.name, folder.left, folder.called, folder.where)
    if trial is None:
        if as_json:
            trials = [row.as_dict() for row in leaderboard_rows(data)]
            print_json(
                {
                    "sweep": data.sweep,
                    "notices": data.notices(),
                    "failures": data.failures(),
                    "findings": search_findings(data),
                    "trials": trials,
                }
            )
        else:
            print_result(show_sweep(data, width=terminal_width()))
        return
    entry = find_trial(data, trial, phase)
    here = replace(entry.trial, checkpoint=folder.checkpoint(entry.trial.checkpoint))
    entry = replace(entry, trial=here)
    if as_json:
        print_json({"trial": entry.trial, "summary": entry.summary, "epochs": entry.epochs})
    else:
        print_result(show_trial(data, entry, terminal_width()))
