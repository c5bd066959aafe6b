"""The search's source of jobs: unfinished trials first, then new configurations."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pdf_search.config import InputShape, TrialConfig
from pdf_search.errors import ConfigError
from pdf_search.records import Phase
from pdf_search.sweep.samplers.counting import MOST_COUNTED
from pdf_search.sweep.samplers.fixed_points import GRID, PORTFOLIO, Point, fixed_points
from pdf_search.sweep.samplers.jobs import Job
from pdf_search.sweep.samplers.methods import Method
from pdf_search.sweep.samplers.optuna_study import Draw, OptunaStudy, Rejection
from pdf_search.wording import counted

TRIES = 100  # draws rejected in a row after which the search ends
TRIES_OF_SAMPLER = 50  # then draws are random, because TPE may keep proposing what it knows

Build = Callable[[dict[str, Any]], TrialConfig]


class Suggestions:
    """The jobs of a search: ``total`` trials, of which those numbered below ``start`` exist.

    ``reruns`` of these numbers belong to reruns, which are none of the ``total``. New
    configurations are the listed points, those of the ``portfolio``, then those of the grid or the
    sampler. ``known`` maps the hash of every configuration that has a trial to the trial's number.
    ``message`` says why the search ended before ``total``, or which listed point was passed over.
    """

    def __init__(  # noqa: PLR0913
        self,
        log: OptunaStudy,
        method: Method,
        shape: InputShape,
        build: Build,
        *,
        total: int,
        start: int = 0,
        reruns: int = 0,
        known: dict[str, int] | None = None,
        unfinished: Iterable[Job] = (),
        portfolio: Sequence[Mapping[str, Any]] = (),
        repeat: bool = False,
    ) -> None:
        self.log = log
        self.method = method
        self.shape = shape
        self.build = build
        self.total = total
        self.reruns = reruns
        self.end = total + reruns  # the number after the last trial's
        self.number = start
        self.known = dict(known or {})
        self.unfinished = deque(unfinished)
        self.repeat = repeat
        self.message = ""
        self._points: Iterator[Point] = fixed_points(log.space, method, portfolio)

    def remaining(self) -> int:
        """See ``Source.remaining``."""
        return len(self.unfinished) + max(0, self.end - self.number)

    def waits(self) -> bool:
        """See ``Source.waits``; never here."""
        return False

    def next(self) -> Job | None:
        """The next job; None when all trials have been given or nothing new can be found.

        Raises:
            ConfigError: no configuration at all was found within the limits of the space.
        """
        if self.unfinished:
            return self.unfinished.popleft()
        if self.number >= self.end:
            return None
        return self._next_point() or self._sample()

    def _next_point(self) -> Job | None:
        for point in self._points:
            if point.key in self.log.used_points:
                continue
            config = self._checked(dict(point.values))
            if not isinstance(config, Rejection):
                return self._accept(self.log.ask_point(point), config, point.origin)
            if point.origin not in (PORTFOLIO, GRID):
                what = "listed point" if point.origin == "listed" else "published setting"
                self.message = f"the {what} was passed over: {config.reason}"
        return None

    def _sample(self) -> Job | None:
        if self.method.sampler == "grid":
            self.message = self._ended("the grid has no further configuration within the limits")
            return None
        reasons: Counter[str] = Counter()
        for attempt in range(TRIES):
            sampler = self.method.sampler if attempt < TRIES_OF_SAMPLER else "random"
            drawn = self.log.ask(sampler)
            config = self._checked(drawn.values)
            if not isinstance(config, Rejection):
                return self._accept(drawn, config, "sampled")
            self.log.reject(drawn, config)
            reasons[config.reason] += 1
        left = self._left()
        if left is not None:
            return left
        common, count = reasons.most_common(1)[0]
        text = f"{TRIES} draws in a row gave no new configuration ({count} times: {common})"
        if self.number == self.reruns:
            raise ConfigError(f"space {self.log.space.name}: {text}. Widen the space or its limits")
        self.message = self._ended(text)
        return None

    def _left(self) -> Job | None:
        """A configuration of a small space that the draws have missed; None if there is none."""
        size = self.log.space.size()
        if size is None or size > MOST_COUNTED or self.method.stopping == "pbt":
            return None
        for index, values in enumerate(self.log.space.grid()):
            config = self._checked(values)
            if not isinstance(config, Rejection):
                drawn = self.log.ask_point(Point(f"left {index}", "sampled", values))
                return self._accept(drawn, config, "sampled")
        return None

    def _ended(self, reason: str) -> str:
        return f"{counted(self.number - self.reruns, 'trial')} instead of {self.total}: {reason}"

    def _checked(self, values: dict[str, Any]) -> TrialConfig | Rejection:
        """The configuration of a point, or why it is not trained."""
        try:
            config = self.build(values)
        except ConfigError as error:
            return Rejection(str(error), {"settings": 1.0})
        violations = self.log.space.violations(config, self.shape)
        if violations:
            return Rejection("; ".join(violations), self.log.space.excesses(config, self.shape))
        twin = self.known.get(config.content_hash())
        if twin is not None and not self.repeat:
            return Rejection(f"the configuration of trial {twin}", twin=twin)
        return config

    def _accept(self, drawn: Draw, config: TrialConfig, origin: str) -> Job:
        self.log.accept(drawn, self.number)
        self.known.setdefault(config.content_hash(), self.number)
        job = Job(Phase.SEARCH, self.number, config, origin, drawn.values)
        self.number += 1
        return job
