"""olmOCR-bench as published, and tests of one's own in its form: PDF documents and files of tests.

Layout, in a source or in its folder ``bench_data``::

    pdfs/FOLDER/NAME.pdf     the documents
    CATEGORY.jsonl           tests, one a line, each of a page of a document: ``{"pdf": "FOLDER/NAME.pdf",
                             "page": 1, "id": …, "type": "present", "text": …}``

Each page with tests becomes an instance: its id is ``NAME_pgPAGE``, its subset the folder of the document.
Like the released code, the import adds a test of ordinary text to page 1 of each document that has no test of
the type ``baseline``; such tests are of the category ``base``.

Source: ``olmocr/bench/benchmark.py`` of allenai/olmocr, commit 347c484, and files of the data set that others
published.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from i2s_sdk.data.hub import PREFIX
from i2s_sdk.data.imports.downloads import downloaded_folder
from i2s_sdk.data.imports.items import Imported, ImportedItem, ImportRequest, lay_down
from i2s_sdk.errors import DataError
from i2s_sdk.files import reading
from i2s_sdk.json_text import read_json
from i2s_sdk.tasks.olmocrbench.page_test import BASE, TestKind

_TASK = "olmocrbench"
_PDFS, _BENCH_DATA = "pdfs", "bench_data"
_PATTERNS = [
    f"{folder}{name}" for folder in ("", f"{_BENCH_DATA}/") for name in ("*.jsonl", f"{_PDFS}/*.pdf")
]
_KINDS = frozenset(map(str, TestKind))
#: Fields of a line that are not of the test.
_PLACE = ("pdf", "page", "checked")

#: Tests by document and page.
_Tests = dict[tuple[str, int], list[dict[str, Any]]]


def import_olmocrbench(request: ImportRequest) -> Imported:
    """Make a data set of PDF documents with tests of their pages.

    Sources are folders in the layout of this module, or ``hf:OWNER/NAME[@REVISION]``, which is downloaded.

    Raises:
        UsageError: The output folder is not empty, or a package is missing.
        DataError: A source cannot be read, or no page can be used.
        WriteError: The data set cannot be written.
    """
    return lay_down(_all_items(request.sources), request.out, ", ".join(request.sources))


def _all_items(sources: tuple[str, ...]) -> Iterator[ImportedItem]:
    for source in sources:
        if source.startswith(PREFIX):
            yield from _items(downloaded_folder(source, _PATTERNS, "hf:allenai/olmOCR-bench"), source)
        else:
            yield from _items(Path(source), "")


def _items(folder: Path, origin: str) -> Iterator[ImportedItem]:
    """Yield the pages of a folder, and the tests of none that can be used.

    Args:
        folder: Folder of the layout, or one that has it as ``bench_data``.
        origin: Where the folder comes from, for provenance; empty for a folder of the user's own.
    """
    if not (folder / _PDFS).is_dir() and (folder / _BENCH_DATA).is_dir():
        folder /= _BENCH_DATA
    files = sorted(folder.glob("*.jsonl"))
    documents = {
        path.relative_to(folder / _PDFS).as_posix(): path for path in sorted((folder / _PDFS).rglob("*.pdf"))
    }
    if not files or not documents:
        raise DataError(folder, 0, f"needs a folder {_PDFS} of PDF documents, and files of tests (*.jsonl)")
    tests: _Tests = defaultdict(list)
    for file in files:
        yield from _read_tests(file, documents, tests)
    _add_baselines(documents, tests)
    stems = Counter(PurePosixPath(name).stem for name in documents)
    for (name, page), rows in sorted(tests.items()):
        path = PurePosixPath(name)
        own = path.stem if stems[path.stem] == 1 else "-".join((*path.parent.parts, path.stem))
        yield ImportedItem(
            id=f"{own}_pg{page}",
            where=f"{documents[name]}, page {page}",
            task=_TASK,
            subset=path.parts[0] if len(path.parts) > 1 else str(rows[0]["category"]),
            inputs={"page": page},
            documents={"document": documents[name]},
            root=folder,
            target={"tests": rows},
            provenance={"source": origin} if origin else {},
        )


def _read_tests(file: Path, documents: Mapping[str, Path], tests: _Tests) -> Iterator[ImportedItem]:
    """Add the tests of a file to ``tests``, and yield those that cannot be used."""
    with reading(file):
        lines = file.read_bytes().splitlines()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = read_json(line)
            if not isinstance(row, dict):
                raise ValueError("is not an object")
        except ValueError as error:
            yield ImportedItem("", f"{file}:{number}", fault=f"is not a test: {error}")
            continue
        if fault := _fault(row, documents):
            yield ImportedItem("", f"{file}:{number}", fault=fault)
            continue
        fields = {name: value for name, value in row.items() if name not in _PLACE and value is not None}
        tests[row["pdf"], row["page"]].append(fields | {"category": file.stem})


def _fault(row: Mapping[str, Any], documents: Mapping[str, Path]) -> str:
    if not isinstance(row.get("pdf"), str) or row["pdf"] not in documents:
        return f"there is no document {json.dumps(row.get('pdf'))} in {_PDFS}"
    if type(row.get("page")) is not int or row["page"] < 1:
        return f"page {json.dumps(row.get('page'))} is not the number of a page"
    if not isinstance(row.get("type"), str) or row["type"] not in _KINDS:
        known = ", ".join(sorted(_KINDS))
        return f"tests of type {json.dumps(row.get('type'))} are not run here; there are: {known}"
    return "was rejected when it was checked" if row.get("checked") == "rejected" else ""


def _add_baselines(documents: Mapping[str, Path], tests: _Tests) -> None:
    baseline = str(TestKind.BASELINE)
    tested = {name for (name, _), rows in tests.items() if any(row["type"] == baseline for row in rows)}
    for name in documents:
        if name not in tested:
            tests[name, 1].append({"id": f"{name}_baseline", "type": baseline, "category": BASE})
