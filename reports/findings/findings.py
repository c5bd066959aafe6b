"""What a search found, what it could not tell, and by which rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.findings.best_trial import best_statement
from reports.findings.confirmed import confirmed_statement
from reports.findings.noise import LEVEL
from reports.findings.parameters import CHANCE, parameter_statement
from reports.grid.plain_table import escape_markdown
from reports.pages.importance import SHUFFLES, ImportanceReport, importance
from reports.sweep_data import SweepData
from reports.tables.epochs_spent import epochs_text

RULE = (
    f"Intervals are Student's, {LEVEL:.0%}, each of one comparison; where one holds 0 there is no "
    "measurable difference. Confirmed configurations are compared by paired differences of test "
    "values on the same fresh replicates at equal epochs. Trials of the search are compared by "
    "validation values at equal epochs, with the pooled spread between replicates of one "
    "configuration; the best of many is partly lucky, so its value is optimistic. With folds, "
    "which share training graphs, standard errors are enlarged (Nadeau and Bengio 2003). A "
    f"parameter is named where its share of the variance of ranks is larger than in "
    f"{1 - CHANCE:.0%} of {SHUFFLES:,} shuffles, adjusted for the number of parameters (Holm). A "
    "sampler draws where earlier trials were good, so that p is approximate."
)


@dataclass(frozen=True)
class Findings:
    """Sentences on a search; ``unknown`` are on what it could not tell.

    ``partial`` says what is unfinished, and ``epochs`` what was trained and saved.
    """

    found: tuple[str, ...]
    unknown: tuple[str, ...]
    partial: tuple[str, ...]
    epochs: str
    rule: str = RULE

    def lines(self) -> list[str]:
        """The sentences for a terminal, each with the word that says what it is."""
        return [
            *(f"found: {text}" for text in self.found),
            *(f"not known: {text}" for text in self.unknown),
            *([f"epochs: {self.epochs}"] if self.epochs else []),
        ]

    def markdown(self) -> str:
        """The sentences as a section in Markdown, with the rule below them."""
        parts = ["# What the search found"]
        parts += [f"Partial: {escape_markdown(notice)}." for notice in self.partial]
        parts += _bullets(self.found)
        parts += ["## What it could not tell", *_bullets(self.unknown)] if self.unknown else []
        return "\n\n".join([*parts, escape_markdown(self.rule)]) + "\n"


def _bullets(texts: Sequence[str]) -> list[str]:
    return ["\n".join(f"- {escape_markdown(text)}" for text in texts)] if texts else []


def search_findings(data: SweepData, shares: ImportanceReport | None = None) -> Findings:
    """Say what a sweep found, of its records alone.

    ``shares`` is the importance of its parameters; without it, it is measured here.
    """
    statements = [
        best_statement(data),
        parameter_statement(data, shares or importance(data)),
        confirmed_statement(data),
    ]
    return Findings(
        found=tuple(s.found for s in statements if s.found),
        unknown=tuple(s.unknown for s in statements if s.unknown),
        partial=tuple(data.notices()),
        epochs=epochs_text(data),
    )
