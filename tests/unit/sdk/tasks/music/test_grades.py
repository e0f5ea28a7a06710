"""Graded scores: what is one note wrong, and what is missing, moves no other note."""

from __future__ import annotations

import re
from random import Random

import pytest

from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks.graded import Rung
from i2s_sdk.tasks.music.grades import GRADES

RELATIVE = "\\relative c' { c4 g'8 a b c,4 e a, d8 g fis e4 c' b8 a g f e d c2 g' e'4 c a f d2 c1 }"
PLACES = [0, 4, 5, 6, 0, 2, -2, 1, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1, 0, 4, 9, 7, 5, 3, 1, 0]
BY_NAME = {grade.name: grade for grade in GRADES}


def _places(text: str) -> list[int]:
    """Return where the notes stand, worked out note by note: 0 is the c that the block names."""
    places, before = [], 0
    for step, marks in re.findall(r"\b([a-g])(?:is)?([',]*)\d*(?=[ }])", text.partition("{")[2]):
        near = min(range(before - 3, before + 4), key=lambda at: (at - "cdefgab".index(step)) % 7)
        before = near + 7 * (marks.count("'") - marks.count(","))
        places.append(before)
    return places


def _graded(name: str, seed: int) -> list[int]:
    changed = BY_NAME[name].change(Content(structure=RELATIVE), Random(seed))
    assert changed is not None
    return _places(changed.structure or "")


def test_places_are_those_that_a_reader_hears() -> None:
    assert _places(RELATIVE) == PLACES


@pytest.mark.parametrize("seed", range(20))
def test_one_wrong_note_leaves_all_others_where_they_are(seed: int) -> None:
    moved = [
        (one, other) for one, other in zip(_graded(Rung.ONE_WRONG, seed), PLACES, strict=True) if one != other
    ]
    assert len(moved) == 1
    assert moved[0][0] == moved[0][1] + 1


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", [Rung.TENTH_MISSING, Rung.HALF_MISSING])
def test_what_is_missing_moves_nothing_that_stays(name: Rung, seed: int) -> None:
    left = _graded(name, seed)
    gap = len(PLACES) - len(left)
    assert gap >= 2
    assert any(PLACES[:at] + PLACES[at + gap :] == left for at in range(len(left) + 1))
