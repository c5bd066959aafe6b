"""The data sets known by name: their inputs, task, metric and protocol."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from pdf_search.config import (
    CategoricalInput,
    DataConfig,
    InputShape,
    LinearInput,
    NoInput,
)
from pdf_search.data.molecules.smiles_table import read_own_of
from pdf_search.data.own_graphs.read import graph_set
from pdf_search.data.raw.ogb_package import atom_sizes, bond_sizes, graph_property_sets
from pdf_search.data.tables.file_bytes import unpacked_name
from pdf_search.data.targets.metrics import (
    OWN_METRICS,
    TASK_METRICS,
    MetricError,
    metric_problem,
)
from pdf_search.errors import DataError
from pdf_search.records import Protocol, Task


@dataclass(frozen=True)
class DatasetInfo:
    """What is known of a data set: names, task, metric, protocol, inputs and outputs.

    It is the same before and after preparation.
    """

    name: str
    title: str  # as printed in tables
    task: Task
    metric: str  # key of records.METRICS
    protocol: Protocol
    shape: InputShape | None
    unit: str = ""
    space: str = ""  # name of the default search space


@dataclass(frozen=True)
class TUSet:
    """A data set of the TU collection: folder, printed title, node features, number of classes."""

    folder: str
    title: str
    features: int
    classes: int


TU_SETS: dict[str, TUSet] = {
    "mutag": TUSet("MUTAG", "MUTAG", 7, 2),
    "nci1": TUSet("NCI1", "NCI1", 37, 2),
    "nci109": TUSet("NCI109", "NCI109", 38, 2),
    "enzymes": TUSet("ENZYMES", "ENZYMES", 18, 6),
    "ptc_mr": TUSet("PTC_MR", "PTC_MR", 18, 2),
    "proteins": TUSet("PROTEINS", "PROTEINS", 1, 2),
    "imdb-binary": TUSet("IMDB-BINARY", "IMDB-B", 10, 2),
    "reddit-binary": TUSet("REDDIT-BINARY", "RDT-B", 10, 2),
}

_ALIASES = {
    "imdb-b": "imdb-binary",
    "rdt-b": "reddit-binary",
    "reddit-b": "reddit-binary",
    "ptc-mr": "ptc_mr",
    "ptc": "ptc_mr",
    "zinc-12k": "zinc",
    "zinc12k": "zinc",
}

_OGB_METRICS = {"rocauc": "rocauc", "ap": "ap", "rmse": "rmse", "acc": "accuracy"}
_OGB_TASKS = {
    "binary classification": Task.MULTILABEL,
    "regression": Task.REGRESSION,
    "multiclass classification": Task.MULTICLASS,
}
_OGB_UNITS = {"ogbg-molesol": "log mol/L", "ogbg-molfreesolv": "kcal/mol"}

GRAPHS = "graphs"  # own graphs that are no molecules
OWN = ("csv", GRAPHS)
OWN_SPACE = "freesolv"  # default space of own molecules


def names() -> list[str]:
    """Return the names of all named data sets. ``csv``, for own molecules, is not among them."""
    return ["freesolv", "zinc", *TU_SETS, *_ogb_names()]


def canonical(name: str) -> str:
    """Return the registered spelling of a name: lower case, short forms spelt out.

    An unknown name is returned stripped and in lower case.
    """
    plain = name.strip().lower()
    spellings = (plain, plain.replace("_", "-"), plain.replace("-", "_"))
    known = (_ALIASES.get(spelling, spelling) for spelling in spellings)
    return next((name for name in known if name in _all_names()), plain)


def lookup(config: DataConfig) -> DatasetInfo:
    """Return what is known of a data set before its files are prepared.

    For own molecules (``csv``) the target columns are read, because they decide the task.

    Raises:
        DataError: The name is unknown (the message names close matches), or the task or metric
            does not fit.
    """
    name = canonical(config.name)
    if name == "csv":
        info = _csv_info(config)
    elif name == GRAPHS:
        info = _graphs_info(config)
    else:
        info = _named(name, config.name)
        _refuse_csv_keys(config, info)
    return replace(info, metric=_metric(config, info))


def begun_metric(info: DatasetInfo, named: str | None) -> str:
    """Return the metric of what is begun on a data set, where ``data.metric`` is ``named``.

    A recorded trial without a metric keeps that of ``info``; for data of one's own it is another.
    """
    own = info.name in OWN and named is None
    return OWN_METRICS[info.task] if own else info.metric


def family(config: DataConfig) -> tuple[str, str]:
    """Return the names of a data set and of its default search space, without reading any file."""
    name = canonical(config.name)
    if name in OWN:
        return name, OWN_SPACE
    return name, _named(name, config.name).space


def molecule_shape(outputs: int, task: Task) -> InputShape:
    """Return the shape of molecules from OGB's featuriser; bond code 0 is added for "no bond"."""
    return InputShape(
        nodes=CategoricalInput(sizes=atom_sizes(), init="xavier"),
        edges=CategoricalInput(
            sizes=tuple(size + 1 for size in bond_sizes()), frozen_zero=True, init="xavier"
        ),
        outputs=outputs,
        task=task,
    )


