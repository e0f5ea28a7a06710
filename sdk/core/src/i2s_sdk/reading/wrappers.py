"""Wrappers around all of an answer: JSON, elements of HTML, a code span, emphasis."""

from __future__ import annotations

import html
import re
from collections.abc import Collection

from i2s_sdk.json_text import read_json
from i2s_sdk.reading.json_values import mended_json

#: Fields of a JSON object that hold an answer, beside those that a language names.
FIELDS = frozenset({"code", "answer", "final_answer", "output", "result", "response", "content", "text"})
_ELEMENT = re.compile(r"<(?P<name>[A-Za-z][\w+-]{0,20})(?:\s[^<>\n]{0,200})?>\s*")
_MARKUP = frozenset({"pre", "code"})
_DEEPEST = 3


def unwrapped_json(text: str, languages: Collection[str] = ()) -> str:
    """Return the text that an answer encodes in JSON, as a text or as the one field that holds it.

    Args:
        text: Answer without reasoning.
        languages: Names of languages, of which a field may have the name: "latex", "latex_code".
    """
    text = text.strip()
    if text[:1] + text[-1:] not in ('""', "{}") or len(text) < len('""'):
        return text
    try:
        value: object = read_json(mended_json(text)[0])
    except ValueError:
        return text
    if isinstance(value, str):
        return value.strip()
    names = FIELDS | {*languages, *(f"{language}_code" for language in languages)}
    held = [item for name, item in value.items() if name in names] if isinstance(value, dict) else []
    return held[0].strip() if len(held) == 1 and isinstance(held[0], str) else text


def unwrapped_elements(text: str, languages: Collection[str]) -> str:
    """Return the code within ``<pre>``, ``<code>`` or an element with the name of its language."""
    for _ in range(_DEEPEST):
        opening = _ELEMENT.match(text)
        name = opening["name"].lower() if opening else ""
        closing = f"</{name}>"
        if opening is None or name not in {*_MARKUP, *languages} or text[-len(closing) :].lower() != closing:
            break
        text = text[opening.end() : -len(closing)].strip()
        if name == "code":
            text = html.unescape(text)
    return text


def unmarked(text: str) -> str:
    """Return an answer without the backticks of a code span, or the stars of emphasis, around all of it."""
    for mark in "`*":
        inside = text.strip(mark)
        marks = (len(text) - len(inside)) // 2
        if marks and text == f"{mark * marks}{inside}{mark * marks}" and mark not in inside:
            text = inside.strip()
    return text
