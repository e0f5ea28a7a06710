"""Graded answers of the music task: tokens are notes."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks.graded import (
    REFLOW,
    SIZE,
    SPELLING,
    Change,
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
_RELATIVE = re.compile(r"\\relative\s+(?P<pitch>[a-g](?:isis|eses|is|es|s)?[',]*)")
_PARTS = re.compile(r"[a-g](?:isis|eses|is|es|s)?[',]*(?P<duration>\d+\.*(?:\*\d+(?:/\d+)?)?)?")
_TRIES = 30

#: Place in steps, and duration, of each note.
_Heard = list[tuple[int, str]]


def _notes(text: str) -> Spans:
    return spans_of(_NOTE, text, _PROTECTED.finditer(text))


def _wrong(content: Content, chance: Random) -> Content | None:
    """Return a score in which one note is a step higher, and no other note is another one."""
    text = content.structure or ""
    notes = list(_notes(text))
    chance.shuffle(notes)
    changed = [_a_step_higher(text, at) for at, _ in notes]
    heard = _heard(text)
    alone = (one for one in changed if _differ(heard, _heard(one)) == 1)
    return with_structure(content, next(alone, changed[0] if changed else None))


def _a_step_higher(text: str, at: int) -> str:
    step = _STEPS[(_STEPS.index(text[at]) + 1) % len(_STEPS)]
    return text[:at] + step + text[at + 1 :]


def _differ(notes: _Heard, others: _Heard) -> int:
    return sum(one != other for one, other in zip(notes, others, strict=True))


def _without(change: Change) -> Change:
    r"""Return a change that leaves out notes so that those that stay are what they were, if it can.

    In ``\relative`` a note stands beside the one before it, and one without a duration has that of the one
    before it, so what follows a gap may be moved by an octave, or be shorter.
    """

    def without(content: Content, chance: Random) -> Content | None:
        heard = _heard(content.structure or "")
        tried = [change(content, chance) for _ in range(_TRIES)]
        return next((one for one in tried if one is not None and _stay(heard, one)), tried[0])

    return without


def _stay(notes: _Heard, changed: Content) -> bool:
    """Return whether a changed score has the notes, less some that follow one another."""
    left = _heard(changed.structure or "")
    gap = len(notes) - len(left)
    return any(notes[:at] + notes[at + gap :] == left for at in range(len(left) + 1))


def _heard(text: str) -> _Heard:
    r"""Return place and duration of each note by the order of the text, in which chords are read too."""
    found: _Heard = []
    before, duration = None, ""
    relative = {match.end(): match for match in _RELATIVE.finditer(text)}
    spans = sorted([*((end, end) for end in relative), *_notes(text)])
    for start, end in spans:
        if start in relative and start == end:
            before = _place(relative[start]["pitch"], None)
            continue
        match = _PARTS.match(text, start)
        assert match is not None, "a note has a step"
        place = _place(text[start:end], before)
        duration = match["duration"] or duration
        found.append((place, duration))
        if before is not None:
            before = place
    return found


def _place(note: str, before: int | None) -> int:
    """Return the place of a note in steps; the nearest one to the note before it, if there is one."""
    octaves = note.count("'") - note.count(",")
    step = "cdefgab".index(note[0])
    if before is None:
        return step + 7 * octaves
    return before + (step - before + 3) % 7 - 3 + 7 * octaves


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
    *(
        replace(rung, change=_without(rung.change))
        for rung in rungs(_notes)
        if rung.rung is not Rung.ONE_WRONG
    ),
    equivalent(SIZE, _in_another_size),
    equivalent(SPELLING, _in_another_spelling),
    equivalent(REFLOW, _in_another_width),
)
