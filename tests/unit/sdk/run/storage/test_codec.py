"""Lines of runs: their fields have the names and the order that they had before records were composed."""

from __future__ import annotations

import json

import pytest

from i2s_sdk.run.storage.codec import read_record, read_rendering, record_line, rendering_line
from i2s_sdk.run.storage.record import (
    Failure,
    Outcome,
    Record,
    SampleAnswer,
    SampleInstance,
    SampleRendering,
    SampleScore,
    SampleTurn,
    TurnEnd,
)
from i2s_wire.render.rendering import Verdict

SCORED = (
    '{"id": "a", "task": "latex", "subset": "equation", "difficulty": "easy", "outcome": "scored", '
    '"usable": true, "verdict": "RENDERED", "verdict_before_repair": "COMPILE_ERROR", "repairs": '
    '[{"kind": "wrap_math", "detail": "", "error": "Missing $ inserted."}], "message": "", "error": null, '
    '"structure": "$x$", "assets": ["a.png"], "reference_sha256": "r", "rendering_sha256": "i", '
    '"document_sha256": "d", "width": 7, "height": 5, "pages": 1, "engine_digest": "e", "isolation": '
    '"namespace", "seconds": {"generate": 1, "render": 0.5, "score": 0.25}, "error_before_repair": '
    '{"message": "Missing $ inserted.", "kind": "MISSING_DOLLAR", "line": 3}, "target_sha256": "t", '
    '"reading": {"start": 1, "end": 4, "blocks": 2, "taken": [2], "origin": ""}, "metrics": {"ems": 0.5, '
    '"edit": null}, "undefined": {"edit": "no text"}, "parts": {"fma": [1.0, 4.0]}, "detail": {"own": '
    '{"x": [1]}}, "completion": "```$x$```", "failure": null, "finish": "stop", "usage": {"input_tokens": '
    '12, "output_tokens": null}, "cost": 0.5, "cached": false, "attempts": 2, "cached_cost": 0.125, '
    '"cached_at": "2026-10-01T09:00:00+00:00", "reasoning": "hm"}'
)
RENDERED = (
    '{"id": "a", "task": "latex", "subset": "equation", "difficulty": "", "usable": false, "verdict": null, '
    '"verdict_before_repair": null, "repairs": [], "message": "there is no code", "error": null, '
    '"structure": null, "assets": [], "reference_sha256": "r", "rendering_sha256": "", "document_sha256": '
    '"", "width": 0, "height": 0, "pages": 0, "engine_digest": "", "isolation": "", "seconds": {"render": '
    '0.5}, "outcome": "no_structure", "text": null, "truth": "x", "target": "$x$"}'
)
INSTANCE = SampleInstance("a", "latex", "equation", "")
FAILURE = Failure("ServiceUnavailableError", "nobody there")


def test_the_line_of_a_record_is_written_as_it_was_read() -> None:
    assert json.dumps(record_line(read_record(json.loads(SCORED)))) == SCORED


def test_the_line_of_a_rendering_is_written_as_it_was_read() -> None:
    assert json.dumps(rendering_line(*read_rendering(json.loads(RENDERED)))) == RENDERED


def _drawn(text: str, name: str = "drawn") -> dict[str, object]:
    rendering = SampleRendering(**{name: text})
    return json.loads(json.dumps(rendering_line(INSTANCE, rendering)))


@pytest.mark.parametrize("name", ["drawn", "drawn_truth"])
def test_what_the_engine_drew_is_packed_and_read_as_it_was(name: str) -> None:
    text = json.dumps([[at, "é\ud800", "glyph"] for at in range(20_000)], ensure_ascii=False)
    line = _drawn(text, name)
    assert name not in line
    assert len(json.dumps(line)) < len(text) / 4
    assert getattr(read_rendering(line)[1], name) == text
    short = _drawn("{}", name)
    assert short[name] == "{}"
    assert getattr(read_rendering(short)[1], name) == "{}"


def test_what_the_engine_drew_is_read_from_lines_of_earlier_versions() -> None:
    line = _drawn("{}") | {"drawn": "x" * 5000, "drawn_truth": ""}
    rendering = read_rendering(line)[1]
    assert (rendering.drawn, rendering.drawn_truth) == ("x" * 5000, "")


@pytest.mark.parametrize("packed", ["", "?", "eA==", "QQ" * 50])
def test_a_packed_text_that_is_damaged_is_refused(packed: str) -> None:
    with pytest.raises(ValueError, match="packed text"):
        read_rendering(_drawn("{}") | {"drawn_zlib": packed})


