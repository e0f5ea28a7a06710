"""The released folders of Design2Code and Design2Code-HARD: pages, NAME.html, and images, NAME.png."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from pathlib import Path

from i2s_sdk.data.imports.items import Imported, ImportedItem, Importer, ImportRequest, lay_down, read_bytes
from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.tasks.ocr_page import OcrPage

#: Names of the tasks: of pages, and of images alone.
DESIGN2CODE_NAME, OCR_NAME = "design2code", "design2code_ocr"
_LICENCE = "ODC-By-1.0"
#: The image that stands for all images of the pages.
PLACEHOLDER = "rick.jpg"
#: Subsets by the kind of import.
STANDARD, HARD = "design2code", "design2code_hard"
_SOURCES = {STANDARD: "Design2Code", HARD: "Design2Code-HARD"}


def _import(subset: str, request: ImportRequest) -> Imported:
    """Make a data set of the pages of some folders.

    An image without a page is left out, or its blocks are read by the program of the request, and it
    becomes an instance of a task of its own.

    Raises:
        UsageError: The output folder is not empty.
        DataError: A source is no folder, or nothing in it can be used.
        WriteError: The data set cannot be written.
    """
    if unknown := set(request.tasks) - {DESIGN2CODE_NAME, OCR_NAME}:
        raise UsageError(f"{subset} has the tasks {DESIGN2CODE_NAME} and {OCR_NAME}, and no {min(unknown)!r}")
    return lay_down(_items(subset, request), request.out, request.sources[0])


#: Makes a data set of the pages of Design2Code.
import_design2code: Importer = partial(_import, STANDARD)
#: The same of Design2Code-HARD.
import_design2code_hard: Importer = partial(_import, HARD)


def _items(subset: str, request: ImportRequest) -> Iterator[ImportedItem]:
    for source in map(Path, request.sources):
        if not source.is_dir():
            raise DataError(source, 0, "is no folder; Design2Code is a folder of NAME.html and NAME.png")
        names = {path.stem for path in source.iterdir() if path.suffix in (".html", ".png")}
        for name in sorted(names, key=lambda one: (len(one), one) if one.isdigit() else (1 << 16, one)):
            item = _item(subset, source, name, request)
            if item is not None and (not request.tasks or item.task in request.tasks):
                yield item


def _item(subset: str, source: Path, name: str, request: ImportRequest) -> ImportedItem | None:
    page, image = source / f"{name}.html", source / f"{name}.png"
    where = str(page if page.exists() else image)
    item = partial(ImportedItem, f"{_SOURCES[subset]}-{name}", where, task=DESIGN2CODE_NAME)
    try:
        if not image.exists():
            return item(fault=f"there is no image {image.name}")
        content = read_bytes(image, source)
        if not page.exists() and request.ocr is None:
            return item(fault=f"there is no page {page.name}; --ocr reads the blocks of such images")
        html = read_bytes(page, source) if page.exists() else None
        placeholder = source / PLACEHOLDER
        assets = {PLACEHOLDER: read_bytes(placeholder, source)} if placeholder.exists() else {}
    except ValueError as error:
        return item(fault=str(error))
    item = partial(
        item,
        subset=subset,
        files={"image": content},
        licence=_LICENCE,
        assets=assets,
        provenance={"source": _SOURCES[subset], "id": name},
    )
    if html is not None:
        return item(structure=html, inputs={"texts": page_texts(html.decode("utf-8", "replace"))})
    assert request.ocr is not None, "such an image was left out above"
    read = request.ocr.read(content)
    return item(
        task=OCR_NAME,
        inputs={"texts": [line.text for line in read.lines]},
        target={"blocks": _blocks(read), "engine": request.ocr.engine},
    )


def _blocks(page: OcrPage) -> list[list[object]]:
    return [
        [
            line.text,
            round(line.left / page.width, 5),
            round(line.top / page.height, 5),
            round(line.width / page.width, 5),
            round(line.height / page.height, 5),
            *line.ink,
        ]
        for line in page.lines
    ]


_LEFT_OUT = frozenset({"script", "style"})


class _TextReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self._parts: list[str] = []
        self._left_out = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.end_text()
        self._left_out = tag if tag in _LEFT_OUT else ""

    def handle_endtag(self, tag: str) -> None:
        self.end_text()
        self._left_out = ""

    def handle_data(self, data: str) -> None:
        if not self._left_out:
            self._parts.append(data)

    def handle_comment(self, data: str) -> None:
        self.end_text()

    def end_text(self) -> None:
        """End the text node that was read last."""
        text = "".join(self._parts).strip()
        self._parts.clear()
        if text:
            self.texts.append(text)


def page_texts(html: str) -> list[str]:
    """Return the texts of a page in the order of its source, without those of scripts and style sheets.

    Source: Design2Code's ``extract_text_from_html``; comments, which are no text of the page, are left out.
    """
    reader = _TextReader()
    reader.feed(html)
    reader.close()
    reader.end_text()
    return reader.texts
