"""Letters in answers."""

import pytest

from i2s_sdk.tasks.visualwebbench.letters import index_of, lenient_letter, read_letter, released_letter
from i2s_wire.metrics.profile import Profile


@pytest.mark.parametrize(
    ("answer", "letter"),
    [
        ("c", "C"),
        ("C. Because", "C"),
        ("Z. Because", "Z"),
        (" C. Because", "C"),
        ("(A) or (B), then A", "B"),
        ("(D) rather than H", "D"),
        ("A, B, C", "C"),
        ("B then A then B", "B"),
        ("it's 'D'!", "D"),
        ("1", "1"),
        ("", None),
        ("I", "I"),
        ("I think so", None),
        ("**E**", None),
        ("[G]", None),
        ("E\n", None),
        ("Answer:F", None),
        ("B) it is", None),
    ],
)
def test_the_released_evaluation_reads(answer: str, letter: str | None) -> None:
    assert released_letter(answer) == letter
    assert read_letter(answer, Profile.HELM) == letter


@pytest.mark.parametrize(
    ("answer", "letter"),
    [
        ("e\n", "E"),
        ("E\n", "E"),
        ("**E**", "E"),
        ("[G]", "G"),
        ("Answer:F", "F"),
        ("B) it is", "B"),
        ("B: the link", "B"),
        ("B\nIt is a link.", "B"),
        ("The answer is (C).", "C"),
        ("My choice is **D**, since A is a heading", "D"),
        ("The element labeled D is best, not A", "D"),
        ("I think A or B", "B"),
        ("I choose D. A good match.", "D"),
        ("A good match", "A"),
        ("It is element `H`", "H"),
        ("Z.", None),
        ("None", None),
        ("option d", None),
        ("I", None),
        ("", None),
        ("C's box", None),
    ],
)
def test_a_person_would_read(answer: str, letter: str | None) -> None:
    assert lenient_letter(answer) == letter
    assert read_letter(answer, Profile.PAPER) == letter


def test_letters_beyond_the_choices_have_an_index_and_other_characters_none() -> None:
    assert [index_of(one) for one in ("A", "H", "Z", "", "1", "a", "SS")] == [0, 7, 25, -1, -1, -1, -1]
