"""The paper's table of time and space complexities, beside the peak memory of our runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.grid.cell import COMPLETE, PARTIAL, Cell
from reports.grid.grid import ABSENT, Formula, Grid, Line
from reports.grid.numbers import format_count
from reports.published_numbers import checked_files

NOTES = (
    "Complexities are quoted from the paper. {symbols}.",
    "Peak memory is measured, with all seeds of a row trained together: on a GPU of what was "
    "allocated there; on a CPU the most that the process ever held, which includes libraries and "
    "earlier runs of the same process.",
)


@dataclass(frozen=True)
class Memory:
    """Peak memory of one run in MiB; ``method`` is the name of the run."""

    method: str
    dataset: str
    title: str
    peak_mb: float
    replicates: int
    parameters: int | None
    device: str
    partial: str
    source: str


def complexity_grid(key: str = "complexity", measured: Sequence[Memory] = ()) -> Grid:
    """Build the table with a line per method of the paper, as quoted there.

    ``measured`` adds a column for each data set and variant of a method. Runs of methods that the
    paper does not list are left out.
    """
    (tree,) = checked_files("complexity")
    methods = [row["method"] for row in tree["rows"]]
    found = {(_method(methods, m), _column(methods, m)): m for m in measured}
    columns = list(dict.fromkeys(column for method, column in found if method))
    lines = [
        Line(
            row["method"],
            (
                Formula(row["time"]),
                Formula(row["memory"]),
                *(_cell(found.get((row["method"], column))) for column in columns),
            ),
            section="PDF" if row["method"].endswith("PDF") else "others",
        )
        for row in tree["rows"]
    ]
    return Grid(
        key=key,
        title="Time and space complexities",
        corner="Method",
        columns=("time", "memory", *columns),
        lines=tuple(lines),
        notes=(NOTES[0].format(symbols=tree["symbols"]), *NOTES[1:] * bool(columns)),
    )


def memory_left_out(name: str, measured: Sequence[Memory]) -> str:
    """Say why the memory of runs of study ``name`` is not in the table; "" if all of it is."""
    if not measured:
        return (
            f"nothing measured of {name}: a run records its memory as it trains, and none has "
            f"trained an epoch; `pdf-search resume {name}` goes on"
        )
    (tree,) = checked_files("complexity")
    methods = [row["method"] for row in tree["rows"]]
    others = [m.method for m in measured if not _method(methods, m)]
    if not others:
        return ""
    return (
        f"measured of {name}, and not in the table: {', '.join(dict.fromkeys(others))}. Its lines "
        f"are the paper's methods, {', '.join(methods)}: name a row of the study so, or so that it "
        "begins with one"
    )


def _method(methods: Sequence[str], memory: Memory) -> str:
    """The longest name of a method that the run's name begins with; empty for none."""
    return max((m for m in methods if memory.method.startswith(m)), key=len, default="")


def _column(methods: Sequence[str], memory: Memory) -> str:
    variant = memory.method.removeprefix(_method(methods, memory)).strip(" ,")
    return ", ".join(filter(None, ("peak MiB", memory.title, variant)))


def _cell(memory: Memory | None) -> Cell | str:
    if memory is None:
        return ABSENT
    return Cell(
        kind="ours",
        quantity="peak memory",
        dataset=memory.dataset,
        value=memory.peak_mb,
        n=memory.replicates,
        over="seeds together",
        unit="MiB",
        parameters=memory.parameters,
        parameters_text=format_count(memory.parameters),
        state=PARTIAL if memory.partial else COMPLETE,
        why=memory.partial,
        exact=f"{memory.peak_mb:,.0f}",
        source=memory.source,
        note=f"{memory.replicates} trained together on {memory.device or 'an unnamed device'}",
    )
