"""Verbs that look around: data, spaces, doctor."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from pdf_search.cli.groups import AsJson, Sets, Source, grouped
from pdf_search.cli.words import facts, megabytes, out, out_json, say
from pdf_search.errors import ConfigError, PdfSearchError
from pdf_search.wording import counted

if TYPE_CHECKING:
    from pdf_search.config import DataConfig
    from pdf_search.space import Space

_SHOWN = 20  # classes or targets


@grouped
def data(
    source: Source,
    name: Annotated[
        str | None, Argument(help="A data set by name, or a CSV file of molecules.")
    ] = None,
    listed: Annotated[bool, Option("--list", help="What is known, and what is prepared.")] = False,
    sets: Annotated[
        list[str] | None,
        Option("--set", metavar="data.KEY=VALUE", help="data.smiles=..., data.targets=[...]"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Prepare a data set (once) and print what is in it."""
    from pdf_search.data import GUESSED, load_prepared, outlook, prepare, statistics
    from pdf_search.records import Task

    if listed or name is None:
        _list_data(source.cache, as_json)
        return
    config = _data_config(name, sets or [])
    folder = prepare(config, source.data_root, source.cache, source.yes, say)
    loaded = load_prepared(folder)
    found = statistics(loaded) | {"folder": str(folder)}
    found["notes"] = tuple(dict.fromkeys((*outlook(loaded, config), *found["notes"])))
    if as_json:
        out_json(found)
        return
    guess = GUESSED.get(Task(found["task"])) if config.path and config.task is None else None
    out(_data_text(found, guess))


def _data_text(found: dict[str, Any], guess: str | None) -> str:
    """``guess``: why the task was chosen, if nobody named it."""
    notes, sizes, names = (found.pop(key) for key in ("notes", "classes", "class_names"))
    if guess:
        found["task"] += f" ({guess})"
    lines = {f"target {name}": _counts(of) for name, of in (found.pop("targets") or {}).items()}
    for name, size in zip(names or range(len(sizes or ())), sizes or (), strict=True):
        lines[f"class {name}"] = counted(size, "graph")
    if len(lines) > _SHOWN:
        rest = {"...": f"{len(lines) - _SHOWN} more, see --json"}
        lines = dict(islice(lines.items(), _SHOWN)) | rest
    return "\n".join([facts(found | lines), *(f"note: {note}" for note in notes)])


def _counts(of: dict[str, Any]) -> str:
    return ", ".join(f"{name}: {count:,}" for name, count in of.items())


def _list_data(cache: Path | None, as_json: bool) -> None:
    from pdf_search.data import cache_entries, names

    prepared = cache_entries(cache)
    if as_json:
        out_json({"known": names(), "prepared": prepared})
        return
    out("known: " + ", ".join(names()))
    lines = {
        e.title: f"{counted(e.graphs, 'graph')}, {megabytes(e.size)}, {e.folder}" for e in prepared
    }
    out(facts(lines) if lines else "none is prepared yet")


def _data_config(name: str, sets: list[str]) -> DataConfig:
    """Raises:
    ConfigError: a --set that is no setting of a data set.
    """
    from pdf_search.config import newest
    from pdf_search.space import data_config

    own = "." in name or "/" in name
    return data_config(newest({"name": "csv", "path": name} if own else {"name": name}), sets)


@grouped
def spaces(
    name: Annotated[
        str | None, Argument(help="A space by name or path; without it, all that are shipped.")
    ] = None,
    sets: Sets = None,
    copy: Annotated[
        Path | None, Option(metavar="FILE", help="Write a space of your own that starts from it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The search spaces; with a name, its domains."""
    from pdf_search.space import load_space, space_names

    if name is None:
        found = {known: load_space(known) for known in space_names()}
        if as_json:
            out_json([_space_facts(space) for space in found.values()])
        else:
            out(facts({known: space.description for known, space in found.items()}))
            out("every other ogbg-mol... data set has a space of its name as well")
        return
    space = load_space(name, sets or ())
    if copy is not None:
        _copy_space(name, copy)
    elif as_json:
        out_json(_space_facts(space))
    else:
        out(_space_text(space))


def _space_facts(space: Space) -> dict[str, Any]:
    return {
        "name": space.name,
        "source": space.source,
        "description": space.description,
        "defaults": space.defaults,
        "size": space.size(),
        "limits": [limit.text for limit in space.limits],
        "published": space.points_to_evaluate,
        "notes": space.notes,
        "parameters": [
            {
                "path": parameter.path,
                "domain": {"kind": type(parameter.domain).__name__, **vars(parameter.domain)},
                "condition": parameter.condition and parameter.condition._asdict(),
            }
            for parameter in space.parameters()
        ],
    }


def _space_text(space: Space) -> str:
    defaults, size = space.defaults, space.size()
    epochs = counted(defaults.epochs, "epoch")
    seeds = counted(defaults.confirm_seeds, "seed")
    searched = f"{counted(defaults.trials, 'trial')} of up to {epochs}"
    head = {
        "space": f"{space.name} ({space.source})",
        "about": space.description,
        "budget": f"{searched}, {defaults.method}",
        "confirm": f"the best {defaults.confirm_top_k} on {seeds}",
        "protocol": f"{defaults.protocol}, validation {defaults.metric}",
        "size": "continuous" if size is None else counted(size, "point"),
        "limits": "; ".join(limit.text for limit in space.limits),
    }
    domains = {p.path: _domain_text(p.domain, p.condition) for p in space.parameters()}
    return f"{facts(head)}\n\n{facts(domains)}"


def _domain_text(domain: Any, condition: Any) -> str:
    from pdf_search.space import Choice

    if isinstance(domain, Choice):
        text = " | ".join(str(value) for value in domain.values)
    else:
        text = f"{domain.low:g} .. {domain.high:g}"
        text += f" in steps of {domain.step:g}" if domain.step else ""
        text += ", log" if domain.log else ""
    if condition is None:
        return text
    return f"{text}   (if {condition.path} = {' or '.join(map(str, condition.values))})"


def _copy_space(name: str, target: Path) -> None:
    from pdf_search.space import space_text

    if target.exists():
        raise ConfigError(f"{target} exists: choose another file")
    try:
        target.write_text(space_text(name), encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"{target} cannot be written ({error.strerror}): give a file in a folder that exists"
        ) from None
    say(f"written: {target}; use it with: pdf-search sweep {_as_path(target)}")


def _as_path(target: Path) -> str:
    return str(target) if "/" in str(target) or target.suffix == ".yaml" else f"./{target}"


@grouped
def doctor(
    source: Source,
    out_folder: Annotated[Path, Option("--out", help="Folder of all sweeps.")] = Path("runs"),
    as_json: AsJson = False,
) -> None:
    """Check what sweeps need, by doing what a trial does. Exit code 1 if something is amiss.

    Imports the packages, writes into the folders, compiles a kernel and starts Ray.
    """
    from pdf_search.cli.checkup import checkup

    checks = []
    for check in checkup(out_folder, source.data_root, source.cache):
        checks.append(check)
        if not as_json:
            out(f"{check.name:<15}  {'ok' if check.ok else 'AMISS':<5} {check.found}")
    if as_json:
        out_json({check.name: check for check in checks})
    if not all(check.ok for check in checks):
        raise typer.Exit(PdfSearchError.exit_code)
