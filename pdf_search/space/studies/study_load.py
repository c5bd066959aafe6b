"""Loads studies: shipped ones by name, one's own by path, and recorded ones."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pdf_search.config import DataConfig, newest
from pdf_search.data import canonical, lookup
from pdf_search.errors import DataError, SpaceError
from pdf_search.paths import expanded
from pdf_search.space.definition import Definition
from pdf_search.space.files.problems import did_you_mean
from pdf_search.space.files.shipped import (
    own_definition,
    seen_from,
    shipped_definition,
    shipped_names,
)
from pdf_search.space.load import paper_names, paper_trial
from pdf_search.space.settings.merge import overlay
from pdf_search.space.settings.overrides import read_sets
from pdf_search.space.studies.study import Study, StudyHead, StudyRow
from pdf_search.space.studies.study_file import RowReader, build_study

STUDIES = "studies"


def study_names() -> list[str]:
    """Return the names of the shipped studies, such as ``paper/ablation``."""
    return shipped_names(STUDIES, deep=True)


def load_study(
    name_or_path: str,
    sets: Sequence[str] = (),
    only: Sequence[str] = (),
    epochs: int | None = None,
    seeds: int | None = None,
    begun: Mapping[str, int] | None = None,
) -> Study:
    """Load the study of a shipped name or a file, with the changes of the command line.

    ``sets``: ``path=value`` for every row. ``only``: keep the rows of these names or data sets; one
    text may list several with commas. ``epochs``, ``seeds``: in place of the file's. ``begun``: for
    a study that is resumed, its recorded versions (``data.featuriser``, ``data.split_version``); by
    default the newest, where neither row nor set names one.

    Raises:
        SpaceError: no such study or row, or a list of every problem with line, key and remedy.
    """
    name, definition = _find(name_or_path)
    reader = _reader(definition, sets, begun or {})
    changes = {"epochs": epochs, "seeds": seeds}
    given = {key: value for key, value in changes.items() if value is not None}
    return _chosen(build_study(name, definition, reader, given), only)


def recorded_study(plain: Mapping[str, Any]) -> Study:
    """Rebuild the study that ``Study.as_dict`` returned, without looking up the paper's settings.

    Raises:
        SpaceError: not the data of a study.
    """
    try:
        name, source = str(plain["name"]), str(plain["source"])
        head = {key: plain[key] for key in StudyHead.model_fields}
        rows = copy.deepcopy(list(plain["rows"]))
    except (KeyError, TypeError):
        raise SpaceError("the recorded study is damaged: start it anew") from None
    papers = tuple(str(row["paper"]) for row in rows if row.get("paper"))
    definition = Definition(source, {**head, "rows": rows})
    reader = RowReader(definition, definition.problems(), lambda _: {}, papers, (), True)
    return build_study(name, definition, reader, {})


def _find(given: str) -> tuple[str, Definition]:
    if given.endswith((".yaml", ".yml")):
        path = expanded(given)
        return path.stem, _own(path)
    if given not in study_names():
        hint = did_you_mean(given, study_names())
        hint = hint if hint.endswith("?") else f"{hint}."
        raise SpaceError(
            f"no study {given!r}; {hint} A study of your own is given by its path: "
            "./my-study.yaml; a recorded one goes on with `pdf-search resume`"
        )
    return given, shipped_definition(f"{STUDIES}/{given}")


def _own(path: Path) -> Definition:
    definition = own_definition(
        path,
        f"shipped studies: {', '.join(study_names())}",
        "give the name or the file of a study; a recorded one goes on with `pdf-search resume`",
        "not a study: it needs keys such as title, table and rows",
    )
    rows = definition.plain.get("rows")
    for row in rows if isinstance(rows, list) else []:
        seen_from(path, row)
    return definition


def _reader(definition: Definition, sets: Sequence[str], begun: Mapping[str, int]) -> RowReader:
    def start(paper: str | None) -> dict[str, Any]:
        return overlay(_start(paper), {"data": dict(begun)})

    problems = definition.problems()
    overrides = read_sets(sets, problems)
    return RowReader(definition, problems, start, tuple(paper_names()), overrides)


def _start(paper: str | None) -> dict[str, Any]:
    """Return the tree that a row is laid over: the paper's setting, or the newest versions."""
    return {"data": newest({})} if paper is None else paper_trial(paper)


def _chosen(study: Study, only: Sequence[str]) -> Study:
    """Return the study with the named rows only, in the order of the file; () keeps all."""
    words = []
    for text in only:
        whole = any(_is_named(row, text.strip()) for row in study.rows)
        words += [text.strip()] if whole else _split(text)
    if not words:
        return study
    chosen: set[int] = set()
    for word in words:
        found = {i for i, row in enumerate(study.rows) if _is_named(row, word)}
        if not found:
            known = [row.name for row in study.rows] + [row.dataset for row in study.rows]
            there = "; ".join(dict.fromkeys(known))
            raise SpaceError(f"--only {word}: no such row or data set; there is: {there}")
        chosen |= found
    return replace(study, rows=tuple(study.rows[i] for i in sorted(chosen)))


def _split(text: str) -> list[str]:
    """Split at commas outside parentheses: names such as ``idp-(Lap, Lin)`` have commas."""
    words, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth <= 0:
            words.append("")
        else:
            words[-1] += character
    return [word.strip() for word in words if word.strip()]


def _is_named(row: StudyRow, word: str) -> bool:
    return (
        _plain(word) in (_plain(row.name), _plain(row.candidate_of or row.name))
        or row.dataset in (word, canonical(word))
        or (_plain(word) == _plain(_title(row.config.data)))
    )


def _plain(text: str) -> str:
    return "".join(text.split()).lower()


def _title(data: DataConfig) -> str:
    try:
        return lookup(data).title
    except DataError:
        return data.name
