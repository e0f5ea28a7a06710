"""New data sets."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from PIL import Image

from i2s_sdk.data import read_folder
from i2s_sdk.data.check import check
from i2s_sdk.data.folder import read_content
from i2s_sdk.data.scaffold import new_dataset
from i2s_sdk.data.selection import summarize
from i2s_sdk.errors import I2SError


def picture(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    content = io.BytesIO()
    Image.new("RGB", (8, 8), "teal").save(content, "PNG")
    path.write_bytes(content.getvalue())


def test_an_empty_one_has_an_example_that_validates(tmp_path: Path) -> None:
    assert new_dataset(tmp_path / "new").instances == 1
    found = check(tmp_path / "new")
    assert (len(found.instances), found.faults) == (1, ())
    assert r"\begin{equation*}" in (read_content(found.instances[0]).structure or "")


def test_pictures_and_documents_of_one_name_belong_together(tmp_path: Path) -> None:
    source = tmp_path / "exam"
    for name in ("one.png", "site.png", "tune.PNG"):
        picture(source / name)
    (source / "one.tex").write_text("x")
    (source / "tune.ly").write_text("{ c }")
    (source / "site" / "css").mkdir(parents=True)
    (source / "site" / "index.html").write_text("<p>")
    (source / "site" / "css" / "a.css").write_text("p{}")
    (source / "notes.txt").write_text("of no concern")
    assert new_dataset(tmp_path / "new", source).instances == 3
    found = read_folder(tmp_path / "new").instances
    assert [(one.id, one.task, one.subset, one.structure is not None) for one in found] == [
        ("one", "latex", "exam", True),
        ("site", "webpage", "exam", True),
        ("tune", "music", "exam", True),
    ]
    assert read_content(found[1]).site == {"index.html": b"<p>", "css/a.css": b"p{}"}
    assert check(tmp_path / "new").faults == ()
    counted = {(one.task, one.name): (one.instances, one.with_structure) for one in summarize(found)}
    assert counted == {("latex", "exam"): (1, 1), ("webpage", "exam"): (1, 1), ("music", "exam"): (1, 1)}


@pytest.mark.parametrize(
    ("names", "task", "message"),
    [
        (
            ["a.png", "a.tex", "b.png", "b.ly"],
            "latex",
            "b.ly.* of the task music, not of latex; leave --task",
        ),
        (["a.png", "a/index.html"], "design2code", "a document of the task webpage, not of design2code"),
        (["a.png", "a.html"], "latex", "a document of the task design2code, not of latex"),
    ],
)
def test_a_document_of_another_task_than_the_named_one_is_refused(
    names: list[str], task: str, message: str, tmp_path: Path
) -> None:
    for name in names:
        picture(tmp_path / "source" / name)
    with pytest.raises(I2SError, match=message):
        new_dataset(tmp_path / "new", tmp_path / "source", task=task)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("folder", ["", "webpage"])
def test_a_lone_page_is_a_site_where_the_task_is_one_of_sites(tmp_path: Path, folder: str) -> None:
    source = tmp_path / "source" / folder
    for name in ("shop.png", "plain.png"):
        picture(source / name)
    (source / "shop.html").write_text("<p>")
    task = "" if folder else "webpage"
    assert new_dataset(tmp_path / "new", tmp_path / "source", task=task).instances == 2
    plain, shop = read_folder(tmp_path / "new").instances
    assert (plain.task, plain.structure, shop.task) == ("webpage", None, "webpage")
    assert read_content(shop).site == {"index.html": b"<p>"}
    (source / "plain.png").unlink()
    if not folder:
        new_dataset(tmp_path / "other", source)
        assert [instance.task for instance in read_folder(tmp_path / "other").instances] == ["design2code"]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a.png"], "--task"),
        (["a.tex"], "i2s-sdk render"),
        (["a.png", "a.jpg", "a.tex"], "same name"),
        (["a.png", "a.tex", "a.ly"], "same name"),
        (["a.txt"], "holds no image"),
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


def test_folders_named_after_tasks_become_one_data_set(tmp_path: Path) -> None:
    source = tmp_path / "pictures"
    for name in ("latex/euler.png", "latex/gauss.png", "webpage/shop.png", "music/waltz.jpg", ".git/a.png"):
        picture(source / name)
    (source / "latex" / "euler.tex").write_text("x")
    (source / "webpage" / "shop").mkdir()
    (source / "webpage" / "shop" / "index.html").write_text("<p>")
    (source / "README.md").write_text("of no concern")
    assert new_dataset(tmp_path / "new", source).instances == 4
    found = read_folder(tmp_path / "new").instances
    assert [(one.id, one.task, one.subset, one.structure is not None) for one in found] == [
        ("euler", "latex", "pictures", True),
        ("gauss", "latex", "pictures", False),
        ("shop", "webpage", "pictures", True),
        ("waltz", "music", "pictures", False),
    ]
    assert check(tmp_path / "new").faults == ()


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["latex/a.png", "b.png"], "b.png.*is beside folders of tasks .latex.; move it"),
        (["latex/a.png", "shop/index.html"], "shop.*is beside folders of tasks .latex.; move it"),
        (["latex/a.png", "webpages/b.png"], "no task is called 'webpages'; did you mean 'webpage'"),
        (["latex/a.png", "webpage/a.png"], "webpage/a.png.*has the same name as .*latex/a.png"),
        (["latex/a.png", "latex/a.ly"], "a document of the task music; move it to .*music"),
        (["latex/a.txt"], "latex holds no image"),
        (["latex/a.png", "webqa/b.png"], "b.png.*not all that an instance of webqa needs: .*question"),
        (["scimage/b.png"], "b.png.*not all that an instance of scimage needs: .*prompt"),
    ],
)
def test_what_does_not_fit_the_folders_of_tasks_is_refused(
    names: list[str], said: str, tmp_path: Path
) -> None:
    for name in names:
        picture(tmp_path / "source" / name)
    with pytest.raises(I2SError, match=said):
        new_dataset(tmp_path / "new", tmp_path / "source")
    assert not (tmp_path / "new").exists()


def test_a_named_task_takes_no_subfolders_and_says_how_they_are_taken(tmp_path: Path) -> None:
    picture(tmp_path / "source" / "webpage" / "a.png")
    with pytest.raises(I2SError, match=r"leave --task out to take the folders of tasks in it \(webpage\)"):
        new_dataset(tmp_path / "new", tmp_path / "source", task="latex")
    picture(tmp_path / "source" / "b.png")
    assert new_dataset(tmp_path / "new", tmp_path / "source", task="latex").instances == 1


def test_a_site_that_is_called_like_a_task_is_a_site(tmp_path: Path) -> None:
    picture(tmp_path / "source" / "music.png")
    (tmp_path / "source" / "music").mkdir()
    (tmp_path / "source" / "music" / "index.html").write_text("<p>")
    assert new_dataset(tmp_path / "new", tmp_path / "source").instances == 1
    (found,) = read_folder(tmp_path / "new").instances
    assert (found.id, found.task, found.structure is not None) == ("music", "webpage", True)


def encoded(kind: str, *frames: str) -> bytes:
    content = io.BytesIO()
    first, *others = [Image.new("RGB", (8, 8), color) for color in frames or ("teal",)]
    more: dict[str, object] = {"save_all": True, "append_images": others} if others else {}
    first.save(content, kind, **more)  # type: ignore[arg-type]
    return content.getvalue()


def test_gif_tiff_and_bmp_are_converted_to_png(tmp_path: Path) -> None:
    source = tmp_path / "source"
    picture(source / "plain.png")
    for name, content in (
        ("film.GIF", encoded("GIF", "teal", "red")),
        ("scan.tif", encoded("TIFF")),
        ("old.bmp", encoded("BMP")),
        ("wrong.png", encoded("GIF")),
    ):
        (source / name).write_bytes(content)
    made = new_dataset(tmp_path / "new", source, task="latex")
    assert (made.instances, made.left_out, made.warnings) == (5, (), ())
    assert [said.removeprefix(f"{source}/") for said in made.converted] == [
        "film.GIF: GIF is converted to references/film.png, the first of its frames or pages alone",
        "old.bmp: BMP is converted to references/old.png",
        "scan.tif: TIFF is converted to references/scan.png",
        "wrong.png: GIF is converted to references/wrong.png",
    ]
    assert check(tmp_path / "new").faults == ()
    for found in read_folder(tmp_path / "new").instances:
        assert found.image is not None
        with Image.open(found.image) as image:
            assert (image.format, image.getpixel((0, 0))) == ("PNG", (0, 128, 128))


def test_every_file_that_is_left_out_is_named_with_the_reason(tmp_path: Path) -> None:
    source = tmp_path / "source"
    picture(source / "a.png")
    picture(source / "figures" / "b.png")
    for name, content in (
        (".hidden.png", b"x"),
        ("README.md", b"x"),
        ("empty.png", b""),
        ("cut.png", (source / "a.png").read_bytes()[:60]),
        ("logo.eps", b"%!PS"),
        ("notes.txt", b"x"),
        ("said.gif", b"GIF89a"),
        ("void.tex", b" \n"),
    ):
        (source / name).write_bytes(content)
    picture(source / "void.png")
    (source / "gone.png").symlink_to(source / "nowhere.png")
    os.mkfifo(source / "pipe.png")
    made = new_dataset(tmp_path / "new", source, task="latex")
    assert made.instances == 1
    found = {one.path.name: (one.fault, one.reason) for one in made.left_out}
    assert {name for name, (fault, _) in found.items() if fault} == {
        "cut.png", "empty.png", "gone.png", "pipe.png", "said.gif", "void.tex",
    }  # fmt: skip
    reasons = {name: reason for name, (_, reason) in found.items()}
    assert reasons.pop("cut.png").startswith("is a damaged image")
    assert reasons.pop("said.gif") == "is no image in GIF, TIFF or BMP"
    assert reasons.pop("logo.eps") == reasons.pop("notes.txt")
    assert reasons == {
        ".hidden.png": "is hidden",
        "README.md": "is a README",
        "empty.png": "is empty",
        "figures": "is a folder without an index page, so it is no site; what it holds is not taken",
        "gone.png": "is a symbolic link to nothing",
        "pipe.png": "is no regular file",
        "void.png": "is left out with void.tex",
        "void.tex": "is empty",
    }


def test_a_file_behind_a_symbolic_link_is_copied(tmp_path: Path) -> None:
    picture(tmp_path / "elsewhere" / "a.png")
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "b.png").symlink_to(tmp_path / "elsewhere" / "a.png")
    assert new_dataset(tmp_path / "new", tmp_path / "source", task="latex").instances == 1
    assert not (tmp_path / "new" / "references" / "b.png").is_symlink()


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a.gif", "a.png"], r"a\.png: has the same name as a\.gif; rename one of them"),
        (["a.PNG", "a.png"], r"has the same name as a\.PNG; rename one of them"),
        (
            ["broken.png"],
            "holds nothing that can be taken: .*broken.png: is not an image in PNG, JPEG or WebP",
        ),
    ],
)
def test_names_that_collide_and_folders_without_a_whole_image_are_errors(
    names: list[str], said: str, tmp_path: Path
) -> None:
    (tmp_path / "source").mkdir()
    for name in names:
        (tmp_path / "source" / name).write_bytes(b"x" if name == "broken.png" else encoded("PNG"))
    with pytest.raises(I2SError, match=said):
        new_dataset(tmp_path / "new", tmp_path / "source", task="latex")
    assert not (tmp_path / "new").exists()


def test_files_beside_folders_of_tasks_are_named(tmp_path: Path) -> None:
    source = tmp_path / "source"
    picture(source / "latex" / "a.png")
    (source / "latex" / "notes.txt").write_text("x")
    (source / "list.csv").write_text("x")
    (source / ".git").mkdir()
    made = new_dataset(tmp_path / "new", source)
    assert made.instances == 1
    assert [one.path.relative_to(source).as_posix() for one in made.left_out] == [
        ".git", "list.csv", "latex/notes.txt",
    ]  # fmt: skip
    assert not any(one.fault for one in made.left_out)


def test_an_image_that_is_not_compared_as_it_looks_is_named(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    Image.new("RGBA", (8, 8), (0, 0, 0, 0)).save(tmp_path / "source" / "a.png")
    (said,) = new_dataset(tmp_path / "new", tmp_path / "source", task="latex").warnings
    assert said.startswith("image a.png is not compared as it looks: it is transparent in places")
