"""New data sets."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from i2s_sdk.data import read_folder
from i2s_sdk.data.check import check
from i2s_sdk.data.content import read_content
from i2s_sdk.data.scaffold import new_dataset
from i2s_sdk.data.summary import summarize
from i2s_sdk.errors import I2SError


def picture(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    content = io.BytesIO()
    Image.new("RGB", (8, 8), "teal").save(content, "PNG")
    path.write_bytes(content.getvalue())


def test_an_empty_one_has_an_example_that_validates(tmp_path: Path) -> None:
    assert new_dataset(tmp_path / "new") == 1
    found = check(tmp_path / "new")
    assert (len(found.instances), found.faults) == (1, ())
    assert r"\begin{equation*}" in (read_content(found.instances[0]).structure or "")


def test_pictures_and_documents_of_one_name_belong_together(tmp_path: Path) -> None:
    source = tmp_path / "exam"
    for name in ("one.png", "two.png", "site.png", "tune.PNG", "photo.jpeg"):
        picture(source / name)
    (source / "one.tex").write_text("x")
    (source / "tune.ly").write_text("{ c }")
    (source / "site" / "css").mkdir(parents=True)
    (source / "site" / "index.html").write_text("<p>")
    (source / "site" / "css" / "a.css").write_text("p{}")
    (source / "notes.txt").write_text("of no concern")
    assert new_dataset(tmp_path / "new", source, task="latex") == 5
    found = read_folder(tmp_path / "new").instances
    assert [(one.id, one.task, one.subset, one.structure is not None) for one in found] == [
        ("one", "latex", "exam", True),
        ("photo", "latex", "exam", False),
        ("site", "webpage", "exam", True),
        ("tune", "music", "exam", True),
        ("two", "latex", "exam", False),
    ]
    assert read_content(found[2]).site == {"index.html": b"<p>", "css/a.css": b"p{}"}
    assert check(tmp_path / "new").faults == ()
    counted = {(one.task, one.name): (one.instances, one.with_structure) for one in summarize(found)}
    assert counted == {("latex", "exam"): (3, 1), ("webpage", "exam"): (1, 1), ("music", "exam"): (1, 1)}


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a.png"], "--task"),
        (["a.tex"], "i2s-sdk render"),
        (["a.png", "a.jpg", "a.tex"], "same name"),
        (["a.png", "a.tex", "a.ly"], "same name"),
        (["a.txt"], "holds no picture"),
    ],
)
def test_what_cannot_be_taken_is_told_and_nothing_is_left(
    names: list[str], said: str, tmp_path: Path
) -> None:
    (tmp_path / "source").mkdir()
    for name in names:
        picture(tmp_path / "source" / name)
    with pytest.raises(I2SError, match=said):
        new_dataset(tmp_path / "new", tmp_path / "source")
    assert not (tmp_path / "new").exists()


def test_a_name_that_can_be_no_id_leaves_nothing(tmp_path: Path) -> None:
    picture(tmp_path / "source" / "a\tb.png")
    with pytest.raises(I2SError, match="printable"):
        new_dataset(tmp_path / "new", tmp_path / "source", task="latex")
    assert not (tmp_path / "new").exists()


def test_a_folder_that_holds_something_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(I2SError, match="not empty"):
        new_dataset(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
