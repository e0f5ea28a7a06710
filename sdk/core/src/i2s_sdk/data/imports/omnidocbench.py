"""The released files of OmniDocBench: an annotation file (``*.json``), and images or PDF files of its pages.

Layout, for a source that is the file or the folder that holds it::

    OmniDocBench.json    a list of pages, each with layout_dets, page_info and extra
    images/NAME.jpg      the page that page_info.image_path names, by its last part
    pdfs/NAME.pdf        the same page as a PDF document, taken where there is no image

Source: README of OmniDocBench.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from i2s_sdk.data.imports.items import Imported, ImportedItem, ImportRequest, lay_down, read_bytes
from i2s_sdk.errors import DataError
from i2s_sdk.files import read_file
from i2s_sdk.json_text import read_json

_TASK = "omnidocbench"
_FOLDERS = ("images", "pdfs", "ori_pdfs", "")
#: Fields of an element that are compared or shown; lines and spans within it, which are most of the file, are
#: not.
_KEPT = ("category_type", "poly", "ignore", "order", "anno_id", "text", "latex", "html", "attribute")


def import_omnidocbench(request: ImportRequest) -> Imported:
    """Make a data set of annotation files, or of folders that hold one.

    The id of a page is the name of its image without the suffix, by which predictions are found; its subset
    is the attribute data_source of the page.

    Raises:
        UsageError: The output folder is not empty.
        DataError: A source cannot be read, or no page of it can be used.
        WriteError: The data set cannot be written.
    """
    sources = [Path(source) for source in request.sources]
    return lay_down(_items(sources, request.images), request.out, request.sources[0])


def _items(sources: Iterable[Path], images: Path | None) -> Iterator[ImportedItem]:
    for source in sources:
        file = _file(source)
        try:
            pages = read_json(read_file(file))
        except ValueError as error:
            raise DataError(file, 0, f"is not JSON: {error}") from None
        if not isinstance(pages, list):
            raise DataError(file, 0, "is not a list of pages, as the annotation file of OmniDocBench is")
        for number, page in enumerate(pages, start=1):
            yield _item(page, f"{file}:{number}", images or file.parent)


def _file(source: Path) -> Path:
    if not source.is_dir():
        return source
    files = sorted(source.glob("*.json"))
    if len(files) != 1:
        found = ", ".join(file.name for file in files) or "none"
        raise DataError(source, 0, f"must hold one annotation file (*.json), but holds {found}: name a file")
    return files[0]


def _item(page: object, where: str, folder: Path) -> ImportedItem:
    try:
        if not isinstance(page, dict) or not isinstance(page.get("page_info"), dict):
            raise ValueError("is not a page with page_info")
        info: Mapping[str, Any] = page["page_info"]
        name = PurePosixPath(str(info.get("image_path") or "")).name
        if not name:
            raise ValueError("has no page_info.image_path")
    except ValueError as error:
        return ImportedItem(where, where, fault=str(error))
    identity, attributes = PurePosixPath(name).stem, info.get("page_attribute")
    try:
        image = _found(folder, name)
        document = _found(folder, f"{identity}.pdf") if image is None else None
        if image is None and document is None:
            raise ValueError(f"{folder} has neither the image {name[:200]!r} nor a PDF file of that name")
        files = {} if image is None else {"image": read_bytes(image, folder)}
    except ValueError as error:
        return ImportedItem(identity, where, fault=str(error))
    subset = attributes.get("data_source") if isinstance(attributes, dict) else None
    return ImportedItem(
        id=identity,
        where=where,
        task=_TASK,
        subset=subset if isinstance(subset, str) and subset else "pages",
        files=files,
        documents={} if document is None else {"document": document},
        root=folder,
        target=_annotation(page),
        provenance={"source": "OmniDocBench"},
    )


def _found(folder: Path, name: str) -> Path | None:
    """Return a file of a name in the folders that the release has; None if there is none."""
    return next((file for part in _FOLDERS if (file := folder / part / name).is_file()), None)


def _annotation(page: Mapping[str, Any]) -> dict[str, Any]:
    elements = page.get("layout_dets")
    kept = {name: page[name] for name in ("page_info", "extra") if isinstance(page.get(name), dict)}
    if not isinstance(elements, list):
        return kept
    return kept | {
        "layout_dets": [
            {name: element[name] for name in _KEPT if name in element}
            if isinstance(element, dict)
            else element
            for element in elements
        ]
    }
