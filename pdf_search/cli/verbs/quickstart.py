"""The verb ``quickstart`` runs a whole sweep on a small data set."""

from __future__ import annotations

from pdf_search.cli.folders import recorded_folder
from pdf_search.cli.option_groups import given, option_groups
from pdf_search.cli.options import DataOptions, OutputOptions
from pdf_search.cli.output import say
from pdf_search.cli.sweep_options import ConfirmOptions, MachineOptions, SearchOptions

QUICKSTART = "quickstart"
QUICK_CONCURRENT = 4  # with more trials at once, early stopping has too few to compare with


@option_groups
def quickstart(
    search: SearchOptions,
    confirming: ConfirmOptions,
    machine: MachineOptions,
    source: DataOptions,
    output: OutputOptions,
) -> None:
    """The whole way on a small data set that comes along: solvation energies of 642 molecules."""
    from pdf_search.cli.execution import continue_recorded, execute_plan
    from pdf_search.cli.planning import plan_space
    from pdf_search.sweep import usable_cpus

    options = given(search, confirming, machine, source)
    name = options.setdefault("name", QUICKSTART)
    if _exists(name, output):
        say(f"sweep {name} exists: going on with it (another --name starts anew)")
        changes = {"trials": search.trials} | given(machine, source)
        continue_recorded(recorded_folder(name, output), name, output, changes)
        return
    if not given(machine):
        concurrent = min(usable_cpus(), QUICK_CONCURRENT)
        options |= {"gpus_per_trial": 0.0, "concurrent": concurrent}
    execute_plan(plan_space("freesolv", None, options, output))


def _exists(name: str, output: OutputOptions) -> bool:
    from pdf_search.errors import StoreError
    from pdf_search.sweep import SweepFolder

    folder = SweepFolder.find(output.out, name, output.url)
    if folder.path != SweepFolder.of(output.out, name, None).path:
        return False  # a folder of that name elsewhere
    try:
        with folder.open_store() as store:
            return any(sweep.name == folder.name for sweep in store.sweeps())
    except StoreError:
        return False
