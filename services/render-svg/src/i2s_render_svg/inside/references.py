"""Find what an SVG image must not have: scripts, parts of pages, references to what is not with it."""

from __future__ import annotations

import re
from pathlib import Path
from xml.parsers import expat

_LOADS = frozenset({"image", "feImage", "use", "tref", "script", "font-face-uri", "audio", "video"})
_NETWORK = re.compile(r"(?i)(?:https?|ftp|wss?):|//")
_OF_CSS = re.compile(r"""(?i)(?:url\(|@import)\s*["']?([^"');]+)""")
_HREF = re.compile(r"""((?:[\w.-]+:)?href\s*=\s*)("[^"]*"|'[^']*')""")
_EVENTS = 100


def _is_with(reference: str, folder: Path) -> bool:
    """Return whether a reference is to the image itself, or to a file that came with it."""
    reference = reference.strip()
    if not reference or reference.lower().startswith(("#", "data:")):
        return True
    path = Path(reference)
    here = not path.is_absolute() and ".." not in path.parts and ":" not in reference
    return here and (folder / path).is_file()


class References:
    """What an image has; of one that is not well-formed, what stands before the fault.

    Attributes:
        root: Attributes of its root.
        events: Kind and detail of each policy event.
        outside: Whether it may name files or addresses that are not with it.
    """

    def __init__(self, svg: str, folder: Path) -> None:
        """Look at an image.

        Args:
            svg: The image.
            folder: The folder that it lies in.
        """
        self.root: dict[str, str] = {}
        self.events: list[tuple[str, str]] = []
        self.outside = self._in_style = False
        self._svg, self._folder = svg, folder
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.CharacterDataHandler = lambda text: self._css(text, "style") if self._in_style else None
        parser.ProcessingInstructionHandler = self._pi
        parser.EntityDeclHandler = lambda *entity: self._refer(entity[4] or "", "entity")
        try:
            parser.Parse(svg, True)
        except expat.ExpatError:
            self.outside = True  # what follows the fault is not known

    def without_outside(self) -> str:
        """Return the image without references to what is not with it; entities in them count as that."""
        if not self.outside:
            return self._svg
        return _HREF.sub(self._kept, self._svg)

    def _kept(self, href: re.Match[str]) -> str:
        quote = href[2][0]
        return href[0] if _is_with(href[2][1:-1], self._folder) else f"{href[1]}{quote}{quote}"

    def _note(self, kind: str, detail: str) -> None:
        if len(self.events) < _EVENTS:
            self.events.append((kind, detail[:200]))

    def _refer(self, reference: str, where: str) -> None:
        if not _is_with(reference, self._folder):
            self.outside = True
            network = _NETWORK.match(reference.strip())
            self._note("NETWORK" if network else "FILE_READ", f"{where}: {reference.strip()}")

    def _css(self, text: str, where: str) -> None:
        for reference in _OF_CSS.findall(text):
            self._refer(reference, where)

    def _pi(self, target: str, data: str) -> None:
        for match in _HREF.finditer(data):
            self._refer(match[2][1:-1], target)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        self.root = self.root or {"": "", **attributes}
        self._in_style = local == "style"
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
