"""Reads the SVG of an answer, and looks at what it draws.

An image that is embedded is no vector graphics: anybody who has the pixels could answer with them. So the
task draws no embedded images, and an answer that draws nothing else is none.
"""

from __future__ import annotations

import re
from dataclasses import replace

from i2s_sdk.reading import CodeRules, fenced_blocks, unwrapped_answer
from i2s_sdk.tasks.answer_reading import code_structure
from i2s_sdk.tasks.structure import NoStructure, Origin, Structure
from i2s_sdk.tasks.svg.rasters import without_rasters

ONLY_RASTER = "the answer only embeds a raster image, which is no vector graphics"
DECLARES = "the answer declares entities or attributes, which could hide a raster image"

_ROOT = re.compile(r"<(?:\w+:)?svg\b", re.IGNORECASE)
_EDGE = re.compile(r"<(?P<end>/)?(?:\w+:)?svg\b[^<>]*>?", re.IGNORECASE)
_ELEMENT = re.compile(r"<[A-Za-z]")
#: What may stand before the root: the declaration of XML, and the type of its document.
_DOCTYPE = re.compile(r"<!DOCTYPE\s+(?:\w+:)?svg\b")
_OTHER = re.compile(r"<(?:[A-Za-z]|!DOCTYPE)")
#: Declarations that put text, elements or attributes where none are written.
_DECLARES = re.compile(r"<!(?:ENTITY|ATTLIST)\b")
_DRAWS = re.compile(
    r"<(?:\w+:)?(?:path|rect|circle|ellipse|line|polyline|polygon|text|use|foreignObject)\b", re.IGNORECASE
)


def _stretch(text: str) -> str:
    """Return the last root of a text that ends, with what belongs before it; else what there is of one."""
    begin, depth, floor, last = -1, 0, 0, 0
    root: tuple[int, int, int] | None = None
    for edge in _EDGE.finditer(text):
        if edge["end"]:
            last = edge.end()
            depth -= depth > 0
        else:
            begin = begin if depth else edge.start()
            depth += not edge[0].endswith("/>")
        if not depth and begin >= floor:
            root = floor, begin, edge.end()
            floor = edge.end()
    if root is None and not depth:
        return text
    above, begin, end = root or (0, begin, last if last > begin else len(text))
    doctype = _DOCTYPE.search(text, above, begin)
    head = doctype.start() if doctype else begin
    declaration = text.rfind("<?xml", above, head)
    if declaration >= 0 and not _OTHER.search(text, declaration, head):
        head = declaration
    return text[head:end]


RULES = CodeRules(
    "SVG",
    frozenset({"svg", "xml", "html", "image/svg+xml"}),
    has_body=lambda block: _ROOT.search(block) is not None,
    is_code=lambda text: _ROOT.search(text) is not None,
    stretch=_stretch,
)


def extract(text: str) -> Structure | NoStructure:
    """Return the SVG of an answer: its last block that has a root, else its last root; no page around it.

    Args:
        text: Answer without reasoning.
    """
    text = unwrapped_answer(text, RULES.languages)
    fenced = any(_ROOT.search(block.content) for block in fenced_blocks(text))
    # Without a block, elements around the root are not looked through: the root is one itself.
    if fenced or _ROOT.search(text) is None:
        structure = code_structure(text, RULES)
    else:
        structure = Structure(_stretch(text).strip(), Origin.EXCERPT)
    if isinstance(structure, NoStructure):
        return structure
    root, element = _ROOT.search(structure.code), _ELEMENT.search(structure.code)
    if root and element and element.start() < root.start():
        structure = replace(structure, code=_stretch(structure.code))
    if _DECLARES.search(structure.code):
        return NoStructure(DECLARES)
    if without_rasters(structure.code) != structure.code and not _DRAWS.search(structure.code):
        return NoStructure(ONLY_RASTER)
    return structure
