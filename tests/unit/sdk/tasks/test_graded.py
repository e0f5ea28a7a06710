"""Answers graded by construction: each differs from the ground truth, and is the same for a seed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import pytest

from i2s_sdk.data import Instance, open_data
from i2s_sdk.data.folder import read_content
from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks.graded import Rung, Spans, another_token, rungs, without_tokens
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.registry import SPECS, task_spec

_EXAMPLES = Path(__file__).parents[4] / "examples"
_SETS = (_EXAMPLES, *(_EXAMPLES / name for name in ("charts", "readoc", "sobench", "visualwebbench")))
_LENGTH_RUNGS = (Rung.TENTH_MISSING, Rung.HALF_MISSING)


def instances() -> list[Instance]:
    return [instance for folder in _SETS for instance in open_data(folder).instances]


def answers(instance: Instance, seed: int = 1) -> dict[str, str]:
    """Return the graded answers of an instance, its right one among them."""
    content, spec = read_content(instance), task_spec(instance.task)
    made = {grade.name: grade.change(content, Random(seed)) for grade in spec.grades}
    own = {name: spec.answer(one, Question(())) for name, one in made.items() if one is not None}
    return {str(Rung.PERFECT): spec.answer(content, Question(())), **own}


@pytest.mark.parametrize("instance", instances(), ids=lambda one: one.id)
def test_every_graded_answer_is_another_one_and_the_same_for_a_seed(instance: Instance) -> None:
    made = answers(instance)
    assert len(set(made.values())) == len(made)
    assert made == answers(instance)
    assert len(made) > 1, "every example can be graded"


@pytest.mark.parametrize("instance", instances(), ids=lambda one: one.id)
def test_more_is_missing_of_a_lower_rung(instance: Instance) -> None:
    made = answers(instance)
    lengths = [len(made[rung]) for rung in (Rung.PERFECT, *_LENGTH_RUNGS) if rung in made]
    if "grounding" not in instance.task:  # boxes are moved, and have all their digits
        assert lengths == sorted(lengths, reverse=True)


def test_every_task_with_ground_truth_has_grades_and_says_so_once() -> None:
    without = {name for name, spec in SPECS.usable().items() if not spec.grades}
    assert without == {"scimage", "design2code_ocr"}  # descriptions, and images alone
    for spec in SPECS.usable().values():
        names = [grade.name for grade in spec.grades]
        assert len(set(names)) == len(names)
        assert all(
            (grade.rung is Rung.EQUIVALENT) is (grade.name not in tuple(Rung)) for grade in spec.grades
        )


def test_half_of_the_tokens_are_left_out_at_the_end() -> None:
    spans = [(at, at + 1) for at in range(0, 8, 2)]
    assert without_tokens("a b c d", spans, 0.5, Random(1)) == "a b  "
    shorter = {without_tokens("a b c d", spans, 0.25, Random(seed), fewest=1) for seed in range(40)}
    assert shorter == {" b c d", "a  c d", "a b  d", "a b c "}
    assert without_tokens("a", [(0, 1)], 0.6, Random(1)) is None
    assert without_tokens("a b c d", spans, 0.1, Random(1)) is None


def test_a_text_in_which_a_single_token_would_be_missing_is_too_short() -> None:
    """One of n that is missing has an F1 of 2 (n - 1) / (2 n - 1), one that is wrong less, (n - 1) / n."""
    letters = "abcdefghijklmnopqrst"
    spans = [(at, at + 1) for at in range(20)]
    assert without_tokens(letters[:14], spans[:14], 0.1, Random(1)) is None
    for seed in range(20):
        assert len(without_tokens(letters, spans, 0.1, Random(seed)) or "") == 18


def _instance(task: str, name: str) -> Instance:
    return next(instance for instance in instances() if instance.task == task and instance.id == name)


def test_two_leaves_of_an_answer_in_json_are_missing_at_least() -> None:
    missing = set()
    for instance in instances():
        made = answers(instance) if instance.task == "sobench" else {}
        if Rung.TENTH_MISSING in made:
            right, less = (made[name].count(":") for name in ("perfect", Rung.TENTH_MISSING))
            missing.add(right - less)
    assert min(missing) >= 2


def test_a_statement_of_a_drawing_may_be_missing_alone() -> None:
    assert Rung.TENTH_MISSING in answers(_instance("latex", "plot-encoder-decoder"))
    assert Rung.TENTH_MISSING not in answers(_instance("latex", "plot-convergence"))


def test_two_tokens_are_missing_also_where_one_is_long_enough() -> None:
    words = ["a"] * 19 + ["immeasurable"]
    ends = [sum(map(len, words[: at + 1])) + at for at in range(20)]
    spans = [(end - len(word), end) for end, word in zip(ends, words, strict=True)]
    for seed in range(40):
        assert len((without_tokens(" ".join(words), spans, 0.1, Random(seed)) or "").split()) <= 18


def test_a_part_of_many_tokens_may_be_missing_alone() -> None:
    grades = rungs(_words, missing=_lines, fewest=lambda _: 1)
    (grade,) = (one for one in grades if one.rung is Rung.HALF_MISSING)
    changed = grade.change(Content(structure="one two\nthree four"), Random(1))
    assert changed is not None
    assert changed.structure == "one two\n"


def _half_of(algorithm: str) -> str | None:
    (grade,) = (grade for grade in task_spec("latex").grades if grade.rung is Rung.HALF_MISSING)
    changed = grade.change(Content(structure=algorithm), Random(1))
    return None if changed is None else changed.structure


def test_half_of_what_an_algorithm_draws_is_missing_with_its_closing_lines_and_caption_counted() -> None:
    """Of 6 characters of the caption and 49 of the body 26 are left: search, while waiting, end while.

    With the next line and its end it would be 37.
    """
    lines = (
        r"\begin{algorithm}\caption{search}\begin{algorithmic}",
        r"\While{waiting}",
        r"\If{next}",
        r"\State $\alpha = 1$",
        r"\Else",
        r"\State forget",
        r"\EndIf",
        r"\State again",
        r"\EndWhile",
        r"\end{algorithmic}\end{algorithm}",
    )
    assert _half_of("\n".join(lines)) == "\n".join((*lines[:2], *lines[-2:]))


def test_an_algorithm_is_not_cut_within_a_line() -> None:
    lines = (
        r"\begin{algorithmic}[1]",
        r"\State $a = b$,",
        r"   $\delta = 1$",
        r"\State $c = d$",
        r"   and so on",
        r"\end{algorithmic}",
    )
    assert _half_of("\n".join(lines)) == "\n".join((*lines[:3], lines[-1]))
    assert _half_of("\n".join((*lines[:3], lines[-1]))) is None


def _words(text: str) -> Spans:
    return [match.span() for match in re.finditer(r"\w+", text)]


def _lines(text: str) -> Spans:
    return [match.span() for match in re.finditer(r".+", text)]


@pytest.mark.parametrize("token", ["x", "B", "7", "12.5", r"\alpha", r"\leq", "+", "="])
def test_a_wrong_token_is_another_one_of_its_kind(token: str) -> None:
    for seed in range(20):
        other = another_token(token, Random(seed))
        assert other != token
        assert other.startswith("\\") is token.startswith("\\")
        assert [one.isdigit() for one in other] == [one.isdigit() for one in token] or token[0] == "\\"


def test_members_of_json_in_another_order_are_the_same_answer() -> None:
    instance = next(one for one in instances() if one.task == "sobench")
    made = answers(instance)
    right, other = (json.loads(made[name].strip("`json\n")) for name in ("perfect", "another spelling"))
    assert right == other
