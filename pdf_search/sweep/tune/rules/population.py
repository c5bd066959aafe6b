"""The jobs of population based training (Jaderberg et al. 2017, arXiv:1711.09846)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from math import isfinite
from random import Random

from pdf_search.config import TrialConfig, parse_trial
from pdf_search.records import METRICS, Metric, Phase, State, TrialRecord
from pdf_search.space import Parameter
from pdf_search.sweep.samplers.explore import explored, replaced
from pdf_search.sweep.samplers.jobs import Job
from pdf_search.sweep.samplers.suggestions import Suggestions
from pdf_search.sweep.trial_log.recovery import job_from
from pdf_search.sweep.trial_log.saved import SavedTrials
from pdf_search.sweep.trial_log.trial_log import TrialLog
from pdf_search.wording import counted


class Population:
    """The jobs of a population: its members train from one perturbation to the next, then wait.

    When all have reached the epoch, each of the worst goes on from the checkpoint of one of the
    best, whose settings it takes with changed values of ``parameters``. A member that failed or
    diverged takes no part any more.

    What a perturbation does is a function of ``seed``, its epoch and the recorded values. So one
    that a kill cut off is done again alike, and a resume needs nothing but the database. ``epochs``
    are those of the perturbations. ``new`` gives unfinished trials, then those that do not exist
    yet. ``saved`` are the checkpoints on disk. ``say`` is told each perturbation.
    """

    def __init__(
        self,
        new: Suggestions,
        trial_log: TrialLog,
        epochs: tuple[int, ...],
        parameters: Mapping[str, Parameter],
        *,
        seed: int,
        device: str,
        saved: SavedTrials,
        say: Callable[[str], None],
    ) -> None:
        self.new = new
        self.trial_log = trial_log
        self.epochs = epochs
        self.parameters = parameters
        self.seed = seed
        self.device = device
        self.saved = saved
        self.say = say
        reached = max((r.epochs_done for r in trial_log.own.values()), default=0)
        self.round = sum(epoch < reached for epoch in epochs)
        self._let_wait()

    def remaining(self) -> int:
        """See ``Source.remaining``; a trial counts once."""
        waiting = [r for r in self._living() if r.state is State.PAUSED]
        return self.new.remaining() + len(waiting)

    def waits(self) -> bool:
        """See ``Source.waits``: those that wait go on when the last one has come."""
        return bool(self.trial_log.going)

    def goes_on(self, number: int, epoch: int, value: float) -> bool:  # noqa: ARG002
        """Whether a trial trains on after an epoch and does not wait for a perturbation.

        With a value that is not finite it goes on, to end by itself as DIVERGED.
        """
        return epoch not in self.epochs or not isfinite(value)

    def next(self) -> Job | None:
        """See ``Source.next``.

        Raises:
            ConfigError: no configuration at all was found within the limits of the space.
        """
        job = self.new.next()
        if job is not None:
            return job
        living = [r for r in self._living() if r.number not in self.trial_log.going]
        behind = [r.number for r in living if r.epochs_done < self._until]
        if not behind and living and not self.trial_log.going:
            self._perturb(self._until)
            self.round += 1
            behind = [r.number for r in living]
        if not behind:
            return None
        return job_from(self.trial_log, behind[0], self.device, self.saved)

    @property
    def _until(self) -> int:
        """The epoch up to which members train now; past all epochs for their end."""
        return self.epochs[self.round] if self.round < len(self.epochs) else sys.maxsize

    def _let_wait(self) -> None:
        """Let the unfinished members wait that were where they wait when the run ended."""
        for job in list(self.new.unfinished):
            record = self.trial_log.records[job.number]
            if record.epochs_done == self._until:
                self.new.unfinished.remove(job)
                self.trial_log.paused(job.number)

    def reached(self) -> str:
        """How far the population is, in words for a resume."""
        past = self.epochs[: self.round]
        if not past:
            return "pbt goes on before its first perturbation"
        of = f"{len(past)} of {counted(len(self.epochs), 'perturbation')}"
        return f"pbt goes on from the perturbation after epoch {past[-1]}, {of}"

    def _perturb(self, epoch: int) -> None:
        """Let the worst go on from the best; those of an earlier attempt stay as they are."""
        ranked = self._ranked(epoch)
        count = replaced(len(ranked))
        best, worst = ranked[:count], ranked[len(ranked) - count :]
        for number in worst:
            record = self.trial_log.records[number]
            if any(known["epoch"] == epoch for known in record.perturbations or ()):
                continue
            random = Random(f"{self.seed}:{epoch}:{number}")
            source = self.trial_log.records[random.choice(best)]
            if record.state.finished or source.state.finished:
                continue
            config = explored(_config(source), epoch, self.parameters, random)
            values = self._values(config)
            self.trial_log.perturbed(number, source.number, epoch, config, values)
            shown = ", ".join(f"{path} {value:.3g}" for path, value in values.items())
            self.say(f"epoch {epoch}: trial {number} goes on from trial {source.number}, {shown}")

    def _ranked(self, epoch: int) -> list[int]:
        """The numbers of the members with a value at that epoch, the best first."""
        log = self.trial_log
        curves = log.store.all_epochs(log.sweep, Phase.SEARCH, at=[epoch])
        metric: Metric = METRICS[log.sweeps[log.sweep].metric]
        sign = 1 if metric.mode == "min" else -1
        found = {n: curves[n][0].valid for n in log.own if n in curves}
        values = {n: v for n, v in found.items() if v is not None and metric.better(v, None)}
        return sorted(values, key=lambda number: (sign * values[number], number))

    def _values(self, config: TrialConfig) -> dict[str, float]:
        """The values of the explored parameters after the last change."""
        tree = config.training.changes[-1].model_dump()
        return {path: tree[path.rpartition(".")[2]] for path in self.parameters}

    def _living(self) -> list[TrialRecord]:
        return [r for r in self.trial_log.own.values() if not r.state.finished]


def _config(record: TrialRecord) -> TrialConfig:
    return parse_trial(record.config, "recorded trial")
