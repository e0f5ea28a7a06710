"""Files as the Sheet Music Benchmark is published, to a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from chart_copies import png
from i2s_sdk.data.check import check
from i2s_sdk.data.folder import read_content, read_folder
from i2s_sdk.data.imports.items import Imported, ImportRequest
from i2s_sdk.data.imports.registry import import_data
from i2s_sdk.data.imports.smb import LICENCE, import_smb
from i2s_sdk.errors import DataError
from i2s_sdk.instances.instance import Instance

SPINES = "*clefG2\n*M4/4\n4c\n4d\n4e\n4f\n==\n*-\n"
KERN = f"**kern\n{SPINES}"
ROW: dict[str, Any] = {
    "image": {"bytes": png("white"), "path": "/etc/passwd"},
    "original_width": 4,
    "page": {"kern": KERN},
    "page_texture": "Pianoform",
    "regions": [
        {"bbox": {"x": 1, "y": 2, "width": 3, "height": 4, "rotation": 0.0}, "kern": KERN.replace("4c", "4g")}
    ],
}


def _write(file: Path, *rows: dict[str, Any]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.Table.from_pylist([{**ROW, **row} for row in rows]), file)
    return file.parent


def _imported(out: Path) -> list[Instance]:
    assert check(out).faults == ()
    return list(read_folder(out).instances)


def test_a_row_is_a_page_with_its_kern_and_its_texture_as_subset(tmp_path: Path) -> None:
    source = _write(tmp_path / "data/test-00000-of-00001.parquet", {}, {"page": {"kern": SPINES}})
    made = import_data("smb", ImportRequest((str(source),), tmp_path / "out"))
    assert made == Imported(2)
    first, second = _imported(tmp_path / "out")
    assert (first.id, first.task, first.subset, first.licence) == ("smb-0001", "omr", "pianoform", LICENCE)
    assert read_content(first).structure == read_content(second).structure == KERN
    assert first.image is not None
    assert first.image.read_bytes() == ROW["image"]["bytes"]


def test_pages_without_kern_have_that_of_their_only_region_and_others_are_left_out(tmp_path: Path) -> None:
    region = ROW["regions"][0]
    source = _write(
        tmp_path / "data/test.parquet",
        {"page": {"kern": ""}, "page_texture": None},
        {"page": {"kern": None}, "regions": [region, region]},
        {"page": {"kern": "hello"}},
        {"image": None},
    )
    made = import_smb(ImportRequest((str(source),), tmp_path / "out"))
    (page,) = _imported(tmp_path / "out")
    assert (page.subset, read_content(page).structure) == ("pages", region["kern"])
    assert made.instances == 1
    assert [one.partition(": ")[2] for one in made.left_out] == [
        "the row has no **kern of the page",
        "the gold text is neither MusicXML nor MEI nor **kern",
        "the row has no image",
    ]


def test_a_folder_without_parquet_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no Parquet file of SMB"):
        import_smb(ImportRequest((str(tmp_path),), tmp_path / "out"))
