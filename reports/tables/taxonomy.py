"""The paper's taxonomy of graph networks (its Table 1), derived from configurations.

f(G) is a symmetric matrix. Its eigenvectors are the decomposition D, its eigenvalues the filter F.
Whether a configuration can learn D or F follows from its bases and its filter alone.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from pdf_search.config import TrialConfig, parse_trial
from pdf_search.space import paper_trial, taxonomy_names, taxonomy_setting
from reports.grid.cell import PUBLISHED, Cell
from reports.grid.grid import Grid, Line
from reports.published_numbers import checked_files

COLUMNS = {
    "category": "category",
    "learnable_f": "learnable F",
    "learnable_d": "learnable D",
    "architecture": "architecture",
}
BASES_OF = "zinc"  # where a setting leaves the bases to the data set
LAPLACIAN = -0.5  # eps at which I - D~^eps A~ D~^eps is the normalised Laplacian
NOTES = (
    "F is learnable if the filter has parameters; D if two parameter values can give matrices "
    "without common eigenvectors. Spectral: D is the Laplacian's for all parameters.",
    "Architectures: (a) one filter for all channels; (b) one for each, with decompositions of "
    "their own; (c) one for each under a shared decomposition; (d) several for each channel.",
    "Rows with a setting are derived from it: f(G) is that network's matrix, the layer around it "
    f"is PDF's. PDF's rows are on the bases published for {BASES_OF}.",
    "The linear settings add no constant to f(G) (filter_bias: false). PDF's own linear filter "
    "does, and an all-ones matrix does not share the bases' eigenvectors.",
)


@dataclass(frozen=True)
class Verdict:
    """What f(G) of a configuration can learn; ``reason`` says why D is learnable or not."""

    learnable_f: bool
    learnable_d: bool
    spectral: bool
    architecture: str
    reason: str

    def texts(self) -> dict[str, str]:
        """The cells of the paper's columns, as its table prints them."""
        words = {True: "Yes", False: "No"}
        return {
            "category": "Spectral" if self.spectral else "Spatial",
            "learnable_f": words[self.learnable_f],
            "learnable_d": words[self.learnable_d],
            "architecture": self.architecture,
        }


def classify(config: TrialConfig) -> Verdict:
    """Decide what f(G) of a configuration can learn (sections 3.1 and 3.2 of the paper)."""
    learnable_f = config.model.filter != "fixed"
    spaces = _eigenspaces(config)
    turned = _what_turns(config, spaces) if learnable_f else ""
    plain = not (config.model.softmax or config.basis.standardise)
    own = "(b)" if turned else "(c)"
    fixed = "its bases share their eigenvectors" if learnable_f else "its matrix is given"
    return Verdict(
        learnable_f=learnable_f,
        learnable_d=bool(turned),
        spectral=not turned and plain and set(spaces) <= {LAPLACIAN},
        architecture="(a)" if config.model.channels == "shd" else own,
        reason=turned or fixed,
    )


def _what_turns(config: TrialConfig, spaces: dict[Hashable, str]) -> str:
    """Why the eigenvectors of f(G) can change with its parameters; empty if they cannot."""
    model, basis = config.model, config.basis
    if model.filter in ("1l", "2l"):
        return "its filter is nonlinear in each entry"
    if model.softmax:
        return "softmax weighs the entries of a row against each other"
    if model.filter_bias or model.filter_norm:
        return "its filter adds a learned constant to every entry"
    if basis.standardise:
        return "each standardised basis holds a constant of its own"
    if len(spaces) > 1:
        return f"its bases do not share eigenvectors: {', '.join(spaces.values())}"
    return ""


def _eigenspaces(config: TrialConfig) -> dict[Hashable, str]:
    """The decompositions of the bases that have a coefficient: a key for each, to its name.

    All powers k of one eps share a decomposition, and so do the diagonals. The identity has any.
    A power that reaches further than the support is cut off there. It is then no polynomial, and
    has a decomposition of its own.
    """
    basis = config.basis
    counts = config.model.coefficients or (1.0,) * basis.size
    found: dict[Hashable, str] = {}
    for (eps, k), count in zip(basis.grid, counts[1:], strict=False):
        cut = basis.hops is not None and k > basis.hops
        if count:
            found[(eps, k) if cut else eps] = f"({eps:g}, {k}) cut off" if cut else f"eps = {eps:g}"
    if any(counts[1 + len(basis.grid) :]):
        found["degrees"] = "degrees"
    return found


def taxonomy_table() -> Grid:
    """Build the table: a line per shipped setting, then the paper's lines for all other networks.

    Where the paper's table differs from what is derived for a setting, a note says so.
    """
    (tree,) = checked_files("taxonomy")
    printed = {name: row for row in tree["rows"] for name in row["method"].split("/")}
    titles = {taxonomy_setting(name).title: name for name in taxonomy_names()}
    order = [title for title in printed if title in titles]
    order += [title for title in titles if title not in printed]
    quoted = {
        "/".join(names): row
        for row in tree["rows"]
        if (names := [name for name in row["method"].split("/") if name not in titles])
    }
    lines = [_derived(title, titles[title], printed.get(title, {})) for title in order]
    lines += [_quoted(name, row, tree["source"]) for name, row in quoted.items()]
    return Grid(
        key="taxonomy",
        title="Graph networks by what f(G) can learn",
        corner="Network",
        columns=(*COLUMNS.values(), "setting"),
        lines=tuple(lines),
        notes=NOTES,
    )


def _derived(title: str, name: str, printed: dict[str, str]) -> Line:
    verdict = classify(parse_trial(taxonomy_setting(name).over(paper_trial(BASES_OF))))
    cells = []
    for key, text in verdict.texts().items():
        note = verdict.reason if key == "learnable_d" else ""
        if printed.get(key, "?") not in ("?", text):
            note = "; ".join(filter(None, (note, f"the paper's table says {printed[key]}")))
        cells.append(Cell("computed", COLUMNS[key], exact=text, source=name, note=note))
    return Line(title, (*cells, name), section="derived")


def _quoted(name: str, row: dict[str, str], source: str) -> Line:
    cells = (
        Cell(PUBLISHED, column, exact=row[key], source=source) for key, column in COLUMNS.items()
    )
    return Line(name, (*cells, f"quoted: {source}"), kind="published", section="quoted")
