"""Reads the SVG of an answer, and looks at what it draws.

An image that is embedded (``<image href="data:…">``) is no vector graphics: anybody who has the pixels could
answer with them. So the task draws no embedded images, and an answer that draws nothing else is none.
"""

from __future__ import annotations

import html
import re

from i2s_sdk.reading import CodeRules, fenced_blocks
from i2s_sdk.tasks.answer_reading import code_structure
from i2s_sdk.tasks.structure import NoStructure, Origin, Structure

ONLY_RASTER = "the answer only embeds a raster image, which is no vector graphics"
DECLARES = "the answer declares entities or attributes, which could hide a raster image"

_ROOT = re.compile(r"<(?:\w+:)?svg\b", re.IGNORECASE)
_END = re.compile(r"</(?:\w+:)?svg\s*>", re.IGNORECASE)
_HREF = re.compile(r"""(href\s*=\s*)("[^"]*"|'[^']*')""")
#: References to entities, which a document may declare as it likes; those of XML itself it may not.
_NAMED = re.compile(r"&(?!#|(?:amp|lt|gt|quot|apos);)")
#: Declarations that put text, elements or attributes where none are written.
_DECLARES = re.compile(r"<!(?:ENTITY|ATTLIST)\b")
_DRAWS = re.compile(
    r"<(?:\w+:)?(?:path|rect|circle|ellipse|line|polyline|polygon|text|use|foreignObject)\b", re.IGNORECASE
)


def _stretch(text: str) -> str:
    """Return the text from the first root to the last end of one; to its end if that is missing."""
    start = _ROOT.search(text)
    if start is None:
        return text
    ends = [match.end() for match in _END.finditer(text, start.start())]
    before = text[: start.start()]
    # What may stand before the root: a declaration and entities of its document.
    head = min(
        (at for at in (before.rfind("<?xml"), before.find("<!DOCTYPE")) if at >= 0), default=len(before)
    )
    return text[head : ends[-1]] if ends else text[head:]


RULES = CodeRules(
    "SVG",
    frozenset({"svg", "xml", "html", "image/svg+xml"}),
    has_body=lambda block: _ROOT.search(block) is not None,
    is_code=lambda text: _ROOT.search(text) is not None,
    stretch=_stretch,
)


def extract(text: str) -> Structure | NoStructure:
    """Return the SVG of an answer: its last block that has a root, else what stands between root and end.

    Args:
        text: Answer without reasoning.
    """
    fenced = any(_ROOT.search(block.content) for block in fenced_blocks(text))
    # Without a block, elements around the root are not looked through: the root is one itself.
    found = fenced or _ROOT.search(text) is None
    structure = code_structure(text, RULES) if found else Structure(_stretch(text).strip(), Origin.EXCERPT)
    if isinstance(structure, NoStructure):
        return structure
    if _DECLARES.search(structure.code):
        return NoStructure(DECLARES)
    if without_rasters(structure.code) != structure.code and not _DRAWS.search(structure.code):
        return NoStructure(ONLY_RASTER)
    return structure


def without_rasters(svg: str) -> str:
    """Return an image without the images that it embeds, or that an entity may hide."""

    def kept(match: re.Match[str]) -> str:
        quote, written = match[2][0], match[2][1:-1]
        embeds = html.unescape(written).strip().lower().startswith("data:")
        return f"{match[1]}{quote}{quote}" if embeds or _NAMED.search(written) else match[0]

    return _HREF.sub(kept, svg)
