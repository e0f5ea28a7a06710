"""What answers took, when a sample has several questions of which some failed or were answered before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from i2s_sdk.run.generate import SampleAnswer, joined_answer
from i2s_sdk.run.storage.codec import answer_line, read_answer, read_record, record_line
from i2s_sdk.run.storage.record import Outcome, Record, SampleInstance, TokenUsage
from i2s_sdk.stats.spending import FromCache, Spending, total_spending

INSTANCE = SampleInstance("a", "readoc", "arxiv", "")
PAID = SampleAnswer("text", finish="stop", usage=TokenUsage(10, 5), cost=0.25, attempts=1, question="page-1")
KEPT = SampleAnswer("text", finish="stop", usage=TokenUsage(20, 5), cost=0.5, cached=True, question="page-2")
FAILED = SampleAnswer(outcome=Outcome.MODEL_FAILURE, attempts=3, question="page-3")


def _spent(*answers: SampleAnswer) -> Spending:
    return total_spending([Record(INSTANCE, joined_answer(answers, "\n".join))])


def test_pages_that_were_answered_before_are_not_paid_now() -> None:
    spent = _spent(PAID, KEPT)
    assert (spent.cost, spent.paid) == (0.75, 0.25)
    assert (spent.answers, spent.cached, spent.calls) == (1, 0, 1)


def test_a_sample_of_answers_that_were_all_kept_is_kept() -> None:
    spent = _spent(KEPT)
    assert (spent.cost, spent.paid, spent.cached) == (0.5, 0.0, 1)


def test_samples_with_answers_from_the_cache_are_counted_with_the_days_of_the_first_and_the_last() -> None:
    kept = [replace(KEPT, cached_at=f"2026-10-0{day}T09:00:00+00:00") for day in (3, 1, 2)]
    answers = [PAID, *kept, joined_answer([PAID, kept[2]], "\n".join)]
    spent = total_spending([Record(INSTANCE, answer) for answer in answers])
    assert spent.from_cache == FromCache(4, kept[1].cached_at, kept[0].cached_at)
    assert "(4 from the answer cache, given 2026-10-01 to 2026-10-03)" in str(spent)
    assert spent.to_json()["from_cache"]["samples"] == 4
    assert str(FromCache(1, *(kept[0].cached_at,) * 2)) == "1 from the answer cache, given 2026-10-03"
    assert "from_cache" not in _spent(PAID).to_json()


def test_answers_before_a_question_that_failed_were_paid_for() -> None:
    spent = _spent(PAID, FAILED)
    assert (spent.cost, spent.paid) == (0.25, 0.25)
    assert (spent.answers, spent.calls, spent.input_tokens) == (1, 4, 10)


def test_a_single_question_that_failed_has_no_answer() -> None:
    assert _spent(FAILED) == Spending(calls=3)


@pytest.mark.parametrize("answers", [(PAID, KEPT), (PAID,), (KEPT,), (PAID, FAILED)])
def test_a_joined_answer_survives_being_written_down(answers: tuple[SampleAnswer, ...]) -> None:
    joined = joined_answer(answers, "\n".join)
    assert read_answer(answer_line("a", joined)) == joined
    line = record_line(Record(INSTANCE, joined))
    assert record_line(read_record(line)) == line
