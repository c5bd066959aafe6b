"""Plans a sweep for a verb; what can be wrong without torch and Ray is found before they load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdf_search.cli.options import OutputOptions, OwnOptions
from pdf_search.cli.output import say

if TYPE_CHECKING:
    from pdf_search.sweep import Plan


def plan_space(
    space: str,
    sets: list[str] | None,
    options: dict[str, Any],
    output: OutputOptions,
    own: OwnOptions | None = None,
) -> Plan:
    """Plan a sweep over a space; ``options`` are those fields of SweepOptions that were given."""
    from pdf_search.space import load_space
    from pdf_search.sweep import SweepOptions

    settled = SweepOptions(out=output.out, db=output.url, **options)
    asked = None if own is None else own.asked
    loaded = load_space(space, sets or (), asked=asked)
    from pdf_search.sweep import plan_sweep  # here torch and Ray load

    return plan_sweep(loaded, settled, progress=say)
