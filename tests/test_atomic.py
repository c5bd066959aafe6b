"""What is written whole: after any failure the old one is there, and no rest."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pdf_search.atomic import new_folder, put_folder, whole_file


def fail(path: Path) -> None:
    path.write_text("half")
    raise OSError("disk full")


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text("old")
    with pytest.raises(OSError, match="disk full"), whole_file(target) as path:
        fail(path)
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("name", ["x" * 255, "xü" * 85])
def test_a_name_of_any_length_that_a_folder_takes(tmp_path: Path, name: str) -> None:
    with whole_file(tmp_path / name) as part:
        part.write_text("new")
    place = tmp_path / name[:-1]
    with new_folder(place) as folder:
        put_folder(folder, place)
    assert {path.name for path in tmp_path.iterdir()} == {name, name[:-1]}
    assert (tmp_path / name).read_text() == "new"


def test_a_rename_that_fails_leaves_no_litter(tmp_path: Path) -> None:
    target = tmp_path / "folder"
    (target / "full").mkdir(parents=True)
    with pytest.raises(OSError, match="folder"), whole_file(target) as path:
        path.write_text("new")
    assert [p.name for p in tmp_path.iterdir()] == ["folder"]


def test_a_file_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "made" / "on the way" / "file"
    for text in ("old", "new"):
        with whole_file(target) as path:
            path.write_text(text)
    assert target.read_text() == "new"
    assert [p.name for p in target.parent.iterdir()] == ["file"]


KILLED = """
import os, signal, sys
from pathlib import Path
from pdf_search.atomic import whole_file

with whole_file(Path(sys.argv[1])) as path:
    path.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_in_the_middle_of_a_write_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text("old")
    done = subprocess.run([sys.executable, "-c", KILLED, str(target)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert target.read_text() == "old"


def test_a_failure_in_the_middle_of_a_folder_leaves_the_old_one_and_no_rest(tmp_path: Path) -> None:
    target = tmp_path / "set"
    target.mkdir()
    (target / "a").write_text("old")
    with pytest.raises(OSError, match="disk full"), new_folder(target) as folder:
        fail(folder / "a")
    assert (target / "a").read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["set"]


def test_a_folder_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, synced = tmp_path / "set", []
    target.mkdir()
    (target / "damaged").write_text("old")
    (tmp_path / ".set.of a killed process").mkdir()

    def fsync(number: int) -> None:
        assert not (target / "new").exists()
        synced.append(os.fstat(number).st_ino)

    monkeypatch.setattr(os, "fsync", fsync)
    with new_folder(target) as folder:
        (folder / "below").mkdir()
        for name in ("new", "below/more"):
            (folder / name).write_text("new")
        put_folder(folder, target)
    found = {path.stat().st_ino for path in target.rglob("*") if path.is_file()}
    assert set(synced) == found
    assert [p.name for p in tmp_path.iterdir()] == ["set"]
    assert not (target / "damaged").exists()


def test_only_ones_own_leftovers_are_removed_whatever_the_name(tmp_path: Path) -> None:
    (tmp_path / ".[ab].of a killed process").mkdir()
    (tmp_path / ".a.of another").mkdir()
    with new_folder(tmp_path / "[ab]") as folder:
        put_folder(folder, tmp_path / "[ab]")
    assert {p.name for p in tmp_path.iterdir()} == {"[ab]", ".a.of another"}
