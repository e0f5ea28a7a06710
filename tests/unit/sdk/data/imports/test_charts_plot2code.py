"""Files as Plot2Code is published, to a data set."""

from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from chart_copies import CODE, png, write_lines
from i2s_sdk.data.check import check
from i2s_sdk.data.folder import read_content, read_folder
from i2s_sdk.data.imports.charts import METADATA, import_plot2code
from i2s_sdk.data.imports.items import Imported, ImportRequest
from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.tasks.question import ImagePart, TextPart
from i2s_sdk.tasks.registry import open_task

URL = "https://matplotlib.org/stable/gallery/a.html"
ROW = {"url": URL, "code": CODE, "instruction": "A line."}


def write(file: Path, *rows: dict[str, Any]) -> Path:
    whole = [{"image": {"bytes": png("red"), "path": "/etc/passwd"}, **ROW, **row} for row in rows]
    file.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.Table.from_pylist(whole), file)
    return file.parent


def lay(source: Path, out: Path, *tasks: str) -> Imported:
    return import_plot2code(ImportRequest((str(source),), out, tasks=tasks))


def found_in(out: Path) -> dict[str, Instance]:
    assert check(out).faults == ()
    return {instance.id: instance for instance in read_folder(out).instances}


def text_of(instance: Instance) -> str:
    (question,) = open_task("chart").questions(instance)
    assert any(isinstance(part, ImagePart) and part.path == instance.image for part in question.parts)
    return "".join(part.text for part in question.parts if isinstance(part, TextPart))


def test_a_row_is_asked_with_the_image_alone_and_with_the_instruction(tmp_path: Path) -> None:
    assert lay(write(tmp_path / "copy" / "test.parquet", {}), tmp_path / "out") == Imported(2)
    found = found_in(tmp_path / "out")
    direct, conditional = found["1-direct"], found["1-conditional"]
    assert read_content(direct).structure == CODE
    assert "A line." not in text_of(direct)
    assert text_of(conditional).endswith("Instruction:\nA line.")
    assert (direct.subset, conditional.subset) == ("direct", "conditional")
    assert direct.licence == "BSD-3-Clause"
    assert direct.provenance == {"source": f"Plot2Code, {URL}"}


def test_a_folder_of_images_has_its_rows_in_a_file(tmp_path: Path) -> None:
    rows = ({**ROW, "file_name": "ground_truth_image_0.png"}, {**ROW, "file_name": "../secret.png"})
    write_lines(tmp_path / "test" / METADATA, *rows)
    (tmp_path / "test" / "ground_truth_image_0.png").write_bytes(png("green"))
    (tmp_path / "secret.png").write_bytes(png("red"))
    done = lay(tmp_path / "test", tmp_path / "out", "direct")
    assert (done.instances, len(done.left_out)) == (1, 1)
    assert "secret.png lies outside" in done.left_out[0]
    (one,) = found_in(tmp_path / "out").values()
    assert read_content(one).reference == png("green")


def test_programs_for_other_libraries_are_left_out(tmp_path: Path) -> None:
    other = {"url": "https://plotly.com/python/a", "code": "import plotly"}
    write(tmp_path / "copy" / "test" / "a.parquet", {}, other)
    write(tmp_path / "copy" / "r_plotly" / "a.parquet", other)
    done = lay(tmp_path / "copy", tmp_path / "out", "direct")
    assert done.instances == 1
    assert [one.rpartition(": ")[2] for one in done.left_out] == ["the program is not for matplotlib"]


def test_rows_without_a_part_are_left_out_with_the_reason(tmp_path: Path) -> None:
    rows = ({}, {"code": ""}, {"instruction": ""}, {"image": {"bytes": b"", "path": "a.png"}})
    done = lay(write(tmp_path / "copy" / "a.parquet", *rows), tmp_path / "out")
    said = " ".join(done.left_out)
    assert "no code" in said
    assert "no instruction" in said
    assert "only its path" in said
    assert done.instances == 3


def test_ids_differ_between_files(tmp_path: Path) -> None:
    write(tmp_path / "copy" / "a.parquet", {})
    write(tmp_path / "copy" / "b.parquet", {})
    lay(tmp_path / "copy", tmp_path / "out", "direct")
    assert set(found_in(tmp_path / "out")) == {"a-1-direct", "b-1-direct"}


def test_what_cannot_be_imported_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no task 'text'"):
        lay(tmp_path, tmp_path / "out", "text")
    with pytest.raises(DataError, match="holds neither Parquet files nor"):
        lay(tmp_path, tmp_path / "out")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match="cannot be read"):
        lay(tmp_path, tmp_path / "out")
