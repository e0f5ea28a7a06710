"""Find what an SVG image must not have: scripts, parts of pages, references to what is not with it."""

from __future__ import annotations

import re
from pathlib import Path
from xml.parsers import expat

from i2s_render_svg.inside.families import css_with_ours, with_ours

_LOADS = frozenset({"image", "feImage", "use", "tref", "script", "font-face-uri", "audio", "video"})
_NETWORK = re.compile(r"(?i)(?:https?|ftp|wss?):|//")
_OF_CSS = re.compile(r"""(?i)(?:@import\s*(?:url\(\s*)?|url\(\s*)["']?([^"');]+)""")
_HREF = re.compile(r"""((?:[\w.-]+:)?href\s*=\s*)("[^"]*"|'[^']*')""")
_TAG = re.compile(rb"<[^\s/>]+")
_ATTRIBUTE = re.compile(rb"""\s*([^\s=/>]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_IN_ATTRIBUTE = _ESCAPES | str.maketrans({'"': "&quot;", "'": "&apos;", "\n": "&#10;", "\t": "&#9;"})
_EVENTS = 100
_OWN = ".i2s"


def _is_with(reference: str, folder: Path) -> bool:
    """Return whether a reference is to the image itself, or to a file that came with it."""
    reference = reference.strip()
    if not reference or reference.lower().startswith(("#", "data:")):
        return True
    if ":" in reference or reference.startswith("/"):
        return False
    try:
        path = (folder / reference).resolve()
        return path.relative_to(Path.cwd()).parts[:1] != (_OWN,) and path.is_file()
    except (OSError, ValueError):  # no name of a file, or out of the folder of the request
        return False


class References:
    """What an image has; of one that is not well-formed, what stands before the fault.

    Attributes:
        root: Attributes of its root.
        events: Kind and detail of each policy event.
    """

    def __init__(self, svg: str, folder: Path) -> None:
        """Look at an image.

        Args:
            svg: The image.
            folder: The folder that it lies in, within the current one.
        """
        self.root: dict[str, str] = {}
        self.events: list[tuple[str, str]] = []
        self._svg, self._folder = svg.encode(), folder
        #: Begin, end and text of what is replaced, in their order.
        self._edits: list[tuple[int, int, str]] = []
        #: The text of a style sheet that is being read, and where it begins; 0 if it is not only text.
        self._sheet: list[str] | None = None
        self._sheet_at = self._read = 0
        #: Whether elements come out of entities: then the parser does not say where they stand.
        self._has_entities_of_markup = False
        self._parser = parser = expat.ParserCreate("utf-8")
        parser.specified_attributes = True
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.ProcessingInstructionHandler = self._pi
        parser.EntityDeclHandler = self._entity
        try:
            parser.Parse(self._svg, True)
        except expat.ExpatError:  # what follows the fault is not known
            self._edit_unparsed(self._read)
        if self._has_entities_of_markup:
            self._edits = []
            self._edit_unparsed(0)

    def edited(self) -> str:
        """Return the image without references to what is not with it, and with our fonts in its families."""
        parts, at = [], 0
        for begin, end, text in sorted(self._edits):
            parts += [self._svg[at:begin], text.encode()]
            at = end
        return b"".join((*parts, self._svg[at:])).decode()

    def _edit_unparsed(self, begin: int) -> None:
        """Empty each reference in what follows as text; entities in them count as not with it."""
        text = self._svg[begin:].decode()
        self._edits.append((begin, len(self._svg), _HREF.sub(self._kept, text)))

    def _kept(self, href: re.Match[str]) -> str:
        quote = href[2][0]
        return href[0] if _is_with(href[2][1:-1], self._folder) else f"{href[1]}{quote}{quote}"

    def _note(self, kind: str, detail: str) -> None:
        if len(self.events) < _EVENTS:
            self.events.append((kind, detail[:200]))

    def _refer(self, reference: str, where: str) -> None:
        if not _is_with(reference, self._folder):
            network = _NETWORK.match(reference.strip())
            self._note("NETWORK" if network else "FILE_READ", f"{where}: {reference.strip()}")

    def _css(self, text: str, where: str) -> None:
        for reference in _OF_CSS.findall(text):
            self._refer(reference, where)

    def _pi(self, target: str, data: str) -> None:
        for match in _HREF.finditer(data):
            self._refer(match[2][1:-1], target)

    def _entity(self, _name: str, _kind: int, value: str | None, _base: str | None, *at: str | None) -> None:
        self._has_entities_of_markup |= value is not None and "<" in value
        self._refer(at[0] or "", "entity")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        self.root = self.root or {"": "", **attributes}
        if local == "script":
            self._note("EXECUTE", "script: no script is run")
        if local == "foreignObject":
            self._note("BROWSER_FEATURE", "foreignObject: no part of a page is drawn")
        for key, value in attributes.items():
            if key.lower().startswith("on"):
                self._note("EXECUTE", f"{key}: no script is run")
            elif local in _LOADS and key.rpartition(":")[2] == "href":
                self._refer(value, local)
            elif "url(" in value.lower():
                self._css(value, key)
        if not self._has_entities_of_markup:
            self._read = self._edit_attributes(attributes)
        self._sheet_at = self._read if local == "style" and self._sheet is None else 0
        if local == "style":
            self._sheet = []

    def _edit_attributes(self, attributes: dict[str, str]) -> int:
        """Edit the attributes of the tag that is being read; returns where it ends."""
        tag = _TAG.match(self._svg, self._parser.CurrentByteIndex)
        assert tag is not None  # a tag begins here
        at = tag.end()
        while match := _ATTRIBUTE.match(self._svg, at):
            at = match.end()
            key = match[1].decode()
            value, group = attributes[key], 3 if match[2] is None else 2
            text = self._attribute(key, value)
            if text != value:
                lines = "\n" * match[group].count(b"\n")  # so that what follows keeps its line
                self._edits.append((*match.span(group), text.translate(_IN_ATTRIBUTE) + lines))
        return self._svg.index(b">", at) + 1

    def _attribute(self, key: str, value: str) -> str:
        """Return what an attribute is to be."""
        if key.rpartition(":")[2] == "href":
            return value if _is_with(value, self._folder) else ""
        if key == "font-family":
            return with_ours(value)
        return css_with_ours(value) if key == "style" else value

    def _text(self, text: str) -> None:
        if self._sheet is not None:
            self._sheet.append(text)

    def _end(self, name: str) -> None:
        sheet, end = self._sheet, self._parser.CurrentByteIndex
        if sheet is None or name.rpartition(":")[2] != "style":
            return
        self._sheet, css = None, "".join(sheet)
        self._css(css, "style")
        text = css_with_ours(css)
        if text != css and self._sheet_at:
            self._edits.append((self._sheet_at, end, text.translate(_ESCAPES)))
            self._read = end
