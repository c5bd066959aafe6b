"""Builds a study from a file's tree: its head, and each row laid over a setting of the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pdf_search.config import DataConfig, TrialConfig
from pdf_search.data import lookup
from pdf_search.space.config_paths import config_paths
from pdf_search.space.data_set import look_up, settle_metric, settle_protocol
from pdf_search.space.definition import Definition, valid_part
from pdf_search.space.files.located import try_trial
from pdf_search.space.files.problems import Problems, Where, closest, did_you_mean
from pdf_search.space.settings.merge import overlay
from pdf_search.space.settings.overrides import Settable, lay_sets
from pdf_search.space.settings.set_option import Override
from pdf_search.space.studies.study import ROW_TREE, PublishedRow, Study, StudyHead, StudyRow
from pdf_search.space.studies.study_checks import check_beside, check_nested

Tree = dict[str, Any]
Paper = Callable[[str | None], Tree]
ROW_HEAD = ("name", "paper", "published", "candidates", "candidate_of")
OWNED = {
    "seeds": "give the study `seeds: N`, which is a count, or --seeds",
    "phase": "a study always evaluates the test part; leave it out",
    "stop_epoch": "give the study `epochs: N`, or --epochs",
    "device": "give --device",
}
SETTABLE = Settable(
    tuple(path for path in config_paths() if path.partition(".")[0] in ROW_TREE),
    OWNED | {"protocol": "the file says `protocols: [...]` for the whole study"},
)


@dataclass(frozen=True)
class RowReader:
    """Reads the rows of a study file.

    ``paper``: returns the tree that a row is laid over, for the name of the paper's setting or
    None. ``papers``: the names it knows. ``sets``: laid over every row. ``settled``: the rows are
    of a recorded study, so data sets are not looked up to fill in protocol and folds.
    """

    definition: Definition
    problems: Problems
    paper: Paper
    papers: tuple[str, ...]
    sets: tuple[Override, ...]
    settled: bool = False

    def read(self, where: Where, plain: Tree) -> StudyRow | None:
        """Read the row at ``where``; None if it has problems, which go to ``problems``."""
        before = len(self.problems.found)
        self._check_keys(plain, where)
        name, paper = self._text(plain, "name", where), self._paper_name(plain, where)
        published = self._published(plain, where)
        tree = self._tree(plain, paper)
        config = self._config(tree, where)
        if name is None or config is None or len(self.problems.found) > before:
            return None
        dataset = _dataset(config.data)
        return StudyRow(name, dataset, config, paper, published, plain.get("candidate_of"))

    def _check_keys(self, plain: Tree, where: Where) -> None:
        for key in plain:
            if key in OWNED:
                self.problems.add((*where, key), f"not part of a row: {OWNED[key]}")
            elif key not in ROW_HEAD + ROW_TREE:
                hint = did_you_mean(key, ROW_HEAD + ROW_TREE)
                self.problems.add((*where, key), f"unknown key; {hint}")

    def _text(self, plain: Tree, key: str, where: Where) -> str | None:
        value = plain.get(key)
        if isinstance(value, str) and value.strip():
            return value
        said = "missing; add it" if key not in plain else f"give a text, not {value!r}"
        self.problems.add((*where, key), said)
        return None

    def _paper_name(self, plain: Tree, where: Where) -> str | None:
        name = plain.get("paper")
        if name is None or name in self.papers:
            return name
        hint = did_you_mean(str(name), self.papers)
        self.problems.cannot_read((*where, "paper"), f"no published setting {name!r}; {hint}")
        return closest(str(name), self.papers)  # used to check the rest of the row

    def _published(self, plain: Tree, where: Where) -> PublishedRow | None:
        value = plain.get("published")
        if value is None:
            return None
        at = (*where, "published")
        return valid_part(PublishedRow, value, at, self.problems, method="-")

    def _tree(self, plain: Tree, paper: str | None) -> Tree:
        tree = overlay(self.paper(paper), {k: v for k, v in plain.items() if k in ROW_TREE})
        lay_sets(tree, {}, self.sets, SETTABLE, self.problems)
        return tree

    def _config(self, tree: Tree, where: Where) -> TrialConfig | None:
        if not (self.settled and "protocol" in tree):
            info = look_up(tree.get("data"), lambda at, message: self._add(where, at, message))
            settle_protocol(tree, info)
            if not self.settled:
                settle_metric(tree, info)
        tried = try_trial(tree)
        for at, _, message in tried.wrong:
            self._add(where, at, message)
        return None if tried.wrong else tried.config

    def _add(self, row: Where, at: Where, message: str) -> None:
        """Add a problem of a setting, at the ``--set`` that gave it or else at its place."""
        for override in self.sets:
            path = tuple(override.path.split("."))
            if path[: len(at)] == at[: len(path)]:
                Problems(override.place, {}, self.problems.found).add(at, message)
                return
        self.problems.add((*row, *at), message)


def parse_head(definition: Definition, problems: Problems) -> StudyHead:
    """Parse the head. What is wrong goes to ``problems``, and a default replaces a wrong value."""
    head = valid_part(
        StudyHead, definition.plain, (), problems, ["rows"], title="-", table="results"
    )
    if len(set(head.protocols)) < len(head.protocols):
        problems.add(("protocols",), "a protocol is there twice; keep one")
    return head


def parse_rows(definition: Definition, reader: RowReader) -> tuple[StudyRow, ...]:
    """Read the rows and their candidates, in order; those with problems are left out."""
    listed = definition.plain.get("rows")
    if not isinstance(listed, list) or not listed:
        reader.problems.add(("rows",), "list the rows of the table, each with a name and a setting")
        return ()
    rows: list[StudyRow] = []
    for index, item in enumerate(listed):
        for where, plain in _candidates(("rows", index), item, reader.problems):
            row = reader.read(where, plain)
            if row is not None:
                check_beside(row, rows, where, reader.problems)
                rows.append(row)
    return tuple(rows)


def _candidates(where: Where, plain: Any, problems: Problems) -> list[tuple[Where, Tree]]:
    """Return the row itself, or each of its candidates laid over the row; with their places."""
    if not isinstance(plain, dict):
        problems.add(where, "a row is a mapping with a name and a setting")
        return []
    listed = plain.get("candidates")
    if listed is None:
        return [(where, plain)]
    named = isinstance(listed, list) and all(
        isinstance(c, dict) and isinstance(c.get("name"), str) for c in listed
    )
    if not named or len(listed) < 2 or not isinstance(plain.get("name"), str):
        text = "list two or more settings, each with a name, in a row with a name"
        problems.add((*where, "candidates"), text)
        return []
    shared = {key: value for key, value in plain.items() if key not in ("name", "candidates")}
    return [
        (
            (*where, "candidates", number),
            overlay(shared, candidate)
            | {"name": f"{plain['name']} ({candidate['name']})", "candidate_of": plain["name"]},
        )
        for number, candidate in enumerate(listed)
    ]


def build_study(
    name: str, definition: Definition, reader: RowReader, changes: Mapping[str, int]
) -> Study:
    """Build the study of a file's tree.

    ``changes``: ``epochs`` and ``seeds`` of the command line, in place of the file's.

    Raises:
        SpaceError: lists every problem, each with file, line, key and remedy.
        ConfigError: a row cannot run under one of the study's protocols or with its seeds.
    """
    head = parse_head(definition, reader.problems)
    rows = parse_rows(definition, reader)
    check_nested(head, definition.plain.get("rows"), reader.problems)
    reader.problems.raise_if_any()
    study = Study(name, definition.source, head.model_copy(update=dict(changes)), rows)
    study.parts()
    return study


def _dataset(data: DataConfig) -> str:
    return lookup(data).name if data.path is None else Path(data.path).stem
