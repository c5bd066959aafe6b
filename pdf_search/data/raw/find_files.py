"""Finds the raw files of a data set below a data root, however they were unpacked."""

from __future__ import annotations

import filecmp
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pdf_search.errors import DataError

DEPTH = 4  # levels below the data root
MOST_FOLDERS = 2000  # limit of the search, because a data root may be a whole disk
_PACKED = (".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".7z", ".rar")
_SHOWN = 5


@dataclass(frozen=True)
class Wanted:
    """The files of a data set, and the names of its folders and archives."""

    title: str
    required: tuple[str, ...]  # paths below the data set's folder
    optional: tuple[str, ...]
    homes: tuple[str, ...]  # usual folders below a data root, the preferred one first
    names: frozenset[str]  # plain names of its folders and archives
    others: frozenset[str]  # those of other data sets whose files have the same names
    unique: bool  # whether the files' own names identify the data set


@dataclass(frozen=True)
class _Folder:
    path: Path
    files: tuple[str, ...]
    called: str  # whose name the folder, or the nearest named one above, has: wanted, other, ""


def search(root: Path, wanted: Wanted) -> Path | None:
    """Find the folder at or below ``root`` that has every required file.

    Returns:
        The folder; None if there is no trace of the data set.

    Raises:
        DataError: Several such folders differ, it is not clear that the files are of this data
            set, or they are there in a form that cannot be read.
    """
    for home in wanted.homes:
        if has_all(root / home, wanted):
            return root / home
    tree = list(_walk(root, wanted))
    complete = [f for f in tree if has_all(f.path, wanted)]
    ours = [f.path for f in complete if wanted.unique or f.called == "wanted"]
    pointed = [f.path for f in complete if not f.called and f.path in _pointed_at(root)]
    meant = [path for path in ours if path in _pointed_at(root)] or ours or pointed
    if meant:
        return _only(meant, root, wanted)
    nameless = [f.path for f in complete if not f.called]
    if nameless:
        raise DataError(
            f"{nameless[0]} holds files as {wanted.title} has them, but no folder name says that "
            f"they are its own; if they are, give --data-root {nameless[0]}"
        )
    problem = _incomplete(root, tree, wanted) or _packed(tree, wanted)
    problem = problem or _foreign(root, tree, wanted)
    if problem:
        raise DataError(problem)
    return None


def has_all(folder: Path, wanted: Wanted) -> bool:
    """Whether a folder has every required file."""
    return all((folder / name).is_file() for name in wanted.required)


def plain(name: str) -> str:
    """Return a name for comparison: lower case, underscores, without the suffixes of archives."""
    name = name.lower().replace("-", "_").replace(" ", "_")
    while name.endswith(_PACKED):
        name = name.rpartition(".")[0]
    return name


def _pointed_at(root: Path) -> tuple[Path, ...]:
    """The folders that a user may mean by naming ``root``."""
    return (root, root / "raw", root.parent) if root.name == "raw" else (root, root / "raw")


def _walk(root: Path, wanted: Wanted) -> Iterator[_Folder]:
    """Yield the folders at and below ``root``, the nearest first.

    If ``root`` is called raw, the folder above it is included.
    """
    queue = [(root, 0)]
    if root.name == "raw":
        queue.append((root.parent, DEPTH))
    for seen, (path, depth) in enumerate(queue):
        if seen == MOST_FOLDERS:
            return
        folders, files = _listing(path)
        yield _Folder(path, files, _called(path, root, wanted))
        if depth < DEPTH:
            queue += [(path / name, depth + 1) for name in folders]


def _listing(path: Path) -> tuple[list[str], tuple[str, ...]]:
    """The sorted names of the folders and of the files in a folder; none if it cannot be read."""
    try:
        with os.scandir(path) as entries:
            kinds = {e.name: e.is_dir() for e in entries if not e.name.startswith((".", "__"))}
    except OSError:
        return [], ()
    names = sorted(kinds)
    return [n for n in names if kinds[n]], tuple(n for n in names if not kinds[n])


def _called(path: Path, root: Path, wanted: Wanted) -> str:
    """Whether the name of a folder, or of the nearest above it that is known, is the wanted set's.

    ``wanted`` for the wanted data set, ``other`` for another one, "" if no name is known.
    """
    whole = root.resolve()
    below = path.relative_to(root).parts if path.is_relative_to(root) else ()
    above = (whole.name, whole.parent.name) if whole.name == "raw" else (whole.name,)
    for name in map(plain, (*reversed(below), *above)):
        if name in wanted.names:
            return "wanted"
        if name in wanted.others:
            return "other"
    return ""


def _only(folders: list[Path], root: Path, wanted: Wanted) -> Path:
    """The first folder, if the others are copies of it; else refuse."""
    names = (*wanted.required, *wanted.optional)
    if all(_same(folders[0], other, names) for other in folders[1:]):
        return folders[0]
    shown = ", ".join(map(str, folders[:_SHOWN]))
    raise DataError(
        f"{wanted.title} is in {len(folders)} folders below {root}, with other content: {shown}; "
        f"give the one that you mean, for instance --data-root {folders[0]}"
    )


def _same(a: Path, b: Path, names: tuple[str, ...]) -> bool:
    """Whether two folders have the same of these files, with equal content."""
    here = [name for name in names if (a / name).is_file()]
    if here != [name for name in names if (b / name).is_file()]:
        return False
    return not any(filecmp.cmpfiles(a, b, here, shallow=False)[1:])


def _incomplete(root: Path, tree: list[_Folder], wanted: Wanted) -> str | None:
    """Say which required files are missing or in another form; None if there is none of them."""
    ours = [f for f in tree if wanted.unique or f.called == "wanted"]
    if not ours:
        return None
    best = max((f.path for f in ours), key=lambda path: _count(path, wanted))
    lacking = [name for name in wanted.required if not (best / name).is_file()]
    found = {name: _alike(ours, name) for name in lacking}
    if len(lacking) == len(wanted.required) and not any(found.values()):
        return None
    where = best if _count(best, wanted) else root
    lines = [f"{name} {_form(path, name) if path else 'missing'}" for name, path in found.items()]
    return (
        f"{where} is incomplete: {'; '.join(lines)}. {wanted.title} is read from one folder that "
        f"holds all of its files, for instance {root / wanted.homes[0]}; without --data-root it is "
        "downloaded"
    )


def _count(folder: Path, wanted: Wanted) -> int:
    return sum((folder / name).is_file() for name in wanted.required)


def _alike(folders: list[_Folder], name: str) -> Path | None:
    """A file with the wanted name, apart from letter case, folder and packing; None if none."""
    last = plain(Path(name).name)
    kin = [f for f in folders if not _another_part(f.path, Path(name).parent.parts)]
    return next((f.path / n for f in kin for n in f.files if plain(n) == last), None)


def _another_part(folder: Path, wanted: tuple[str, ...]) -> bool:
    """Whether a folder lies beside the wanted one, as ``split/random`` by ``split/scaffold``."""
    *above, own = wanted or ("",)
    return bool(above) and folder.parent.name == above[-1] and folder.name != own


def _form(found: Path, name: str) -> str:
    """Say where a file was found in another form, and what to do with it."""
    wanted = Path(name).name
    if not found.exists():
        return f"is a link to nothing: {found}"
    if found.name == wanted:
        return f"found as {found}"
    if found.suffix.lower() in _PACKED and not wanted.endswith(found.suffix):
        return f"found as {found}, which is packed: unpack it"
    if wanted == f"{found.name}.gz":
        return f"found as {found}, which is unpacked: pack it with gzip"
    return f"found as {found}: rename it"


def _packed(tree: list[_Folder], wanted: Wanted) -> str | None:
    """Say where an archive of the data set lies that is not unpacked; None if nowhere."""
    for folder in tree:
        for name in folder.files:
            if name.lower().endswith(_PACKED) and plain(name) in wanted.names:
                return (
                    f"{folder.path / name} is still packed: unpack it there, and give the same "
                    "--data-root again; without --data-root the data set is downloaded"
                )
    return None


def _foreign(root: Path, tree: list[_Folder], wanted: Wanted) -> str | None:
    """Say which folder has the data set's name and other files; None if there is no such folder."""
    for folder in tree:
        if folder.files and folder.called == "wanted" and _is_home(folder.path, root, wanted):
            return (
                f"{folder.path} bears the name of {wanted.title}, but holds none of "
                f"{', '.join(wanted.required)}; it holds {', '.join(folder.files[:_SHOWN])}. Put "
                "the data set's own files there, or leave --data-root out to have it downloaded"
            )
    return None


def _is_home(folder: Path, root: Path, wanted: Wanted) -> bool:
    """Whether a folder is, or lies in, one of the data set's names below the root or collection."""
    parts = folder.relative_to(root).parts if folder.is_relative_to(root) else ()
    collection = Path(wanted.homes[0]).parts[0]
    below = (
        parts[1:] if parts[:1] == (collection,) and plain(collection) not in wanted.names else parts
    )
    return bool(below) and plain(below[0]) in wanted.names
