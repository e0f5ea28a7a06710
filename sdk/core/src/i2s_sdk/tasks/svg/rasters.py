"""Leaves out of an SVG image the raster images that it embeds, as ``<image href="data:…">`` does.

References stand in attributes, in styles and in processing instructions. A parser finds them, so that no
quotation mark in another place hides one. A document that is not well-formed, or declares entities or
attributes, has no places that are certain: there each ``data:`` is taken for a raster.
"""

from __future__ import annotations

import re
from xml.parsers import expat

_TAG = re.compile(rb"<[^\s/>]+")
_ATTRIBUTE = re.compile(rb"""\s*([^\s=/>]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
#: Attributes that refer to something, or give such a value to one that does.
_REFERS = frozenset({"href", "src", "style", "values", "to", "from", "by"})
#: An address at the beginning of a value or list, and in the text of a style.
_DATA = re.compile(r"(?:\A|[;,\"'(])data:")
_WRITTEN = re.compile(r"data:[^\"')<>]*", re.IGNORECASE)
_CSS_ESCAPE = re.compile(r"\\(?:([0-9A-Fa-f]{1,6})\s?|(.))", re.DOTALL)
#: References to entities, which a document may declare as it likes; those of XML itself it may not.
_NAMED = re.compile(r"&(?!#|(?:amp|lt|gt|quot|apos);)")
_CHARACTER = re.compile(r"&#(?:x0{0,9}([0-9A-Fa-f]{2})|0{0,9}(\d{2,3}));")
_HREF = re.compile(r"""href\s*=\s*(["'])""")
_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_IN_QUOTES = _TEXT | str.maketrans({'"': "&quot;", "'": "&apos;", "\n": "&#10;", "\t": "&#9;"})


def without_rasters(svg: str) -> str:
    """Return an image without the images that it embeds, or that an entity may hide."""
    try:
        return _Rasters(svg.encode()).left_out()
    except (expat.ExpatError, UnicodeEncodeError, _DeclaresError):
        return _without_data(svg)


class _DeclaresError(Exception):
    """A document declares entities or attributes."""


class _Rasters:
    """The places of the rasters of a well-formed image.

    Args:
        svg: The image in UTF-8.

    Raises:
        expat.ExpatError, _DeclaresError: The places are not certain.
    """

    def __init__(self, svg: bytes) -> None:
        self._svg = svg
        #: Begin, end and text of what is replaced, in bytes.
        self._edits: list[tuple[int, int, str]] = []
        #: The text of a style sheet that is being read, and where it begins.
        self._sheet: list[str] | None = None
        self._sheet_at = 0
        self._parser = parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.ProcessingInstructionHandler = self._pi
        parser.EntityDeclHandler = parser.AttlistDeclHandler = self._declaration
        parser.Parse(svg, True)

    def left_out(self) -> str:
        """Return the image without them."""
        parts, at = [], 0
        for begin, end, text in sorted(self._edits):
            parts += [self._svg[at:begin], text.encode()]
            at = end
        return b"".join((*parts, self._svg[at:])).decode()

    def _declaration(self, *_: object) -> None:
        raise _DeclaresError

    def _pi(self, target: str, data: str) -> None:
        if _embeds(data):
            begin = self._parser.CurrentByteIndex
            self._edits.append((begin, self._svg.index(b"?>", begin) + 2, ""))

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        tag = _TAG.match(self._svg, self._parser.CurrentByteIndex)
        assert tag is not None  # a tag begins here
        at = tag.end()
        while match := _ATTRIBUTE.match(self._svg, at):
            at = match.end()
            group = 3 if match[2] is None else 2
            key = match[1].decode()
            text = _kept(key, attributes[key], match[group].decode())
            if text != attributes[key]:
                self._edits.append((*match.span(group), text.translate(_IN_QUOTES)))
        if _local(name) == "style" and self._sheet is None:
            self._sheet, self._sheet_at = [], self._svg.index(b">", at) + 1

    def _text(self, text: str) -> None:
        if self._sheet is not None:
            self._sheet.append(text)

    def _end(self, name: str) -> None:
        if self._sheet is None or _local(name) != "style":
            return
        css, self._sheet = "".join(self._sheet), None
        if _embeds(css):
            self._edits = [edit for edit in self._edits if edit[0] < self._sheet_at]
            end = self._parser.CurrentByteIndex
            self._edits.append((self._sheet_at, end, _cut(css).translate(_TEXT)))


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _kept(key: str, value: str, written: str) -> str:
    """Return what of an attribute is kept."""
    refers = _local(key)
    if refers == "href" and _NAMED.search(written):
        return ""
    is_style = refers == "style" or "url(" in _plain(value)
    if not (is_style or refers in _REFERS) or not _embeds(value):
        return value
    return _cut(value) if is_style else ""


def _plain(text: str) -> str:
    """Return a text without escapes of CSS and white space, which hide no address from a renderer."""
    unescaped = _CSS_ESCAPE.sub(lambda escape: escape[2] or chr(min(int(escape[1], 16), 0xFFFD)), text)
    return "".join(unescaped.split()).lower()


def _embeds(text: str) -> bool:
    return _DATA.search(_plain(text)) is not None


def _cut(css: str) -> str:
    """Return a style without addresses of data; nothing of it if they are written with escapes."""
    cut = _WRITTEN.sub("", css)
    return "" if _embeds(cut) else cut


def _without_data(svg: str) -> str:
    """Return a text without what may embed an image, whatever stands around it."""
    text = _CHARACTER.sub(_letter, svg)
    parts: list[str] = []
    done = 0
    missing: set[str] = set()
    for opening in _HREF.finditer(text):
        begin, quote = opening.end(), opening[1]
        end = -1 if quote in missing else text.find(quote, begin)
        if end < 0:
            missing.add(quote)
        elif begin >= done and (_embeds(text[begin:end]) or _NAMED.search(text, begin, end)):
            parts.append(text[done:begin])
            done = end
    return _WRITTEN.sub("", "".join((*parts, text[done:])))


def _letter(reference: re.Match[str]) -> str:
    """Return the letter or colon that a reference to a character means, else the reference."""
    character = chr(int(reference[1], 16) if reference[1] else int(reference[2]))
    return character if character.isalpha() or character == ":" else reference[0]
