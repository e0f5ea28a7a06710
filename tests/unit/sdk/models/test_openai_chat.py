"""Chat completions that a server streams unasked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from i2s_sdk.models.openai_chat import joined_chunks, read_answer
from i2s_sdk.models.provider import FaultError
from i2s_sdk.models.vendors import is_event_stream


def _stream(*events: Any, end: str = "\n\n") -> str:
    return "".join(f"data: {event if isinstance(event, str) else json.dumps(event)}{end}" for event in events)


def _chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"id": "1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": None}


@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n"])
def test_the_pieces_of_texts_are_joined_and_the_last_usage_is_kept(end: str) -> None:
    usage = {"completion_tokens": 3}
    last = {"id": "1", "choices": [], "usage": usage}
    body = _stream(_chunk(content="a "), _chunk(content="b"), _chunk("stop"), last, "[DONE]", end=end)
    found = joined_chunks(body)
    assert found["choices"] == [{"finish_reason": "stop", "message": {"content": "a b"}}]
    assert found["usage"] == usage


def test_a_call_of_a_tool_comes_in_pieces_and_has_one_name() -> None:
    first = {"index": 0, "function": {"name": "f", "arguments": ""}}
    body = _stream(
        _chunk(tool_calls=[first]),
        _chunk(tool_calls=[{"index": 0, "function": {"arguments": "{}"}}]),
        _chunk("tool_calls"),
    )
    answer = read_answer(body)
    assert answer.no_answer is not None
    assert answer.no_answer.reason == "the model called the tool 'f' instead of answering"


@pytest.mark.parametrize(
    "body",
    [
        _stream(_chunk(content="a"), {"error": {"message": "gone", "code": 502}}),
        _stream(_chunk(content="a"), _chunk("error")),
        _stream(_chunk(content="a")),
        _stream(_chunk(content="a"), "{"),
        _stream(_chunk(content="a"), "[]"),
    ],
    ids=["error", "finish error", "cut", "no JSON", "no object"],
)
def test_a_stream_that_does_not_end_well_is_a_failed_attempt(body: str) -> None:
    with pytest.raises(FaultError):
        read_answer(body)


def test_json_is_no_event_stream() -> None:
    assert not is_event_stream('{"data": 1}')
    assert is_event_stream(": comment\n\ndata: {}")
