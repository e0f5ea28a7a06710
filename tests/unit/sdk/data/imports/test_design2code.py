"""The import of Design2Code."""

import io
import json
from pathlib import Path

import pytest
from PIL import Image

from i2s_sdk.data.folder import read_folder
from i2s_sdk.data.imports.design2code import page_texts
from i2s_sdk.data.imports.items import ImageReader, ImportRequest
from i2s_sdk.data.imports.registry import import_data
from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.tasks.ocr_page import OcrLine, OcrPage
from linked_out import link_out


def png(color: str = "white") -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (40, 20), color).save(file, "PNG")
    return file.getvalue()


@pytest.fixture
def released(tmp_path: Path) -> Path:
    folder = tmp_path / "testset_final"
    folder.mkdir()
    for name in ("10", "2"):
        (folder / f"{name}.html").write_text(f"<html><body><p>Page {name}</p></body></html>")
        (folder / f"{name}.png").write_bytes(png())
    (folder / "rick.jpg").write_bytes(b"jpeg")
    return folder


def rows(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "instances.jsonl").read_text().splitlines()]


def test_pages_have_their_image_texts_and_placeholder(released: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert import_data("design2code", ImportRequest((str(released),), out)).instances == 2
    first = rows(out)[0]
    assert (first["id"], first["subset"], first["licence"]) == ("Design2Code-2", "design2code", "ODC-By-1.0")
    assert first["inputs"]["texts"] == ["Page 2"]
    (instance, _) = read_folder(out).instances
    assert instance.structure is not None
    assert "Page 2" in instance.structure.read_text()
    assert [(asset.name, asset.path.read_bytes()) for asset in instance.assets if asset.path] == [
        ("rick.jpg", b"jpeg")
    ]
    assert (out / "origin.txt").read_text() == "design2code\n"


def test_the_hard_variant_is_a_subset_of_its_own(released: Path, tmp_path: Path) -> None:
    import_data("design2code_hard", ImportRequest((str(released),), tmp_path / "out"))
    assert {(row["subset"], row["provenance"]["source"]) for row in rows(tmp_path / "out")} == {
        ("design2code_hard", "Design2Code-HARD")
    }


def test_what_lacks_its_image_or_page_is_left_out_with_the_reason(released: Path, tmp_path: Path) -> None:
    (released / "10.png").unlink()
    (released / "3.png").write_bytes(png())
    made = import_data("design2code", ImportRequest((str(released),), tmp_path / "out"))
    assert made.instances == 1
    assert [one.partition(": ")[2] for one in made.left_out] == [
        "there is no page 3.html; --ocr reads the blocks of such images",
        "there is no image 10.png",
    ]


@pytest.mark.parametrize(("name", "left"), [("2.html", 1), ("2.png", 1), ("rick.jpg", 0)])
def test_no_file_outside_of_the_folder_is_read(released: Path, tmp_path: Path, name: str, left: int) -> None:
    link_out(released / name, tmp_path / "private")
    request = ImportRequest((str(released),), tmp_path / "out")
    if not left:
        with pytest.raises(DataError, match=f"{name} lies outside"):
            import_data("design2code", request)
        return
    made = import_data("design2code", request)
    assert made.instances == left
    assert f"{name} lies outside" in made.left_out[0]


def test_blocks_of_an_image_alone_are_read_for_a_task_of_its_own(released: Path, tmp_path: Path) -> None:
    (released / "2.html").unlink()
    line = OcrLine("Page 2", 4, 2, 24, 12, ink=(1, 2, 3))
    reader = ImageReader("reader 1.0", lambda _: OcrPage(40, 20, (255, 255, 255), (line,)))
    import_data("design2code", ImportRequest((str(released),), tmp_path / "out", ocr=reader))
    read, page = rows(tmp_path / "out")
    assert (read["task"], page["task"]) == ("design2code_ocr", "design2code")
    assert read["target"] == {"blocks": [["Page 2", 0.1, 0.1, 0.5, 0.5, 1, 2, 3]], "engine": "reader 1.0"}
    assert len(read_folder(tmp_path / "out").instances) == 2


def test_a_task_can_be_chosen_and_another_is_named(released: Path, tmp_path: Path) -> None:
    (released / "2.html").unlink()
    reader = ImageReader("reader 1.0", lambda _: OcrPage(40, 20, (255, 255, 255), ()))
    request = ImportRequest((str(released),), tmp_path / "out", tasks=("design2code_ocr",), ocr=reader)
    assert import_data("design2code", request).instances == 1
    with pytest.raises(UsageError, match="no 'direct'"):
        import_data("design2code", ImportRequest((str(released),), tmp_path / "no", tasks=("direct",)))


def test_a_file_is_no_source(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is no folder"):
        import_data("design2code", ImportRequest((str(tmp_path / "a.zip"),), tmp_path / "out"))


def test_texts_are_in_the_order_of_the_source_without_scripts_styles_and_comments() -> None:
    page = (
        "<!DOCTYPE html><html><head><title> A page </title><style>p { color: red }</style></head><body>"
        "<script>let a = '<p>';</script><!-- no --><p>one <b>two</b>\n three &amp; four</p><p> </p></body>"
    )
    assert page_texts(page) == ["A page", "one", "two", "three & four"]


def test_what_is_not_closed_ends_with_the_page() -> None:
    assert page_texts("a<p>b &") == ["a", "b &"]
