"""The files of a work, out of the wikitext of its page on IMSLP."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

#: The longest page that is read, in characters, and the most files of one.
MAX_CHARACTERS, MAX_FILES = 2_000_000, 2_000

_OPENING = "{{#fte:imslpfile"
_EDGES = re.compile(r"\{\{|\}\}")
_FIELD = re.compile(r"^\|[ \t]*([A-Za-z ]{1,40}?)[ \t]*(\d{0,4})[ \t]*=[ \t]*([^\n]*)", re.MULTILINE)
_DATE = re.compile(r"(\d{4})[/-](\d{1,2})[/-](\d{1,2})")


@dataclass(frozen=True, slots=True)
class FileBlock:
    """A file as the page of its work describes it.

    Attributes:
        name: Name of the file.
        licence: Licence, such as "Public Domain"; empty if it is not named.
        pages: Number of pages; 0 if unknown.
        image_type: Image type, such as "Normal Scan".
        day: Day of its upload; None if unknown.
    """

    name: str
    licence: str
    pages: int
    image_type: str
    day: date | None


def file_blocks(text: str) -> list[FileBlock]:
    """Return the files of a page in their order; a block that does not end is left out."""
    return [file for block in _blocks(text[:MAX_CHARACTERS]) for file in _files(block)][:MAX_FILES]


def _blocks(text: str) -> Iterator[str]:
    position = text.find(_OPENING)
    while position >= 0:
        depth, end = 0, len(text)
        for edge in _EDGES.finditer(text, position):
            depth += 1 if edge.group() == "{{" else -1
            if depth == 0:
                end = edge.end()
                yield text[position + len(_OPENING) : end - 2]
                break
        position = text.find(_OPENING, end)


def _files(block: str) -> Iterator[FileBlock]:
    """Yield the files of a block: numbered fields are of one file, the others of all."""
    fields = {(name.strip(), number): value.strip() for name, number, value in _FIELD.findall(block)}
    for (name, number), value in fields.items():
        if name != "File Name" or not value or not value.isprintable() or "|" in value:
            continue

        def read(wanted: str, number: str = number) -> str:
            return fields.get((wanted, number)) or fields.get((wanted, "")) or ""

        pages = read("Page Count")
        yield FileBlock(
            name=value[:300],
            licence=read("Copyright")[:100],
            pages=int(pages) if pages.isascii() and pages.isdecimal() and len(pages) < 6 else 0,
            image_type=read("Image Type")[:100],
            day=_day(read("Date Submitted")),
        )


def _day(text: str) -> date | None:
    found = _DATE.search(text)
    try:
        return date(int(found[1]), int(found[2]), int(found[3])) if found else None
    except ValueError:
        return None
