"""Parses one ``--set path=value``, in the same way for every command.

The value is YAML. Only names of files and columns are taken as they were typed: YAML would cut them
at `` #``, read 2019 as a number and NO as a truth value, and refuse ``%``, ``@`` or ``[``.
"""

from __future__ import annotations

import copy
import json
import shlex
from dataclasses import dataclass, replace
from typing import Any

import yaml

from pdf_search.config import DataConfig
from pdf_search.errors import SpaceError
from pdf_search.paths import expanded
from pdf_search.space.files.problems import Problems
from pdf_search.space.files.yaml_reader import Document, after, read_yaml

NAMES = tuple(
    f"data.{key}"
    for key, field in DataConfig.model_fields.items()
    if field.annotation in (str, str | None)
)
LISTS_OF_NAMES = tuple(
    f"data.{key}"
    for key, field in DataConfig.model_fields.items()
    if field.annotation == tuple[str, ...]
)
NOTHING = ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True)
class Override:
    """One ``--set path=value``. ``place``: the option as it was typed, for messages."""

    place: str
    path: str
    document: Document

    @property
    def value(self) -> Any:
        """The value as plain data; a copy, each time."""
        return copy.deepcopy(self.document.tree)


def parse_override(text: str) -> Override:
    """Parse ``path=value``. The path of a data file is made absolute.

    Raises:
        SpaceError: not of the form ``path=value``, or the value cannot be read; the message says
            how to quote it.
    """
    place = f"--set {text}"
    path, equals, value = text.partition("=")
    path, value = path.strip(), value.strip()
    if not equals or not path:
        raise SpaceError(f"{place}: write --set path=value, for example --set model.hidden=64")
    document = _read(path, value, place)
    return Override(place, path, replace(document, tree=_from_here(path, document.tree)))


def _from_here(path: str, tree: Any) -> Any:
    """Make the path of a data file in the value absolute, from the current folder."""
    if path == "data.path" and isinstance(tree, str):
        return str(expanded(tree).absolute())
    if path == "data" and isinstance(tree, dict) and isinstance(tree.get("path"), str):
        return {**tree, "path": str(expanded(tree["path"]).absolute())}
    return tree


def _read(path: str, value: str, place: str) -> Document:
    listed = path in LISTS_OF_NAMES and value.startswith("[")
    if listed:
        return _plain(_list_of_names(path, value, place), place)
    if path in (*NAMES, *LISTS_OF_NAMES) and value not in NOTHING and value[0] not in "\"'{":
        return _plain(value, place)
    try:
        return read_yaml(value, place, lines=False)
    except SpaceError as error:
        if path not in (*NAMES, *LISTS_OF_NAMES):
            raise
        raise SpaceError(f"{error}; or write {_quoted(path, json.dumps(value))}") from None


def _plain(tree: Any, place: str) -> Document:
    return Document(place, tree, {(): place}, Problems(place))


def _list_of_names(path: str, value: str, place: str) -> list[str]:
    """Return the names between the brackets, each as it was typed: no numbers, no truth values.

    Raises:
        SpaceError: a bare name has characters with a meaning in YAML, such as ``#`` or ``:``.
    """
    names = _plain_items(value)
    if names is None:
        inside = value.removeprefix("[").removesuffix("]")
        names = [_bare(name) for name in inside.split(",")]
        remedy = _quoted(path, json.dumps(names, ensure_ascii=False))
        raise SpaceError(
            f"{place}: a name with signs that YAML reads (such as # % @ * : [ ]) must be quoted: "
            f"{remedy}"
        )
    return names


def _plain_items(value: str) -> list[str] | None:
    """Return the items of a list of bare words and quoted texts; None if it is not just that."""
    try:
        node = yaml.compose(value, yaml.BaseLoader)
    except yaml.YAMLError:
        return None
    if not isinstance(node, yaml.SequenceNode) or after(node, value):
        return None
    if not all(_stands(item, value) for item in node.value):
        return None
    return [str(item.value) for item in node.value]


def _stands(item: yaml.Node, value: str) -> bool:
    """Whether an item is in quotes, or YAML reads it exactly as it was typed."""
    typed = value[item.start_mark.index : item.end_mark.index]
    return isinstance(item, yaml.ScalarNode) and (typed[:1] in ("'", '"') or typed == item.value)


def _bare(name: str) -> str:
    return name.strip().strip("\"'")


def _quoted(path: str, value: str) -> str:
    return f"--set {shlex.quote(f'{path}={value}')}"
