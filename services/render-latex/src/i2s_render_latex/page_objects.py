"""The program that reads what can be seen on pages, with PDFium inside of the sandbox, and its result."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from i2s_chassis.renderer.pdfium import pdfium_folder, pdfium_library
from i2s_chassis.renderer.wire import printable
from i2s_render_latex.document import PDF
from i2s_wire.render.options import LatexEngine
from i2s_wire.render.page_objects import PageObject, PageObjectKind, PageObjects

#: Folder of the program: jobs must be able to read it.
INSIDE = Path(__file__).resolve().parent / "inside"
#: The result, in the work folder.
OUTPUT = "page.objects"
#: The most objects of a page; of one with more, none is returned.
MOST_OBJECTS = 20_000
#: Bound on the lines of a page, in bytes.
MOST_BYTES = 2 << 20

_LINE_OF_OBJECT = re.compile(
    r"(?:(?P<glyph>glyph|unnamed) (?P<font>\d{1,5}) (?P<size>\d{1,9}) |(?P<other>rule|path|image) )"
    r"(?P<box>-?\d{1,10} -?\d{1,10} -?\d{1,10} -?\d{1,10})(?P<codes>(?: \d{1,10})*)\Z"
)
_SUBSET = re.compile(r"^[A-Z]{6}\+")
_MOST_CODES = 16  # characters of one glyph
_REPLACEMENT = "\ufffd"
# Says which text a font shows, whatever its glyphs are. No font of pdfTeX needs it, since glyphs have names.
_TO_UNICODE, _NOTHING = b"/ToUnicode", b"/ToUnicodX"
_PACKED = b"/ObjStm"
# What poppler and PDFium treat differently: layers, boxes that cut a page, fonts of numbered characters.
_UNLIKE = {
    b"/OCProperties": "layers",
    b"/CropBox": "boxes",
    b"/CIDSystemInfo": "fonts",
    b"/CIDToGIDMap": "fonts",
}
#: Why a page has no objects, as the program says it.
_REASONS = frozenset({"objects", "rotated", "boxes", "annotations"})
#: The most objects of all pages; of those after them, none is returned.
MOST_OF_DOCUMENT = 200_000
# Names can be written with numbers in place of letters.
_ESCAPED = re.compile(rb"/[A-Za-z0-9#]{1,40}#[A-Za-z0-9#]{0,40}")
_ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")


def readable_folders() -> tuple[Path, ...]:
    """Return what the cell must read outside of /usr: PDFium, the program, and Python.

    Raises:
        StartError: PDFium is not installed.
    """
    folders = (pdfium_folder(), INSIDE, Path(sys.base_prefix).resolve())
    return tuple(folder for folder in folders if not folder.is_relative_to("/usr"))


def limit_of(pdf: bytes, engine: LatexEngine) -> str:
    """Return why the objects of a document cannot be told, empty if they can.

    Objects of pdfTeX are written without compression, unless the document asks for it, so its words can be
    looked at. Those of the other engines may be compressed, and are looked at as far as they are not.
    """
    names = {_ESCAPE.sub(lambda code: bytes([int(code[1], 16)]), name) for name in _ESCAPED.findall(pdf)}
    if engine is LatexEngine.PDFLATEX and (_PACKED in pdf or not names.isdisjoint((_TO_UNICODE, _PACKED))):
        return "compressed"
    unlike = _UNLIKE if engine is LatexEngine.PDFLATEX else dict.fromkeys((b"/OCProperties",), "layers")
    return next((why for name, why in unlike.items() if name in pdf or name in names), "")


def prepared(pdf: bytes, engine: LatexEngine) -> bytes:
    """Return a PDF whose glyphs are called what the encodings of their fonts say.

    A document of pdfTeX can say that glyphs stand for other characters; those words are taken out.
    """
    return pdf.replace(_TO_UNICODE, _NOTHING) if engine is LatexEngine.PDFLATEX else pdf


def command(pages: Sequence[int], cut_bottom: float) -> list[str]:
    """Return the command that reads pages of the job's PDF above the foot that is cut off."""
    python, library = os.path.realpath(sys.executable), pdfium_library(pdfium_folder())
    # -I and -S: neither the environment, nor the work folder, nor site packages have a say.
    program = [python, "-I", "-S", str(INSIDE / "read_objects.py"), str(library), PDF, OUTPUT]
    return [*program, repr(cut_bottom), str(MOST_OBJECTS), *map(str, pages)]


def read(output: bytes) -> dict[int, PageObjects] | None:
    """Return the objects of each page, None if the program was led to write something else."""
    pages: dict[int, list[str]] = {}
    lines: list[str] = []
    for line in output.decode("ascii", errors="replace").splitlines():
        word, _, rest = line.partition(" ")
        if word != "page":
            lines.append(line)
        elif rest.isdecimal() and len(rest) < 10:
            lines = pages.setdefault(int(rest), [])
        else:
            return None
    fonts: list[str] = []
    objects: dict[int, PageObjects] = {}
    total = 0
    for number, of_page in pages.items():
        page = _page(of_page, fonts)
        if page is None:
            continue
        total += len(page.objects)
        objects[number] = page if total <= MOST_OF_DOCUMENT else PageObjects(limit="objects")
    return objects


def _page(lines: Sequence[str], fonts: list[str]) -> PageObjects | None:
    objects: list[PageObject] = []
    for line in lines:
        if line.startswith("limit "):
            return PageObjects(limit=line[6:]) if line[6:] in _REASONS else None
        if line.startswith("font "):
            fonts.append(_SUBSET.sub("", printable(line[5:])))
            continue
        item = _object(line, len(fonts))
        if item is None:
            return None
        objects.append(item)
    if len(objects) > MOST_OBJECTS:
        return None
    used = sorted({page_object.font for page_object in objects if page_object.kind is PageObjectKind.GLYPH})
    place = {font: index for index, font in enumerate(used)}
    kept = (
        replace(page_object, font=place[page_object.font])
        if page_object.kind is PageObjectKind.GLYPH
        else page_object
        for page_object in objects
    )
    return PageObjects(tuple(fonts[font] for font in used), tuple(kept))


def _object(line: str, fonts: int) -> PageObject | None:
    match = _LINE_OF_OBJECT.match(line)
    if match is None:
        return None
    left, top, right, bottom = map(int, match["box"].split())
    if match["other"]:
        kind = PageObjectKind[match["other"].upper()]
        return PageObject(kind, left, top, right, bottom)
    codes = [int(code) for code in match["codes"].split()][:_MOST_CODES]
    font, size, kind = int(match["font"]), int(match["size"]), PageObjectKind.GLYPH
    if font >= fonts or not codes or max(codes) > 0xFFFFFFFF:
        return None
    if match["glyph"] == "unnamed":
        return PageObject(kind, left, top, right, bottom, code=codes[0], font=font, size=size)
    return PageObject(kind, left, top, right, bottom, _text(codes), font=font, size=size)


def _text(codes: Sequence[int]) -> str:
    return printable("".join(chr(code) if code <= sys.maxunicode else _REPLACEMENT for code in codes))
