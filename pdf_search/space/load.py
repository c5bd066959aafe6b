"""Loads search spaces: shipped ones by name or data set, and one's own by path."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pdf_search.config import DataConfig, newest, parse_trial
from pdf_search.data import (
    Asked,
    DatasetInfo,
    OwnData,
    canonical,
    is_own,
    lookup,
    own_data,
    unpacked_name,
)
from pdf_search.errors import ConfigError, DataError, SpaceError
from pdf_search.paths import expanded
from pdf_search.space.assemble import PublishedSetting, assemble
from pdf_search.space.definition import (
    POINTS,
    Definition,
    known_paths,
    merge,
    retarget,
    set_with_new_name,
    with_new_names,
)
from pdf_search.space.files.problems import Problems, closest, did_you_mean
from pdf_search.space.files.shipped import definition as parse_definition
from pdf_search.space.files.shipped import (
    own_definition,
    seen_from,
    shipped_definition,
    shipped_names,
    shipped_text,
    shipped_tree,
)
from pdf_search.space.own.rule import few_note, folds_note
from pdf_search.space.own.write import own_space_text
from pdf_search.space.settings.overrides import (
    Settable,
    data_set_named,
    lay_sets,
    read_sets,
    settings_named,
)
from pdf_search.space.space import Space
from pdf_search.space.taxonomy import TaxonomySetting, lay_setting, taxonomy_setting

OTHER_MOLECULES = "families/ogbg-mol"
MOLPCBA = "ogbg-molpcba"


def space_names() -> list[str]:
    """Return the names of the shipped space files.

    ``load_space`` also accepts every other ``ogbg-mol...`` data set.
    """
    return shipped_names()


def load_space(
    name_or_path: str,
    overrides: Sequence[str] = (),
    setting: str | None = None,
    info: DatasetInfo | None = None,
    asked: Asked | None = None,
) -> Space:
    """Load the space of a shipped name, a data set, or a file, and apply ``path=value`` overrides.

    For a data file of one's own a space is written by the rule in ``own.rule``; ``asked`` is what
    is said about that file. ``setting``: one of ``taxonomy_names()``; its bases and filter replace
    those of the space before the overrides. ``info``: what is known of the data set, which is then
    not looked up.

    Raises:
        SpaceError: no such space, or a list of every problem with line, key and remedy.
        DataError: a data file of one's own cannot be read.
    """
    own: OwnData | None = None
    if is_own(name_or_path):
        own = own_data(name_or_path, asked or Asked(), settings_named(overrides).get("data"))
        name = own.name
        definition = parse_definition(own_space_text(own), f"written for {name_or_path}", "")
    else:
        _refuse_packed(name_or_path)
        _refuse_asked(name_or_path, asked)
        name, definition = _find(name_or_path)
    laid = None if setting is None else taxonomy_setting(setting)
    definition = definition if laid is None else lay_setting(definition, laid)
    definition = _with_sets(definition, overrides)
    problems = definition.problems()
    space = assemble(name, definition, problems, _published(definition, laid, problems), info)
    protocol = space.defaults.protocol
    told = () if own is None else own.notes + few_note(own, protocol) + folds_note(own, protocol)
    return replace(space, notes=(*told, *space.notes))


def _refuse_packed(name: str) -> None:
    """Refuse the name of a compressed file that does not tell what is in it."""
    path = Path(name)
    if unpacked_name(path) != path:
        raise SpaceError(
            f"{name}: the name of a compressed table ends as its kind before {path.suffix}, such "
            f"as {unpacked_name(path).stem}.csv{path.suffix}; rename the file"
        )


def _refuse_asked(name: str, asked: Asked | None) -> None:
    """Refuse options about a file of one's own for a space that says these things itself."""
    if asked is not None and (options := asked.named()):
        raise SpaceError(
            f"{options}: only for a data file in place of the space {name}; in a space it is "
            "data.smiles, data.targets, data.task, data.split_by or split_column, skip_bad_rows, "
            "also with --set"
        )


def space_text(name_or_path: str, asked: Asked | None = None) -> str:
    """Return the YAML text of a space, as a start for one's own file.

    Raises:
        SpaceError: no such space, or its file has problems.
    """
    if is_own(name_or_path):
        return own_space_text(own_data(name_or_path, asked or Asked()))
    space = load_space(name_or_path)
    if name_or_path.endswith((".yaml", ".yml")):
        return expanded(name_or_path).read_text(encoding="utf-8")
    if space.name in space_names():
        text = shipped_text(space.name)
    else:
        text = shipped_text(OTHER_MOLECULES)
        text += f"data: {{name: {space.name}}}\nmetric: {space.defaults.metric}\n"
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if "$schema=schema.json" not in line)