def test_a_packed_text_that_would_fill_the_memory_is_refused() -> None:
    line = _drawn("0" * ((1 << 26) + 1))
    assert len(str(line["drawn_zlib"])) < 100_000
    with pytest.raises(ValueError, match="more than"):
        read_rendering(line)


def test_a_rendering_of_an_earlier_version_that_is_to_be_scored_has_no_outcome() -> None:
    _, rendering = read_rendering(json.loads(RENDERED) | {"outcome": "cancelled", "cost": None})
    assert rendering.outcome is None


def test_a_record_of_an_earlier_version_is_usable_if_it_has_an_image() -> None:
    line = json.loads(SCORED)
    del line["usable"]
    assert read_record(line).usable
    assert not read_record(line | {"verdict": "COMPILE_ERROR"}).usable


@pytest.mark.parametrize(
    ("record", "outcome", "failure"),
    [
        (Record(INSTANCE), Outcome.CANCELLED, None),
        (
            Record(INSTANCE, SampleAnswer(outcome=Outcome.MODEL_FAILURE, failure=FAILURE)),
            Outcome.MODEL_FAILURE,
            FAILURE,
        ),
        (
            # A renderer that is missing says nothing of an answer that the model refused.
            Record(
                INSTANCE,
                SampleAnswer("no", Outcome.REFUSED),
                SampleRendering(Outcome.RENDER_FAILURE, FAILURE),
            ),
            Outcome.RENDER_FAILURE,
            FAILURE,
        ),
        (
            Record(
                INSTANCE,
                SampleAnswer("no", Outcome.REFUSED),
                SampleRendering(Outcome.REFUSED),
                SampleScore(Outcome.REFUSED, metrics={"ems": 0.0}),
            ),
            Outcome.REFUSED,
            None,
        ),
        (
            Record(
                INSTANCE,
                SampleAnswer("x"),
                SampleRendering(Outcome.NO_STRUCTURE),
                SampleScore(Outcome.METRIC_FAILURE, FAILURE),
            ),
            Outcome.METRIC_FAILURE,
            FAILURE,
        ),
    ],
)
def test_the_last_stage_that_says_how_a_sample_ended_decides(
    record: Record, outcome: Outcome, failure: Failure | None
) -> None:
    assert (record.outcome, record.failure) == (outcome, failure)
    again = read_record(json.loads(json.dumps(record_line(record))))
    assert (again.outcome, again.failure) == (outcome, failure)
    failures = [part.failure for part in (again.answer, again.rendering, again.score)]
    assert failures.count(None) == (3 if failure is None else 2)
    assert record_line(again) == record_line(record)


@pytest.mark.parametrize(
    ("turn", "fields"),
    [
        (SampleTurn(), {}),
        (SampleTurn(1, TurnEnd.NO_TURN, "it looks"), {"turn_end": "no_turn", "turn_reason": "it looks"}),
        (SampleTurn(2), {"turn": 2}),
        (SampleTurn(3, TurnEnd.DONE), {"turn": 3, "turn_end": "done"}),
    ],
)
def test_a_turn_comes_back_and_a_first_answer_of_a_conversation_that_goes_on_has_no_field(
    turn: SampleTurn, fields: dict[str, object]
) -> None:
    line = record_line(Record(INSTANCE, score=SampleScore(Outcome.SCORED), turn=turn))
    assert {name: value for name, value in line.items() if name.startswith("turn")} == fields
    assert read_record(json.loads(json.dumps(line))).turn == turn
    assert ("turn" in rendering_line(INSTANCE, SampleRendering(), turn.turn)) == (turn.turn > 1)


def test_a_structure_that_a_scorer_could_not_work_on_is_not_usable_and_says_why() -> None:
    rendering = SampleRendering(usable=True, verdict=Verdict.RENDERED, message="fine")
    record = Record(
        INSTANCE, SampleAnswer("x"), rendering, SampleScore(Outcome.SCORED, not_usable="too deep")
    )
    assert (record.usable, record.message) == (False, "too deep")
    again = read_record(record_line(record))
    assert (again.usable, again.message, again.rendering.has_image) == (False, "too deep", True)


@pytest.mark.parametrize(
    "change",
    [
        {"metrics": {"ems": "1"}},
        {"cost": True},
        {"width": 1.5},
        {"usage": [1]},
        {"outcome": "fine"},
        {"verdict": "FINE"},
        {"assets": [1]},
        {"parts": {"fma": [1.0]}},
        {"completion": 5},
        {"reading": {"start": 0, "end": 1, "taken": ["1"]}},
        {"turn": "2"},
        {"turn_end": "bored"},
    ],
)
def test_a_field_of_another_type_is_an_error(change: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError, KeyError)):
        read_record(json.loads(SCORED) | change)
