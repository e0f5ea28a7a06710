"""Every fault of a data set."""

from __future__ import annotations

import io
import json
import re
import tarfile
from pathlib import Path

import pytest
from PIL import Image

from i2s_sdk.data.check import check

GOOD = {"id": "a", "task": "latex", "subset": "equation", "image": "a.png", "structure": "a.tex"}


def picture() -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (64, 48), "teal").save(content, "PNG")
    return content.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.png").write_bytes(picture())
    (tmp_path / "a.tex").write_text("x")
    return tmp_path


def write(folder: Path, *rows: dict[str, object] | str) -> Path:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    (folder / "instances.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def site(*names: str) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(name))
    return raw.getvalue()


def test_a_whole_data_set_has_no_fault(folder: Path) -> None:
    found = check(write(folder, GOOD))
    assert (found.faults, len(found.instances)) == ((), 1)


def test_every_fault_is_told_with_its_line(folder: Path) -> None:
    write(
        folder,
        GOOD,
        "{",
        "",
        {**GOOD, "id": "b", "image": "none.png"},
        GOOD,
        {**GOOD, "id": "c", "task": "latx"},
    )
    found = check(folder)
    assert [(fault.file.name, fault.line) for fault in found.faults] == [
        ("instances.jsonl", 2),
        ("instances.jsonl", 4),
        ("instances.jsonl", 5),
        ("instances.jsonl", 6),
    ]
    assert [instance.id for instance in found.instances] == ["a"]
    assert (
        str(found.faults[1])
        == f"{folder / 'instances.jsonl'}:4: image 'none.png' is not a file of the folder"
    )


@pytest.mark.parametrize("content", [b"", b"no picture", picture()[:60], b"<svg xmlns='x'/>"])
def test_a_picture_that_is_not_whole_is_a_fault(folder: Path, content: bytes) -> None:
    (folder / "a.png").write_bytes(content)
    (fault,) = check(write(folder, GOOD)).faults
    assert re.search(r"image a\.png: is (not an image in PNG|a damaged image)", fault.message)


def test_a_picture_of_too_many_pixels_is_a_fault(folder: Path) -> None:
    (fault,) = check(write(folder, GOOD), 100).faults
    assert "64 x 48 pixels, more than 100 in all" in fault.message


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "is empty"), (b"\xff\xfe", "not UTF-8"), (b"\\documentclass{article}", "has a preamble")],
)
def test_ground_truth_that_is_none_is_a_fault(folder: Path, content: bytes, said: str) -> None:
    (folder / "a.tex").write_bytes(content)
    (fault,) = check(write(folder, GOOD)).faults
    assert said in fault.message


def test_archives_of_sites_are_opened(folder: Path) -> None:
    (folder / "good.tar.gz").write_bytes(site("index.html", "logo.png"))
    (folder / "evil.tar.gz").write_bytes(site("index.html", "../evil"))
    (folder / "bare.tar.gz").write_bytes(site("page.html"))
    page = {**GOOD, "task": "webpage"}
    rows = [
        {**page, "id": "1", "structure": "good.tar.gz", "assets": ["logo.png"]},
        {**page, "id": "2", "structure": "good.tar.gz", "assets": ["other.png"]},
        {**page, "id": "3", "structure": "evil.tar.gz"},
        {**page, "id": "4", "structure": "bare.tar.gz"},
    ]
    found = check(write(folder, *rows)).faults
    assert [fault.line for fault in found] == [2, 3, 4]
    for fault, said in zip(found, ["'other.png'", "'../evil'", "no index page"], strict=True):
        assert said in fault.message


def test_an_index_that_is_missing_or_empty_is_a_fault(tmp_path: Path) -> None:
    (fault,) = check(tmp_path).faults
    assert (fault.file.name, fault.line) == ("instances.jsonl", 0)
    assert "cannot be read" in fault.message
    (fault,) = check(write(tmp_path)).faults
    assert fault.message == "holds no instance"


def test_an_index_of_another_name_is_checked(folder: Path) -> None:
    write(folder, GOOD)
    (folder / "instances.jsonl").rename(folder / "hard.jsonl")
    found = check(folder / "hard.jsonl")
    assert (found.index.name, found.faults) == ("hard.jsonl", ())


def test_a_reference_that_is_not_compared_as_it_looks_is_a_warning_and_no_fault(folder: Path) -> None:
    Image.new("RGBA", (8, 8), (0, 0, 0, 0)).save(folder / "a.png")
    question = {"question": "q", "raw_image": "a.png"}
    rows = [GOOD, {**GOOD, "id": "b", "structure": "none.tex"}]
    found = check(write(folder, *rows))
    (warning,) = found.warnings
    assert (warning.file.name, warning.line) == ("instances.jsonl", 1)
    assert "image a.png is not compared as it looks: it is transparent in places" in warning.message
    assert len(found.faults) == 1
    row = {
        "id": "c",
        "task": "webqa",
        "subset": "s",
        "inputs": {"image": "a.png", **question},
        "target": ["x"],
    }
    assert check(write(folder, row)).warnings == ()  # metrics compare no image of this task
