"""One number of a table, printed as in the paper, with all that a reader must know to use it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reports.grid.numbers import format_spread, format_value

COMPLETE, PARTIAL, NOT_STARTED, PUBLISHED = "complete", "partial", "not started", "published"
TOLERANCE = 1e-9  # relative, for rounding errors: 0.068 lies within 0.066 ± 0.002


@dataclass(frozen=True)
class Cell:
    """A number in the printed unit, or a text without a number.

    ``kind`` is one of: ``ours``; ``published``; ``baseline``, a predictor without a model;
    ``aside``, ours by another rule and never ranked; ``warning``, ours but no valid estimate;
    ``computed`` without training; ``state``, that of a trial with its message as ``why``.

    ``spread`` is the standard deviation over ``n`` values (the population one if the number is
    ours), and ``over`` says what n counts: seeds, folds or epochs. ``exact`` is the text to print;
    without it, the value is rounded by its spread. ``why`` says what makes the number partial.
    ``reference`` is the published number beside it. ``cut`` is True if a budget ended the run
    before the last epoch of its setting.
    """

    kind: str
    quantity: str
    dataset: str = ""
    split: str = ""
    value: float | None = None
    spread: float | None = None
    n: int | None = None
    over: str = ""
    unit: str = ""
    protocol: str = ""
    parameters: int | None = None
    parameters_text: str = ""
    state: str = COMPLETE
    why: str = ""
    seeds: str = ""
    epochs: str = ""
    train_fraction: float = 1.0
    cut: bool = False
    exact: str = ""
    reference: Cell | None = None
    source: str = ""
    note: str = ""
    mark: str = ""

    @property
    def partial(self) -> bool:
        """Whether the number is from a run that has not started, is unfinished or was shortened."""
        return self.state in (PARTIAL, NOT_STARTED)

    @property
    def footnote(self) -> str:
        """Text of the footnote: why the number is partial, and its note; empty for neither."""
        state = f"{self.state}: {self.why}" if self.why else self.state
        return "; ".join(text for text in (state if self.partial else "", self.note) if text)

    @property
    def texts(self) -> tuple[str, str]:
        """Value and spread as printed; the spread is empty where there is none."""
        if self.exact:
            value, _, spread = self.exact.partition(" ± ")
            return value, spread
        return format_value(self.value, self.spread), format_spread(self.value, self.spread)

    @property
    def printed(self) -> str:
        """Value and spread in one text, such as ``0.066 ± 0.002``."""
        value, spread = self.texts
        return f"{value} ± {spread}" if spread else value

    @property
    def difference(self) -> float | None:
        """Our value minus that of the reference; None if one of them is missing."""
        if self.reference is None or self.reference.value is None or self.value is None:
            return None
        return self.value - self.reference.value

    @property
    def within(self) -> bool | None:
        """Whether our mean lies within the published spread; None where none is published."""
        if self.difference is None or self.reference is None or self.reference.spread is None:
            return None
        return abs(self.difference) <= self.reference.spread * (1 + TOLERANCE)

    @property
    def difference_text(self) -> str:
        """The difference and a verdict, such as ``+0.0030, outside``; an en dash for None.

        The text also says if the two numbers have different protocols.
        """
        if self.difference is None or self.reference is None:
            return "–"
        verdicts = {True: "within", False: "outside", None: "no spread published"}
        decimals = max(len(text.partition(".")[2]) for text in self.reference.texts)
        words = [f"{self.difference:+.{decimals}f}", verdicts[self.within]]
        words += ["other protocol"] * (self.reference.protocol != self.protocol)
        return ", ".join(words)

    def as_dict(self) -> dict[str, Any]:
        """The record of the CSV, with unrounded numbers.

        ``ddof`` is 0 if the spread is a population standard deviation of ours, else None.
        """
        reference = self.reference
        computed = self.spread is not None and self.kind != PUBLISHED
        return {
            "kind": self.kind,
            "dataset": self.dataset,
            "quantity": self.quantity,
            "split": self.split,
            "value": self.value,
            "spread": self.spread,
            "ddof": 0 if computed else None,
            "n": self.n,
            "over": self.over,
            "unit": self.unit,
            "printed": self.printed,
            "protocol": self.protocol,
            "parameters": self.parameters,
            "state": self.state,
            "why": self.why,
            "seeds": self.seeds,
            "epochs": self.epochs,
            "train_fraction": self.train_fraction if self.kind != PUBLISHED else None,
            "published": reference.value if reference else None,
            "published_spread": reference.spread if reference else None,
            "difference": self.difference,
            "within_published_spread": self.within,
            "mark": self.mark,
            "source": self.source,
            "note": self.note,
        }


CELL_COLUMNS = tuple(Cell("", "").as_dict())
