"""Studies as the runner records them, with curves that look like training."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pdf_search.records import Phase, Protocol, Replicate, State, SweepRecord
from pdf_search.results import Store
from reports import load_study
from reports.grid.cell import Cell
from reports.grid.grid import Grid
from reports.studies.study_tables import study_grids
from tests.reports import samples

EPOCHS = 8  # of every run: enough for a curve
ABLATION = [
    f"{channels}-({case}"
    for channels in ("shd", "idp")
    for case in (
        "Lap, Lin)",
        "(eps, k), Lin)",
        "(eps, k), 2L) sparse",
        "(eps, k), 1L)",
        "(eps, k), 2L)",
    )
]


def row(name: str, dataset: str, table: str = "results") -> dict[str, Any]:
    return {
        "name": name,
        "paper": dataset,
        "published": {"table": table, "method": name},
        "data": {"name": dataset},
    }


def begin(
    store: Store,
    name: str,
    table: str,
    rows: Sequence[dict[str, Any]],
    protocols: Sequence[Protocol] = (Protocol.SPLIT,),
) -> list[SweepRecord]:
    """Every part with its rows as NOT STARTED."""
    datasets = list(dict.fromkeys(item["data"]["name"] for item in rows))
    keys = [(dataset, protocol) for dataset in datasets for protocol in protocols]
    names = [f"{name}/{d}/{p}" if len(keys) > 1 else name for d, p in keys]
    facts = {"name": name, "title": f"Study {name}", "table": table, "parts": names}
    records = [
        replace(
            samples.sweep(dataset, name=part, protocol=protocol, epochs=EPOCHS, **_metric(dataset)),
            method="study",
            space_definition={"name": name, "rows": list(rows)},
            options={"study": facts},
            command=f"pdf-search study {name}",
        )
        for part, (dataset, protocol) in zip(names, keys, strict=True)
    ]
    for record in records:
        store.create_sweep(record)
        own = [item for item in rows if item["data"]["name"] == record.dataset]
        for number, item in enumerate(own):
            change = {"state": State.NOT_STARTED, "seconds": None, "peak_mb": None}
            run(store, record, number, item["name"], (), **change)
    return records


def _metric(dataset: str) -> dict[str, str]:
    return {"metric": "ap"} if dataset == "ogbg-molpcba" else {}


def run(
    store: Store,
    record: SweepRecord,
    number: int,
    name: str,
    reports: Sequence[Any],
    **changes: Any,
) -> None:
    samples.save(
        store, record, number, Phase.CONFIRM, reports, **{"origin": f"study: {name}", **changes}
    )


def train(
    store: Store,
    record: SweepRecord,
    number: int,
    goal: float,
    replicates: int = 4,
    epochs: int = EPOCHS,
    **changes: Any,
) -> None:
    """Run row ``number`` of a part to ``goal``."""
    planned = store.trials(record.name, Phase.CONFIRM)[number]
    folds = record.protocol is not Protocol.SPLIT
    members = tuple(Replicate(0, i) if folds else Replicate(i) for i in range(replicates))
    reports = samples.training(record, goal, Phase.CONFIRM, replicates, epochs, number)
    settings = {"replicates": members, "origin": planned.origin, **changes}
    samples.save(store, record, number, Phase.CONFIRM, reports, **settings)


def ablation(store: Store, done: int = 10, **changes: Any) -> SweepRecord:
    """The ten rows on ZINC, the first ``done`` of them run."""
    rows = [row(name, "zinc", "ablation") for name in ABLATION]
    (record,) = begin(store, "paper/ablation", "ablation", rows)
    for number in range(done):
        train(store, record, number, 0.2 - 0.01 * number, **changes)
    return record


def folds(store: Store, **changes: Any) -> list[SweepRecord]:
    """PDF on two TU sets under two protocols."""
    rows = [row("PDF", dataset) for dataset in ("mutag", "ptc_mr")]
    protocols = (Protocol.GIN_CURVE, Protocol.INNER)
    records = begin(store, "paper/tu", "folds", rows, protocols)
    for record in records:
        train(store, record, 0, 0.88 if record.dataset == "mutag" else 0.66, 10, **changes)
    return records


def timing(store: Store, epochs: int = 51) -> list[SweepRecord]:
    """GIN and two rows of PDF on ZINC, GIN on REDDIT-BINARY."""
    rows = [row(name, "zinc", "timing") for name in ("GIN", "shd-PDF 1-hop", "idp-PDF")]
    records = begin(store, "paper/timing", "timing", [*rows, row("GIN", "reddit-binary", "timing")])
    for record, count in zip(records, (3, 1), strict=True):
        for number in range(count):
            train(store, record, number, 0.3, 1, epochs)
    return records


def grids(store: Store, name: str) -> list[Grid]:
    return study_grids(load_study(store, name))


def line(grid: Grid, name: str) -> dict[str, Cell | str]:
    found = next(line for line in grid.lines if " ".join((line.group, line.name)).strip() == name)
    return dict(zip(grid.columns, found.cells, strict=True))


def cell(grid: Grid, name: str, column: str) -> Cell:
    found = line(grid, name)[column]
    assert isinstance(found, Cell)
    return found
