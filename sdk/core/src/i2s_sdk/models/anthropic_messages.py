"""Models that are asked by Anthropic's messages, and by its batch API.

Source of the protocol: Anthropic's API reference, "Messages" and "Message Batches".
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from i2s_sdk.json_text import read_json
from i2s_sdk.models.model import Finish
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.provider import (
    Answer,
    FaultError,
    InputRejectedError,
    RejectedError,
    count,
    one_line,
    require_whole,
    with_reasoning,
)
from i2s_sdk.models.question import ReadImage, ReadQuestion
from i2s_sdk.models.vendors import (
    STREAMED,
    BatchApi,
    BatchRequest,
    BatchResult,
    BatchState,
    HttpFailure,
    ResponseContext,
    StainlessProvider,
    is_event_stream,
    rejects_input,
    require_temperature_or_top_p,
)

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

#: The version of the protocol that has temperature, top_p and top_k; the next one, 2026-10-21, refuses them.
_VERSION_WITH_SAMPLING = "2023-06-01"

_FINISH = {
    "end_turn": Finish.STOP,
    "stop_sequence": Finish.STOP,
    "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "refusal": Finish.REFUSED,
}


class AnthropicMessages(StainlessProvider["AsyncAnthropic"]):
    """Asks a model by messages; see ``StainlessProvider``."""

    vendor = "anthropic"
    decoding = frozenset({"top_p", "stop", "reasoning_effort", "extra_body"})

    def __init__(self, model: str, options: ModelOptions) -> None:
        require_temperature_or_top_p(f"{self.vendor}/{model}", options)
        super().__init__(model, options)

    def open_client(self) -> AsyncAnthropic:
        """Return a client of the package."""
        from anthropic import AsyncAnthropic

        return AsyncAnthropic(**self.client_arguments())

    async def answer(self, question: ReadQuestion) -> Answer:
        """Return the answer to a question; see ``ClientProvider``."""
        create = self.clients.get().messages.with_streaming_response.create
        return read_answer(await self.body(create(**self.request(question))))

    def request(self, question: ReadQuestion) -> dict[str, Any]:
        """Return the request of a question, as arguments of the vendor's package."""
        request: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": message.role, "content": [_block(part) for part in message.parts]}
                for message in question.messages_images_first
            ],
            "max_tokens": question.max_tokens or self.options.max_tokens,
            "extra_headers": {"Accept-Encoding": "identity"},  # what is read is bounded, and so is its text
        }
        sampling = self.options.sampling(question.sampling)
        # From Claude Opus 4.1 and Sonnet 4.5 on, models refuse top_p together with a temperature.
        first = "top_p" if sampling.temperature is None else "temperature"
        if sent := sampling.values(first, "top_k"):
            # Not among the arguments of the package, because the newest models take none.
            request["extra_headers"]["anthropic-version"] = _VERSION_WITH_SAMPLING
        if body := {**sent, **self.options.extra_body}:
            request["extra_body"] = body
        if self.options.stop:
            request["stop_sequences"] = list(self.options.stop)
        if question.system:
            request["system"] = question.system
        output: dict[str, Any] = {}
        if question.json_schema is not None:
            output["format"] = {"type": "json_schema", "schema": dict(question.json_schema)}
        if self.options.reasoning_effort:
            output["effort"] = self.options.reasoning_effort
        if output:
            request["output_config"] = output
        return request

    def refusal(self, failure: HttpFailure) -> Answer | None:
        """Return the answer if a filter has blocked it, which Anthropic says in words, without a code."""
        if failure.status == 400 and "content filtering policy" in failure.words:
            return Answer(one_line(failure.words), Finish.REFUSED)
        return None

    def batch_api(self) -> BatchApi:
        """Return the batch API of Anthropic."""
        return AnthropicBatches(self)


def _block(part: str | ReadImage) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    source = {"type": "base64", "media_type": part.media_type, "data": part.base64}
    return {"type": "image", "source": source}


