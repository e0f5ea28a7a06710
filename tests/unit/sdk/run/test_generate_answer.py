"""What is kept of answers, and what they took."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from i2s_sdk.errors import ModelError
from i2s_sdk.models import Completion, Finish, ModelFailedError, ModelInputRejectedError, ModelRefusedError
from i2s_sdk.run.generate import TEXT_CHARACTERS, answer_of, failed_answer, joined_answer, stored_question
from i2s_sdk.run.storage.codec import answer_line, is_final, question_fields, read_answer, read_question
from i2s_sdk.run.storage.folder import RunFolder, read_asked
from i2s_sdk.run.storage.record import (
    Outcome,
    QuestionPart,
    Record,
    SampleAnswer,
    SampleInstance,
    StoredQuestion,
    TokenUsage,
)
from i2s_sdk.stats.spending import total_spending
from i2s_sdk.tasks.question import FilePart, ImagePart, Question, TextPart
from i2s_sdk.tasks.structure import Absence, NoStructure

SAID = Completion("$x$", Finish.LENGTH, 100, 7, 0.5, cached=False, attempts=3, seconds=1.0)
FAILED = ModelFailedError("no answer after 5 attempts", 5)
REJECTED = ModelInputRejectedError("m rejected this input: HTTP 400: too small", 1)
THOUGHT = Completion(
    "",
    Finish.LENGTH,
    reasoning="hm",
    no_answer=NoStructure("nothing but reasoning", Absence.ENDED_IN_REASONING),
)
REFUSED = ModelRefusedError("m refused: no", Completion("no", Finish.REFUSED, 90, 1, 0.25, attempts=1))


def _kept(answer: SampleAnswer) -> SampleAnswer:
    return read_answer(json.loads(json.dumps(answer_line("a", answer))))


@pytest.mark.parametrize(
    "answer",
    [
        answer_of(SAID, 2.0),
        answer_of(THOUGHT, 2.0),
        failed_answer(FAILED, 2.0),
        failed_answer(REJECTED, 2.0),
        failed_answer(REFUSED, 2.0),
        failed_answer(ModelError("none"), 0.0),
    ],
)
def test_an_answer_survives_its_line(answer: SampleAnswer) -> None:
    assert _kept(answer) == answer


def test_a_failure_is_asked_again_and_a_refusal_is_an_answer() -> None:
    failed, refused = failed_answer(FAILED, 0.0), failed_answer(REFUSED, 0.0)
    assert (failed.final, failed.completion, failed.attempts) == (False, None, 5)
    assert failed.failure is not None
    assert failed.failure.kind == "ModelFailedError"
    assert (refused.final, refused.outcome, refused.completion) == (True, Outcome.REFUSED, "no")
    assert (refused.message, refused.paid, refused.usage) == ("m refused: no", 0.25, TokenUsage(90, 1))


def test_an_input_that_the_server_rejected_has_an_outcome_of_its_own_and_is_asked_again() -> None:
    rejected = failed_answer(REJECTED, 0.0)
    assert (rejected.outcome, rejected.final, rejected.attempts) == (Outcome.INPUT_REJECTED, False, 1)
    assert rejected.failure is not None
    assert rejected.failure.message == REJECTED.message
    assert not is_final(answer_line("a", rejected))


def test_reasoning_without_an_answer_is_final_and_keeps_that_it_was_cut_off() -> None:
    answer = answer_of(THOUGHT, 0.0)
    assert (answer.outcome, answer.final) == (Outcome.ENDED_IN_REASONING, True)
    assert (answer.message, answer.finish, answer.reasoning) == ("nothing but reasoning", "length", "hm")
    assert is_final(answer_line("a", answer))


def test_a_line_of_an_earlier_version_has_no_reasoning() -> None:
    line = answer_line("a", answer_of(SAID, 2.0))
    assert "reasoning" not in line
    assert read_answer(line).reasoning == ""


def _record(answer: SampleAnswer) -> Record:
    return Record(SampleInstance("a", "latex", "equation", ""), answer)


def test_spending_counts_refusals_kept_answers_and_lost_calls() -> None:
    kept = Completion("$y$", Finish.STOP, 10, 2, 0.125, cached=True)
    silent = Completion("$z$", Finish.STOP, attempts=1)
    answers = [
        answer_of(SAID, 0.0),
        answer_of(kept, 0.0),
        answer_of(silent, 0.0),
        failed_answer(FAILED, 0.0),
        failed_answer(REFUSED, 0.0),
    ]
    spent = total_spending(map(_record, answers))
    assert (spent.answers, spent.cached, spent.calls) == (4, 1, 3 + 0 + 1 + 5 + 1)
    assert (spent.input_tokens, spent.output_tokens, spent.tokens_unknown) == (200, 10, 1)
    assert (spent.cost, spent.paid, spent.cost_unknown) == (0.875, 0.75, 1)
    assert str(spent) == (
        "4 answers (1 kept from before), 10 calls, 200 tokens in, 10 out (not known of 1), "
        "$0.8750 and that of 1 not known, $0.7500 of it paid now"
    )


def test_models_that_are_not_called_take_nothing() -> None:
    spent = total_spending([_record(answer_of(Completion("$x$"), 0.0))])
    assert (spent.answers, spent.calls, spent.cost, str(spent)) == (0, 0, None, "")


def test_unknown_prices_stay_unknown() -> None:
    spent = total_spending([_record(answer_of(Completion("x", tokens_in=5, attempts=1), 0.0))])
    assert (spent.cost, spent.paid, spent.cost_unknown) == (None, None, 1)
    assert "cost not known" in str(spent)


def test_the_order_of_records_changes_no_digit() -> None:
    costs = [0.1, 1e-17, 0.3, 1e10, -0.0, 0.7]
    records = [
        _record(answer_of(Completion("x", cost=cost, attempts=1), 0.0)) for at, cost in enumerate(costs)
    ]
    assert total_spending(records) == total_spending(records[::-1])


@pytest.mark.parametrize(("tokens_in", "tokens_out", "unknown"), [(5, 7, 0), (5, None, 1), (None, 7, 1)])
def test_tokens_are_known_only_where_both_counts_are(
    tokens_in: int | None, tokens_out: int | None, unknown: int
) -> None:
    said = Completion("x", tokens_in=tokens_in, tokens_out=tokens_out, attempts=1)
    assert total_spending([_record(answer_of(said, 0.0))]).tokens_unknown == unknown


def test_a_kept_answer_is_not_paid_now() -> None:
    paid = answer_of(Completion("x", cost=0.5, attempts=1), 0.0)
    kept = answer_of(Completion("x", cost=0.5, cached=True), 0.0)
    unknown = answer_of(Completion("x", attempts=1), 0.0)
    assert [one.paid for one in (paid, kept, unknown)] == [0.5, 0.0, 0.0]


def _question(text: str = "Write it.") -> Question:
    image = Path("/nowhere/somebody/a.png")
    parts = (TextPart(text), TextPart(" Now."), ImagePart(image), FilePart(Path("/nowhere/b.pdf")))
    return Question(parts, system="Be exact.", json_schema={"type": "object"}, name="page-1")


def test_texts_and_files_are_kept_in_order_and_no_path_is() -> None:
    kept = stored_question(_question(), {Path("/nowhere/somebody/a.png"): "a" * 64})
    assert kept.parts == (
        QuestionPart(text="Write it. Now."),
        QuestionPart(sha256="a" * 64, file="a.png"),
        QuestionPart(file="b.pdf"),
    )
    assert kept.system == "Be exact."
    assert '"object"' in kept.schema
    assert "nowhere" not in str(question_fields(kept))
    assert read_question(question_fields(kept)) == kept


def test_a_long_text_is_cut_and_says_so() -> None:
    kept = stored_question(Question((TextPart("x" * (TEXT_CHARACTERS + 5)),)), {})
    assert kept.parts[0].text.endswith("\n… 5 more characters")


def test_questions_of_an_instance_are_read_in_order_and_old_answers_have_none(tmp_path: Path) -> None:
    asked = StoredQuestion((QuestionPart("a"),))
    with RunFolder.open(tmp_path / "run") as folder:
        parts = [SampleAnswer("x", question=f"page-{at}", asked=asked) for at in (1, 2)]
        for answer in (*parts, joined_answer(parts, "".join)):
            folder.put_answer("one", answer)
        folder.put_answer("old", SampleAnswer("y"))
        folder.storage.flush()
        found = read_asked(folder.storage)
    assert found == {"one": (("page-1", asked), ("page-2", asked))}
    assert "asked" not in answer_line("old", SampleAnswer("y"))
    assert read_answer(answer_line("old", SampleAnswer("y", asked=asked))).asked == asked
