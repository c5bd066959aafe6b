"""Writes, reads, copies and removes checkpoint folders on the storage that Ray writes to."""

from __future__ import annotations

import hashlib
import json
import logging
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow.fs
from ray.tune import Checkpoint

from pdf_search.errors import ConfigError
from pdf_search.paths import below, last_names
from pdf_search.records import Phase, TrialRecord
from pdf_search.sweep.trial_log.saved import SavedTrial, folder_of
from pdf_search.sweep.tune.payload import epoch_report, epoch_tree

MARK = "epoch.json"
CHECKPOINT = "checkpoint_"  # Ray's own names go on with a number
LAST = f"{CHECKPOINT}last"  # saved when Tune ended the trial
CHUNK = 2**20  # bytes
logger = logging.getLogger(__name__)


def mark(folder: Path, saved: SavedTrial) -> None:
    """Write into a checkpoint's folder what it holds, with a checksum of each file."""
    here = pyarrow.fs.LocalFileSystem()
    tree = {
        "epoch": saved.epoch,
        "configuration": saved.configuration,
        "device": saved.device,
        "results": [epoch_tree(report) for report in saved.results],
        "files": {path.name: _checksum(here, str(path)) for path in folder.iterdir()},
    }
    (folder / MARK).write_text(json.dumps(tree))


def read(path: str) -> SavedTrial | None:
    """What a checkpoint holds; None if it is gone or damaged, of which the log tells."""
    try:
        return _checked(path, _tree(path))
    except (OSError, ValueError, KeyError, TypeError) as error:
        logger.warning("checkpoint %s cannot be used: %s", path, error)
        return None


def _tree(path: str) -> dict[str, Any]:
    system, inside = filesystem(path)
    with system.open_input_stream(f"{inside}/{MARK}") as stream:
        tree: dict[str, Any] = json.loads(stream.read())
    return tree


def _checked(path: str, tree: dict[str, Any]) -> SavedTrial:
    system, inside = filesystem(path)
    # Those of older versions have no checksums; torch notices if they were cut.
    for name, checksum in tree.get("files", {}).items():
        if _checksum(system, f"{inside}/{name}") != checksum:
            raise ValueError(f"{name} is damaged, its checksum differs")
    return SavedTrial(
        path,
        int(tree["epoch"]),
        tree.get("configuration", ""),
        tree.get("device", ""),
        tuple(map(epoch_report, tree.get("results", ()))),
    )


class SavedIn:
    """The checkpoints of a phase's trials in a storage; see ``SavedTrials``."""

    def __init__(self, storage: str, phase: Phase) -> None:
        self.folder = below(storage, phase.value)

    def newest_first(self, number: int, record: TrialRecord) -> Iterator[SavedTrial]:
        """See ``SavedTrials``."""
        known = [folder_of(record.checkpoint)] if record.checkpoint else []
        folders = dict.fromkeys([*known, *self.attempts(number)])
        paths = [path for folder in folders for path in _checkpoints_in(folder)]
        for path in sorted(paths, key=_epoch_of, reverse=True):
            saved = read(path)
            if saved is not None:
                yield saved

    def beside(self, path: str) -> list[str]:
        """See ``SavedTrials``."""
        return [other for other in _checkpoints_in(folder_of(path)) if other != path]

    def attempts(self, number: int) -> list[str]:
        """See ``SavedTrials``."""
        return self._attempts[attempt(number)]

    @cached_property
    def _attempts(self) -> defaultdict[str, list[str]]:
        found = defaultdict(list)
        for folder in _listed(self.folder):
            number, dash, _ = last_names(folder)[0].partition("-")
            found[number + dash].append(folder)
        return found


def _checkpoints_in(folder: str) -> list[str]:
    return [path for path in _listed(folder) if last_names(path)[0].startswith(CHECKPOINT)]


def _epoch_of(path: str) -> int:
    """The epoch of a checkpoint, -1 if its mark cannot be read."""
    try:
        return int(_tree(path)["epoch"])
    except (OSError, ValueError, KeyError, TypeError):
        return -1


def attempt(number: int) -> str:
    """How the name of the folder of each attempt of a trial begins; ``number`` is the log's."""
    return f"{number:04d}-"


def put(folder: Path, storage: Any) -> None:
    """Copy a checkpoint to where Ray keeps those of its trial; ``storage`` is Ray's of the trial.

    For Ray it does not exist. A resume finds it.
    """
    target = f"{storage.trial_fs_path}/{LAST}"
    storage.storage_filesystem.create_dir(target)
    pyarrow.fs.copy_files(
        str(folder),
        target,
        source_filesystem=pyarrow.fs.LocalFileSystem(),
        destination_filesystem=storage.storage_filesystem,
    )


@contextmanager
def local_copy(path: str) -> Iterator[Path]:
    """The folder itself if it is local, else a copy that exists inside the ``with`` block."""
    with Checkpoint(path).as_directory() as folder:
        yield Path(folder)


@contextmanager
def recorded_copy(path: str) -> Iterator[Path]:
    """As ``local_copy``, of a checkpoint that is known from a record.

    Raises:
        ConfigError: it is gone.
    """
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(local_copy(path))
        except (FileNotFoundError, ValueError) as error:
            raise ConfigError(f"the checkpoint {path} is gone ({error})") from None
        yield folder


def remove(path: str) -> None:
    """Remove a local or remote folder; if that fails, or it is gone, only the log says so."""
    try:
        delete_stored(path)
    except OSError as error:
        logger.info("%s was not removed: %s", path, error)


def delete_stored(path: str) -> None:
    """Remove a local or remote folder.

    Raises:
        OSError: it is not there, or cannot be removed.
    """
    system, inside = filesystem(path)
    system.delete_dir(inside)


def filesystem(path: str) -> tuple[pyarrow.fs.FileSystem, str]:
    """The file system of a folder or URI, and the path within it."""
    if "://" in path:
        return pyarrow.fs.FileSystem.from_uri(path)  # type: ignore[no-any-return]
    return pyarrow.fs.LocalFileSystem(), path


def make(path: str) -> None:
    """Make a local folder for checkpoints, with its parents; it may exist."""
    Path(path).mkdir(parents=True, exist_ok=True)


def _listed(folder: str) -> list[str]:
    """The folders inside a folder, each as a path or URI like it."""
    system, inside = filesystem(folder)
    selector = pyarrow.fs.FileSelector(inside, allow_not_found=True)
    names = [info.base_name for info in system.get_file_info(selector) if not info.is_file]
    return [below(folder, name) for name in sorted(names)]


def _checksum(system: pyarrow.fs.FileSystem, path: str) -> str:
    found = hashlib.sha256()
    with system.open_input_stream(path) as stream:
        while chunk := stream.read(CHUNK):
            found.update(chunk)
    return found.hexdigest()
