"""The result of a single training, as data for programs and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pdf_search.cli.output import terminal_width
from pdf_search.config import TrialConfig
from pdf_search.data import Prepared
from pdf_search.parameters import parameter_count
from pdf_search.records import (
    METRICS,
    EpochReport,
    Metric,
    State,
    SweepRecord,
    TrialOutcome,
    TrialRecord,
)
from pdf_search.results import Stat, TrialSummary, summarise
from pdf_search.training import target_values
from pdf_search.wording import counted
from reports import baseline_name, format_both, metric_label, render_plain, scaled

SHOWN = 20  # most targets in the table


def train_result(
    config: TrialConfig,
    data: Prepared,
    path: Path,
    curve: Sequence[EpochReport],
    outcome: TrialOutcome,
    baseline: EpochReport,
) -> dict[str, Any]:
    """The result as JSON-like data.

    It has the state, the values of each replicate, their mean and deviation, each target's, and the
    baseline's.
    """
    metric = METRICS[config.data.metric or data.info.metric]
    summary = _summary(config, data, path.name, curve, outcome, metric)
    shape = data.info.shape
    assert shape is not None
    return {
        "name": path.name,
        "folder": str(path),
        "data": data.info.title,
        "state": outcome.state.value,
        "message": outcome.message,
        "protocol": config.protocol.value,
        "metric": metric.name,
        "unit": data.info.unit,
        "epochs": outcome.epochs,
        "parameters": parameter_count(config.model, config.basis.size, shape),
        "valid": _stat(summary.valid),
        "test": _stat(summary.test),
        "last_test": _stat(summary.last_test),
        "baseline": {
            part: _stat([getattr(r, part) for r in baseline.replicates])
            for part in ("valid", "test")
        },
        "targets": _targets(data, path, outcome, metric),
        "replicates": [
            {
                "seed": who.seed,
                "fold": who.fold,
                "best_epoch": summary.best_epochs[number],
                "valid": summary.valid[number],
                "test": summary.test[number],
            }
            for number, who in enumerate(config.replicates)
        ],
        "files": sorted(file.name for file in path.iterdir() if not file.name.startswith(".")),
    }


def result_table(result: dict[str, Any]) -> str:
    """The result as text for a terminal: a row for the model and one for the baseline."""
    metric = METRICS[result["metric"]]
    label = metric_label(metric.name, result["unit"])
    header = ["", f"valid {label}", f"test {label}", "n"]
    rows = [
        _row("PDF", result, metric),
        _row(baseline_name(metric.name), result["baseline"], metric),
    ]
    note = f": {result['message']}" if result["message"] else ""
    head = (
        f"{result['data']}: {result['state']}{note} after {counted(result['epochs'], 'epoch')}, "
        f"{counted(result['parameters'], 'parameter')}, protocol {result['protocol']}"
    )
    table = render_plain(header, rows, terminal_width()) + _target_table(result, metric, header)
    return f"{head}\n\n{table}{_unchosen(result, metric)}"


def _targets(
    data: Prepared, path: Path, outcome: TrialOutcome, metric: Metric
) -> list[dict[str, Any]]:
    """The values of each target if there are several, whose mean is the metric; else []."""
    if outcome.state is not State.COMPLETE:
        return []
    found = target_values(path, metric.name)
    if not found:
        return []
    of = {part: list(zip(*found[part]["values"], strict=True)) for part in found}
    return [
        {"name": name} | {part: _stat(of[part][number]) for part in of}
        for number, name in enumerate(data.target_names)
    ]


def _target_table(result: dict[str, Any], metric: Metric, header: list[str]) -> str:
    targets = result["targets"]
    if not targets:
        return ""
    rows = [_target_row(target, metric) for target in targets[:SHOWN]]
    more = f"... and {len(targets) - SHOWN} more, see --json\n" if len(targets) > SHOWN else ""
    return f"\n{render_plain(['target', *header[1:]], rows, terminal_width())}{more}"


def _target_row(target: dict[str, Any], metric: Metric) -> list[str]:
    none = {"n": None}  # a protocol without a validation part
    cells = []
    for stat in (target.get("valid", none), target["test"]):
        undefined = "undefined" if stat["n"] == 0 else "–"
        cells.append(_cell(stat, metric) if stat["n"] else undefined)
    return [target["name"], *cells, str(target["test"]["n"])]


def _row(name: str, values: dict[str, Any], metric: Metric) -> list[str]:
    cells = [_cell(values[part], metric) for part in ("valid", "test")]
    return [name, *cells, str(values["test"]["n"])]


def _cell(stat: dict[str, Any], metric: Metric) -> str:
    return format_both(scaled(stat["mean"], metric), scaled(stat["std"], metric))


def _unchosen(result: dict[str, Any], metric: Metric) -> str:
    """A note if no epoch has a validation value to be chosen by; else ""."""
    done = result["state"] == State.COMPLETE.value
    if not done or result["test"]["n"]:
        return ""
    last = _cell(result["last_test"], metric)
    if not result["last_test"]["n"]:
        return f"\n{metric.label} is undefined on the test part; see the note above"
    return (
        f"\n{metric.label} is undefined on the validation part, so no epoch is chosen by it: the "
        f"model kept is that of the last epoch, test {last}"
    )


def _stat(values: Sequence[float | None]) -> dict[str, Any]:
    stat = Stat.of(values)
    return {"mean": stat.mean, "std": stat.std, "n": stat.n}


def _summary(
    config: TrialConfig,
    data: Prepared,
    name: str,
    curve: Sequence[EpochReport],
    outcome: TrialOutcome,
    metric: Metric,
) -> TrialSummary:
    sweep = SweepRecord(
        name=name,
        space="",
        space_definition={},
        dataset=data.info.name,
        fingerprint=data.fingerprint,
        split_hash="",
        metric=metric.name,
        protocol=config.protocol,
        method="",
        seed=config.seeds[0],
        trials=1,
        epochs=config.epochs,
    )
    trial = TrialRecord(
        sweep=name,
        phase=config.phase,
        number=0,
        config=config.model_dump(mode="json"),
        config_hash=config.content_hash(),
        state=outcome.state,
        replicates=config.replicates,
        epochs_done=outcome.epochs,
    )
    return summarise(sweep, trial, curve)