def read_answer(body: str) -> Answer:
    """Return the answer in the body of a message.

    Raises:
        FaultError: It is not a message, or the server failed within it.
        RejectedError: The server streams, which it was not asked to.
    """
    if is_event_stream(body):
        raise RejectedError(STREAMED)
    try:
        parsed = read_json(body)
    except ValueError:
        raise FaultError(f"the answer is not JSON: {one_line(body, 80)!r}") from None
    match parsed:
        case {"type": "error", "error": {"message": message}}:  # of servers that answer 200 all the same
            raise FaultError(f"the server answered with an error: {one_line(message)}")
        case {"type": "message", "content": list() | None as blocks, **rest}:
            return _answer(blocks or [], rest)
    raise FaultError(f"the answer is no message: {one_line(body, 80)!r}")


def _answer(blocks: Sequence[object], rest: Mapping[object, Any]) -> Answer:
    texts: list[str] = []
    thoughts: list[str] = []
    tools: list[str] = []
    hidden = False
    for block in blocks:
        match block:
            case {"type": "text", "text": str(text)}:
                texts.append(text)
            case {"type": "thinking", "thinking": str(text)}:
                thoughts.append(text)
            case {"type": "redacted_thinking"}:
                hidden = True
            case {"type": "tool_use" | "server_tool_use", "name": str(name)}:
                tools.append(name)
            case {"type": str()}:
                pass
            case _:
                raise FaultError(f"the answer has a block without type: {one_line(json.dumps(block), 80)}")
    reason, usage, served = rest.get("stop_reason"), rest.get("usage"), rest.get("model")
    usage = usage if isinstance(usage, dict) else {}
    require_whole(reason if isinstance(reason, str) else "", rest.get("error"))
    answer = Answer(
        "".join(texts),
        _FINISH.get(reason, Finish.OTHER) if isinstance(reason, str) else Finish.OTHER,
        tokens_in=count(usage.get("input_tokens")),
        tokens_out=count(usage.get("output_tokens")),
        served=served if isinstance(served, str) else "",
    )
    return with_reasoning(answer, "\n".join(thoughts), hidden=hidden, tools=tools)


_MEGABYTE = 1_000_000
#: Errors of a question that it would have again, with the statuses of single calls.
_STATUSES = {"invalid_request_error": 400, "request_too_large": 413, "not_found_error": 404}


class AnthropicBatches(BatchApi):
    """Sends messages in batches, which have no names here."""

    most_bytes = 230 * _MEGABYTE  # Anthropic's limit is 256
    most_requests = 100_000

    def __init__(self, provider: AnthropicMessages) -> None:
        super().__init__(provider)
        self._clients = provider.clients

    async def send(self, name: str, requests: Sequence[BatchRequest]) -> str:
        """Send a batch and return its id."""
        headers = {header: value for request in requests for header, value in request.headers.items()}
        sent: Any = [{"custom_id": request.key, "params": request.body} for request in requests]
        batch = await self._clients.get().messages.batches.create(requests=sent, extra_headers=headers)
        return batch.id

    async def state(self, batch: str) -> BatchState:
        """Return the state of a batch."""
        retrieved = await self._clients.get().messages.batches.retrieve(batch)
        counts = retrieved.request_counts
        answered = counts.succeeded + counts.errored + counts.canceled + counts.expired
        return BatchState(retrieved.processing_status == "ended", answered)

    async def streams(self, batch: str) -> AsyncIterator[ResponseContext]:
        """Yield the results of a batch."""
        yield self._clients.get().messages.batches.with_streaming_response.results(batch)

    def result(self, line: dict[str, Any]) -> BatchResult:
        """Return the result of the question of a line."""
        match line:
            case {"result": {"type": "succeeded", "message": dict(message)}}:
                return read_answer(json.dumps(message))
            case {"result": {"type": "errored", "error": {"error": {"type": str(kind), "message": message}}}}:
                said = f"{kind}: {one_line(message)}"
                if kind not in _STATUSES:
                    return FaultError(said)
                refused = self.provider.refusal(HttpFailure(_STATUSES[kind], str(message)))
                if refused is not None:
                    return refused
                rejected = rejects_input(_STATUSES[kind], said)
                return InputRejectedError(said) if rejected else RejectedError(said)
            case {"result": {"type": ("expired" | "canceled") as kind}}:
                return FaultError(f"the question is {kind}")
        return FaultError(f"the result is none: {one_line(json.dumps(line), 80)}")
