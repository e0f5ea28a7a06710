"""The letter of a choice in an answer.

Profile ``helm`` reads as the released evaluation does, and so refuses answers such as ``**E**``, ``[G]`` and
a letter with a line feed behind it. Profile ``paper`` reads the letter that a person would read.
"""

from __future__ import annotations

import re

from i2s_wire.metrics.profile import Profile

#: The letters of the eight choices.
LETTERS = "ABCDEFGH"

_DROPPED = str.maketrans("", "", ",.!?;:'\"")
_DOTTED = re.compile(r"[A-Z]\.")

_MARKS = "\"'`*_()[]{}<>.:,;!?#$\\ \t\r\n"
#: A letter that stands at the start and is parted from what follows by more than a space.
_LEADING = re.compile(r"[\s\"'`*_(\[{<]*([A-H])[\"'`*_]*(?:[.)\]}>:,;-]|[ \t]*(?:\n|$))")
_ANNOUNCED = re.compile(
    r"\b(?:answer|choice|option|label|labell?ed|letter|element|id)s?(?:\s+is)?[\s:=]*[\"'`*_(\[{<]*([A-H])(?![\w'’])",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"[(\[{<]([A-H])[)\]}>]")
_ALONE = re.compile(r"(?<![\w'’])([A-H])(?![\w'’])")
_ARTICLE = re.compile(r"A[ \t]+[a-z]")


def read_letter(answer: str, profile: Profile) -> str | None:
    """Return the upper-case letter of an answer, or None if it has none.

    The letter may be none of the choices, such as "Z", if the released evaluation reads it so.

    Args:
        answer: What the model said.
        profile: How it is read.
    """
    return released_letter(answer) if profile is Profile.HELM else lenient_letter(answer)


def released_letter(answer: str) -> str | None:
    """Return the letter that the released evaluation of VisualWebBench reads.

    An answer of one character is that character in upper case. A capital and a full stop at the start are
    taken next. Else the punctuation ``, . ! ? ; : ' "`` is dropped, and of the letters A to H that stand in
    parentheses, else between spaces, the one is taken whose last place is the furthest.
    """
    if len(answer) == 1:
        return answer.upper()
    if _DOTTED.match(answer):
        return answer[0]
    text = f" {answer.translate(_DROPPED)} "
    for form in ("({})", " {} "):
        places = {letter: text.rfind(form.format(letter)) for letter in LETTERS}
        found = max(LETTERS, key=places.__getitem__)
        if places[found] >= 0:
            return found
    return None


def lenient_letter(answer: str) -> str | None:
    """Return the letter that a person would read.

    In this order: an answer of nothing but a letter, in either case, with any marks around it; a capital at
    the start that punctuation or the end of the line parts from the rest; the last capital that is announced
    ("answer: F", "option D"); the last one in brackets; the last one that stands alone, where an "A" before a
    word in lower case is an article unless there is no other.
    """
    bare = answer.strip(_MARKS)
    if len(bare) == 1 and bare.upper() in LETTERS:
        return bare.upper()
    leading = _LEADING.match(answer)
    if leading is not None:
        return leading[1]
    for pattern in (_ANNOUNCED, _BRACKETED):
        found = [letter for letter in pattern.findall(answer) if letter in LETTERS]
        if found:
            return str(found[-1])
    alone = list(_ALONE.finditer(answer))
    kept = [one for one in alone if not _ARTICLE.match(answer, one.start())] or alone
    return kept[-1][1] if kept else None


def index_of(letter: str) -> int:
    """Return the index of the choice that a letter names, counted from 0; -1 for what is no letter of one.

    A letter after H has an index beyond those of the choices.
    """
    return ord(letter) - ord("A") if len(letter) == 1 and "A" <= letter <= "Z" else -1
