"""ShapeCodeBench as a data set: the published layout, and new items from a seed."""

import json

import pytest

from i2s_sdk.data.imports.items import ImportRequest
from i2s_sdk.data.imports.registry import import_data
from i2s_sdk.data.imports.shapecode import make_shapecode, new_program
from i2s_sdk.errors import DataError
from i2s_sdk.tasks.shapecode.program import draw, png, read_program
from linked_out import link_out

PROGRAM = "filled_circle(cx=326, cy=337, radius=96)"


def published(folder, **changed):
    folder.mkdir()
    (folder / "images").mkdir()
    (folder / "images/a.png").write_bytes(png(draw(read_program(PROGRAM))))
    row = {"id": "a", "difficulty": "easy", "program": PROGRAM, "image": "images/a.png", **changed}
    (folder / "tasks.json").write_text(json.dumps([row]))
    return folder


def rows(folder):
    return [json.loads(line) for line in (folder / "instances.jsonl").read_text().splitlines()]


def test_the_published_layout_becomes_a_data_set(tmp_path):
    source = published(tmp_path / "in")
    made = import_data("shapecodebench", ImportRequest((str(source),), tmp_path / "out"))
    assert made.instances == 1
    (row,) = rows(tmp_path / "out")
    assert (row["id"], row["task"], row["subset"], row["licence"]) == ("a", "shapecode", "easy", "CC-BY-4.0")
    assert row["target"] == {"program": PROGRAM}
    assert (tmp_path / "out" / row["inputs"]["image"]).is_file()


@pytest.mark.parametrize(
    ("changed", "reason"), [({"program": "circle(cx=1)"}, "lacks"), ({"image": "images/b.png"}, "b.png")]
)
def test_an_item_without_program_or_image_is_left_out_with_the_reason(tmp_path, changed, reason):
    source = published(tmp_path / "in", **changed)
    with pytest.raises(DataError, match=reason):
        import_data("shapecodebench", ImportRequest((str(source),), tmp_path / "out"))


@pytest.mark.parametrize("way", ["a relative path", "an absolute path", "a link"])
def test_no_image_outside_of_the_folder_is_read(tmp_path, way):
    secret = tmp_path / "private" / "a.png"
    image = {"a relative path": "../private/a.png", "an absolute path": str(secret), "a link": "images/a.png"}
    source = published(tmp_path / "in", image=image[way])
    link_out(source / "images/a.png", secret.parent)
    with pytest.raises(DataError, match="lies outside"):
        import_data("shapecodebench", ImportRequest((str(source),), tmp_path / "out"))


def test_a_seed_makes_the_same_items_and_a_larger_count_begins_with_them(tmp_path):
    make_shapecode(tmp_path / "a", seed=7, count=2)
    make_shapecode(tmp_path / "b", seed=7, count=3)
    make_shapecode(tmp_path / "c", seed=8, count=2)
    few, many, other = (
        {row["id"]: row["target"]["program"] for row in rows(tmp_path / name)} for name in "abc"
    )
    assert few.items() <= many.items()
    assert set(few.values()).isdisjoint(other.values())
    assert [row["subset"] for row in rows(tmp_path / "a")] == [
        *("easy", "easy"), *("medium", "medium"), *("hard", "hard"),
    ]  # fmt: skip


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_each_shape_of_a_new_item_changes_its_image(difficulty):
    for number in range(20):
        shapes = new_program(f"x-{number}", difficulty)
        assert read_program("\n".join(map(str, shapes))) == shapes
        images = [draw(shapes[:end]).tobytes() for end in range(1, len(shapes) + 1)]
        assert len(set(images)) == len(images)
