"""What is kept of answers, and what they took."""

from __future__ import annotations

import json

import pytest

from i2s_sdk.errors import ModelError
from i2s_sdk.models import (
    Completion,
    Finish,
    ModelFailedError,
    ModelInputRejectedError,
    ModelRefusedError,
)
from i2s_sdk.run.storage.answer import Answer, is_final
from i2s_sdk.run.storage.joined_record import joined_record
from i2s_sdk.run.storage.outcome import Outcome
from i2s_sdk.run.storage.read_sample import ReadSample
from i2s_sdk.run.storage.record import Record, TokenUsage
from i2s_sdk.stats.spending import total_spending
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


def _kept(answer: Answer) -> Answer:
    return Answer.from_json(json.loads(json.dumps(answer.to_json())))


@pytest.mark.parametrize(
    "answer",
    [
        Answer.of("a", SAID, 2.0),
        Answer.of("a", THOUGHT, 2.0),
        Answer.without("a", FAILED, 2.0),
        Answer.without("a", REJECTED, 2.0),
        Answer.without("a", REFUSED, 2.0),
        Answer.without("a", ModelError("none"), 0.0),
    ],
)
def test_an_answer_survives_its_line(answer: Answer) -> None:
    assert _kept(answer) == answer


def test_a_failure_is_asked_again_and_a_refusal_is_an_answer() -> None:
    failed, refused = Answer.without("a", FAILED, 0.0), Answer.without("a", REFUSED, 0.0)
    assert (failed.final, failed.completion, failed.attempts) == (False, None, 5)
    assert failed.failure is not None
    assert failed.failure.kind == "ModelFailedError"
    assert (refused.final, refused.outcome, refused.completion) == (True, Outcome.REFUSED, "no")
    assert (refused.message, refused.paid, refused.usage) == ("m refused: no", 0.25, TokenUsage(90, 1))


def test_an_input_that_the_server_rejected_has_an_outcome_of_its_own_and_is_asked_again() -> None:
    rejected = Answer.without("a", REJECTED, 0.0)
    assert (rejected.outcome, rejected.final, rejected.attempts) == (Outcome.INPUT_REJECTED, False, 1)
    assert rejected.failure is not None
    assert rejected.failure.message == REJECTED.message
    assert not is_final(rejected.to_json())


def test_reasoning_without_an_answer_is_final_and_keeps_that_it_was_cut_off() -> None:
    answer = Answer.of("a", THOUGHT, 0.0)
    assert (answer.outcome, answer.final) == (Outcome.ENDED_IN_REASONING, True)
    assert (answer.message, answer.finish, answer.reasoning) == ("nothing but reasoning", "length", "hm")
    assert is_final(answer.to_json())


def test_a_line_of_an_earlier_version_has_no_reasoning() -> None:
    line = Answer.of("a", SAID, 2.0).to_json()
    assert "reasoning" not in line
    assert Answer.from_json(line).reasoning == ""


def _record(answer: Answer) -> Record:
    return joined_record(ReadSample(answer.id, "latex", "equation", ""), answer, Outcome.SCORED)


def test_spending_counts_refusals_kept_answers_and_lost_calls() -> None:
    kept = Completion("$y$", Finish.STOP, 10, 2, 0.125, cached=True)
    silent = Completion("$z$", Finish.STOP, attempts=1)
    answers = [
        Answer.of("a", SAID, 0.0),
        Answer.of("b", kept, 0.0),
        Answer.of("c", silent, 0.0),
        Answer.without("d", FAILED, 0.0),
        Answer.without("e", REFUSED, 0.0),
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
    spent = total_spending([_record(Answer.of("a", Completion("$x$"), 0.0))])
    assert (spent.answers, spent.calls, spent.cost, str(spent)) == (0, 0, None, "")


def test_unknown_prices_stay_unknown() -> None:
    spent = total_spending([_record(Answer.of("a", Completion("x", tokens_in=5, attempts=1), 0.0))])
    assert (spent.cost, spent.paid, spent.cost_unknown) == (None, None, 1)
    assert "cost not known" in str(spent)


def test_the_order_of_records_changes_no_digit() -> None:
    costs = [0.1, 1e-17, 0.3, 1e10, -0.0, 0.7]
    records = [
        _record(Answer.of(str(at), Completion("x", cost=one, attempts=1), 0.0))
        for at, one in enumerate(costs)
    ]
    assert total_spending(records) == total_spending(records[::-1])


@pytest.mark.parametrize(("tokens_in", "tokens_out", "unknown"), [(5, 7, 0), (5, None, 1), (None, 7, 1)])
def test_tokens_are_known_only_where_both_counts_are(
    tokens_in: int | None, tokens_out: int | None, unknown: int
) -> None:
    said = Completion("x", tokens_in=tokens_in, tokens_out=tokens_out, attempts=1)
    assert total_spending([_record(Answer.of("a", said, 0.0))]).tokens_unknown == unknown


def test_a_kept_answer_is_not_paid_now() -> None:
    paid = Answer.of("a", Completion("x", cost=0.5, attempts=1), 0.0)
    kept = Answer.of("a", Completion("x", cost=0.5, cached=True), 0.0)
    unknown = Answer.of("a", Completion("x", attempts=1), 0.0)
    assert [one.paid for one in (paid, kept, unknown)] == [0.5, 0.0, 0.0]