@cache
def _all_names() -> frozenset[str]:
    return frozenset([*names(), *OWN])


def _ogb_names() -> list[str]:
    return [name for name in graph_property_sets() if name == "ogbg-ppa" or "-mol" in name]


def _named(name: str, given: str) -> DatasetInfo:
    if name == "zinc":
        return _zinc_info()
    if name == "freesolv":
        return _freesolv_info()
    if name in TU_SETS:
        return _tu_info(name)
    if name in _ogb_names():
        return _ogb_info(name)
    raise DataError(_unknown(given, name))


def _unknown(given: str, plain: str) -> str:
    pool = sorted(_all_names() | set(_ALIASES))
    close = get_close_matches(plain, pool, n=3, cutoff=0.6)
    close = list(dict.fromkeys(_ALIASES.get(match, match) for match in close))
    hint = f"did you mean {', '.join(close)}?" if close else f"known: {', '.join(names())}"
    own = "your own molecules: name csv with data.path"
    return f"no data set is called {given!r}: {hint} (`pdf-search data --list`; {own})"


def _zinc_info() -> DatasetInfo:
    shape = InputShape(
        nodes=CategoricalInput(sizes=(28,)),
        edges=CategoricalInput(sizes=(4,)),
        outputs=1,
        task=Task.REGRESSION,
    )
    return DatasetInfo("zinc", "ZINC", Task.REGRESSION, "mae", Protocol.SPLIT, shape, space="zinc")


def _freesolv_info() -> DatasetInfo:
    shape = molecule_shape(1, Task.REGRESSION)
    return DatasetInfo(
        "freesolv",
        "FreeSolv",
        Task.REGRESSION,
        "rmse",
        Protocol.SPLIT,
        shape,
        unit="kcal/mol",
        space="freesolv",
    )


def _tu_info(name: str) -> DatasetInfo:
    known = TU_SETS[name]
    shape = InputShape(
        nodes=LinearInput(features=known.features),
        edges=NoInput(),
        outputs=known.classes,
        task=Task.MULTICLASS,
    )
    return DatasetInfo(
        name, known.title, Task.MULTICLASS, "accuracy", Protocol.GIN_CURVE, shape, space=name
    )


def _ogb_info(name: str) -> DatasetInfo:
    row = graph_property_sets()[name]
    task = _OGB_TASKS[row["task type"]]
    metric = _OGB_METRICS[row["eval metric"]]
    if name == "ogbg-ppa":
        shape = InputShape(
            nodes=CategoricalInput(sizes=(1,)),
            edges=LinearInput(features=7),
            outputs=int(row["num classes"]),
            task=task,
        )
    else:
        shape = molecule_shape(int(row["num tasks"]), task)
    space = name if name == "ogbg-ppa" else "ogbg-molpcba"
    unit = _OGB_UNITS.get(name, "")
    return DatasetInfo(name, name, task, metric, Protocol.SPLIT, shape, unit=unit, space=space)


def _csv_info(config: DataConfig) -> DatasetInfo:
    if config.path is None:
        raise DataError("data.name is csv, but data.path (the file with the molecules) is missing")
    _, targets = read_own_of(config)
    return DatasetInfo(
        "csv",
        unpacked_name(Path(config.path)).stem,
        targets.task,
        TASK_METRICS[targets.task][0],
        Protocol.SPLIT,
        molecule_shape(targets.outputs, targets.task),
        space=OWN_SPACE,
    )


def _graphs_info(config: DataConfig) -> DatasetInfo:
    if config.path is None:
        raise DataError("data.name is graphs, but data.path (the file with them) is missing")
    own = graph_set(config)
    return DatasetInfo(
        GRAPHS,
        unpacked_name(Path(config.path)).stem,
        own.task,
        TASK_METRICS[own.task][0],
        Protocol.SPLIT,
        own.shape,
        space=OWN_SPACE,
    )


def _refuse_csv_keys(config: DataConfig, info: DatasetInfo) -> None:
    for key in ("path", "targets", "split_column", "skip_bad_rows"):
        if getattr(config, key):
            raise DataError(
                f"data.{key} belongs to own molecules, but data.name is {config.name!r}: "
                f"write name: csv (or graphs), or leave {key} out"
            )
    if config.task not in (None, info.task):
        raise DataError(f"data.task: {info.title} is a {info.task} task, not {config.task}")


def _metric(config: DataConfig, info: DatasetInfo) -> str:
    if config.metric is None:
        return info.metric
    what = f"{info.task} ({info.title})"
    problem = metric_problem(config.metric, TASK_METRICS[info.task], what)
    if problem:
        raise MetricError(f"data.metric: {problem}")
    return config.metric
