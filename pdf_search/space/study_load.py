"""Finds study files, applies what the command line changes, and reads recorded studies."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pdf_search.config import DataConfig, newest
from pdf_search.data.registry import canonical, lookup
from pdf_search.errors import DataError, SpaceError
from pdf_search.places import expanded
from pdf_search.space.definition import Definition
from pdf_search.space.fields import config_paths
from pdf_search.space.load import SHIPPED, paper_names, paper_trial
from pdf_search.space.overrides import remedy
from pdf_search.space.problems import Where, did_you_mean
from pdf_search.space.set_option import parse_override
from pdf_search.space.settings import nested, overlay
from pdf_search.space.study import ROW_TREE, Study, StudyHead, StudyRow
from pdf_search.space.study_file import OWNED, RowReader, build_study
from pdf_search.space.yaml_reader import read_yaml

STUDIES = "studies"


def study_names() -> list[str]:
    """The shipped studies, such as ``paper/ablation``."""
    return sorted(_found(files(SHIPPED).joinpath(STUDIES), ""))


def load_study(
    name_or_path: str,
    sets: Sequence[str] = (),
    only: Sequence[str] = (),
    epochs: int | None = None,
    seeds: int | None = None,
    begun: Mapping[str, int] | None = None,
) -> Study:
    """The study of a shipped name or a file.

    ``sets``: ``path=value`` for every row. ``only``: names of rows or data sets, several in one
    text with commas between them. ``begun``: versions (``data.featuriser``, ``data.split_version``)
    of a study that goes on; without them, what no row or set names is of the newest.

    Raises:
        SpaceError: no such study or row, or every problem of its file with line, key and remedy.
    """
    name, definition = _find(name_or_path)
    reader = _reader(definition, sets, begun or {})
    changes = {"epochs": epochs, "seeds": seeds}
    given = {key: value for key, value in changes.items() if value is not None}
    return _chosen(build_study(name, definition, reader, given), only)


def recorded_study(plain: Mapping[str, Any]) -> Study:
    """The study that ``Study.as_dict`` wrote down; no published setting is looked up.

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
    reader = RowReader(definition, definition.problems(), lambda _: {}, papers, {}, {}, True)
    return build_study(name, definition, reader, {})


def _found(folder: Traversable, prefix: str) -> list[str]:
    names = []
    for entry in folder.iterdir():
        if entry.is_dir():
            names += _found(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".yaml"):
            names.append(prefix + entry.name.removesuffix(".yaml"))
    return names


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
    resource = files(SHIPPED).joinpath(f"{STUDIES}/{given}.yaml")
    return given, _definition(
        resource.read_text(encoding="utf-8"), f"{SHIPPED}/{STUDIES}/{given}.yaml"
    )


def _own(path: Path) -> Definition:
    try:
        definition = _definition(path.read_text(encoding="utf-8"), str(path))
    except FileNotFoundError:
        raise SpaceError(
            f"{path}: no such file; shipped studies: {', '.join(study_names())}"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SpaceError(f"{path}: cannot be read: {error}") from None
    rows = definition.plain.get("rows")
    for row in rows if isinstance(rows, list) else []:
        data = row.get("data") if isinstance(row, dict) else None
        if isinstance(data, dict) and isinstance(data.get("path"), str):
            data["path"] = str((path.absolute().parent / expanded(data["path"])).resolve())
    return definition


def _definition(text: str, source: str) -> Definition:
    document = read_yaml(text, source)
    if not isinstance(document.tree, dict):
        raise SpaceError(f"{source}: not a study: it needs keys such as title, table and rows")
    return Definition(source, document.tree, document.marks)


def _reader(definition: Definition, sets: Sequence[str], begun: Mapping[str, int]) -> RowReader:
    def start(paper: str | None) -> dict[str, Any]:
        return overlay(_start(paper), {"data": dict(begun)})

    tree: dict[str, Any] = {}
    marks: dict[Where, str] = {}
    for text in sets:
        override = parse_override(text)
        _check_path(override.path, override.place)
        tree = overlay(tree, nested(override.path, override.value))
        marks[tuple(override.path.split("."))] = override.place
    papers = tuple(paper_names())
    return RowReader(definition, definition.problems(), start, papers, tree, marks)


def _start(paper: str | None) -> dict[str, Any]:
    """What a row is laid over: its published setting, else the newest versions alone."""
    return {"data": newest({})} if paper is None else paper_trial(paper)


def _check_path(path: str, place: str) -> None:
    first = path.partition(".")[0]
    if first in OWNED or first == "protocol":
        hint = OWNED.get(first, "the file says `protocols: [...]` for the whole study")
        raise SpaceError(f"{place}: cannot be set in a study: {hint}")
    if path not in config_paths() or first not in ROW_TREE:
        raise SpaceError(f"{place}: {path}: unknown path; {remedy(path)}")


def _chosen(study: Study, only: Sequence[str]) -> Study:
    """The study with the rows that are named, in the order of the file."""
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
    """At commas outside parentheses, which names such as ``idp-(Lap, Lin)`` have."""
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
