"""The verb ``data`` prepares a data set and prints what is in it."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from pdf_search.cli.option_groups import option_groups
from pdf_search.cli.options import AsJson, DataOptions, OwnOptions
from pdf_search.cli.output import facts, megabytes, print_json, print_result, say
from pdf_search.errors import ConfigError
from pdf_search.wording import counted, visible

if TYPE_CHECKING:
    from pdf_search.config import DataConfig

_SHOWN = 20  # most classes or targets that are printed


@option_groups
def data(
    source: DataOptions,
    own: OwnOptions,
    name: Annotated[
        str | None, Argument(help="A data set by name, or a file of molecules.")
    ] = None,
    listed: Annotated[bool, Option("--list", help="What is known, and what is prepared.")] = False,
    sets: Annotated[
        list[str] | None,
        Option("--set", metavar="data.KEY=VALUE", help="data.smiles=..., data.targets=[...]"),
    ] = None,
    copy: Annotated[
        Path | None, Option(metavar="FILE", help="Write the table of a shipped data set.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Prepare a data set (once) and print what is in it."""
    from pdf_search.data import GUESSED, load_prepared, outlook, statistics
    from pdf_search.records import Task

    if copy is not None:
        _copy_table(name or "", copy)
        return
    if listed or name is None:
        _list_data(source.cache, as_json)
        return
    config, guesses = _data_config(name, sets or [], own)
    folder = source.prepare(config)
    loaded = load_prepared(folder)
    found = statistics(loaded) | {"folder": str(folder)}
    found["notes"] = tuple(dict.fromkeys((*guesses, *outlook(loaded, config), *found["notes"])))
    if as_json:
        print_json(found)
        return
    guess = GUESSED.get(Task(found["task"])) if config.path and config.task is None else None
    print_result(_data_text(found, guess))


def _copy_table(name: str, target: Path) -> None:
    from pdf_search.data import SHIPPED

    if name not in SHIPPED:
        raise ConfigError(f"--copy: only {', '.join(SHIPPED)} comes along; the rest is downloaded")
    if target.exists():
        raise ConfigError(f"{target} exists: choose another file")
    try:
        target.write_bytes(SHIPPED[name].read_bytes())
    except OSError as error:
        raise ConfigError(
            f"{target} cannot be written ({error.strerror}): give a file in a folder that exists"
        ) from None
    say(f"written: {target}")


def _data_text(found: dict[str, Any], guess: str | None) -> str:
    """The statistics as text; ``guess`` says why the task was chosen if the user named none."""
    notes, sizes, names = (found.pop(key) for key in ("notes", "classes", "class_names"))
    if guess:
        found["task"] += f" ({guess})"
    found |= {
        "graphs": f"{found['graphs']:,}, the largest of {counted(found.pop('largest'), 'node')}",
        "nodes": _of_a_graph(found["nodes"], found.pop("node_attributes")),
        "edges": _of_a_graph(found["edges"], found.pop("edge_attributes")),
        "edgeless": counted(found["edgeless"], "graph"),
        "labelled": f"{100 * found['labelled']:.4g} % of the targets",
        "parts": _counts(found["parts"] or {}),
    }
    targets = found.pop("targets") or {}
    lines = {f"target {visible(name)}": _counts(of) for name, of in targets.items()}
    for name, size in zip(names or range(len(sizes or ())), sizes or (), strict=True):
        lines[f"class {visible(str(name))}"] = counted(size, "graph")
    if len(lines) > _SHOWN:
        rest = {"...": f"{len(lines) - _SHOWN} more, see --json"}
        lines = dict(islice(lines.items(), _SHOWN)) | rest
    return "\n".join([facts(found | lines), *(f"note: {note}" for note in notes)])


def _of_a_graph(mean: float, attributes: bool) -> str:
    return f"{mean:g} a graph (mean), {'with' if attributes else 'no'} attributes"


def _counts(of: dict[str, Any]) -> str:
    return ", ".join(f"{name}: {count:,}" for name, count in of.items())


def _list_data(cache: Path | None, as_json: bool) -> None:
    from pdf_search.data import cache_entries, names

    prepared = cache_entries(cache)
    if as_json:
        print_json({"known": names(), "prepared": prepared})
        return
    print_result("known: " + ", ".join(names()))
    lines = {
        e.title: f"{counted(e.graphs, 'graph')}, {megabytes(e.size)}, {e.folder}" for e in prepared
    }
    print_result(facts(lines) if lines else "none is prepared yet")


def _data_config(name: str, sets: list[str], own: OwnOptions) -> tuple[DataConfig, tuple[str, ...]]:
    """The configuration of a data set given by name or by its file, and what was guessed.

    Raises:
        ConfigError: a ``--set`` is no setting of a data set.
        DataError: the file cannot be read.
    """
    from pdf_search.config import newest
    from pdf_search.data import own_data
    from pdf_search.space import data_config, settings_named

    if not _is_file(name):
        if options := own.asked.named():
            raise ConfigError(f"{options}: only for a data file, not for {name}")
        return data_config(newest({"name": name}), sets), ()
    found = own_data(name, own.asked, settings_named(sets).get("data"))
    told = found.data["name"] == "csv"  # the line of the task says the guess
    guesses = tuple(n for n in found.notes if not (told and n.startswith("task: ")))
    return data_config(newest(found.data), sets), guesses


def _is_file(name: str) -> bool:
    from pdf_search.data import is_own

    return is_own(name) or "." in name or "/" in name
