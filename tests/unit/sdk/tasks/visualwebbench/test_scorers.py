"""Values of answers, in both profiles."""

from typing import Any

import pytest

from i2s_sdk.scoring.scorer import Aggregate, Scorable
from i2s_sdk.tasks.visualwebbench.scorer import BOX, LETTER, POINT, QuestionScorer, RougeScorer
from i2s_wire.metrics.profile import Profile

OPTIONS = [[0.0, 0.0, 0.125, 0.125], [0.125, 0.125, 0.625, 0.625]]


def sample(structure: str | None, target: Any, **inputs: Any) -> Scorable:
    return Scorable("a", structure, inputs, target)


def rouge(profile: Profile, answer: str, gold: str, least: int = 1) -> float | None:
    return RougeScorer(profile, least).score(sample(answer, gold)).metrics["rouge_l"]


def test_equal_texts_have_one_and_in_the_released_evaluation_a_little_less() -> None:
    assert rouge(Profile.PAPER, "One two.", "One two.") == 1.0
    assert rouge(Profile.HELM, "One two.", "One two.") == 0.999999995


def test_texts_of_one_word_have_no_pairs_and_are_compared_as_words() -> None:
    found = [
        RougeScorer(profile).score(sample(answer, "Welcome")).metrics["rouge_2"]
        for profile in (Profile.PAPER, Profile.HELM)
        for answer in ("Welcome", "welcome", "Welcome here")
    ]
    assert found == [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def test_quotes_around_the_gold_text_do_not_count_where_those_of_the_answer_do_not() -> None:
    assert rouge(Profile.PAPER, "Hello there", '"Hello there"') == 1.0


def test_full_stops_alone_stop_the_released_evaluation_and_are_a_wrong_answer_by_definition() -> None:
    found = RougeScorer(Profile.HELM).score(sample("...", "a"))
    assert set(found.metrics.values()) == {None}
    assert "Hypothesis is empty" in found.undefined["rouge_l"]
    assert "Reference is empty" in RougeScorer(Profile.HELM).score(sample("a", "..")).undefined["rouge_l"]
    assert rouge(Profile.PAPER, "...", "a") == 0.0


def test_one_character_is_no_text_of_an_element_to_the_released_evaluation() -> None:
    assert rouge(Profile.HELM, "a", "a", least=2) == 0.0
    assert rouge(Profile.HELM, "a", "a") == 0.999999995
    assert rouge(Profile.PAPER, "a", "a", least=2) == 1.0


def test_the_best_of_several_golds_counts() -> None:
    answer = sample("The Answer", ["no", "the answer", "The"])
    assert QuestionScorer(Profile.PAPER).score(answer).metrics == {"f1": 1.0}
    assert QuestionScorer(Profile.HELM).score(answer).metrics["f1"] == pytest.approx(2 / 3)


def test_the_released_evaluation_leaves_out_what_raises_and_takes_no_answer_for_a_space() -> None:
    left_out = QuestionScorer(Profile.HELM).score(sample("yes", ["yes", "..."]))
    assert left_out.metrics == {"f1": None}
    assert "leaves the item out" in left_out.undefined["f1"]
    assert QuestionScorer(Profile.HELM).score(sample("", ["yes"])).metrics == {"f1": 0.0}
    assert QuestionScorer(Profile.PAPER).score(sample("yes", ["yes", "..."])).metrics == {"f1": 1.0}


def test_a_choice_is_right_or_wrong() -> None:
    assert LETTER.score(sample("C", 2)).metrics == {"accuracy": 1.0}
    assert [LETTER.score(sample(one, 2)).metrics["accuracy"] for one in ("A", "Z", "2")] == [0.0] * 3
    assert [metric.aggregate for metric in LETTER.metrics] == [Aggregate.SHARE]


def test_a_box_is_right_from_half_of_the_union_on() -> None:
    right, wrong = "[0.125, 0.125, 0.625, 0.375]", "[0.125, 0.125, 0.625, 0.374]"
    assert BOX.score(sample(right, 1, options=OPTIONS)).metrics == {"accuracy": 1.0}
    assert BOX.score(sample(wrong, 1, options=OPTIONS)).metrics == {"accuracy": 0.0}


def test_a_point_is_right_inside_and_on_the_edges() -> None:
    values = [
        POINT.score(sample(one, 1, options=OPTIONS)).metrics["accuracy"]
        for one in ("[0.3, 0.3]", "[0.625, 0.125]", "[0.1, 0.3]")
    ]
    assert values == [1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("scorer", "target", "inputs"),
    [
        (RougeScorer(Profile.PAPER), ["a"], {}),
        (QuestionScorer(Profile.PAPER), "a", {}),
        (QuestionScorer(Profile.PAPER), [], {}),
        (LETTER, "A", {}),
        (LETTER, True, {}),
        (BOX, 0, {}),
        (BOX, 2, {"options": OPTIONS}),
        (POINT, 0, {"options": ["a"]}),
    ],
)
def test_another_target_is_a_fault_of_the_data(scorer: Any, target: Any, inputs: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="'a'"):
        scorer.score(sample("[0.1, 0.1]" if scorer is POINT else "[0,0,1,1]", target, **inputs))


def test_what_is_not_usable_counts_zero_and_is_shown_with_its_target() -> None:
    for scorer in (RougeScorer(Profile.PAPER), QuestionScorer(Profile.HELM), LETTER, BOX):
        found = scorer.unusable(sample(None, 1, options=OPTIONS, other="left out"))
        assert set(found.metrics.values()) == {0.0}
        assert found.detail == {"options": OPTIONS, "target": 1}


def test_what_is_shown_is_bounded() -> None:
    found = LETTER.score(sample("A", 0, options=["x" * 10_000] * 100, elem_desc="y"))
    assert [len(option) for option in found.detail["options"]] == [2000] * 16


def test_nothing_is_scored_without_a_target() -> None:
    assert not any(one.applies(sample("A", None)) for one in (LETTER, RougeScorer(Profile.PAPER)))
    assert LETTER.applies(sample("A", 0))
