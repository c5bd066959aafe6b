"""Every command that the documents show exists, with its options; links lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from pdf_search.cli import app

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), ROOT / "examples/README.md"])
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+(?:\n[^`\n]+)?)`")
LINK = re.compile(r"\]\((?!https?://)([^)#\s]+)")
PROGRAM = get_command(app)


def commands(text: str) -> Iterator[list[str]]:
    """The words of each command in code, without comments."""
    blocks = [line for _, _, body in FENCE.findall(text) for line in body.splitlines()]
    spans = [" ".join(span.split()) for span in INLINE.findall(FENCE.sub("", text))]
    for code in (*blocks, *spans):
        for part in re.split(r"&&|;|\|", code):
            words = part.partition(" #")[0].split()
            words = words[1:] if words[:1] == ["$"] else words
            if words[:1] == ["pdf-search"] and len(words) > 1:
                yield words[1:]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_and_their_options_exist(page: Path) -> None:
    for words in commands(page.read_text(encoding="utf-8")):
        assert wrong(words) == [], f"pdf-search {' '.join(words)}"


def wrong(words: list[str]) -> list[str]:
    """The verb or options of a command that the program does not have."""
    command: Any = PROGRAM
    rest = list(words)
    while hasattr(command, "commands") and rest and not rest[0].startswith("-"):
        name = rest.pop(0)
        if name not in command.commands:
            return [name]
        command = command.commands[name]
    known = {option for p in command.params for option in (*p.opts, *p.secondary_opts)} | {"--help"}
    given = [word.partition("=")[0].rstrip(",.:)") for word in rest if re.match("--?[a-z]", word)]
    return [option for option in given if option not in known]


def test_a_wrong_option_would_be_noticed() -> None:
    assert wrong(["sweep", "zinc", "--trails", "3"]) == ["--trails"]
    assert wrong(["sweeep", "zinc"]) == ["sweeep"]
    assert list(commands("`pdf-search show\nNAME` and\n```\n$ pdf-search list  # all\n```\n")) == [
        ["list"],
        ["show", "NAME"],
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    generated = re.compile(r"(?:\.\./)?reference/(commands|spaces|python)\.md")
    for link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        assert generated.fullmatch(link) or (page.parent / link).exists(), link
