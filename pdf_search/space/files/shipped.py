"""Reads the files of spaces, settings and studies: shipped ones by name, one's own by path."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pdf_search.errors import SpaceError
from pdf_search.paths import expanded
from pdf_search.space.definition import Definition
from pdf_search.space.files.yaml_reader import parse_yaml, read_yaml

SHIPPED = "search_spaces"


def shipped_names(folder: str = "", deep: bool = False) -> list[str]:
    """Return the sorted names of the YAML files in a shipped folder, without ``.yaml``.

    ``deep``: also those in its subfolders, as ``folder/name``.
    """
    return sorted(_names(files(SHIPPED).joinpath(folder), "", deep))


def _names(folder: Traversable, prefix: str, deep: bool) -> list[str]:
    found = []
    for entry in folder.iterdir():
        if deep and entry.is_dir():
            found += _names(entry, f"{prefix}{entry.name}/", deep)
        elif entry.name.endswith(".yaml"):
            found.append(prefix + entry.name.removesuffix(".yaml"))
    return found


def shipped_text(name: str) -> str:
    """Return the text of a shipped file, such as ``paper/zinc``."""
    return files(SHIPPED).joinpath(f"{name}.yaml").read_text(encoding="utf-8")


def shipped_tree(name: str) -> tuple[dict[str, Any], str]:
    """Return the plain data of a shipped file, and the file's name for messages."""
    source = f"{SHIPPED}/{name}.yaml"
    tree = read_yaml(shipped_text(name), source).tree
    assert isinstance(tree, dict)
    return tree, source


def shipped_definition(name: str) -> Definition:
    """Return the definition of a shipped file."""
    source = f"{SHIPPED}/{name}.yaml"
    return definition(shipped_text(name), source, "")


def own_definition(path: Path, missing: str, folder: str, kind: str) -> Definition:
    """Read the definition of a file of one's own.

    The texts end the error message: ``missing`` if there is no such file, ``folder`` if the path is
    a folder, ``kind`` if the file holds no mapping.

    Raises:
        SpaceError: the file cannot be read, is not YAML, or holds no mapping.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SpaceError(f"{path}: no such file; {missing}") from None
    except IsADirectoryError:
        raise SpaceError(f"{path} is a folder: {folder}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SpaceError(f"{path}: cannot be read: {error}") from None
    return definition(text, str(path), kind)


def definition(text: str, source: str, kind: str) -> Definition:
    """Parse the text of a file. ``kind``: the end of the error message if it holds no mapping.

    Raises:
        SpaceError: the text is not YAML, or no mapping.
    """
    document = parse_yaml(text, source)
    if not isinstance(document.tree, dict):
        document.problems.raise_if_any()
        raise SpaceError(f"{source}: {kind}")
    found = Definition(source, document.tree, document.marks)
    return found.after(document.problems)


def seen_from(path: Path, tree: Any) -> None:
    """Make ``data.path`` of a tree absolute, in place; it is relative to the file at ``path``."""
    data = tree.get("data") if isinstance(tree, dict) else None
    if isinstance(data, dict) and isinstance(data.get("path"), str):
        data["path"] = str((path.absolute().parent / expanded(data["path"])).resolve())
