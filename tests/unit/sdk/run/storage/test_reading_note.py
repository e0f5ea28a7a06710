"""The note of a record about the part of a completion that was read."""

import pytest

from i2s_sdk.reading import AnswerText
from i2s_sdk.run.render import reading_note
from i2s_sdk.run.storage.codec import record_line
from i2s_sdk.run.storage.record import Outcome, ReadingNote
from i2s_sdk.tasks.answer_reading import read_answer
from i2s_sdk.tasks.registry import open_task
from sample_records import changed, flat_record, reread

WHOLE = "```latex\n$x$\n```"


def note(completion: str) -> ReadingNote | None:
    read = read_answer(open_task("latex"), completion)
    return reading_note(read.answer, read.structure)


def test_a_completion_that_is_read_whole_and_without_a_choice_has_no_note() -> None:
    assert note(WHOLE) is None


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        (f"<think>a</think>{WHOLE}", ReadingNote(16, 16 + len(WHOLE))),
        (f"{WHOLE}\n{WHOLE}", ReadingNote(0, 2 * len(WHOLE) + 1, 2, (2,))),
        ("```latex\n$x", ReadingNote(0, 11, origin="unclosed_fence")),
        ("Here it is:\n\\[ x \\]", ReadingNote(0, 19, origin="excerpt")),
        ("<think>never", ReadingNote(12, 12)),
    ],
)
def test_what_is_left_out_or_chosen_is_noted(completion: str, expected: ReadingNote) -> None:
    assert note(completion) == expected


def test_a_note_is_read_back_from_its_line_and_left_out_if_there_is_none() -> None:
    record = flat_record("a", "latex", "equation", "", outcome=Outcome.SCORED)
    noted = changed(record, reading=ReadingNote(1, 5, 3, (1, 3), "excerpt"))
    assert reread(noted) == noted
    assert "reading" not in record_line(record)


def test_the_parts_of_a_completion_are_all_of_it() -> None:
    answer = AnswerText("abcdef", 2, 4)
    assert (answer.before, answer.text, answer.after) == ("ab", "cd", "ef")
