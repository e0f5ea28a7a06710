"""Find what an SVG image must not have: scripts, parts of pages, references to what is not with it."""

import re
from pathlib import Path
from xml.parsers import expat

from i2s_chassis.warm.inside.references import outside
from i2s_render_svg.inside.families import css_with_ours, with_ours

_LOADS = frozenset({"image", "feImage", "use", "tref", "script", "font-face-uri", "audio", "video"})
_OF_CSS = re.compile(r"""(?i)(?:@import\s*(?:url\(\s*)?|url\(\s*)["']?([^"');]+)""")
_HREF = re.compile(r"""href\s*=\s*(?:"([^"]*)"|'([^']*)')""")
#: Characters that are markup, or that an attribute does not keep as they are.
_ESCAPES = str.maketrans({character: f"&#{ord(character)};" for character in '&<>"\n\r\t'})
#: Elements that are left out, with their policy events.
_LEFT_OUT = {
    "script": ("EXECUTE", "script: no script is run"),
    "foreignObject": ("BROWSER_FEATURE", "foreignObject: no part of a page is drawn"),
}


class References:
    """An image that its parser has read.

    Attributes:
        root: Attributes of its root.
        events: Kind and detail of each policy event.
        edited: The image without references to what is not with it, with our fonts in its families, and
            with its entities replaced.
        fault: Why it is not well-formed, and where; then the rest is of what stands before that.
    """

    def __init__(self, svg: str, folder: Path) -> None:
        """Read an image.

        Args:
            svg: The image.
            folder: The folder that it lies in, within the current one.
        """
        self.root: dict[str, str] = {}
        self.events: list[tuple[str, str]] = []
        self.fault = ""
        self._folder = folder
        self._parts: list[str] = []
        #: The text since the last tag, and whether it is that of a style sheet.
        self._texts: list[str] = []
        self._is_style = False
        parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._texts.append
        parser.ProcessingInstructionHandler = self._instruction
        parser.EntityDeclHandler = self._entity
        parser.SkippedEntityHandler = lambda name, _: self._parts.append(f"&{name};")  # resvg refuses it
        parser.ExternalEntityRefHandler = lambda *_: 0  # a fault
        try:
            parser.Parse(svg.lstrip(), True)  # as resvg takes it
        except expat.ExpatError as error:
            self.fault = f"{expat.ErrorString(error.code)} at {error.lineno}:{error.offset}"
        self.edited = "".join(self._parts)

    def _refer(self, reference: str, where: str) -> None:
        event = outside(reference, self._folder, where)
        self.events += [event] if event else []

    def _css(self, css: str, where: str) -> str:
        for reference in _OF_CSS.findall(css):
            self._refer(reference, where)
        return css_with_ours(css) if where == "style" else css

    def _instruction(self, target: str, data: str) -> None:
        for match in _HREF.finditer(data):
            self._refer(match[1] or match[2] or "", target)

    def _entity(self, _name: str, _kind: int, _value: str | None, _base: str | None, *at: str | None) -> None:
        self._refer(at[0] or "", "entity")

    def _end_text(self) -> None:
        text = "".join(self._texts)
        self._texts.clear()
        self._parts.append((self._css(text, "style") if self._is_style else text).translate(_ESCAPES))

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._end_text()
        local = name.rpartition(":")[2]
        self.root = self.root or {"": "", **attributes}
        self.events += [_LEFT_OUT[local]] if local in _LEFT_OUT else []
        self._parts.append(f"<{name}")
        for key, value in attributes.items():
            self._parts.append(f' {key}="{self._attribute(local, key, value).translate(_ESCAPES)}"')
        self._parts.append(">")
        self._is_style = local == "style"

    def _attribute(self, element: str, key: str, value: str) -> str:
        """Return what an attribute is to be."""
        if key.lower().startswith("on"):
            self.events.append(("EXECUTE", f"{key}: no script is run"))
        if key.rpartition(":")[2] == "href":
            if element in _LOADS:
                self._refer(value, element)
            return "" if outside(value, self._folder, element) else value
        return with_ours(value) if key == "font-family" else self._css(value, key)

    def _end(self, name: str) -> None:
        self._end_text()
        self._is_style = False
        self._parts.append(f"</{name}>")
