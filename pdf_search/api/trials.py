"""A trial of a recorded sweep: its configuration, its score, its model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from pdf_search.api.export import export_model, score_table, short_note
from pdf_search.config import TrialConfig, parse_trial
from pdf_search.data import Dataset, Progress
from pdf_search.errors import ConfigError
from pdf_search.inference import Model, Score, load_trained
from pdf_search.records import Phase, Protocol
from pdf_search.results import Stat
from pdf_search.sweep import SweepFolder, recorded_copy
from reports import Entry, SweepData, format_both, scaled


@dataclass(frozen=True)
class Trial:
    """A trial of a sweep, as it was recorded when the sweep was read."""

    folder: SweepFolder
    data: SweepData
    entry: Entry

    @property
    def number(self) -> int:
        """Its number within its phase."""
        return self.entry.trial.number

    @property
    def phase(self) -> Phase:
        """The phase in which it was trained."""
        return self.entry.trial.phase

    @property
    def value(self) -> float | None:
        """The mean of its metric over replicates: test if confirmed, else validation.

        In percent for accuracy, ROC-AUC and AP, else in the unit of the target.
        """
        return scaled(self.entry.summary.mean, self.data.metric)

    @property
    def spread(self) -> float | None:
        """The population standard deviation over replicates, in the unit of ``value``.

        None for fewer than two, and for a predictor that is the same for every seed.
        """
        return scaled(self.entry.spread_of(self.entry.summary.headline), self.data.metric)

    @cached_property
    def config(self) -> TrialConfig:
        """Its whole configuration."""
        name = f"trial {self.number} of {self.folder.called}"
        return parse_trial(self.entry.trial.config, name)

    @cached_property
    def model(self) -> Model:
        """Its trained model, with all replicates.

        Raises:
            ConfigError: it has no checkpoint, or that is gone.
        """
        with self._checkpoint() as folder:
            return Model(load_trained(folder, self.config))

    def predict(
        self, inputs: Sequence[str] | Sequence[Any] | Dataset, progress: Progress | None = None
    ) -> pd.DataFrame:
        """Predict molecules or graphs with its model; see ``Model.predict``."""
        return self.model.predict(inputs, progress)

    def export(
        self,
        folder: str | Path,
        *,
        refit: bool = False,
        data_root: Path | None = None,
        cache: Path | None = None,
        progress: Progress | None = None,
    ) -> Path:
        """Write its model with a card into a new folder, for ``pdf_search.load``.

        ``refit``: train it on all data before, validation and test part included. The card then
        says that the score is that of the model before.

        Raises:
            ConfigError: it has no model, or the folder holds something already.
            DataError: ``refit``, and the data are gone or changed.
            TrialError: the refit diverged.
        """
        return export_model(
            self.model.trained,
            self.score,
            Path(folder),
            all_data=refit,
            epochs=self.refit_epochs,
            data_root=data_root,
            cache=cache,
            progress=progress,
        )

    @property
    def refit_epochs(self) -> int | None:
        """The epoch that its protocol chose for all folds, if it does; a refit trains so many."""
        curve = self.config.protocol is Protocol.GIN_CURVE
        return self.entry.summary.best_epoch if curve else None

    @property
    def score(self) -> Score:
        """Its row of the result table, and where it comes from."""
        sweep, trial, summary = self.data.sweep, self.entry.trial, self.entry.summary
        values = {"validation": summary.valid}
        if self.phase is Phase.CONFIRM:
            values = {"test": summary.test, **values}
        count = trial.parameters
        rest = [("parameters", f"{count:,}" if count else "–"), ("protocol", sweep.protocol.value)]
        packages = ", ".join(f"{name} {version}" for name, version in sweep.versions.items())
        provenance = [
            ("sweep", f"{sweep.name}, {sweep.created}"),
            ("trial", f"{self.number} of phase {self.phase.value} ({trial.origin})"),
            ("trained", f"{trial.ended} on {trial.device or 'an unknown device'}"),
            ("with", packages),
            ("commit", sweep.commit),
        ]
        table = score_table(f"PDF, {trial.called}", sweep.metric, self.data.unit, values, rest)
        note = self.data.beside_note(self.entry)
        notes = [f"{note[0].upper()}{note[1:]}."] if note else []
        notes += short_note(self.config)
        return Score(
            "\n\n".join([table, *notes, *self._by_target()]),
            [(name, value) for name, value in provenance if value],
        )

    def _by_target(self) -> list[str]:
        """The test values of each target, if there are several, as a Markdown list."""
        found = (self.entry.trial.by_target or {}).get("test")
        if found is None:
            return []
        names, metric = self.data.target_names, self.data.metric
        each = [Stat.of(values) for values in zip(*found["values"], strict=True)]
        lines = [
            f"* {name}: test {metric.label} "
            f"{format_both(scaled(stat.mean, metric), scaled(stat.std, metric))}"
            for name, stat in zip(names, each, strict=True)
        ]
        return ["\n".join(lines)]

    @contextmanager
    def _checkpoint(self) -> Iterator[Path]:
        trial = self.entry.trial
        if not trial.checkpoint:
            raise ConfigError(
                f"trial {self.number} of {self.folder.called} ({self.phase.value}) is "
                f"{trial.state.value} and has no model: choose a complete one"
            )
        with recorded_copy(self.folder.checkpoint(trial.checkpoint)) as folder:
            yield folder

    def __repr__(self) -> str:
        part, metric = self.entry.summary.split, self.data.metric.label
        value = "no value" if self.value is None else f"{self.value:.4g}"
        return f"Trial({self.number} of {self.phase.value}: {part} {metric} {value})"
