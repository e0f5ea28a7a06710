"""Graded answers of the music task: tokens are notes."""

from __future__ import annotations

import re
from random import Random

from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks.graded import (
    REFLOW,
    SIZE,
    SPELLING,
    Grade,
    Rung,
    Spans,
    equivalent,
    rungs,
    spans_of,
    with_structure,
)

_NOTE = re.compile(
    r"(?<![\\A-Za-z'#=\"])[a-g](?:isis|eses|is|es|s)?[',]*(?:\d+\.*(?:\*\d+(?:/\d+)?)?)?(?![A-Za-z\"=])"
)
_PROTECTED = re.compile(
    r"%\{.*?%\}|%[^\n]*|\"[^\"]*\"|\\(?:key|relative|transpose|clef|language|tempo)\s+[^\s{]+(?:\s+\\[a-z]+)?"
    r"|\\lyricmode\s*\{[^{}]*\}|\\addlyrics\s*\{[^{}]*\}|\\lyricsto[^{]*\{[^{}]*\}|\\markup\s*\{[^{}]*\}"
    r"|\\header\s*\{[^{}]*\}|\\(?:layout|paper|midi)\s*\{(?:[^{}]|\{[^{}]*\})*\}|\\drummode\s*\{(?:[^{}]|\{[^{}]*\})*\}"
    r"|#\S+|\\[A-Za-z]+",
    re.DOTALL,
)
_VERSION = re.compile(r"\\version\s*\"[^\"]*\"")
_STEPS = "abcdefg"


def _notes(text: str) -> Spans:
    return spans_of(_NOTE, text, _PROTECTED.finditer(text))


def _wrong(content: Content, chance: Random) -> Content | None:
    """Return a score in which one note is a step higher."""
    text, notes = content.structure or "", _notes(content.structure or "")
    if not notes:
        return None
    at = chance.choice(notes)[0]
    step = _STEPS[(_STEPS.index(text[at]) + 1) % len(_STEPS)]
    return with_structure(content, text[:at] + step + text[at + 1 :])


def _after_version(text: str, more: str) -> str:
    match = _VERSION.search(text)
    at = match.end() if match else 0
    return f"{text[:at]}\n{more}\n{text[at:]}"


def _in_another_spelling(text: str) -> str | None:
    """Return the same score with comments and other blanks."""
    return _after_version(text, "% the same score").replace("|", "  |")


def _in_another_size(text: str) -> str | None:
    return None if "set-global-staff-size" in text else _after_version(text, "#(set-global-staff-size 22)")


def _in_another_width(text: str) -> str | None:
    return _after_version(text, r"\paper { line-width = 130\mm }")


GRADES = (
    Grade(Rung.ONE_WRONG, Rung.ONE_WRONG, _wrong),
    *(one for one in rungs(_notes) if one.rung is not Rung.ONE_WRONG),
    equivalent(SIZE, _in_another_size),
    equivalent(SPELLING, _in_another_spelling),
    equivalent(REFLOW, _in_another_width),
)
