from __future__ import annotations

from pathlib import Path

import pytest

from pdf_search.errors import SpaceError
from pdf_search.space import Space, load_space, origin_of_listed, words_of_listed


def described(space: Space) -> tuple[str, str]:
    (values,) = space.points_to_evaluate
    return origin_of_listed(space.config(values)), words_of_listed(space, values)


@pytest.mark.parametrize(
    ("name", "overrides", "origin", "words"),
    [
        ("zinc", (), "published", "the published setting"),
        ("mutag", (), "published", "the published setting"),
        ("zinc", ("data.train_fraction=0.5",), "published", "the published setting"),
        (
            "zinc",
            ("model.hidden=64",),
            "published, changed",
            "the published setting, changed by --set",
        ),
        ("ogbg-molpcba", (), "published", "the published setting"),
        ("ogbg-molhiv", (), "published, changed", "the published setting of ogbg-molpcba"),
    ],
)
def test_published_is_only_the_setting_of_the_very_data_set(
    name: str, overrides: tuple[str, ...], origin: str, words: str
) -> None:
    space = load_space(name, overrides)
    assert described(space) == (origin, words)
    assert described(Space.from_dict(space.as_dict())) == (origin, words)  # as a resume reads it


def test_a_space_of_ones_own_may_change_or_list(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("extends: zinc\nmodel: {hidden: 64}\n")
    changed = ("published, changed", "the published setting, changed by the space or --set")
    assert described(load_space(str(file))) == changed
    file.write_text(
        "data: {name: freesolv}\npublished: [{model.hidden: 16}]\nbasis: {eps: [-0.3], k: 2}\n"
        "model: {hidden: {choice: [16, 32]}}\n"
    )
    assert described(load_space(str(file))) == ("listed", "the point listed first")


def test_a_shorter_run_is_still_the_published_setting() -> None:
    space = load_space("zinc")
    config = space.config(space.points_to_evaluate[0])
    assert origin_of_listed(config.model_copy(update={"stop_epoch": 20})) == "published"


def test_the_older_name_of_points_to_evaluate_is_read(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    text = (
        "data: {name: freesolv}\n%s: [{model.hidden: 24}]\n"
        "basis: {eps: [-0.3], k: 2}\nmodel: {hidden: {choice: [16, 24]}}\n"
    )
    file.write_text(text % "points_to_evaluate")
    new = load_space(str(file))
    assert new.points_to_evaluate[0]["model.hidden"] == 24
    file.write_text(text % "published")
    assert load_space(str(file)) == new
    assert load_space(str(file), ["published=[]"]).points_to_evaluate == ()
    recorded = new.as_dict()
    recorded["definition"]["published"] = recorded["definition"].pop("points_to_evaluate")
    assert Space.from_dict(recorded) == new
    file.write_text(text % "published" + "points_to_evaluate: []\n")
    with pytest.raises(SpaceError, match=r"own.yaml:2: published: the older name of points_to_ev"):
        load_space(str(file))
