"""The published number of graphs of the named data sets.

A data set with another number is used as it is, with a note.
"""

from __future__ import annotations

# The TU collection's, ZINC's subset, and those of OGB's sets that are known for sure.
GRAPHS = {
    "mutag": 188,
    "nci1": 4110,
    "nci109": 4127,
    "enzymes": 600,
    "ptc_mr": 344,
    "proteins": 1113,
    "imdb-binary": 1000,
    "reddit-binary": 2000,
    "zinc": 12_000,
    "ogbg-molbace": 1513,
    "ogbg-molbbbp": 2039,
    "ogbg-molclintox": 1477,
    "ogbg-molesol": 1128,
    "ogbg-molfreesolv": 642,
    "ogbg-molhiv": 41_127,
    "ogbg-mollipo": 4200,
    "ogbg-molpcba": 437_929,
    "ogbg-molsider": 1427,
    "ogbg-moltox21": 7831,
    "ogbg-ppa": 158_100,
}


def size_notes(name: str, graphs: int) -> list[str]:
    """Return a note if a data set's files hold another number of graphs than is published."""
    known = GRAPHS.get(name, graphs)
    if graphs == known:
        return []
    return [
        f"{known:,} graphs are published, these files hold {graphs:,}: published numbers are of "
        f"the {known:,}"
    ]
