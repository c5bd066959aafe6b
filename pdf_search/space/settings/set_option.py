"""One ``--set path=value``, read the same way by every verb.

A value is YAML. Names of files and columns stand as they were typed: YAML would cut them at
`` #``, take 2019 for a number and NO for a truth value, and stumble over ``%``, ``@`` or ``[``.
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
    """One ``path=value``."""

    place: str
    path: str
    document: Document

    @property
    def value(self) -> Any:
        return copy.deepcopy(self.document.tree)


def parse_override(text: str) -> Override:
    """Raises:
    SpaceError: not of the form ``path=value``, or a value that cannot be read; says how to quote.
    """
    place = f"--set {text}"
    path, equals, value = text.partition("=")
    path, value = path.strip(), value.strip()
    if not equals or not path:
        raise SpaceError(f"{place}: write --set path=value, for example --set model.hidden=64")
    document = _read(path, value, place)
    return Override(place, path, replace(document, tree=_from_here(path, document.tree)))


def _from_here(path: str, tree: Any) -> Any:
    """The value, with the path of a data file made absolute."""
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
    """The texts between the brackets, each as it was typed: no numbers, no truth values.

    Raises:
        SpaceError: a name has signs that YAML reads, such as ``#``, ``:`` or a bracket.
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
    """None where this is not a list of single words and quoted texts, and nothing more."""
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
    """Whether YAML reads a text as it was typed, or it is in quotes."""
    typed = value[item.start_mark.index : item.end_mark.index]
    return isinstance(item, yaml.ScalarNode) and (typed[:1] in ("'", '"') or typed == item.value)


def _bare(name: str) -> str:
    return name.strip().strip("\"'")


def _quoted(path: str, value: str) -> str:
    return f"--set {shlex.quote(f'{path}={value}')}"
