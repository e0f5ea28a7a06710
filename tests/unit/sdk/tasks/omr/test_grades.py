"""Graded scores: each grade of each format is the next less right one."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from i2s_sdk.instances.instance import Content
from i2s_sdk.scoring.omr_ned import omr_distance
from i2s_sdk.tasks.graded import Rung
from i2s_sdk.tasks.omr.grades import GRADES
from i2s_sdk.tasks.omr.spec import OMR

FOLDER = Path(__file__).parents[2] / "scoring/omr_ned"
SCORES = {
    "kern": OMR.constant,
    "two spines": "**kern\t**kern\n*clefF4\t*clefG2\n*M2/4\t*M2/4\n"
    + "".join(f"={at}\t={at}\n2C\t4c\n.\t4d 4f\n" for at in range(1, 12))
    + "==\t==\n*-\t*-\n",
    "musicxml": (FOLDER / "scores/base.musicxml").read_text("utf-8"),
    "mei": (FOLDER / "musicdiff-tests/polyphonic_score_1a.mei").read_text("utf-8"),
}
#: By name; changes are of a seed, so that a failure is found again.
BY_NAME = {grade.name: grade for grade in GRADES}


def _graded(name: str, text: str, seed: int = 1) -> str | None:
    content = BY_NAME[name].change(Content(structure=text), Random(seed))
    return None if content is None else content.structure


@pytest.mark.parametrize("kind", SCORES)
def test_distances_grow_from_rung_to_rung(kind: str) -> None:
    text = SCORES[kind]
    changed = [_graded(name, text) for name in (Rung.ONE_WRONG, Rung.TENTH_MISSING, Rung.HALF_MISSING)]
    distances = [omr_distance(one or "", text).edits for one in changed]
    assert 0 < distances[0] < distances[1] < distances[2]


@pytest.mark.parametrize("kind", SCORES)
def test_comments_change_nothing(kind: str) -> None:
    other = _graded("another spelling", SCORES[kind])
    assert other is not None
    assert other != SCORES[kind]
    assert omr_distance(other, SCORES[kind]).edits == 0


@pytest.mark.parametrize("seed", range(5))
def test_one_note_has_another_pitch_and_none_is_lost(seed: int) -> None:
    text = SCORES["two spines"]
    wrong = _graded(Rung.ONE_WRONG, text, seed)
    assert wrong is not None
    pairs = [(one, other) for one, other in zip(wrong, text, strict=True) if one != other]
    assert len(pairs) == 1
    assert omr_distance(wrong, text).prediction == omr_distance(text, text).prediction


def test_the_first_bar_stays_and_bars_of_all_parts_go_together() -> None:
    for seed in range(5):
        left = _graded(Rung.TENTH_MISSING, SCORES["two spines"], seed)
        assert left is not None
        assert left.count("\n=") == SCORES["two spines"].count("\n=") - 1
        assert "\n=1\t=1\n" in left


def test_kern_with_split_spines_loses_no_bars_and_short_scores_lose_none() -> None:
    split = SCORES["kern"].replace("=2\n", "*^\n=2\t=2\n")
    assert _graded(Rung.HALF_MISSING, split) is None
    assert _graded(Rung.HALF_MISSING, "**kern\n=1\n4c\n=2\n4d\n==\n*-\n") is None
    assert _graded(Rung.ONE_WRONG, "**kern\n*-\n") is None
