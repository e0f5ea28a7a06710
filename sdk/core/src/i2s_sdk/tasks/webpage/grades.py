"""Graded answers of the webpage task: tokens are the words and images of pages, includes and data files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from random import Random

from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks.graded import (
    FONT,
    REFLOW,
    SIZE,
    SPELLING,
    Grade,
    Rung,
    Spans,
    spans_of,
    with_one_wrong,
    without_tokens,
)

_WORD = re.compile(r"\b\w[\w'’.,-]*\w\b|\b\w\b")
_WORD_OR_IMAGE = re.compile(r"<img\b[^>]*>|" + _WORD.pattern, re.IGNORECASE)
_PROTECTED = re.compile(
    r"\A---\n.*?\n---\n|<script\b.*?</script>|<style\b.*?</style>|<title\b.*?</title>|<svg\b.*?</svg>|<!--.*?-->"
    r"|\{%.*?%\}|\{\{.*?\}\}|<[^>]*>|&[#\w]+;|!?\[[^\]]*\]\([^)]*\)",
    re.IGNORECASE | re.DOTALL,
)
_PROTECTED_BUT_IMAGES = re.compile(
    _PROTECTED.pattern.replace("<[^>]*>", r"<(?!img\b)[^>]*>"), _PROTECTED.flags
)
_PAGES = (".html", ".htm", ".md")
_HEAD_END = re.compile(r"</head\s*>", re.IGNORECASE)
#: Stands between the files of a site while they are one text.
_BORDER = "\0"


def _texts(site: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    """Yield the files of a site that have its words."""
    for name, raw in sorted(site.items()):
        if name.lower().endswith(_PAGES):
            try:
                text = raw.decode("utf-8")
            except UnicodeDecodeError:
                continue
            if _BORDER not in text:
                yield name, text


def _changed(content: Content, change: Callable[[str], str | None]) -> Content | None:
    """Return a site whose pages, joined to one text, are changed."""
    if content.site is None:
        return None
    files = list(_texts(content.site))
    text = change(_BORDER.join(text for _, text in files))
    if text is None:
        return None
    names = [name for name, _ in files]
    own = {name: part.encode() for name, part in zip(names, text.split(_BORDER), strict=True)}
    changed = {**content.site, **own}
    return None if changed == content.site else replace(content, site=changed)


def _words(text: str) -> Spans:
    return _spans(text, _WORD, _PROTECTED)


def _words_and_images(text: str) -> Spans:
    return _spans(text, _WORD_OR_IMAGE, _PROTECTED_BUT_IMAGES)


def _spans(text: str, tokens: re.Pattern[str], protected: re.Pattern[str]) -> Spans:
    spans, at = [], 0
    for part in text.split(_BORDER):
        spans += [(at + start, at + end) for start, end in spans_of(tokens, part, protected.finditer(part))]
        at += len(part) + 1
    return spans


def _wrong(content: Content, chance: Random) -> Content | None:
    return _changed(content, lambda text: with_one_wrong(text, _words(text), chance))


def _without(share: float) -> Callable[[Content, Random], Content | None]:
    return lambda content, chance: _changed(
        content, lambda text: without_tokens(text, _words_and_images(text), share, chance)
    )


def _styled(style: str) -> Callable[[Content, Random], Content | None]:
    """Return what adds a style to each page; one without a head gets it in front."""
    element = f"<style>{style}</style>"

    def styled(text: str) -> str | None:
        if not _HEAD_END.search(text):
            return None
        return _HEAD_END.sub(lambda match: element + match.group(), text)

    return lambda content, _: _changed(content, styled)


def _in_another_spelling(content: Content, _: Random) -> Content | None:
    """Return a site with a comment in the head of its pages."""
    return _changed(
        content, lambda text: _HEAD_END.sub(lambda end: f"<!-- the same -->\n{end.group()}", text)
    )


GRADES = (
    Grade(Rung.ONE_WRONG, Rung.ONE_WRONG, _wrong),
    Grade(Rung.TENTH_MISSING, Rung.TENTH_MISSING, _without(0.1)),
    Grade(Rung.HALF_MISSING, Rung.HALF_MISSING, _without(0.5)),
    Grade(SIZE, Rung.EQUIVALENT, _styled("body{zoom:1.06}")),
    Grade(SPELLING, Rung.EQUIVALENT, _in_another_spelling),
    Grade(FONT, Rung.EQUIVALENT, _styled("*{font-family:'DejaVu Sans',sans-serif !important}")),
    Grade(REFLOW, Rung.EQUIVALENT, _styled("html{padding-right:8% !important}")),
)
