"""The F1 of SQuAD."""

import pytest

from i2s_sdk.tasks.visualwebbench.squad import normalized, squad_f1


def test_case_punctuation_and_articles_do_not_count() -> None:
    assert normalized("The  Answer, an answer!") == ["answer", "answer"]
    assert squad_f1("the answer.", "Answer") == 1.0


@pytest.mark.parametrize(
    ("answer", "gold", "value"),
    [
        ("cat cat dog", "cat dog dog", 2 / 3),
        ("cat", "cat dog dog", 0.5),
        ("bird", "cat", 0.0),
        ("", "cat", 0.0),
        ("the", "a", 1.0),
        ("$5.99", "5.99", 1.0),
    ],
)
def test_occurrences_are_counted(answer: str, gold: str, value: float) -> None:
    assert squad_f1(answer, gold) == pytest.approx(value)
