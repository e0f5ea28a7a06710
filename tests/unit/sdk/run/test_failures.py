"""Reasons that are alike, and the end of a run in which every call fails alike."""

from __future__ import annotations

import pytest

from i2s_sdk.models.completion import AllCallsFailedError, ModelFailedError
from i2s_sdk.run.failures import LikeFailures, failure_reasons
from i2s_sdk.run.storage.record import Failure, Outcome, Record
from sample_records import flat_record


def _failed(reason: str) -> ModelFailedError:
    return ModelFailedError(f"openai/m: no answer after 5 attempts; the last: {reason}", 5, reason)


def _record(name: str, outcome: Outcome, message: str) -> Record:
    return flat_record(name, "latex", "s", "", outcome=outcome, failure=Failure("ModelFailedError", message))


def _like(most: int, reasons: list[str], *, answered_before: int | None = None) -> int | None:
    """Return after how many failures a run ends; None where it goes on."""
    like = LikeFailures(most)
    for number, reason in enumerate(reasons, start=1):
        if number - 1 == answered_before:
            like.answered()
        try:
            like.failed(_failed(reason))
        except AllCallsFailedError:
            return number
    return None


def test_a_run_ends_after_so_many_failures_that_are_alike() -> None:
    reasons = [f"HTTP 500: worker {number} is out of memory (request req_{number}x)" for number in range(30)]
    assert _like(20, reasons) == 20
    assert _like(3, reasons) == 3
    assert _like(1, reasons) == 1


def test_failures_that_differ_end_no_run() -> None:
    assert _like(3, ["HTTP 500: gone", "HTTP 400: too large"] * 20) is None
    assert _like(3, ["HTTP 500: gone", "HTTP 503: gone"] * 20) is None
    assert _like(3, ["HTTP 400: a", *["HTTP 500: gone"] * 3]) == 4


def test_after_an_answer_the_run_is_not_ended_but_paused() -> None:
    assert _like(3, ["HTTP 500: gone"] * 50, answered_before=2) is None
    assert _like(3, ["HTTP 500: gone"] * 50, answered_before=3) == 3


def test_a_run_is_paused_after_so_many_failures_in_a_row(caplog: pytest.LogCaptureFixture) -> None:
    like = LikeFailures(3)
    for _ in range(4):  # never three in a row
        like.failed(_failed("HTTP 500: gone"))
        like.failed(_failed("HTTP 500: gone"))
        like.answered()
    like.failed(_failed("HTTP 500: gone"))
    like.failed(_failed("HTTP 500: gone"))
    assert like.pause is None
    like.failed(_failed("HTTP 500: gone"))
    assert like.pause is not None
    assert "the last: HTTP 500: gone" in like.pause.message
    assert like.pause.attempts == 0
    for _ in range(9):  # samples that are not asked say nothing more
        like.failed(like.pause)
    like.failed(_failed("HTTP 500: gone"))  # one that was in flight
    (line,) = caplog.messages
    assert line.startswith("3 calls in a row failed alike, so the run pauses")


def test_each_sample_that_is_not_asked_has_an_error_of_its_own() -> None:
    like = LikeFailures(1)
    like.answered()
    like.failed(_failed("HTTP 500: gone"))
    first, second = like.pause, like.pause
    assert first is not None
    assert second is not None
    assert first is not second, "the traceback of one that is raised often keeps all frames"
    assert (first.message, first.reason, first.attempts) == (second.message, second.reason, 0)


def test_0_ends_no_run() -> None:
    assert _like(0, ["HTTP 500: gone"] * 50) is None
    like = LikeFailures(0)
    like.answered()
    like.failed(_failed("HTTP 500: gone"))
    assert like.pause is None


def test_the_end_says_the_reason_and_what_to_do() -> None:
    like = LikeFailures(1)
    with pytest.raises(AllCallsFailedError) as raised:
        like.failed(_failed("HTTP 500: gone"))
    assert "the last: HTTP 500: gone" in raised.value.message
    assert "like_failures=0" in raised.value.message
    assert "\n" not in raised.value.message


def test_reasons_are_counted_and_the_most_frequent_comes_first() -> None:
    records = [
        _record("a", Outcome.RENDER_FAILURE, "no renderer"),
        *(_record(f"b{n}", Outcome.MODEL_FAILURE, f"HTTP 500: gone for {n}") for n in range(3)),
        flat_record("c", "latex", "s", "", outcome=Outcome.SCORED),
    ]
    assert [
        (failure_reason.outcome, failure_reason.count, failure_reason.message)
        for failure_reason in failure_reasons(records)
    ] == [
        ("model_failure", 3, "HTTP 500: gone for 0"),
        ("render_failure", 1, "no renderer"),
    ]


def test_reasons_that_differ_in_a_name_alone_are_one() -> None:
    records = [
        _record(name, Outcome.MODEL_FAILURE, f"answers.jsonl has no completion for instance '{name}'")
        for name in ("beam-search", "k-means", "a plot")
    ]
    (reason,) = failure_reasons(records)
    assert (reason.count, reason.message) == (3, records[0].failure and records[0].failure.message)
