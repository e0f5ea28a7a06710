"""Graded answers of OmniDocBench: tokens are words of the page, parts are its elements."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks.graded import SPELLING, Change, Grade, Rung, another_token, spans_of, stretch
from i2s_sdk.tasks.omnidocbench.annotation import BlockKind, kind_of

_FIELDS = {BlockKind.TEXT: "text", BlockKind.FORMULA: "latex", BlockKind.TABLE: "html"}
_WORD = re.compile(r"(?<![\\\w])[A-Za-z]{2,}(?!\w)|(?<!\w)\d+(?!\w)|[\u4e00-\u9fff]")
_PROTECTED = re.compile(r"<[^<>]*>|\\[A-Za-z]+|\$[^$]*\$|\{[^{}]*\}")


def _elements(content: Content) -> Sequence[Mapping[str, Any]]:
    elements: Sequence[Mapping[str, Any]] = content.target["layout_dets"]
    return elements


def _field(element: Mapping[str, Any]) -> str:
    """Return the field of an element that counts; empty if none does."""
    kind = kind_of(element["category_type"])
    name = _FIELDS.get(kind, "") if kind is not None else ""
    return name if element.get(name) and element.get("ignore") is not True else ""


def _with(content: Content, elements: Sequence[Mapping[str, Any]]) -> Content:
    return replace(content, target={**content.target, "layout_dets": list(elements)})


def _wrong(content: Content, chance: Random) -> Content | None:
    elements = list(_elements(content))
    words = [
        (at, start, end)
        for at, element in enumerate(elements)
        if (name := _field(element))
        for start, end in spans_of(_WORD, element[name], _PROTECTED.finditer(element[name]))
    ]
    if not words:
        return None
    at, start, end = chance.choice(words)
    name = _field(elements[at])
    text = elements[at][name]
    word = text[start:end]
    other = another_token(word, chance) if word.isascii() else ("的" if word != "的" else "了")
    elements[at] = {**elements[at], name: text[:start] + other + text[end:]}
    return _with(content, elements)


def _without(share: float) -> Change:
    def without(content: Content, chance: Random) -> Content | None:
        elements = _elements(content)
        counted = sorted(
            (at for at, element in enumerate(elements) if _field(element)),
            key=lambda at: elements[at].get("order") or 0,
        )
        taken = stretch([len(elements[at][_field(elements[at])]) for at in counted], share, chance)
        if taken is None:
            return None
        left_out = {counted[at] for at in taken}
        return _with(content, [element for at, element in enumerate(elements) if at not in left_out])

    return without


def _in_another_spelling(content: Content, _: Random) -> Content | None:
    """Return a page whose titles are headings of another level, and whose tables have a border."""
    elements = []
    for element in _elements(content):
        other = dict(element)
        if element["category_type"] == "title" and element.get("text"):
            other["text"] = "### " + str(element["text"]).lstrip("# ")
        if element["category_type"] == "table" and element.get("html"):
            other["html"] = re.sub(r"^<table[^<>]*>", '<table border="1">', str(element["html"]))
        elements.append(other)
    return None if elements == list(_elements(content)) else _with(content, elements)


GRADES = (
    Grade(Rung.ONE_WRONG, Rung.ONE_WRONG, _wrong),
    Grade(Rung.TENTH_MISSING, Rung.TENTH_MISSING, _without(0.1)),
    Grade(Rung.HALF_MISSING, Rung.HALF_MISSING, _without(0.5)),
    Grade(SPELLING, Rung.EQUIVALENT, _in_another_spelling),
)
