"""Parquet files as VisualWebBench is published, to a data set."""

import io
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from PIL import Image
from pyarrow import parquet

from i2s_sdk.data.check import check
from i2s_sdk.data.folder import read_folder
from i2s_sdk.data.imports.items import Imported, ImportRequest
from i2s_sdk.data.imports.visualwebbench import CONFIGURATIONS, import_visualwebbench
from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.tasks.question import ImagePart
from i2s_sdk.tasks.registry import open_task


def png(colour: str) -> dict[str, Any]:
    content = io.BytesIO()
    Image.new("RGB", (200, 100), colour).save(content, "PNG")
    return {"bytes": content.getvalue(), "path": "/etc/passwd"}


BOX = [0.1, 0.2, 0.3, 0.4]
BOXES = [BOX, *([[0.5, 0.5, 0.6, 0.6]] * 7)]
ROWS: dict[str, dict[str, Any]] = {
    "web_caption": {"answer": "A shop."},
    "webqa": {"question": "How much?", "answer": ["5", "five"]},
    "heading_ocr": {"answer": "Welcome"},
    "element_ocr": {"bbox": BOX, "elem_desc": "link", "answer": "Sign in"},
    "element_ground": {"raw_image": png("green"), "options": BOXES, "elem_desc": "link", "answer": 0},
    "action_prediction": {"bbox": BOX, "options": ["a page"] * 8, "elem_desc": "link", "answer": 7},
    "action_ground": {"raw_image": png("green"), "options": BOXES, "instruction": "buy", "answer": 3},
}


def write(
    folder: Path, task: str, *changes: dict[str, Any], name: str = "test-00000-of-00001.parquet"
) -> None:
    common = {"task_type": task, "website": "shop", "image": png("red"), "image_size": [200, 100]}
    rows = [
        {"id": f"{task}_{n}", **common, **ROWS[task], **change} for n, change in enumerate(changes or ({},))
    ]
    folder.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.Table.from_pylist(rows), folder / name)


def imported(source: Path, out: Path) -> dict[str, Instance]:
    done = lay(source, out)
    assert done.left_out == ()
    assert check(out).faults == ()
    found = {instance.id: instance for instance in read_folder(out).instances}
    assert len(found) == done.instances
    return found


def lay(source: Path, out: Path, *tasks: str) -> Imported:
    return import_visualwebbench(ImportRequest((str(source),), out, tasks=tasks))


def test_all_configurations_become_instances_that_validate(tmp_path: Path) -> None:
    for task in CONFIGURATIONS:
        write(tmp_path / "copy" / task, task)
    found = imported(tmp_path / "copy", tmp_path / "out")
    forms = [f"{task}_{form}" for task in ("element_ground", "action_ground") for form in ("box", "point")]
    assert sorted(one.task for one in found.values()) == sorted([*CONFIGURATIONS, *forms])
    assert (found["webqa_0"].target, found["webqa_0"].inputs["question"]) == (["5", "five"], "How much?")
    assert (found["element_ocr_0"].target, found["element_ocr_0"].inputs["bbox"]) == ("Sign in", BOX)
    assert (found["action_prediction_0"].target, found["action_ground_0"].target) == (7, 3)
    assert found["web_caption_0"].licence == "Apache-2.0"
    for one in found.values():
        assert open_task(one.task).questions(one)


def test_boxes_and_points_are_asked_of_the_picture_without_letters(tmp_path: Path) -> None:
    write(tmp_path / "copy", "element_ground")
    found = imported(tmp_path / "copy", tmp_path / "out")
    letters, box = found["element_ground_0"], found["element_ground_0-box"]
    (question,) = open_task(box.task).questions(box)
    assert letters.image is not None
    assert letters.image.read_bytes() == png("red")["bytes"]
    assert letters.files["raw_image"] == box.image
    assert isinstance(question.parts[1], ImagePart)
    assert question.parts[1].path.read_bytes() == png("green")["bytes"]


def test_boxes_in_pixels_become_ratios_and_letters_indices(tmp_path: Path) -> None:
    pixels = {"options": [[20.0, 20.0, 60.0, 40.0]] * 8, "answer": "C"}
    write(tmp_path / "copy", "action_ground", pixels)
    found = imported(tmp_path / "copy", tmp_path / "out")["action_ground_0"]
    assert found.inputs["options"][0] == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert found.target == 2


def test_a_task_can_be_taken_alone(tmp_path: Path) -> None:
    write(tmp_path / "copy" / "webqa", "webqa")
    write(tmp_path / "copy", "heading_ocr")
    assert lay(tmp_path / "copy", tmp_path / "out", "heading_ocr").instances == 1
    assert [instance.task for instance in read_folder(tmp_path / "out").instances] == ["heading_ocr"]
    with pytest.raises(UsageError, match="no task 'latex'"):
        lay(tmp_path / "copy", tmp_path / "other", "latex")


@pytest.mark.parametrize(
    ("task", "change", "said"),
    [
        ("web_caption", {"image": {"bytes": None, "path": "a.png"}}, "only its path"),
        ("web_caption", {"image": {"bytes": b"text", "path": None}}, "is not an image in PNG, JPEG or WebP"),
        ("element_ocr", {"bbox": [0.1, 0.2]}, "no box of four numbers"),
        ("action_ground", {"options": None}, "None is not a list"),
        ("heading_ocr", {"answer": None}, "answer None is not a text"),
        ("action_prediction", {"answer": 9}, "maximum of 7"),
        ("webqa", {"id": "webqa_0"}, "is that of an earlier item"),
        ("webqa", {"task_type": "latex"}, "task_type 'latex' is none of"),
    ],
)
def test_a_row_that_is_wrong_is_left_out_and_named(
    tmp_path: Path, task: str, change: dict[str, Any], said: str
) -> None:
    write(tmp_path / "copy", task, {}, change)
    done = lay(tmp_path / "copy", tmp_path / "out")
    (left_out,) = done.left_out
    assert left_out.startswith(f"{tmp_path / 'copy' / 'test-00000-of-00001.parquet'}:2: ")
    assert said in left_out
    assert read_folder(tmp_path / "out").instances


def test_what_is_no_source_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no Parquet file"):
        lay(tmp_path, tmp_path / "out")
    (tmp_path / "a.parquet").write_bytes(b"text")
    with pytest.raises(DataError, match=r"a\.parquet.*cannot be read"):
        lay(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").touch()
    write(tmp_path / "copy", "webqa")
    with pytest.raises(UsageError, match="not empty"):
        lay(tmp_path / "copy", tmp_path / "full")