def _find(given: str) -> tuple[str, Definition]:
    if given.endswith((".yaml", ".yml")) or "/" in given or "\\" in given:
        path = expanded(given)
        return path.stem, _read_file(path)
    name = canonical(given)
    if name in space_names():
        return name, shipped_definition(name)
    return name, _of_data_set(name, given)


def _of_data_set(name: str, given: str) -> Definition:
    """Return the definition for a data set without a space file: any other ``ogbg-mol...``."""
    try:
        info = lookup(DataConfig(name=name))
    except DataError:
        hint = did_you_mean(given, space_names())
        hint = hint if hint.endswith("?") else f"{hint}."
        if Path(given).is_file():
            hint += (
                f" There is a file {given}: its name must end as its kind, such as .csv or .yaml."
            )
        raise SpaceError(
            f"no search space {given!r}; {hint} A space of your own is given by its path: ./my.yaml"
        ) from None
    shipped = OTHER_MOLECULES if info.space == MOLPCBA else info.space
    definition = _extended(shipped_definition(shipped))
    retarget(definition, name)
    return definition


def _read_file(path: Path) -> Definition:
    definition = own_definition(
        path,
        f"shipped spaces: {', '.join(space_names())}",
        "give the name or the file of a space; a recorded sweep goes on with `pdf-search resume`",
        "not a space: it needs keys such as data, basis and model",
    )
    seen_from(path, definition.plain)
    return _extended(with_new_names(definition))


def _extended(definition: Definition) -> Definition:
    """Lay a definition over the shipped space that it extends.

    A misspelt name is a problem, and the closest name is used to check the rest.

    Raises:
        SpaceError: no name is close, so the rest cannot be checked.
    """
    base = definition.plain.pop("extends", None)
    if base is None:
        return definition
    problems = definition.problems()
    if base not in space_names():
        hint = did_you_mean(str(base), space_names())
        problems.add(("extends",), f"no shipped space {base!r}; {hint}")
        base = closest(str(base), space_names())
        if base is None:
            problems.raise_if_any()
    return merge(shipped_definition(str(base)), definition.after(problems))


def _with_sets(definition: Definition, texts: Sequence[str]) -> Definition:
    """Apply every ``path=value`` to a copy of a definition; their problems join its own."""
    result = replace(
        definition, plain=copy.deepcopy(definition.plain), marks=dict(definition.marks)
    )
    problems = result.problems()
    sets = read_sets([set_with_new_name(text) for text in texts], problems)
    for new in map(data_set_named, sets):
        data = result.plain.get("data")
        if new is not None and isinstance(data, dict) and new != data.get("name"):
            retarget(result, new)  # metric and protocol are those of the new data set
    lay_sets(result.plain, result.marks, sets, Settable(known_paths()), problems)
    return result.after(problems)


def _published(
    definition: Definition, laid: TaxonomySetting | None, problems: Problems
) -> tuple[PublishedSetting, ...]:
    """Read the paper's settings that the head names; points given as mappings are skipped."""
    listed = definition.plain.get(POINTS)
    found = []
    for index, name in enumerate(listed if isinstance(listed, list) else []):
        if not isinstance(name, str):
            continue
        try:
            tree, source = _paper_tree(name)
            tree = tree if laid is None else laid.over(tree)
            found.append(PublishedSetting(name, parse_trial(tree, source)))
        except ConfigError as error:
            problems.add((POINTS, index), str(error))
    return tuple(found)


def paper_names() -> list[str]:
    """Return the names of the shipped settings of the paper."""
    return shipped_names("paper")


def paper_trial(name: str) -> dict[str, Any]:
    """Return a setting of the paper as the tree of a trial, with the newest versions of its data.

    Raises:
        SpaceError: there is none of that name.
    """
    return _paper_tree(name)[0]


def _paper_tree(name: str) -> tuple[dict[str, Any], str]:
    if name not in paper_names():
        raise SpaceError(f"no published setting {name!r}; {did_you_mean(name, paper_names())}")
    tree, source = shipped_tree(f"paper/{name}")
    return {**tree, "data": newest(tree["data"])}, source
