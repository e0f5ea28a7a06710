"""The letter of a choice in an answer.

Profile ``helm`` reads as the released evaluation does, and so refuses answers such as ``**E**``, ``[G]`` and
a letter with a line feed behind it. Profile ``paper`` reads the letter that the answer settles on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from i2s_sdk.tasks.structure import NoStructure
from i2s_sdk.tasks.visualwebbench.conclusions import UNSPACED, AnswerCandidate, Role, conclusion, tokens
from i2s_wire.metrics.profile import Profile

#: The letters of the eight choices.
LETTERS = "ABCDEFGH"

_DROPPED = str.maketrans("", "", ",.!?;:'\"")
_DOTTED = re.compile(r"[A-Z]\.")
_NONE = "the answer has no letter"

_MARKS = "\"'`*_()[]{}<>.:,;!?$\\ \t\r\n"
#: Characters that stand for ASCII ones: full-width forms, and letters in circles.
_FORMS = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_FORMS |= {0x24B6 + number: ord(letter) for number, letter in enumerate(LETTERS)}
_LETTER = rf"[^\W_{UNSPACED}]"
#: What may follow the letter "A"; before any other word it is the article.
_AFTER_A = (
    "is was are were has had does did can could may might must should would will seems looks appears "
    "matches fits corresponds describes represents refers shows contains leads points indicates "
    "suits satisfies and or nor but because since as which that who while whereas not isn't doesn't "
    "wasn't can't cannot rather instead than vs versus if when where in at with by through being due "
    "given based also so then here there clearly"
).replace(" ", "|")
_VERB = r"(?:match|fit|descri|correspond|represent|suit|satisf)"
_NO_NOUN = rf"(?:{_AFTER_A}|(?:to[ ])?[B-H]|(?:best|most[ ]closely)[ ]{_VERB}\w*)\b"
_ARTICLE = rf"[ \t]{{1,8}}[*_]{{0,3}}(?!{_NO_NOUN}){_LETTER}"
#: A capital that stands alone: no part of a word, of "N/A", "A-H", "D.C.", "C++" or "21 °C". Or a small
#: letter in brackets; or another small one, which is a letter of a choice only where it is announced.
_NAMED = re.compile(
    rf"(?<!{_LETTER})(?<!{_LETTER}['’&/+-])(?<![A-Z]\.)(?<![°#])"
    rf"(?:(?P<capital>A(?!{_ARTICLE})|[B-H])"
    rf"|(?<=[(\[{{])(?<!{_LETTER}[(\[{{])(?P<bracketed>[a-h])(?=[)\]}}])"
    rf"|(?<![</])(?P<small>[b-h]|a(?![ \t]{{1,8}}[*_]{{0,3}}{_LETTER})))"
    rf"(?!{_LETTER}|['’&/+-]{_LETTER}|[+#°]|\.{_LETTER}(?!{_LETTER}))"
)


#: A word with a capital right before a letter; with these the letter is one of a choice.
_WORD_BEFORE = re.compile(r"(?<![^\W_])(?P<word>[A-Z][a-z]{1,18})[ ]\Z")
_NOT_OF_NAMES = frozenset(
    {"area", "button", "field", "icon", "image", "link", "rectangle", "section", "tag", "target"}
    | {"here", "hit", "its", "obviously", "picked", "picking", "press", "result", "try", "use"}
)


def read_letter(answer: str, profile: Profile) -> str | NoStructure:
    """Return the upper-case letter of an answer, or why it has none.

    The letter may be none of the choices, such as "Z", if the released evaluation reads it so.

    Args:
        answer: What the model said.
        profile: How it is read.
    """
    if profile is Profile.HELM:
        return released_letter(answer) or NoStructure(_NONE)
    return concluded_letter(answer)


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
        last = max(LETTERS, key=places.__getitem__)
        if places[last] >= 0:
            return last
    return None


def concluded_letter(answer: str) -> str | NoStructure:
    """Return the letter that an answer settles on, or that it names none or several without a conclusion.

    An answer of nothing but a letter, in either case, with any marks around it, is that letter.
    """
    text = "\n" + answer.translate(_FORMS)
    bare = text.lstrip(f"{_MARKS}#").rstrip(_MARKS).upper()
    if len(bare) == 1 and bare in LETTERS:
        return bare
    read = conclusion(text, map(_candidate, _NAMED.finditer(text)))
    if read.value is not None:
        return read.value
    if read.named:
        return NoStructure(f"the answer names {_listed(read.named)} without a conclusion")
    if read.excluded:
        return NoStructure(f"the answer rules out {_listed(read.excluded)} and names no other letter")
    return NoStructure(_NONE)


def _candidate(named: re.Match[str]) -> AnswerCandidate[str]:
    doubtful = named["small"] is not None or (named["capital"] is not None and _is_of_name(named))
    return AnswerCandidate(named[0].upper(), *named.span(), doubtful=doubtful)


def _is_of_name(named: re.Match[str]) -> bool:
    """Return whether a letter ends a name, as in "Vitamin C" and "Plan B"."""
    before = _WORD_BEFORE.search(named.string, max(0, named.start() - 20), named.start())
    if before is None or before["word"].lower() in _NOT_OF_NAMES:
        return False
    return all(token.role is Role.OTHER for token in tokens(named.string, *before.span("word")))


def _listed(letters: Iterable[str]) -> str:
    *most, last = sorted(letters)
    return f"{', '.join(most)} and {last}" if most else last


def index_of(letter: str) -> int:
    """Return the index of the choice that a letter names, counted from 0; -1 for what is not a letter of one.

    A letter after H has an index beyond those of the choices.
    """
    return ord(letter) - ord("A") if len(letter) == 1 and "A" <= letter <= "Z" else -1
