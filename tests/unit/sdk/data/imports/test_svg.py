"""SVG data sets in Parquet and in folders."""

import io
import json

import pyarrow
import pytest
from PIL import Image
from pyarrow import parquet

from i2s_sdk.data.imports.items import ImportRequest
from i2s_sdk.data.imports.registry import import_data
from i2s_sdk.errors import DataError
from linked_out import link_out

CODE = '<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>'


def png():
    output = io.BytesIO()
    Image.new("RGB", (9, 9), "black").save(output, "PNG")
    return output.getvalue()


def imported(source, out, **given):
    made = import_data("svg", ImportRequest((str(source),), out, **given))
    rows = [json.loads(line) for line in (out / "instances.jsonl").read_text().splitlines()]
    return made, rows


def test_a_folder_of_svg_files_with_their_images_becomes_a_data_set(tmp_path):
    source = tmp_path / "in"
    (source / "icons").mkdir(parents=True)
    (source / "icons/a.svg").write_text(CODE)
    (source / "icons/a.png").write_bytes(png())
    (source / "icons/b.svg").write_text(CODE)
    made, (row,) = imported(source, tmp_path / "out")
    assert (made.instances, row["id"], row["task"]) == (1, "icons/a", "svg")
    assert (tmp_path / "out" / row["target"]["structure"]).read_text() == CODE
    assert "no image b.png" in made.left_out[0]


@pytest.mark.parametrize("name", ["a.svg", "a.png"])
def test_no_file_outside_of_the_folder_is_read(tmp_path, name):
    source = tmp_path / "in"
    source.mkdir()
    for stem in "ab":
        (source / f"{stem}.svg").write_text(CODE)
        (source / f"{stem}.png").write_bytes(png())
    link_out(source / name, tmp_path / "private")
    made, (row,) = imported(source, tmp_path / "out")
    assert row["id"] == "b"
    assert f"{name} lies outside" in made.left_out[0]


@pytest.mark.parametrize("columns", [("Filename", "Svg", "image"), ("id", "svg", "png")])
def test_rows_of_parquet_become_a_data_set(tmp_path, columns):
    name, code, image = columns
    table = pyarrow.table({name: ["a.svg"], code: [CODE], image: [{"bytes": png(), "path": None}]})
    parquet.write_table(table, tmp_path / "train.parquet")
    _, (row,) = imported(tmp_path / "train.parquet", tmp_path / "out")
    assert row["id"] == "a.svg"


@pytest.mark.parametrize(
    "column",
    [
        pyarrow.Array.from_buffers(
            pyarrow.string(), 1, [None, *map(pyarrow.py_buffer, (b"\0\0\0\0\2\0\0\0", b"\xff\xfe"))]
        ),
        pyarrow.array([2**31 - 1], pyarrow.int32()).cast(pyarrow.date32()),
        pyarrow.array([2**62], pyarrow.int64()).cast(pyarrow.duration("ms")),
    ],
    ids=["a text that is not UTF-8", "a date", "a duration"],
)
def test_values_that_python_cannot_hold_are_a_fault_of_the_file(tmp_path, column):
    parquet.write_table(pyarrow.table({"svg": column}), tmp_path / "a.parquet")
    with pytest.raises(DataError, match=r"a\.parquet: cannot be read"):
        import_data("svg", ImportRequest((str(tmp_path / "a.parquet"),), tmp_path / "out"))


def test_rows_without_images_take_those_of_a_folder(tmp_path):
    parquet.write_table(pyarrow.table({"Filename": ["a.svg"], "Svg": [CODE]}), tmp_path / "x.parquet")
    with pytest.raises(DataError, match=r"no image a\.png"):
        imported(tmp_path / "x.parquet", tmp_path / "without")
    (tmp_path / "images").mkdir()
    (tmp_path / "images/a.png").write_bytes(png())
    made, _ = imported(tmp_path / "x.parquet", tmp_path / "out", images=tmp_path / "images")
    assert made.instances == 1
