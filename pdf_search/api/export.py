"""Exports a trained model with its card, as it is or trained anew on all data."""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean

import numpy
import torch

import pdf_search
from pdf_search.api.refitting import refit, refit_config
from pdf_search.config import TrialConfig
from pdf_search.data import Prepared, Progress, load_prepared, prepare, recorded_data, silent
from pdf_search.errors import DataError
from pdf_search.inference import Score, Trained, load_trained, model_card, write_model
from pdf_search.paths import check_new_folder, expanded
from pdf_search.records import METRICS, EpochReport
from pdf_search.results import Stat, Values
from pdf_search.wording import counted
from reports import format_both, metric_label, render_markdown, scaled

SAID = 10  # times that a refit says how far it is


def export_model(
    trained: Trained,
    score: Score,
    folder: Path,
    *,
    all_data: bool = False,
    epochs: int | None = None,
    data_root: Path | None = None,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> Path:
    """Write a model with its card into a new folder, and return its path.

    ``all_data``: train it anew on all of its data before. ``epochs``: for how many; by default the
    mean of those that the replicates' weights are from.

    Raises:
        ConfigError: the folder holds something already, or cannot be written.
        DataError: the data to train on are gone or changed.
        FullDiskError: the folder's disk is full.
        TrialError: the training diverged.
    """
    folder = expanded(folder)
    check_new_folder(folder, "--to")
    if all_data:
        data = _data(trained, data_root, cache, progress)
        config = refit_config(trained.config, epochs or round(fmean(trained.epochs)))
        trained = _refitted(config, data, progress or silent)
        score = replace(score, refitted=True)
    provenance = [
        *score.provenance,
        ("configuration", trained.config.content_hash()),
        ("seeds", ", ".join(map(str, trained.config.seeds))),
        ("epochs", ", ".join(map(str, trained.epochs))),
        ("exported", f"{datetime.now(UTC):%Y-%m-%d} by pdf_search {_versions()}"),
    ]
    write_model(trained, folder, model_card(trained, replace(score, provenance=provenance)))
    return folder


def score_table(
    method: str, metric: str, unit: str, values: dict[str, Values], rest: Sequence[tuple[str, str]]
) -> str:
    """A Markdown table of one row; ``values`` are those of each part, one a replicate."""
    label, head, row = metric_label(metric, unit), ["method"], [method]
    for part, each in values.items():
        stat = Stat.of(each)
        if stat.mean is not None:
            ours = METRICS[metric]
            head += [f"{part} {label}", "n"]
            row += [format_both(scaled(stat.mean, ours), scaled(stat.std, ours)), str(stat.n)]
    head += [name for name, _ in rest]
    return render_markdown(head, [[*row, *(value for _, value in rest)]]).rstrip()


def train_score(trained: Trained, curve: Sequence[EpochReport], name: str) -> Score:
    """The score of a run of ``pdf-search train``, at the epochs that its weights are from."""
    by_epoch = {report.epoch: report.replicates for report in curve}
    found = [by_epoch[e][r] for e, r in zip(trained.epochs, trained.numbers, strict=True)]
    info, config = trained.facts.info, trained.config
    values = {"test": tuple(r.test for r in found), "validation": tuple(r.valid for r in found)}
    metric = config.data.metric or info.metric
    rest = [("protocol", config.protocol.value)]
    table = score_table("PDF", metric, info.unit, values, rest)
    text = "\n\n".join([table, *short_note(config)])
    return Score(text, [("run", f"{name} of `pdf-search train`")])


def short_note(config: TrialConfig) -> list[str]:
    """A sentence on what the run of a score leaves out of its setting; empty for a whole run."""
    found, share = [], config.data.train_fraction
    if config.epochs < config.training.epochs:
        found.append(f"cut after {config.epochs} of {config.training.epochs} epochs")
    if share < 1:
        found.append(f"trained on {share:.3g} of the training part")
    return [f"The model of this score was {' and '.join(found)}."] if found else []


def _data(
    trained: Trained, data_root: Path | None, cache: Path | None, progress: Progress | None
) -> Prepared:
    facts, config = trained.facts, trained.config.data
    data = recorded_data(facts.prepared, facts.fingerprint, cache)
    if data is None:
        data = load_prepared(prepare(config, data_root, cache, progress=progress))
    if data.fingerprint != facts.fingerprint:
        raise DataError(
            f"the data of {facts.info.title} are not those that the model was trained on "
            f"({facts.fingerprint[:12]}, now {data.fingerprint[:12]}): restore "
            f"{config.path or 'the raw files'}, or export without --refit"
        )
    return data


def _refitted(config: TrialConfig, data: Prepared, say: Progress) -> Trained:
    every = max(1, config.epochs // SAID)
    length = counted(config.epochs, "epoch")
    say(f"training on all {counted(len(data.graphs), 'graph')} for {length}")

    def see(report: EpochReport) -> None:
        if report.epoch % every == 0 or report.epoch == config.epochs:
            loss = fmean(r.train_loss for r in report.replicates)
            say(f"epoch {report.epoch}/{config.epochs}  loss {loss:.4g}")

    with tempfile.TemporaryDirectory() as name:
        refit(config, data, Path(name), see)
        return load_trained(Path(name), config)


def _versions() -> str:
    return (
        f"{pdf_search.__version__} (Python {platform.python_version()}, torch {torch.__version__}, "
        f"numpy {numpy.__version__})"
    )
