"""The released files of OmniDocBench, to a data set."""

import io
import json
from pathlib import Path

import pytest
from PIL import Image

from i2s_sdk.data.check import check
from i2s_sdk.data.folder import read_folder
from i2s_sdk.data.imports.items import Imported, ImportRequest
from i2s_sdk.data.imports.omnidocbench import import_omnidocbench
from i2s_sdk.errors import DataError
from omnidocbench_page import annotation

PDF = b"%PDF-1.5\n% the rest is not read here\n"


def png() -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (10, 20), "white").save(stream, "PNG")
    return stream.getvalue()


def page(name, source="book", **fields):
    info = {"image_path": name, "width": 10, "height": 20, "page_attribute": {"data_source": source}}
    return annotation(page_info=info, **fields)


def released(folder, pages, **files):
    folder.mkdir(parents=True)
    (folder / "OmniDocBench.json").write_text(json.dumps(pages))
    for name, content in files.items():
        for where, suffix in (("images", ".png"), ("pdfs", ".pdf")):
            if content[:4] == (b"%PDF" if suffix == ".pdf" else b"\x89PNG"):
                (folder / where).mkdir(exist_ok=True)
                (folder / where / (name + suffix)).write_bytes(content)
    return folder


def lay(source, out, **others):
    return import_omnidocbench(ImportRequest((str(source),), out, **others))


def test_the_released_layout(tmp_path: Path):
    spans = [{"category_type": "title", "order": 1, "text": "a", "line_with_spans": [{"text": "a"}]}]
    source = released(
        tmp_path / "in", [page("x/one.png", layout_dets=spans), page("two.png", "note")], one=png(), two=PDF
    )
    assert lay(source, tmp_path / "out") == Imported(2)
    assert check(tmp_path / "out").faults == ()
    one, two = read_folder(tmp_path / "out").instances
    assert (one.id, one.task, one.subset, two.id, two.subset) == (
        "one",
        "omnidocbench",
        "book",
        "two",
        "note",
    )
    assert one.image is not None
    assert one.image.read_bytes() == png()
    assert two.image is None
    assert two.files["document"].read_bytes() == PDF
    assert one.target["layout_dets"] == [{"category_type": "title", "order": 1, "text": "a"}]
    assert two.target == page("two.png", "note")


def test_the_file_itself_and_a_folder_of_images(tmp_path: Path):
    source = released(tmp_path / "in", [page("one.png")])
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "one.png").write_bytes(png())
    file = source / "OmniDocBench.json"
    assert lay(file, tmp_path / "out", images=tmp_path / "other") == Imported(1)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (7, "is not a page with page_info"),
        (page(""), "has no page_info.image_path"),
        (page("none.png"), "has neither the image 'none.png' nor a PDF file"),
        (page("one.png", layout_dets=[7]), "layout_dets"),
        (page("one.png", layout_dets=[{"category_type": "title", "text": 7}]), "field text that is no text"),
    ],
)
def test_a_page_with_a_fault_is_left_out_with_its_reason(tmp_path: Path, wrong, said):
    source = released(tmp_path / "in", [page("two.png"), wrong], one=png(), two=png())
    made = lay(source, tmp_path / "out")
    assert made.instances == 1
    (reason,) = made.left_out
    assert said in reason


def test_an_image_outside_of_the_folder_is_not_taken(tmp_path: Path):
    source = released(tmp_path / "in", [page("one.png"), page("two.png")], two=png())
    (tmp_path / "secret.png").write_bytes(png())
    (source / "images" / "one.png").symlink_to(tmp_path / "secret.png")
    assert lay(source, tmp_path / "out").instances == 1


@pytest.mark.parametrize(
    ("content", "said"), [("{", "is not JSON"), ("{}", "is not a list of pages"), ("[]", "no item")]
)
def test_a_file_of_another_kind_is_named(tmp_path: Path, content, said):
    (tmp_path / "pages.json").write_text(content)
    with pytest.raises(DataError, match=said):
        lay(tmp_path / "pages.json", tmp_path / "out")


def test_a_folder_with_two_files_is_refused(tmp_path: Path):
    source = released(tmp_path / "in", [page("one.png")], one=png())
    (source / "other.json").write_text("[]")
    with pytest.raises(DataError, match=r"holds OmniDocBench\.json, other\.json: name a file"):
        lay(source, tmp_path / "out")
