"""Extracts the LilyPond code of an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from i2s_sdk.reading import CodeRules
from i2s_sdk.reading.code_block import without_prose
from i2s_sdk.tasks.answer_reading import code_structure
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_wire.metrics.profile import Profile

_HEADER = re.compile(r'\\(?:version|include|language)\s*"[^"\n]*"|%\{.*?%\}|%[^\n]*', re.DOTALL)
_CODE = re.compile(r"\\[A-Za-z]|[{}]|<<")
_CODE_LINE = re.compile(r"\s*%|\s*[A-Za-z]\w*\s*=|.*(?:\\[A-Za-z]|[{}]|<<|>>)")
_DEFINED = re.compile(r"^[ \t]*([A-Za-z]+)[ \t]*=", re.MULTILINE)
_USED = re.compile(r"\\([A-Za-z]+)")
_LANGUAGES = frozenset({"lilypond", "ly", "lily"})


def _has_body(code: str) -> bool:
    """Return whether a block has music, which stands in braces or double angle brackets."""
    return bool(re.search(r"[{]|<<", _HEADER.sub("", code)))


def _program(blocks: Sequence[str]) -> tuple[int, ...]:
    """Return the last block with music, the blocks that define names it uses, and a version before it."""
    bodies = [number for number, block in enumerate(blocks) if _has_body(block)]
    last = bodies[-1] if bodies else len(blocks) - 1
    program = [last]
    defined, used = set(_DEFINED.findall(blocks[last])), set(_USED.findall(blocks[last]))
    for number in range(last - 1, -1, -1):
        own = set(_DEFINED.findall(blocks[number]))
        is_header = number not in bodies and not _HEADER.sub("", blocks[number]).strip()
        if is_header or own & (used - defined):
            program.append(number)
            defined |= own
            used |= set(_USED.findall(blocks[number]))
    return tuple(reversed(program))


def _stretch(text: str) -> str:
    return without_prose(text, lambda line: _CODE_LINE.match(line) is not None, _LANGUAGES)


RULES = CodeRules(
    "LilyPond code",
    _LANGUAGES,
    _has_body,
    _program,
    is_code=lambda text: _CODE.search(text) is not None,
    stretch=_stretch,
)


def extract(text: str, profile: Profile) -> Structure | NoStructure:
    """Return the LilyPond code of an answer, which is trimmed first.

    ``paper`` takes the last complete block of the language that has music, with the blocks before it that
    define what it uses or state the version, and closes a fence that a truncated answer left open; without a
    fence the answer is the code, without prose around it, unless it has neither a command nor a brace.
    ``helm`` takes the completion verbatim, fences and prose included.

    Args:
        text: Answer without reasoning; of ``helm`` the completion.
        profile: Profile whose rules are followed.
    """
    if profile is Profile.HELM:
        return Structure(text.strip())
    return code_structure(text, RULES)
