"""The verb ``spaces`` shows and copies search spaces."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from pdf_search.cli.option_groups import option_groups
from pdf_search.cli.options import AsJson, OwnOptions, Sets
from pdf_search.cli.output import facts, print_json, print_result, say
from pdf_search.errors import ConfigError
from pdf_search.wording import counted

if TYPE_CHECKING:
    from pdf_search.space import Space


@option_groups
def spaces(
    own: OwnOptions,
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
            print_json([_space_facts(space) for space in found.values()])
        else:
            print_result(facts({known: space.description for known, space in found.items()}))
            print_result("every other ogbg-mol... data set has a space of its name as well")
        return
    space = load_space(name, sets or (), asked=own.asked)
    if copy is not None:
        _copy_space(name, copy, own)
    elif as_json:
        print_json(_space_facts(space))
    else:
        print_result(_space_text(space))


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


def _copy_space(name: str, target: Path, own: OwnOptions) -> None:
    from pdf_search.space import space_text

    if target.exists():
        raise ConfigError(f"{target} exists: choose another file")
    try:
        target.write_text(space_text(name, own.asked), encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"{target} cannot be written ({error.strerror}): give a file in a folder that exists"
        ) from None
    say(f"written: {target}; use it with: pdf-search sweep {_as_path(target)}")


def _as_path(target: Path) -> str:
    return str(target) if "/" in str(target) or target.suffix == ".yaml" else f"./{target}"
