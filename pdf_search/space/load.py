"""Finds space files: shipped ones by name, others by path, and the spaces of data sets."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from pdf_search.config import DataConfig, newest, parse_trial
from pdf_search.data.registry import DatasetInfo, canonical, lookup
from pdf_search.errors import ConfigError, DataError, SpaceError
from pdf_search.places import expanded
from pdf_search.space.assemble import PublishedSetting, assemble
from pdf_search.space.definition import Definition, merge, retarget
from pdf_search.space.overrides import apply_overrides
from pdf_search.space.problems import did_you_mean
from pdf_search.space.space import Space
from pdf_search.space.taxonomy import TaxonomySetting, lay_setting, taxonomy_setting
from pdf_search.space.yaml_reader import read_yaml

SHIPPED = "search_spaces"
OTHER_MOLECULES = "families/ogbg-mol"
MOLPCBA = "ogbg-molpcba"


def space_names() -> list[str]:
    """The shipped spaces. Every other ``ogbg-mol...`` data set has one besides."""
    folder = files(SHIPPED)
    return sorted(
        entry.name.removesuffix(".yaml")
        for entry in folder.iterdir()
        if entry.name.endswith(".yaml")
    )


def load_space(
    name_or_path: str,
    overrides: Sequence[str] = (),
    setting: str | None = None,
    info: DatasetInfo | None = None,
) -> Space:
    """The space of a shipped name, a data set, or a file, after ``path=value`` overrides.

    ``setting``: one of ``taxonomy_names()``; its bases and filter replace the space's first.
    ``info``: known of its data set, whose file need not be there then.

    Raises:
        SpaceError: no such space, or every problem of its file with line, key and remedy.
    """
    name, definition = _find(name_or_path)
    laid = None if setting is None else taxonomy_setting(setting)
    definition = definition if laid is None else lay_setting(definition, laid)
    definition = apply_overrides(definition, overrides)
    return assemble(name, definition, _published(definition, laid), info)


def space_text(name_or_path: str) -> str:
    """The text of a space's file, to start one's own from.

    Raises:
        SpaceError: no such space.
    """
    space = load_space(name_or_path)
    if name_or_path.endswith((".yaml", ".yml")):
        return expanded(name_or_path).read_text(encoding="utf-8")
    if space.name in space_names():
        text = files(SHIPPED).joinpath(f"{space.name}.yaml").read_text(encoding="utf-8")
    else:
        text = files(SHIPPED).joinpath(f"{OTHER_MOLECULES}.yaml").read_text(encoding="utf-8")
        text += f"data: {{name: {space.name}}}\nmetric: {space.defaults.metric}\n"
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if "$schema=schema.json" not in line)


def _find(given: str) -> tuple[str, Definition]:
    if given.endswith((".yaml", ".yml")) or "/" in given or "\\" in given:
        path = expanded(given)
        return path.stem, _read_file(path)
    name = canonical(given)
    if name in space_names():
        return name, _read_shipped(name)
    return name, _of_data_set(name, given)


def _of_data_set(name: str, given: str) -> Definition:
    """The space of a data set that has no file of its own: any other ``ogbg-mol...``."""
    try:
        info = lookup(DataConfig(name=name))
    except DataError:
        hint = did_you_mean(given, space_names())
        hint = hint if hint.endswith("?") else f"{hint}."
        raise SpaceError(
            f"no search space {given!r}; {hint} A space of your own is given by its path: ./my.yaml"
        ) from None
    definition = _read_shipped(OTHER_MOLECULES if info.space == MOLPCBA else info.space)
    retarget(definition, {"name": name})
    return definition


def _read_file(path: Path) -> Definition:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SpaceError(
            f"{path}: no such file; shipped spaces: {', '.join(space_names())}"
        ) from None
    except IsADirectoryError:
        raise SpaceError(
            f"{path} is a folder: give the name or the file of a space; a recorded sweep goes on "
            "with `pdf-search resume`"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SpaceError(f"{path}: cannot be read: {error}") from None
    definition = _definition(text, str(path))
    data = definition.plain.get("data")
    if isinstance(data, dict) and isinstance(data.get("path"), str):
        data["path"] = str((path.absolute().parent / expanded(data["path"])).resolve())
    return definition


def _read_shipped(name: str) -> Definition:
    resource = files(SHIPPED).joinpath(f"{name}.yaml")
    return _definition(resource.read_text(encoding="utf-8"), f"{SHIPPED}/{name}.yaml")


def _definition(text: str, source: str) -> Definition:
    document = read_yaml(text, source)
    if not isinstance(document.tree, dict):
        raise SpaceError(f"{source}: not a space: it needs keys such as data, basis and model")
    definition = Definition(source, document.tree, document.marks)
    base = definition.plain.pop("extends", None)
    if base is None:
        return definition
    if base not in space_names():
        place = definition.marks[("extends",)]
        raise SpaceError(
            f"{place}: extends: no shipped space {base!r}; {did_you_mean(str(base), space_names())}"
        )
    return merge(_read_shipped(base), definition)


def _published(
    definition: Definition, laid: TaxonomySetting | None
) -> tuple[PublishedSetting, ...]:
    """Reads the settings that the head names; points stay in the head."""
    listed = definition.plain.get("published")
    if not isinstance(listed, list):
        return ()
    problems = definition.problems()
    found = []
    for index, name in enumerate(listed):
        if not isinstance(name, str):
            continue
        try:
            tree, source = _paper_tree(name)
            tree = tree if laid is None else laid.over(tree)
            found.append(PublishedSetting(name, parse_trial(tree, source)))
        except ConfigError as error:
            problems.add(("published", index), str(error))
    problems.raise_if_any()
    return tuple(found)


def paper_names() -> list[str]:
    """The published settings that are shipped."""
    folder = files(SHIPPED).joinpath("paper")
    return sorted(
        entry.name.removesuffix(".yaml")
        for entry in folder.iterdir()
        if entry.name.endswith(".yaml")
    )


def paper_trial(name: str) -> dict[str, Any]:
    """The published setting of a data set, as the tree of a trial.

    Raises:
        SpaceError: none of that name.
    """
    return _paper_tree(name)[0]


def _paper_tree(name: str) -> tuple[dict[str, Any], str]:
    if name not in paper_names():
        raise SpaceError(f"no published setting {name!r}; {did_you_mean(name, paper_names())}")
    source = f"{SHIPPED}/paper/{name}.yaml"
    text = files(SHIPPED).joinpath(f"paper/{name}.yaml").read_text(encoding="utf-8")
    tree = read_yaml(text, source).tree
    assert isinstance(tree, dict)
    return {**tree, "data": newest(tree["data"])}, source
