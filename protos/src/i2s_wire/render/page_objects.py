"""The objects of a page as the engine of a document drew them: glyphs, rules, paths, images.

They are read from the PDF, which a document can make say many things; what cannot be seen is left out.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class PageObjectKind(enum.IntEnum):
    """What an object is. Values equal those of the wire.

    RULE is a rectangle or a straight line along an axis, PATH any other outline, IMAGE pixels or a shading.
    """

    GLYPH = 1
    RULE = 2
    PATH = 3
    IMAGE = 4


@dataclass(frozen=True, slots=True)
class PageObject:
    """One object; its box is in thousandths of a point from the top left corner of the page."""

    #: What it is.
    kind: PageObjectKind
    left: int
    top: int
    right: int
    bottom: int
    #: Of a glyph, Unicode; empty if the encoding of its font names none.
    text: str = ""
    #: Of a glyph without ``text``, the number of the character in its font.
    code: int = 0
    #: Of a glyph, the place of its font among those of the page.
    font: int = 0
    #: Of a glyph, the size of its font as drawn, in thousandths of a point.
    size: int = 0


@dataclass(frozen=True, slots=True)
class PageObjects:
    """The objects that can be seen on a page, in the order in which they are painted."""

    #: Names of the fonts without the prefix of a subset.
    fonts: tuple[str, ...] = ()
    objects: tuple[PageObject, ...] = ()
    #: Why there are no objects, such as "objects" for more than the limit; else empty. See render.proto.
    limit: str = ""
