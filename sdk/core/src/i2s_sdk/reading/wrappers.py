"""Wrappers around all of an answer: JSON, a fence, front matter, elements of HTML, a code span, emphasis."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection

from i2s_sdk.json_text import read_json
from i2s_sdk.reading.blocks import fenced_blocks
from i2s_sdk.reading.json_values import json_values, mended_json

#: Fields of a JSON object that hold an answer, beside those that a language names.
FIELDS = frozenset({"code", "answer", "final_answer", "output", "result", "response", "content", "text"})
_ELEMENT = re.compile(r"<(?P<name>[A-Za-z][\w+-]{0,20})(?:\s[^<>\n]{0,200})?>\s*")
_MARKUP = frozenset({"pre", "code"})
#: Languages of a fence around a document, those around a page, and fields that hold either.
MARKDOWN = ("markdown", "md")
PAGE_FENCES = (*MARKDOWN, "html", "latex", "tex")
_DOCUMENT_FIELDS = (*MARKDOWN, "natural_text")
_OBJECT = re.compile(r"\{\s*[\"']")
_FENCE = re.compile(r"(?P<run>`{3,}|~{3,})[ \t]*(?P<language>\w+)[ \t]*(?:\n|\Z)")
_CLOSING = re.compile(r"[\s>]*(?P<run>`{3,}|~{3,})\s*\Z")
#: One line that announces a document, and what may be said behind it.
_ANNOUNCEMENT = re.compile(
    r"[^\n`~#|]{0,300}\b(?:markdown|transcription|document|content|page)\b[^\n`~#|]{0,200}:[ \t*]*\n\s*"
    r"(?=`{3}|~{3})",
    re.IGNORECASE,
)
_FAREWELL = re.compile(r"(?:^|\n)(?P<fence>(?:`{3,}|~{3,})[ \t]*)\n\s*[^`~\n#|]{1,300}\Z")
#: What olmOCR writes before a page.
_FRONT_MATTER = re.compile(
    r"---\n(?:(?:primary_language|is_rotation_valid|rotation_correction|is_table|is_diagram):[^\n]*\n)+---(?:\n|\Z)"
)
_DEEPEST = 3


def _never(value: object) -> bool:
    return False


def unwrapped_answer(
    text: str, languages: Collection[str] = (), is_answer: Callable[[object], bool] = _never
) -> str:
    """Return the text that an answer encodes in JSON, as ``unwrapped_json``, or in the last of its blocks.

    Args:
        text: Answer without reasoning. If it has blocks of JSON alone, words around them are left out.
        languages: Names of languages.
        is_answer: Whether a value is an answer as it is.
    """
    held = unwrapped_json(text, languages, is_answer)
    blocks = fenced_blocks(text) if held == text.strip() and "json" in text.lower() else ()
    if not blocks or any(block.language != "json" for block in blocks):
        return held
    content = blocks[-1].content.strip()
    held = unwrapped_json(content, languages, is_answer)
    return text if held == content else held


def unwrapped_json(
    text: str, languages: Collection[str] = (), is_answer: Callable[[object], bool] = _never
) -> str:
    """Return the text that an answer encodes in JSON, as a text or as the one field that holds it.

    Args:
        text: Answer without reasoning and without a fence. An object that was cut off is closed at its end.
        languages: Names of languages, of which a field may have the name: "latex", "latex_code".
        is_answer: Whether a value is an answer as it is.
    """
    text = text.strip()
    value: object = None
    if len(text) >= len('""') and text[0] == '"' == text[-1]:
        try:
            value = read_json(mended_json(text)[0])
        except ValueError:
            return text
    elif _OBJECT.match(text):
        read = json_values(text)
        value = read.values[0] if len(read.values) == 1 and not text[read.end :].strip() else None
    if isinstance(value, str):
        return value.strip()
    if not isinstance(value, dict) or is_answer(value):
        return text
    names = FIELDS | {*languages, *(f"{language}_code" for language in languages)}
    held = [item for name, item in value.items() if name in names]
    return held[0].strip() if len(held) == 1 and isinstance(held[0], str) else text


def unwrapped_markdown(text: str, languages: Collection[str] = MARKDOWN) -> str:
    """Return a Markdown document without what is around all of it: a fence, JSON, the front matter of olmOCR.

    A line before a fence that announces it, and one behind it, are left out. Of other languages than Markdown
    and JSON the fence must begin the answer, and be its only one.

    Args:
        text: Answer without reasoning.
        languages: Languages of the fence, in lower case.
    """
    text = text.strip()
    for _ in range(_DEEPEST):
        inner = unwrapped_json(_without_fence(text, languages), _DOCUMENT_FIELDS)
        front_matter = _FRONT_MATTER.match(inner)
        inner = inner[front_matter.end() :].strip() if front_matter else inner
        if inner == text:
            break
        text = inner
    return text


def _without_fence(text: str, languages: Collection[str]) -> str:
    announcement = _ANNOUNCEMENT.match(text)
    opening = _FENCE.match(text, announcement.end() if announcement else 0)
    language = opening["language"].lower() if opening else ""
    if opening is None or language not in (*languages, "json"):
        return text
    farewell = _FAREWELL.search(text, max(opening.end(), len(text) - 400)) if announcement else None
    body = (text[: farewell.end("fence")] if farewell else text)[opening.end() :]
    last = body.rstrip().rpartition("\n")
    closing = _CLOSING.match(last[2])
    body = last[0] if closing is not None and closing["run"][0] == opening["run"][0] else body
    if language == "json":
        return body.strip() if unwrapped_json(body, _DOCUMENT_FIELDS) != body.strip() else text
    is_document = language in MARKDOWN or (announcement is None and opening["run"] not in body)
    return body.strip() if is_document else text


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
