"""The verb ``cache`` shows what lies in the cache, and removes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from pdf_search.cli.asking import agreed
from pdf_search.cli.options import AsJson
from pdf_search.cli.output import facts, megabytes, print_json, print_result, say
from pdf_search.wording import counted

if TYPE_CHECKING:
    from pdf_search.data import CachePart


def cache(
    folder: Annotated[
        Path | None, Option("--cache", help="Default: $PDF_SEARCH_CACHE, or ~/.cache/pdf_search.")
    ] = None,
    clear: Annotated[
        list[str] | None,
        Option(
            metavar="WHAT",
            help="downloads, prepared, bases, kernels, unused, all, or a data set; "
            "may be given many times.",
        ),
    ] = None,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what lies in the cache and how large it is, or remove it.

    Compiled kernels are shown and removed where they are kept, which may be beside the code. A run
    makes or downloads again what it needs, but not while it trains: clear when none does.
    """
    from pdf_search.data import cache_folder, cache_parts, chosen_parts, remove_parts

    parts = cache_parts(folder)
    if not clear:
        _show(cache_folder(folder), parts, as_json)
        return
    chosen = chosen_parts(parts, clear)
    for line in _lines(chosen).items():
        say("  ".join(line))
    size = megabytes(sum(part.size for part in chosen))
    if not chosen:
        say("nothing to remove")
    elif agreed(f"remove {size}?", yes):
        remove_parts(chosen)
        print_result(f"removed {size}")


def _show(folder: Path, parts: Sequence[CachePart], as_json: bool) -> None:
    if as_json:
        print_json({"folder": folder, "size": sum(part.size for part in parts), "parts": parts})
        return
    total = megabytes(sum(part.size for part in parts))
    print_result(facts({"folder": folder, **_lines(parts), "total": total}))
    if unused := [part for part in parts if part.unused]:
        size = megabytes(sum(part.size for part in unused))
        say(f"no run reads {size} of it again: `pdf-search cache --clear unused`")


def _whose(part: CachePart) -> str:
    """The data set of a part, or what is known in place of it; "" of kernels, which serve all."""
    if part.outside:
        return f"in {part.path.parent}"
    unknown = "" if part.kind == "kernels" else "of unknown data"
    return part.data or ("unused" if part.unused else unknown)


def _lines(parts: Sequence[CachePart]) -> dict[str, str]:
    """The size of each kind and data set, in the order of ``parts``."""
    groups: dict[str, list[CachePart]] = {}
    for part in parts:
        groups.setdefault(f"{part.kind} {_whose(part)}".rstrip(), []).append(part)
    return {
        name: f"{megabytes(sum(p.size for p in group))} in {counted(len(group), 'part')}"
        for name, group in groups.items()
    }
