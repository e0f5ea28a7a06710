"""Chat completions that a server streams although it was asked for one body (server-sent events).

Source of the form: the WHATWG's HTML standard, "Server-sent events", and OpenAI's API reference, "Chat
completion chunk".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from i2s_sdk.json_text import read_json

#: What is said of a stream of another protocol, which is not read.
STREAMED = "the server streams its answer although it was not asked to: turn that off there"

#: What a line of an event stream begins with.
_FIELDS = ("data:", "event:", "id:", "retry:", ":")

#: The data of the last event.
_DONE = "[DONE]"

#: Texts of a message that come in pieces.
_TEXTS = ("content", "refusal", "reasoning_content", "reasoning")


def is_event_stream(body: str) -> bool:
    """Return whether a body is an event stream rather than one JSON value."""
    return body.lstrip().startswith(_FIELDS)


def joined_chunks(body: str) -> dict[str, Any]:
    """Return the chat completion that the chunks of a stream make, with the first choice only.

    Args:
        body: The stream.

    Raises:
        ValueError: An event is not JSON, or the stream ends before the answer does.
    """
    joined: dict[str, Any] = {}
    message: dict[str, Any] = {}
    choice: dict[str, Any] = {"finish_reason": None}
    for event in _events(body):
        joined |= {name: value for name, value in event.items() if name != "choices" and value is not None}
        match event:
            case {"choices": [{**first}, *_]}:
                choice |= {name: first[name] for name in ("finish_reason", "error") if first.get(name)}
                _add(message, first.get("delta"))
    if choice["finish_reason"] is None and not {"error"} & (joined.keys() | choice.keys()):
        raise ValueError("the stream ended before the answer did")
    return joined | {"choices": [{**choice, "message": message}]}


def _add(message: dict[str, Any], delta: object) -> None:
    """Add the piece of a message that a chunk has."""
    if not isinstance(delta, Mapping):
        return
    for name in _TEXTS:
        if isinstance(delta.get(name), str):
            message[name] = message.get(name, "") + delta[name]
    for call in delta.get("tool_calls") or []:
        match call:
            case {"function": {"name": str()}}:  # the other pieces of a call have its arguments
                message.setdefault("tool_calls", []).append(call)


def _events(body: str) -> Iterator[dict[str, Any]]:
    """Yield the data of each event.

    Raises:
        ValueError: They are no JSON object.
    """
    for block in body.replace("\r\n", "\n").split("\n\n"):
        lines = [line[5:].removeprefix(" ") for line in block.split("\n") if line.startswith("data:")]
        data = "\n".join(lines)
        if not data or data == _DONE:
            continue
        found = read_json(data)
        if not isinstance(found, dict):
            raise ValueError("an event is no object")
        yield found
