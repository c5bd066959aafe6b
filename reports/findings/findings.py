"""What a search found, what it could not tell, and by which rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pdf_search.records import State
from pdf_search.wording import counted
from reports.findings.best_trial import best_statement
from reports.findings.confirmed import confirmed_statement
from reports.findings.noise import LEVEL
from reports.findings.parameters import CHANCE, parameter_statement
from reports.grid.plain_table import escape_sentence
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

    ``searched`` says what was searched, how, and what early stopping saved. ``partial`` says what
    is unfinished.
    """

    searched: str
    found: tuple[str, ...]
    unknown: tuple[str, ...]
    partial: tuple[str, ...]
    rule: str = RULE

    def lines(self) -> list[str]:
        """The sentences for a terminal, each with the word that says what it is."""
        return [
            f"searched: {self.searched}",
            *(f"found: {text}" for text in self.found),
            *(f"not known: {text}" for text in self.unknown),
        ]

    def markdown(self) -> str:
        """The sentences as a section in Markdown, with the rule below them."""
        parts = ["# What the search found"]
        parts += [f"Partial: {escape_sentence(notice)}." for notice in self.partial]
        parts += _bullets([self.searched, *self.found])
        parts += ["## What it could not tell", *_bullets(self.unknown)] if self.unknown else []
        return "\n\n".join([*parts, escape_sentence(self.rule)]) + "\n"


def searched_statement(data: SweepData) -> str:
    """What was searched, in one sentence: trials, parameters, method, and the epochs spent."""
    begun = [entry for entry in data.search if entry.trial.state is not State.NOT_STARTED]
    paths = {path for entry in data.search for path in entry.trial.params}
    over = f" over {counted(len(paths), 'parameter')}" if paths else ""
    spent = epochs_text(data)
    return (
        f"Searched {counted(len(begun), 'configuration')}{over} on {data.title} by "
        f"{data.sweep.method}{f': {spent}' if spent else ''}."
    )


def _bullets(texts: Sequence[str]) -> list[str]:
    return ["\n".join(f"- {escape_sentence(text)}" for text in texts)] if texts else []


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
        searched=searched_statement(data),
        found=tuple(s.found for s in statements if s.found),
        unknown=tuple(s.unknown for s in statements if s.unknown),
        partial=tuple(data.notices()),
    )
