"""Models that are asked by Anthropic's messages, and by its batch API.

Source of the protocol: Anthropic's API reference, "Messages" and "Message Batches".
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from i2s_sdk.json_text import read_json
from i2s_sdk.models.batches import BatchGoneError, BatchRequest, BatchResult, BatchState, result_lines
from i2s_sdk.models.completion_bound import TOO_LONG, AnswerTooLongError, most_bytes, read_bounded
from i2s_sdk.models.errors import ModelAccessError
from i2s_sdk.models.http_status import rejects_input, server_words, status_error, transport_fault
from i2s_sdk.models.model import Finish
from i2s_sdk.models.openai_chat import STREAMED, is_event_stream
from i2s_sdk.models.options import ModelOptions, require_one_of_two
from i2s_sdk.models.provider import (
    Answer,
    AttemptError,
    BatchableProvider,
    FaultError,
    InputRejectedError,
    RejectedError,
    count,
    one_line,
    require_whole,
    with_reasoning,
)
from i2s_sdk.models.question import ReadImage, ReadQuestion
from i2s_sdk.models.vendors import VENDORS, PerLoop, address_and_key, key_hint, require_package

if TYPE_CHECKING:
    from anthropic import APIStatusError, AsyncAnthropic


VENDOR = "anthropic"

#: The version of the protocol that has temperature, top_p and top_k; the next one, 2026-10-21, refuses them.
_VERSION_WITH_SAMPLING = "2023-06-01"

_FINISH = {
    "end_turn": Finish.STOP,
    "stop_sequence": Finish.STOP,
    "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "refusal": Finish.REFUSED,
}


class AnthropicMessages(BatchableProvider):
    """Asks a model by messages.

    Args:
        model: Its name, as the vendor has it.
        options: Options of the calls.

    Raises:
        UsageError: The package or the key is missing, or it takes no such options.
    """

    vendor = VENDOR
    repeatable = True
    preflight = True
    decoding = frozenset({"top_p", "stop", "reasoning_effort", "extra_body"})

    def __init__(self, model: str, options: ModelOptions) -> None:
        require_one_of_two(f"{VENDOR}/{model}", options)
        self.model, self._options = model, options
        vendor = VENDORS[VENDOR]
        require_package(vendor.package, vendor.extra, f"{VENDOR}/{model}")
        self.base_url, self._key = address_and_key(vendor, f"{VENDOR}/{model}", options)
        self._hint = key_hint(options, vendor)
        self.parameters = options.parameters
        self._most_bytes = most_bytes(options.completion_characters)
        self._clients: PerLoop[AsyncAnthropic] = PerLoop(self._client, lambda client: client.close())

    async def ask(self, question: ReadQuestion) -> Answer:
        """Make one attempt.

        Raises:
            AttemptError: There is no answer.
            ModelAccessError: There will never be one.
        """
        import anthropic

        try:
            async with self.client.messages.with_streaming_response.create(**self.request(question)) as raw:
                body = await read_bounded(raw.iter_bytes(), self._most_bytes)
        except AnswerTooLongError:
            return TOO_LONG
        except anthropic.APIStatusError as error:
            refused = refusal_of(error.status_code, server_words(error.body, error.message))
            if refused is None:
                raise self.error_of(error) from None
            return refused
        except Exception as error:
            raise transport_fault(error, anthropic.APIConnectionError) from None
        return read_answer(body.decode("utf-8", "replace"))

    def error_of(self, error: APIStatusError) -> AttemptError | ModelAccessError:
        """Return how an attempt ended that was answered with a status other than 2xx."""
        words = server_words(error.body, error.message)
        return status_error(error.status_code, error.response.headers, words, hint=self._hint)

    async def close(self) -> None:
        """Close the connections."""
        await self._clients.close()

    def _client(self) -> AsyncAnthropic:
        from anthropic import AsyncAnthropic, Timeout

        options = self._options
        return AsyncAnthropic(
            api_key=self._key,
            base_url=self.base_url,
            timeout=Timeout(options.longest_attempt_seconds, connect=options.call_seconds),
            max_retries=0,  # retries are made in one place
        )

    @property
    def client(self) -> AsyncAnthropic:
        """The client of the running loop."""
        return self._clients.get()

    def request(self, question: ReadQuestion) -> dict[str, Any]:
        """Return what is sent for a question, as arguments of the vendor's package."""
        request: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "user", "content": [_block(one) for one in question.parts_images_first]}],
            "max_tokens": question.max_tokens or self._options.max_tokens,
            "extra_headers": {"Accept-Encoding": "identity"},  # what is read is bounded, and so is its text
        }
        sampling = self._options.sampling(question.sampling)
        # From Claude Opus 4.1 and Sonnet 4.5 on, models refuse top_p together with a temperature.
        first = "top_p" if sampling.temperature is None else "temperature"
        if sent := sampling.values(first, "top_k"):
            # Not among the arguments of the package, because the newest models take none.
            request["extra_headers"]["anthropic-version"] = _VERSION_WITH_SAMPLING
        if body := {**sent, **self._options.extra_body}:
            request["extra_body"] = body
        if self._options.stop:
            request["stop_sequences"] = list(self._options.stop)
        if question.system:
            request["system"] = question.system
        output: dict[str, Any] = {}
        if question.json_schema is not None:
            output["format"] = {"type": "json_schema", "schema": dict(question.json_schema)}
        if self._options.reasoning_effort:
            output["effort"] = self._options.reasoning_effort
        if output:
            request["output_config"] = output
        return request


