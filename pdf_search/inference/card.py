"""The card of an exported model: what it predicts, how good it is, where it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pdf_search.data import are_molecules
from pdf_search.inference.load import Trained
from pdf_search.records import Task
from pdf_search.wording import counted

REFITTED = (
    "This model was trained anew on all data (training, validation and test part) after the score "
    "was measured: **the score is that of the model before the refit**, and no data are left to "
    "measure this one on."
)
_USE = """```python
import pdf_search

model = pdf_search.load("this/folder")
model.predict({example})
```"""


@dataclass(frozen=True)
class Score:
    """How good a model is, and where it comes from.

    ``table``: Markdown, its header and its row. ``provenance``: names and values. ``refitted``:
    whether the score is that of the model before it was trained on all data.
    """

    table: str
    provenance: Sequence[tuple[str, str]]
    refitted: bool = False


def model_card(trained: Trained, score: Score) -> str:
    """The card in Markdown."""
    facts, config = trained.facts, trained.config
    sections = [
        f"# {facts.info.title}: {', '.join(facts.target_names)}",
        "A PDF graph network of pdf_search "
        f"({facts.info.task}{_unit(trained)}): {counted(config.model.layers, 'layer')}, hidden "
        f"{config.model.hidden}, {counted(config.basis.size, 'basis', 'bases')}, "
        f"{counted(len(trained.replicates), 'replicate')}, whose mean and spread it predicts; "
        f"weights of the {trained.chosen}.",
        "## Score",
        score.table,
        *([REFITTED] if score.refitted else []),
        *([f"{_sentence(trained.calibration.words)}"] if trained.calibration else []),
        "## Use",
        _USE.format(example='["CCO", "c1ccccc1"]' if are_molecules(facts.info) else "graphs"),
        "`spread` is the standard deviation over the replicates, no error bar: all of them can be "
        "wrong alike. `unlike` marks what the training data say little about, and `familiar` is "
        "the share of nodes whose like (with edges and neighbours) a training graph has.",
        "## Data",
        _listed(_data(trained)),
        "## Provenance",
        _listed(score.provenance),
    ]
    return "\n\n".join(sections) + "\n"


def _unit(trained: Trained) -> str:
    unit = trained.facts.info.unit
    return f", in {unit}" if unit and trained.facts.info.task is Task.REGRESSION else ""


def _data(trained: Trained) -> list[tuple[str, str]]:
    facts = trained.facts
    found = [
        ("graphs", f"{facts.graphs:,}"),
        ("fingerprint", facts.fingerprint),
        ("targets", ", ".join(facts.target_names)),
    ]
    if facts.class_names:
        found.append(("classes", ", ".join(facts.class_names)))
    if facts.domain is not None:
        (least, most), (fewest, edges) = facts.domain.nodes, facts.domain.edges
        found.append(("sizes in training", f"{least} to {most} nodes, {fewest} to {edges} edges"))
    return found


def _listed(items: Sequence[tuple[str, str]]) -> str:
    return "\n".join(f"* {name}: {value}" for name, value in items if value)


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."
