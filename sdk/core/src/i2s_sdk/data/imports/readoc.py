"""READOC as published, and folders of one's own: PDF documents with gold Markdown.

Layouts, anywhere below a source::

    SUBSET/pdf/ID.pdf    with    SUBSET/markdown/ID.md      as published
    ID.pdf               with    ID.md                      side by side

The subset is the last folder of a path whose name contains "arxiv", "github" or "zenodo" as a word; documents
in no such folder have the name of their source as subset.

Source: the released sample of icip-cas/READoc, and the data set card of lazyc/READoc.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from i2s_sdk.data.hub import PREFIX
from i2s_sdk.data.imports.downloads import downloaded_folder
from i2s_sdk.data.imports.items import Imported, ImportedItem, ImportRequest, lay_down, read_bytes
from i2s_sdk.errors import DataError

_TASK = "readoc"
_PDF, _GOLD = ".pdf", ".md"
_PDF_FOLDER, _GOLD_FOLDER = "pdf", "markdown"  # beside each other in the published layout
_SUBSET = re.compile(r"(?<![a-z])(arxiv|github|zenodo)(?![a-z])")
_PATTERNS = [f"*{suffix}" for suffix in (_PDF, _PDF.upper(), _GOLD)]


def import_readoc(request: ImportRequest) -> Imported:
    """Make a data set of PDF documents with gold Markdown.

    Sources are folders in the layouts of this module, or ``hf:OWNER/NAME[@REVISION]``, which is downloaded.
    The id of an instance is the name of its files without the suffix.

    Raises:
        UsageError: The output folder is not empty, or a package is missing.
        DataError: A source cannot be read, or no document can be used.
        WriteError: The data set cannot be written.
    """
    return lay_down(_all_items(request.sources), request.out, ", ".join(request.sources))


def _all_items(sources: tuple[str, ...]) -> Iterator[ImportedItem]:
    for source in sources:
        if source.startswith(PREFIX):
            folder = downloaded_folder(source, _PATTERNS, "hf:lazyc/READoc")
            yield from _items(
                folder, source.removeprefix(PREFIX).partition("@")[0].rpartition("/")[2], source
            )
        else:
            folder = Path(source)
            yield from _items(folder, folder.resolve().name, "")


def _items(folder: Path, name: str, origin: str) -> Iterator[ImportedItem]:
    """Yield the documents below a folder, and the gold texts that have none.

    Args:
        folder: Folder that is searched.
        name: Subset of documents whose path names none.
        origin: Where the folder comes from, for provenance; empty for a folder of the user's own.
    """
    if not folder.is_dir():
        raise DataError(folder, 0, "is not a folder; readoc is imported from folders of PDF documents")
    documents = _files(folder, _PDF)
    if not documents:
        raise DataError(folder, 0, "holds no PDF document; unpack archives first")
    taken: set[Path] = set()
    for document in documents:
        gold = _gold_of(document)
        taken.add(gold)
        yield _item(folder, document, gold, _subset(document.relative_to(folder), folder, name), origin)
    for gold in _files(folder, _GOLD):
        if gold not in taken and gold.name.lower() != "readme.md":
            yield ImportedItem(gold.stem, str(gold), fault="this gold text has no PDF document")


def _files(folder: Path, suffix: str) -> list[Path]:
    return sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() == suffix
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and path.is_file()
    )


def _gold_of(document: Path) -> Path:
    """Return where the gold text of a document lies, or would lie."""
    beside = document.with_suffix(_GOLD)
    if document.parent.name != _PDF_FOLDER or beside.is_file():
        return beside
    return document.parent.with_name(_GOLD_FOLDER) / beside.name


def _subset(relative: Path, folder: Path, name: str) -> str:
    for part in reversed((*folder.resolve().parts[-1:], *relative.parts[:-1])):
        if match := _SUBSET.search(part.lower()):
            return match[1]
    match = _SUBSET.search(name.lower())
    return match[1] if match else name


def _item(folder: Path, document: Path, gold: Path, subset: str, origin: str) -> ImportedItem:
    identity, where = document.stem, str(document)
    if not gold.is_file():
        return ImportedItem(identity, where, fault=f"this document has no gold text {gold}")
    try:
        text = read_bytes(gold, folder)
    except ValueError as error:
        return ImportedItem(identity, where, fault=str(error))
    return ImportedItem(
        id=identity,
        where=where,
        task=_TASK,
        subset=subset,
        documents={"document": document},
        root=folder,
        structure=text,
        provenance={"source": origin} if origin else {},
    )
