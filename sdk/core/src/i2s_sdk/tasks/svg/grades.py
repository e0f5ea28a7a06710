"""Graded answers: tokens are the numbers and colours of elements, parts are elements that stand alone."""

from __future__ import annotations

import re

from i2s_sdk.tasks.graded import FONT, SIZE, SPELLING, Spans, equivalent, rungs, spans_of

_VALUE = re.compile(r"(?<=[ \"',])\d{2,4}(?=[ \"',])")
_ELEMENT = re.compile(
    r"<(?:path|rect|circle|ellipse|line|polyline|polygon)\b[^<>]*/>|<text\b[^<>]*>[^<>]*</text>"
)
_ROOT = re.compile(r"<svg\b[^>]*>")
_PROTECTED = re.compile(r"<svg\b[^>]*>|<(?:clipPath|defs|symbol)\b.*?</(?:clipPath|defs|symbol)>", re.DOTALL)
_SIDE = re.compile(r'\b(width|height)="(\d+)"')


def _values(code: str) -> Spans:
    return spans_of(_VALUE, code, _PROTECTED.finditer(code))


def _elements(code: str) -> Spans:
    return spans_of(_ELEMENT, code, _PROTECTED.finditer(code))


def _in_another_size(code: str) -> str | None:
    root = _ROOT.search(code)
    if root is None or "viewBox" not in root[0]:
        return None
    larger = _SIDE.sub(lambda one: f'{one[1]}="{int(one[2]) * 5 // 4}"', root[0])
    return code[: root.start()] + larger + code[root.end() :]


def _in_another_spelling(code: str) -> str | None:
    return re.sub(r"\s*/>", " />", code).replace("><", ">\n<")


def _in_another_font(code: str) -> str | None:
    return code.replace("sans-serif", "serif") if "<text" in code else None


GRADES = (
    *rungs(_values, missing=_elements),
    equivalent(SIZE, _in_another_size),
    equivalent(SPELLING, _in_another_spelling),
    equivalent(FONT, _in_another_font),
)
