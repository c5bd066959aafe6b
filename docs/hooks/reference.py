"""Writes the reference pages of the documentation: commands, keys of a search space, Python.

mkdocs calls ``on_files``. Nothing of the pages lies in the repository, so they cannot be out of
date: commands come from typer, keys from the JSON schema, Python from the packages' faces.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "search_spaces" / "schema.json"
EXAMPLES = ROOT / "examples"
FACES = ("pdf_search", "pdf_search/nn")
MODULES = ("pdf_search.tune", "pdf_search.errors")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages to those of the folder."""
    pages = {"commands": commands(), "spaces": spaces(), "python": python()}
    for name, text in pages.items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    for file in sorted(EXAMPLES.glob("*.py")):
        files.append(File.generated(config, f"examples/{file.name}", abs_src_path=str(file)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Lead links to examples to their copies on the site; in the repository they lie beside it."""
    up = page.file.src_uri.count("/") * "../"
    return markdown.replace("](../" + up + "examples/", "](" + up + "examples/")


def commands() -> str:
    """The help of every verb, as typer knows it."""
    words = ["-m", "typer", "pdf_search.cli.app", "utils", "docs", "--name", "pdf-search"]
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.replace("# `pdf-search`", "# Commands", 1)


def spaces() -> str:
    """The keys of a space file, with their kinds, defaults and meanings."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    lines = [
        "# Keys of a search space",
        "How to write one, with examples: [Search spaces](../spaces.md). A value may be a domain "
        "(`choice` or `range`) wherever the kind says *domain*. Editors read the same from "
        "`search_spaces/schema.json`.",
        *_section("The file", schema),
    ]
    for name, definition in schema["$defs"].items():
        if "properties" in definition or "enum" in definition:
            lines += _section(name, definition)
    return "\n\n".join(lines) + "\n"


def _section(name: str, definition: dict[str, Any]) -> Iterator[str]:
    name = name.removesuffix("Config")
    yield f"## {name} {{#{name.lower().replace(' ', '-')}}}"
    if "description" in definition:
        yield definition["description"].replace("``", "`")
    if "enum" in definition:
        yield _kind(definition)
        return
    rows = [_row(key, value, definition) for key, value in definition["properties"].items()]
    yield "\n".join(["| key | kind | default | |", "|---|---|---|---|", *rows])


def _row(key: str, value: dict[str, Any], owner: dict[str, Any]) -> str:
    default = "required" if key in owner.get("required", ()) else ""
    if isinstance(value.get("default"), dict):
        default = "its defaults"
    elif value.get("default") is not None:
        default = f"`{json.dumps(value['default'])}`"
    text = (
        value.get("description", "")
        .rstrip(":")
        .replace("``", "`")
        .replace("\n", " ")
        .replace("|", "\\|")
    )
    return f"| `{key}` | {_kind(value)} | {default} | {text} |"


def _kind(value: dict[str, Any]) -> str:
    """The kind of a value: its types, a constant, or a link to the section that describes it."""
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2].removesuffix("Config")
        return "domain" if name == "Domain" else f"[{name}](#{name.lower()})"
    for key in ("anyOf", "oneOf"):
        if key in value:
            kinds = [_kind(v) for v in value[key] if v.get("type") != "null"]
            return " or ".join(dict.fromkeys(kinds))
    if "enum" in value:
        return ", ".join(f"`{v}`" for v in value["enum"])
    if "const" in value:
        return f"`{value['const']}`"
    if value.get("type") == "array":
        inner = _kind(value["items"]) if isinstance(value.get("items"), dict) else "values"
        return f"list of {inner}"
    return str(value.get("type", "any"))


def python() -> str:
    """What the packages for Python users show, and the errors they raise."""
    text = [
        "# Python",
        "The public names and their docstrings; what is not listed here may change.",
    ]
    for folder in FACES:
        face = ROOT / folder / "__init__.pyi"
        if face.is_file():
            package = folder.replace("/", ".")
            text += [f"## {package}", *(f"::: {name}" for name in _exported(face, package))]
    for module in MODULES:
        text += [f"## {module}", f"::: {module}\n    options: {{show_root_heading: false}}"]
    return "\n\n".join(text) + "\n"


def _exported(face: Path, package: str) -> Iterator[str]:
    """The full paths of the functions and classes that a face shows."""
    for node in ast.parse(face.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            module = f"{package}.{node.module}" if node.level else str(node.module)
            yield from (f"{module}.{name.name}" for name in node.names)