def _block(part: str | ReadImage) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    source = {"type": "base64", "media_type": part.media_type, "data": part.base64}
    return {"type": "image", "source": source}


def refusal_of(status: int, words: str) -> Answer | None:
    """Return the answer if a filter behind the model has blocked it; None for any other error.

    Args:
        status: The status code of HTTP.
        words: What the server says; there is no code for it.
    """
    if status == 400 and "content filtering policy" in words:
        return Answer(one_line(words), Finish.REFUSED)
    return None


def read_answer(body: str) -> Answer:
    """Return the answer in the body of a message.

    Raises:
        FaultError: It is none, or the server failed within it.
        RejectedError: The server streams, which it was not asked to.
    """
    if is_event_stream(body):
        raise RejectedError(STREAMED)
    try:
        found = read_json(body)
    except ValueError:
        raise FaultError(f"the answer is not JSON: {one_line(body, 80)!r}") from None
    match found:
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


class AnthropicBatches:
    """Sends messages in batches.

    Args:
        provider: The provider that makes the requests and has the connections.
        options: Options of the calls.
    """

    most_bytes = 230 * _MEGABYTE  # Anthropic's limit is 256
    most_requests = 100_000

    def __init__(self, provider: AnthropicMessages, options: ModelOptions) -> None:
        self.provider, self._most_characters = provider, options.completion_characters

    async def send(self, name: str, requests: Sequence[BatchRequest]) -> str:
        """Send a batch and return its id; see ``BatchApi``."""
        headers = {header: value for one in requests for header, value in one.headers.items()}
        sent: Any = [{"custom_id": one.key, "params": one.body} for one in requests]
        try:
            batch = await self.provider.client.messages.batches.create(requests=sent, extra_headers=headers)
        except Exception as error:
            raise self._error(error) from None
        return batch.id

    async def find(self, name: str) -> str | None:
        """Return None: a batch has no name here."""
        return None

    async def state(self, batch: str) -> BatchState:
        """Return how far a batch is."""
        import anthropic

        try:
            found = await self.provider.client.messages.batches.retrieve(batch)
        except anthropic.NotFoundError:
            raise BatchGoneError(f"the batch {batch} is not known any more") from None
        except Exception as error:
            raise self._error(error) from None
        counts = found.request_counts
        answered = counts.succeeded + counts.errored + counts.canceled + counts.expired
        return BatchState(found.processing_status == "ended", answered)

    async def results(self, batch: str) -> AsyncIterator[tuple[str, BatchResult]]:
        """Yield what became of each question."""
        import anthropic

        results = self.provider.client.messages.batches.with_streaming_response.results(batch)
        try:
            async with results as raw:
                async for key, line in result_lines(raw.iter_bytes(), self._most_characters):
                    yield key, line if isinstance(line, Answer) else _batch_result(line)
        except AttemptError:
            raise
        except anthropic.NotFoundError:
            raise BatchGoneError(f"the batch {batch} is not known any more") from None
        except Exception as error:
            raise self._error(error) from None

    def _error(self, error: Exception) -> Exception:
        import anthropic

        if isinstance(error, anthropic.APIStatusError):
            return self.provider.error_of(error)
        return transport_fault(error, anthropic.APIConnectionError)


def _batch_result(line: dict[str, Any]) -> BatchResult:
    """Return what became of the question of a line."""
    match line:
        case {"result": {"type": "succeeded", "message": dict(message)}}:
            try:
                return read_answer(json.dumps(message))
            except AttemptError as error:
                return error
        case {"result": {"type": "errored", "error": {"error": {"type": str(kind), "message": message}}}}:
            said = f"{kind}: {one_line(message)}"
            if kind not in _STATUSES:
                return FaultError(said)
            refused = refusal_of(_STATUSES[kind], str(message))
            if refused is not None:
                return refused
            rejected = rejects_input(_STATUSES[kind], said)
            return InputRejectedError(said) if rejected else RejectedError(said)
        case {"result": {"type": ("expired" | "canceled") as kind}}:
            return FaultError(f"the question is {kind}")
    return FaultError(f"the result is none: {one_line(json.dumps(line), 80)}")
