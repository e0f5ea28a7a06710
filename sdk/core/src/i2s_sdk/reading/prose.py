"""Code that stands in prose without a fence."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Collection

_SENTENCE_END = re.compile(r"[.:!?)…。：！？）*`]\s*\Z")
_ITEM = re.compile(r"\s*(?:[-*+•>#]|\d{1,3}[.)])\s")


def without_prose(text: str, is_code_line: Callable[[str], bool], languages: Collection[str]) -> str:
    """Return the lines from the first to the last one of code, if all others are prose, else the whole text.

    Prose are paragraphs that end as sentences do, items of lists, headings, and the name of a language.

    Args:
        text: Answer without fences.
        is_code_line: Whether a line can only be code.
        languages: Names of the language.
    """
    lines = text.split("\n")
    places = [number for number, line in enumerate(lines) if is_code_line(line)]
    if not places:
        return text
    outside = "\n".join(lines[: places[0]]), "\n".join(lines[places[-1] + 1 :])
    if not all(
        _is_prose(paragraph, languages) for part in outside for paragraph in re.split(r"\n\s*\n", part)
    ):
        return text
    return textwrap.dedent("\n".join(lines[places[0] : places[-1] + 1])).strip()


def _is_prose(paragraph: str, languages: Collection[str]) -> bool:
    text = paragraph.strip()
    if not text or text.lower() in languages:
        return True
    last = text.rpartition("\n")[2]
    return any((_SENTENCE_END.search(last), _ITEM.match(last), _ITEM.match(text)))
