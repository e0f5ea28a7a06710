"""What servers and programs of models send for each outcome of a call, by the name of the outcome."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

#: The answer of all of them that give one.
ANSWER = "```latex\n\\[x\\]\n```"


def _body(body: object) -> str:
    return f"nonsense:{json.dumps(body)}"


def _status(status: int, message: str) -> str:
    return f"body:{status},{json.dumps({'error': {'message': message, 'code': status}})}"


def _openai(finish: str | None = "stop", *, choice: Mapping[str, Any] | None = None, **message: Any) -> str:
    hidden = {"completion_tokens_details": {"reasoning_tokens": message.pop("hidden", 0)}}
    of_choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", **message}}
    found = {**of_choice, **(choice or {})}
    usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18, **hidden}
    return _body(
        {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [found],
            "usage": usage,
        }
    )


_TOOL = [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]


def _chunk(finish: str | None = None, **delta: Any) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return f"data: {json.dumps({'object': 'chat.completion.chunk', 'model': 'm', 'choices': [choice]})}\n\n"


_HTML_413 = "body:413,<html><title>413 Request Entity Too Large</title></html>"

OPENAI: Mapping[str, list[str]] = {
    "answer": [_openai(content=ANSWER)],
    "answer in parts": [
        _openai(
            content=[
                {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                {"type": "text", "text": ANSWER[:5]},
                {"type": "text", "text": ANSWER[5:]},
            ]
        )
    ],
    "answer beside reasoning": [_openai(content=ANSWER, reasoning_content="hm")],
    "answer beside a call of a tool": [_openai("tool_calls", content=ANSWER, tool_calls=_TOOL)],
    "answer as a stream": [
        "nonsense:"
        + _chunk(role="assistant", reasoning_content="hm")
        + ": a comment\n\n"
        + _chunk(content=ANSWER[:5])
        + _chunk("stop", content=ANSWER[5:])
        + "data: [DONE]\n\n"
    ],
    "cut off": [_openai("length", content=ANSWER)],
    "empty answer": [_openai(content="")],
    "refused by finish": [_openai("content_filter", content=None)],
    "refused without a message": [_openai("content_filter", choice={"message": None})],
    "refused by status": [
        f"body:400,{json.dumps({'error': {'code': 'content_filter', 'message': 'filtered'}})}"
    ],
    "call of a tool": [_openai("tool_calls", content=None, tool_calls=_TOOL)],
    "reasoning only": [_openai(content=None, reasoning="long thoughts")],
    "reasoning cut off": [_openai("length", content=None, reasoning_content="long thoughts")],
    "hidden reasoning cut off": [_openai("length", content="", hidden=9)],
    "finish error": [_openai("error", content="")],
    "abort": [_openai("abort", content="x")],
    "error in a choice": [
        _openai("stop", content="x", choice={"error": {"code": 502, "message": "upstream failed"}})
    ],
    "error in place of an answer": [_body({"error": {"code": 502, "message": "upstream failed"}})],
    "malformed body": ["nonsense:[]"],
    "input rejected": [_status(400, "the image is too small")],
    "input too large": [_HTML_413],
    "input not processable": [_status(422, "the image is too small")],
    "request rejected": [_status(400, "Unrecognized request argument supplied: no_such_field")],
    "rate limited, then answered": ["status:429,0", _openai(content=ANSWER)],
    "server error, then answered": ["status:503", _openai(content=ANSWER)],
    "error, then answered": [_openai("error", content=""), _openai(content=ANSWER)],
}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


_THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}
_LONG_THOUGHT = {"type": "thinking", "thinking": "long thoughts", "signature": "s"}
_TOOL_USE = {"type": "tool_use", "id": "1", "name": "f", "input": {}}


def _anthropic(*content: Mapping[str, Any], reason: str = "end_turn") -> str:
    usage = {"input_tokens": 9, "output_tokens": 9}
    return _body(
        {
            "id": "1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": content,
            "stop_reason": reason,
            "usage": usage,
        }
    )


def _anthropic_error(status: int, message: str) -> str:
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
    return f"body:{status},{json.dumps(error)}"


ANTHROPIC: Mapping[str, list[str]] = {
    "answer": [_anthropic(_text(ANSWER))],
    "answer in parts": [_anthropic(_THOUGHT, _text(ANSWER[:5]), _text(ANSWER[5:]))],
    "answer beside reasoning": [_anthropic(_THOUGHT, _text(ANSWER))],
    "answer beside a call of a tool": [_anthropic(_text(ANSWER), _TOOL_USE, reason="tool_use")],
    "cut off": [_anthropic(_text(ANSWER), reason="max_tokens")],
    "empty answer": [_anthropic()],
    "refused by finish": [_anthropic(_text(""), reason="refusal")],
    "refused without a message": [_anthropic(reason="refusal").replace('"content": []', '"content": null')],
    "refused by status": [_anthropic_error(400, "Output blocked by content filtering policy")],
    "call of a tool": [_anthropic(_TOOL_USE, reason="tool_use")],
    "reasoning only": [_anthropic(_LONG_THOUGHT)],
    "reasoning cut off": [_anthropic(_LONG_THOUGHT, reason="max_tokens")],
    "hidden reasoning cut off": [_anthropic({"type": "redacted_thinking", "data": "x"}, reason="max_tokens")],
    "finish error": [_anthropic(_text(""), reason="error")],
    "abort": [_anthropic(_text("x"), reason="abort")],
    "error in place of an answer": [
        _body({"type": "error", "error": {"type": "api_error", "message": "upstream failed"}})
    ],
    "malformed body": ["nonsense:[]"],
    "input rejected": [_anthropic_error(400, "messages.0.content.1: the image is too small")],
    "input too large": [_HTML_413],
    "input not processable": [_anthropic_error(422, "the image is too small")],
    "request rejected": [_anthropic_error(400, "no_such_field: Extra inputs are not permitted")],
    "rate limited, then answered": ["status:429,0", _anthropic(_text(ANSWER))],
    "server error, then answered": ["status:529", _anthropic(_text(ANSWER))],
    "error, then answered": [_anthropic(_text(""), reason="error"), _anthropic(_text(ANSWER))],
}


def _google(*parts: Mapping[str, Any], reason: str = "STOP", thoughts: int = 0, **candidate: Any) -> str:
    found = {"content": {"role": "model", "parts": parts}, "finishReason": reason, **candidate}
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 9, "thoughtsTokenCount": thoughts}
    return _body({"candidates": [found], "usageMetadata": usage, "modelVersion": "m"})


_GOOGLE_THOUGHT = {"text": "hm", "thought": True}
_GOOGLE_LONG_THOUGHT = {"text": "long thoughts", "thought": True}
_GOOGLE_CALL = {"functionCall": {"name": "f", "args": {}}}

GOOGLE: Mapping[str, list[str]] = {
    "answer": [_google({"text": ANSWER})],
    "answer in parts": [_google(_GOOGLE_THOUGHT, {"text": ANSWER[:5]}, {"text": ANSWER[5:]})],
    "answer beside reasoning": [_google(_GOOGLE_THOUGHT, {"text": ANSWER})],
    "cut off": [_google({"text": ANSWER}, reason="MAX_TOKENS")],
    "empty answer": [_google({"text": ""})],
    "refused by finish": [_google(reason="SAFETY")],
    "refused without a message": [_google(reason="PROHIBITED_CONTENT", content=None)],
    "call of a tool": [_google(_GOOGLE_CALL, reason="UNEXPECTED_TOOL_CALL")],
    "unreadable call of a tool": [_google(reason="MALFORMED_FUNCTION_CALL")],
    "reasoning only": [_google(_GOOGLE_LONG_THOUGHT)],
    "reasoning cut off": [_google(_GOOGLE_LONG_THOUGHT, reason="MAX_TOKENS")],
    "hidden reasoning cut off": [_google(reason="MAX_TOKENS", thoughts=2000)],
    "finish error": [_google({"text": ""}, reason="ERROR")],
    "abort": [_google({"text": "x"}, reason="ABORT")],
    "malformed body": ["nonsense:[]"],
    "input rejected": [_status(400, "the image is too small")],
    "input too large": [_HTML_413],
    "input not processable": [_status(422, "the image is too small")],
    "request rejected": [_status(400, 'Invalid JSON payload received. Unknown name "no_such_field"')],
    "rate limited, then answered": ["status:429,0", _google({"text": ANSWER})],
    "server error, then answered": ["status:503", _google({"text": ANSWER})],
    "error, then answered": [_google(reason="ERROR"), _google({"text": ANSWER})],
}

#: Through inspect_ai to a server of OpenAI's protocol. It has no streams that were not asked for.
INSPECT = {name: bodies for name, bodies in OPENAI.items() if name != "answer as a stream"}

SERVERS = {"openai": OPENAI, "anthropic": ANTHROPIC, "google": GOOGLE, "inspect": INSPECT}

#: Lines of a program that stays.
PROGRAM: Mapping[str, list[dict[str, Any]]] = {
    "answer": [{"completion": ANSWER}],
    "answer beside reasoning": [{"completion": ANSWER, "reasoning": "hm"}],
    "cut off": [{"completion": ANSWER, "finish": "length"}],
    "empty answer": [{"completion": ""}],
    "refused by finish": [{"refused": "I will not."}],
    "reasoning only": [{"completion": "", "reasoning": "long thoughts"}],
    "reasoning cut off": [{"completion": "", "reasoning": "long thoughts", "finish": "length"}],
    "error in place of an answer": [{"error": "upstream failed"}],
    "malformed body": [{"answer": ANSWER}],
    "input rejected": [{"rejected": "the image is too small"}],
    "error, then answered": [{"error": "upstream failed"}, {"completion": ANSWER}],
}
