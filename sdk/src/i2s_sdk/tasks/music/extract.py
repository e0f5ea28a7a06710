"""Extracts the LilyPond code of an answer."""

from __future__ import annotations

import re

from i2s_sdk.reading import CodeRules
from i2s_sdk.tasks.code_answer import code_structure
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_wire.metrics.profile import Profile

_HEADER = re.compile(r'\\(?:version|include|language)\s*"[^"\n]*"|%\{.*?%\}|%[^\n]*', re.DOTALL)
_CODE = re.compile(r"\\[A-Za-z]|[{}]|<<")

RULES = CodeRules(
    "LilyPond code",
    frozenset({"lilypond", "ly", "lily"}),
    has_body=lambda code: bool(_HEADER.sub("", code).strip()),
    is_code=lambda text: _CODE.search(text) is not None,
)


def extract(text: str, profile: Profile) -> Structure | NoStructure:
    """Return the LilyPond code of an answer, which is trimmed first.

    ``paper`` takes the last complete block of the language that has more than a version, and closes a fence
    that a truncated answer left open; without a fence the answer is the code, unless it has neither a command
    nor a brace. ``helm`` takes the completion verbatim, fences and prose included.

    Args:
        text: Answer without reasoning; of ``helm`` the completion.
        profile: Profile whose rules are followed.
    """
    if profile is Profile.HELM:
        return Structure(text.strip())
    return code_structure(text, RULES)
