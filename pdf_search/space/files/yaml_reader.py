"""Reads YAML safely, with the line number of every key, and refuses duplicate keys.

Values are read as in YAML 1.2: ``1e-3`` is a number, ``010`` is ten, and dates stay text. A bare
``yes``, ``no``, ``on`` or ``off`` is refused, since YAML 1.1 and 1.2 read it differently.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

from pdf_search.errors import SpaceError
from pdf_search.space.files.problems import Problems, Where

MAX_VALUES = 50_000
MAX_CHARACTERS = 200_000  # the largest shipped space has about 2,000
PLAIN_TAGS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
ONLY_PLAIN = "only plain values are read"
AMBIGUOUS = re.compile(r"(yes|no|on|off)", re.IGNORECASE)


class _Loader(yaml.SafeLoader):
    """YAML 1.2's core schema, with ``_`` allowed between digits."""


_Loader.yaml_implicit_resolvers = {}  # none of YAML 1.1's
_DIGITS = r"[0-9][0-9_]*"
for _tag, _pattern, _first in (
    ("null", r"(~|null|Null|NULL|)", ["~", "n", "N", ""]),
    ("bool", r"(true|True|TRUE|false|False|FALSE)", list("tTfF")),
    ("int", rf"[-+]?{_DIGITS}", list("-+0123456789")),
    (
        "float",
        rf"[-+]?(\.{_DIGITS}|{_DIGITS}(\.[0-9_]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.nan",
        list("-+.0123456789"),
    ),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), _first
    )


@dataclass(frozen=True)
class Document:
    """A file as plain data whose keys are texts.

    ``marks``: the ``file:line`` of every key and list item. ``problems``: wrong keys and values.
    """

    source: str
    tree: Any
    marks: dict[Where, str]
    problems: Problems


def read_yaml(text: str, source: str, lines: bool = True) -> Document:
    """Parse one YAML document.

    ``lines``: whether places are ``source:line``; False (command line): they are ``source`` alone.

    Raises:
        SpaceError: lists every problem, with source, line, key and remedy.
    """
    document = parse_yaml(text, source, lines)
    document.problems.raise_if_any()
    return document


def parse_yaml(text: str, source: str, lines: bool = True) -> Document:
    """Parse one YAML document as ``read_yaml`` does, but collect its wrong keys and values.

    Raises:
        SpaceError: the text is not YAML, is too long, or nests too deeply.
    """
    if len(text) > MAX_CHARACTERS:
        raise SpaceError(
            f"{source}: {len(text):,} characters are too many for a search space; "
            f"{MAX_CHARACTERS:,} is the most"
        )
    try:
        node = _Loader(text).get_single_node()
    except RecursionError:
        raise SpaceError(f"{source}: brackets nest too deeply to be read") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise SpaceError(
            f"{source}:{line}: the character U+{ord(text[error.position]):04X} cannot stand in "
            "YAML; remove it, or write it as an escape in double quotes"
        ) from None
    except yaml.YAMLError as error:
        raise SpaceError(_syntax(error, source, lines)) from None
    if not lines and after(node, text):
        raise SpaceError(
            f"{source}: to YAML, {after(node, text)!r} is a comment; quote a value that holds a #"
        )
    reader = _Reader(source, lines)
    tree = None if node is None else reader.value(node, (), ())
    return Document(source, tree, reader.marks, reader.problems)


def after(node: yaml.Node | None, text: str) -> str:
    """Return the text after a value, stripped. In valid YAML it can only be a comment."""
    if node is None:
        return text.strip()
    if isinstance(node, yaml.CollectionNode) and not node.flow_style:
        last = node.value[-1]
        return after(last[1] if isinstance(last, tuple) else last, text)
    return text[node.end_mark.index :].strip()


def _syntax(error: yaml.YAMLError, source: str, lines: bool) -> str:
    mark = getattr(error, "problem_mark", None)
    place = f"{source}:{mark.line + 1}" if mark is not None and lines else source
    reason = getattr(error, "problem", None) or str(error)
    return f"{place}: not valid YAML: {reason}; check indentation, brackets and quotes"


class _Reader:
    """Turns the nodes that PyYAML composed into plain data, and notes places and problems."""

    def __init__(self, source: str, lines: bool) -> None:
        self.source = source
        self.lines = lines
        self.marks: dict[Where, str] = {}
        self.problems = Problems(source, self.marks)
        self.count = 0

    def value(self, node: yaml.Node, where: Where, open_nodes: tuple[int, ...]) -> Any:
        self.marks.setdefault(where, self._place(node))
        self.count += 1
        if id(node) in open_nodes or self.count > MAX_VALUES:
            raise SpaceError(f"{self._place(node)}: aliases (*name) nest too deeply; write it out")
        inside = (*open_nodes, id(node))
        if not isinstance(node, yaml.ScalarNode) and node.tag not in PLAIN_TAGS:
            self.problems.cannot_read(where, f"the tag {node.tag} is not allowed: {ONLY_PLAIN}")
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, where, inside)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(n, (*where, i), inside) for i, n in enumerate(node.value)]
        return self._scalar(node, where)

    def _place(self, node: yaml.Node) -> str:
        return f"{self.source}:{node.start_mark.line + 1}" if self.lines else self.source

    def _mapping(self, node: yaml.MappingNode, where: Where, inside: tuple[int, ...]) -> Any:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self.problems.add(where, "a key must be a single word or number")
                continue
            written = (*where, str(key_node.value))
            self.marks.setdefault(written, self._place(key_node))
            key = str(self._scalar(key_node, written))
            place = (*where, key)
            if key in result:
                first = self.marks[place]
                self.marks[place] = self._place(key_node)
                self.problems.add(place, f"the key is already given at {first}; keep one")
                continue
            self.marks[place] = self._place(key_node)
            result[key] = self.value(value_node, place, inside)
        return result

    def _scalar(self, node: yaml.Node, where: Where) -> Any:
        text = str(node.value)
        tag = node.tag.removeprefix("tag:yaml.org,2002:")
        if tag == "str":
            if getattr(node, "style", None) is None and AMBIGUOUS.fullmatch(text):
                self.problems.cannot_read(
                    where, f"a bare {text} is ambiguous: write true or false, or quote the text"
                )
            return text
        if tag == "null":
            return None
        if tag == "bool":
            return text.lower() == "true"
        return self._number(tag, text, where)

    def _number(self, tag: str, text: str, where: Where) -> int | float | None:
        try:
            if tag == "int":
                return int(text)
            if tag == "float":
                return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
        except ValueError:
            self.problems.cannot_read(where, f"{text} is not a number")
            return None
        self.problems.cannot_read(where, f"the tag {tag} is not allowed: {ONLY_PLAIN}")
        return None
