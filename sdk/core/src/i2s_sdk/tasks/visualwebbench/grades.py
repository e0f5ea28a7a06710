"""Graded answers of VisualWebBench: texts without words, boxes that are moved, and other choices."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks.graded import Change, Grade, Rung, Spans, with_one_wrong, without_tokens
from i2s_sdk.tasks.visualwebbench.kinds import Form

_WORD = re.compile(r"\w[\w'’-]*")


def _words(text: str) -> Spans:
    return [match.span() for match in _WORD.finditer(text)]


def _of_text(change: Callable[[str, Random], str | None]) -> Change:
    def changed(content: Content, chance: Random) -> Content | None:
        target = content.target[0] if isinstance(content.target, list) else content.target
        text = change(str(target), chance)
        if text is None:
            return None
        return replace(content, target=[text] if isinstance(content.target, list) else text)

    return changed


def _moved(share: float) -> Change:
    """Return what moves the right box to the right by a share of its width."""

    def moved(content: Content, _: Random) -> Content | None:
        options = [list(map(float, option)) for option in content.inputs["options"]]
        x1, y1, x2, y2 = options[content.target]
        by = share * (x2 - x1)
        options[content.target] = [x1 + by, y1, x2 + by, y2]
        return replace(content, inputs={**content.inputs, "options": options})

    return moved


def _another_letter(content: Content, chance: Random) -> Content | None:
    others = [at for at in range(len(content.inputs["options"])) if at != content.target]
    return replace(content, target=chance.choice(others)) if others else None


def _without(share: float) -> Change:
    return _of_text(lambda text, chance: without_tokens(text, _words(text), share, chance))


_TEXT = (
    Grade(
        Rung.ONE_WRONG,
        Rung.ONE_WRONG,
        _of_text(lambda text, chance: with_one_wrong(text, _words(text), chance)),
    ),
    Grade(Rung.TENTH_MISSING, Rung.TENTH_MISSING, _without(0.1)),
    Grade(Rung.HALF_MISSING, Rung.HALF_MISSING, _without(0.5)),
)
_BOX = (
    Grade(Rung.TENTH_MISSING, Rung.TENTH_MISSING, _moved(0.1)),
    Grade(Rung.HALF_MISSING, Rung.HALF_MISSING, _moved(0.5)),
)
_CHOICE = (Grade(Rung.ONE_WRONG, Rung.ONE_WRONG, _another_letter),)


def grades_of(form: Form) -> tuple[Grade, ...]:
    """Return the grades of answers of a form."""
    match form:
        case Form.LETTER | Form.POINT:
            return _CHOICE
        case Form.BOX:
            return _BOX
        case _:
            return _TEXT
