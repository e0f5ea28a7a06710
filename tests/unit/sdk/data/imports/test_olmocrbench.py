"""olmOCR-bench in its published layout, to a data set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from i2s_sdk.data.check import check
from i2s_sdk.data.folder import read_folder
from i2s_sdk.data.imports.items import ImportRequest
from i2s_sdk.data.imports.olmocrbench import import_olmocrbench
from i2s_sdk.errors import DataError
from linked_out import link_out

_PDF = b"%PDF-1.5\n% the rest is not read here\n"


def _published(folder: Path, *more: str) -> Path:
    data = folder / "bench_data"
    for name in ("headers_footers/a", "tables/b", "tables/c"):
        (data / "pdfs" / name).parent.mkdir(parents=True, exist_ok=True)
        (data / "pdfs" / f"{name}.pdf").write_bytes(_PDF + name.encode())
    absent = {
        "pdf": "headers_footers/a.pdf",
        "page": 1,
        "id": "1",
        "type": "absent",
        "text": "7",
        "first_n": None,
    }
    table = {
        "pdf": "tables/b.pdf",
        "page": 2,
        "id": "2",
        "type": "table",
        "cell": "x",
        "up": "y",
        "max_diffs": 1,
    }
    (data / "headers_footers.jsonl").write_text(json.dumps({**absent, "checked": "verified"}) + "\n\n")
    (data / "table_tests.jsonl").write_text("\n".join([json.dumps(table), *more]))
    return folder


def test_each_page_with_tests_is_an_instance_and_each_document_has_a_baseline(tmp_path: Path) -> None:
    made = import_olmocrbench(ImportRequest((str(_published(tmp_path / "in")),), tmp_path / "out"))
    assert (made.instances, made.left_out) == (4, ())
    assert check(tmp_path / "out").faults == ()
    instances = {instance.id: instance for instance in read_folder(tmp_path / "out").instances}
    assert {name: instance.subset for name, instance in instances.items()} == {
        "a_pg1": "headers_footers", "b_pg1": "tables", "b_pg2": "tables", "c_pg1": "tables",
    }  # fmt: skip
    assert instances["b_pg2"].inputs["page"] == 2
    assert instances["b_pg2"].target["tests"] == [
        {"id": "2", "type": "table", "cell": "x", "up": "y", "max_diffs": 1, "category": "table_tests"}
    ]
    kinds = [(test["type"], test["category"]) for test in instances["a_pg1"].target["tests"]]
    assert kinds == [("absent", "headers_footers"), ("baseline", "base")]


def test_a_baseline_of_its_own_is_of_its_file(tmp_path: Path) -> None:
    own = {"pdf": "tables/c.pdf", "page": 1, "id": "3", "type": "baseline", "max_length": 0}
    source = _published(tmp_path / "in", json.dumps(own))
    import_olmocrbench(ImportRequest((str(source / "bench_data"),), tmp_path / "out"))
    (page,) = [instance for instance in read_folder(tmp_path / "out").instances if instance.id == "c_pg1"]
    assert [test["category"] for test in page.target["tests"]] == ["table_tests"]


_LINE = {"pdf": "tables/c.pdf", "page": 1, "id": "4", "type": "present", "text": "a"}
_ORDER = {**_LINE, "type": "order", "before": "ab", "after": "abcd", "max_diffs": 2}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "is not a test"),
        ("[]", "is not an object"),
        ({**_LINE, "pdf": "tables/z.pdf"}, "no document"),
        ({**_LINE, "pdf": ["a"]}, "no document"),
        ({**_LINE, "page": True}, "not the number of a page"),
        ({**_LINE, "type": "footnote"}, "are not run here"),
        ({**_LINE, "checked": "rejected"}, "rejected"),
        ({**_LINE, "text": " "}, "has no text 'text'"),
        (_ORDER, "more edits than half"),
        ({**_LINE, "max_diffs": -1}, "max_diffs"),
    ],
)
def test_a_line_that_is_no_test_is_left_out_with_its_reason(tmp_path: Path, line: object, said: str) -> None:
    source = _published(tmp_path / "in", line if isinstance(line, str) else json.dumps(line))
    made = import_olmocrbench(ImportRequest((str(source),), tmp_path / "out"))
    (reason,) = made.left_out
    assert said in reason


def test_no_document_outside_of_the_folder_is_read(tmp_path: Path) -> None:
    source = _published(tmp_path / "in")
    link_out(source / "bench_data" / "pdfs" / "tables" / "c.pdf", tmp_path / "private")
    made = import_olmocrbench(ImportRequest((str(source),), tmp_path / "out"))
    assert made.instances == 3
    assert "c.pdf lies outside" in made.left_out[0]


def test_documents_of_the_same_name_have_different_ids(tmp_path: Path) -> None:
    source = _published(tmp_path / "in")
    (source / "bench_data" / "pdfs" / "headers_footers" / "b.pdf").write_bytes(_PDF)
    import_olmocrbench(ImportRequest((str(source),), tmp_path / "out"))
    ids = {instance.id for instance in read_folder(tmp_path / "out").instances}
    assert ids == {"a_pg1", "c_pg1", "headers_footers-b_pg1", "tables-b_pg1", "tables-b_pg2"}


def test_a_folder_of_another_layout_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    with pytest.raises(DataError, match="needs a folder pdfs"):
        import_olmocrbench(ImportRequest((str(tmp_path / "in"),), tmp_path / "out"))
