"""Models that are asked by OpenAI's protocol: chat completions, also of other servers, and batches.

Source of the protocol: OpenAI's API reference, "Create chat completion", "Chat completion chunk", "Batch" and
"Files"; for streams the WHATWG's HTML standard, "Server-sent events".
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from i2s_sdk.json_text import read_json
from i2s_sdk.models.model import Finish
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.provider import (
    Answer,
    AttemptError,
    FaultError,
    RejectedError,
    ThrottledError,
    count,
    one_line,
    require_whole,
    with_reasoning,
)
from i2s_sdk.models.question import Message, ReadImage, ReadQuestion
from i2s_sdk.models.vendors import (
    BatchApi,
    BatchRequest,
    BatchResult,
    BatchState,
    HttpFailure,
    ResponseContext,
    StainlessProvider,
    is_event_stream,
    status_error,
)

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types import Batch

_FINISH = {"stop": Finish.STOP, "length": Finish.LENGTH, "content_filter": Finish.REFUSED}
#: The names of the limit of tokens, as most servers have it and as OpenAI has it.
_LIMITS = ("max_tokens", "max_completion_tokens")
#: Codes of 400 by which a filter refuses the question itself.
_FILTERED = frozenset({"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"})


class OpenAIChat(StainlessProvider["AsyncOpenAI"]):
    """Asks a model by chat completions; see ``StainlessProvider``."""

    vendor = "openai"

    def __init__(self, model: str, options: ModelOptions) -> None:
        super().__init__(model, options)
        # OpenAI's newer models know only the longer name, most other servers only the shorter; a server that
        # names the other is asked with that from then on.
        self._limit = _LIMITS[1] if self.is_vendors_own else _LIMITS[0]
        # Not of OpenAI's protocol; vLLM and SGLang read them beside its fields.
        self._further = () if self.is_vendors_own else ("top_k", "repetition_penalty")

    def open_client(self) -> AsyncOpenAI:
        """Return a client of the package."""
        from openai import AsyncOpenAI

        return AsyncOpenAI(**self.client_arguments())

    async def answer(self, question: ReadQuestion) -> Answer:
        """Return the answer to a question; see ``ClientProvider``."""
        limit = self._limit
        try:
            body = await self._body(question, limit)
        except Exception as error:
            other = _other_limit(limit, self.http_failure(error))
            if other is None:
                raise
            body = await self._body(question, other)
            self._limit = other
        return read_answer(body)

    async def _body(self, question: ReadQuestion, limit: str) -> str:
        """Return the body of the response to one request, in which the limit of tokens has a name."""
        create = self.clients.get().chat.completions.with_streaming_response.create
        return await self.body(create(**self.request(question, limit)))

    def request(self, question: ReadQuestion, limit: str | None = None) -> dict[str, Any]:
        """Return the request of a question, as arguments of the vendor's package.

        Args:
            question: The question to answer.
            limit: The name of the limit of tokens; None takes the one that the server is known to accept.
        """
        messages: list[dict[str, Any]] = []
        if question.system:
            messages.append({"role": "system", "content": question.system})
        messages += [{"role": message.role, "content": _content(message)} for message in question.messages]
        request: dict[str, Any] = {
            "model": self.model,
            "messages": messages,
            limit or self._limit: question.max_tokens or self.options.max_tokens,
            "extra_headers": {"Accept-Encoding": "identity"},  # what is read is bounded, and so is its text
        }
        sampling = self.options.sampling(question.sampling)
        request |= sampling.values("temperature", "top_p")
        further = sampling.values(*self._further) if self._further else {}
        if body := {**further, **self.options.extra_body}:
            request["extra_body"] = body
        if self.options.seed is not None:
            request["seed"] = self.options.seed
        if self.options.stop:
            request["stop"] = list(self.options.stop)
        if self.options.reasoning_effort:
            request["reasoning_effort"] = self.options.reasoning_effort
        if question.json_schema is not None:
            schema = {"name": "answer", "schema": dict(question.json_schema)}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        return request

    def error_code(self, body: object) -> object:
        """Return the field ``code`` of what a server says of a failure."""
        return body.get("code") if isinstance(body, dict) else None

    def refusal(self, failure: HttpFailure) -> Answer | None:
        """Return the answer if a filter refuses the question itself, which servers say by a code."""
        if failure.status == 400 and failure.code in _FILTERED:
            return Answer(one_line(failure.words), Finish.REFUSED)
        return None

    def batch_api(self) -> BatchApi:
        """Return the batch API of OpenAI."""
        return OpenAIBatches(self)


def _other_limit(limit: str, failure: HttpFailure | None) -> str | None:
    """Return the other name of the limit of tokens if a server rejects the one and names the other."""
    if failure is None or failure.status not in (400, 422):
        return None
    (other,) = set(_LIMITS) - {limit}
    named = re.search(rf"\b{other}\b", failure.words) is not None
    # Some servers name both where the limit does not fit into the context beside the input.
    return other if named and "context" not in failure.words else None


def _content(message: Message) -> str | list[dict[str, Any]]:
    """Return the content of a message; that of an answer is a text, which every server takes."""
    if message.role == "assistant":
        return "".join(part for part in message.parts if isinstance(part, str))
    return [_block(part) for part in message.parts]


def _block(part: str | ReadImage) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    return {"type": "image_url", "image_url": {"url": part.data_url}}


def read_answer(body: str) -> Answer:
    """Return the answer in the body of a chat completion, also of one that the server streamed unasked.

    Raises:
        FaultError: It is none, or the server failed within it.
    """
    try:
        completion = joined_chunks(body) if is_event_stream(body) else read_json(body)
    except ValueError as error:
        streamed = is_event_stream(body)
        form = f"a stream that cannot be read ({error})" if streamed else "not JSON"
        raise FaultError(f"the answer is {form}: {one_line(body, 80)!r}") from None
    return read_completion(completion)


def read_completion(completion: object) -> Answer:
    """Return the answer of a chat completion.

    Raises:
        FaultError: It is none, or the server failed within it.
    """
    match completion:
        case {"error": error} if error:  # some servers answer 200 and put the failure inside
            words = error.get("message") if isinstance(error, dict) else error
            raise FaultError(f"the server answered with an error: {one_line(words)}")
        case {"choices": [{**choice}, *_], **rest}:
            return _answer(rest, choice)
    raise FaultError(f"the answer is no chat completion: {one_line(json.dumps(completion), 80)}")


def _answer(completion: Mapping[object, Any], choice: Mapping[object, Any]) -> Answer:
    reason, message = choice.get("finish_reason"), choice.get("message")
    require_whole(reason if isinstance(reason, str) else "", choice.get("error"))
    finish = _FINISH.get(reason, Finish.OTHER) if isinstance(reason, str) else Finish.OTHER
    if message is None and finish is Finish.REFUSED:
        message = {}
    if not isinstance(message, dict):
        raise FaultError(f"the answer has no message: {one_line(json.dumps(choice), 80)}")
    text, refusal, thought = read_parts(message.get("content"))
    refusal = refusal or _text(message.get("refusal"))
    if refusal:
        text, finish = refusal, Finish.REFUSED
    usage = completion.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    answer = with_reasoning(
        Answer(
            text or "",
            finish,
            tokens_in=count(usage.get("prompt_tokens")),
            tokens_out=count(usage.get("completion_tokens")),
            served=_text(completion.get("model")),
        ),
        thought or _text(message.get("reasoning_content")) or _text(message.get("reasoning")),
        hidden=_reasoning_tokens(usage) > 0,
        tools=_tools(message),
    )
    if text is None and finish is Finish.OTHER and answer.no_answer is None:
        raise FaultError(f"the answer has no text: {one_line(json.dumps(message), 80)}")
    return answer


def read_parts(content: object) -> tuple[str | None, str, str]:
    """Return text, refusal and reasoning of the content of a message, which is a text or a list of parts.

    The text is None if there is no content.
    """
    if not isinstance(content, list):
        return (content if isinstance(content, str) else None), "", ""
    texts: dict[str, list[str]] = {"text": [], "refusal": [], "thinking": []}
    for part in content:
        match part:
            case str(text) | {"type": "text" | "output_text", "text": str(text)}:
                texts["text"].append(text)
            case {"type": "refusal", "refusal": str(text)}:
                texts["refusal"].append(text)
            case {"type": "thinking" | "reasoning" as kind, **rest}:
                thought = rest.get(kind, rest.get("text"))
                texts["thinking"].append(read_parts(thought)[0] or "")
    text, refusal, thinking = ("".join(one) for one in texts.values())
    return text, refusal, thinking


def _tools(message: Mapping[str, Any]) -> list[str]:
    """Return the names of the tools that a message calls, by OpenAI's protocol or its older form."""
    calls = message.get("tool_calls")
    functions = (
        [call.get("function") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    )
    return [
        str(function.get("name"))
        for function in (*functions, message.get("function_call"))
        if isinstance(function, dict)
    ]


def _reasoning_tokens(usage: Mapping[str, Any]) -> int:
    match usage:
        case {"completion_tokens_details": {"reasoning_tokens": tokens}}:
            return count(tokens) or 0
    return 0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


#: The data of the last event of a stream.
_DONE = "[DONE]"

#: Texts of a message that come in pieces.
_TEXTS = ("content", "refusal", "reasoning_content", "reasoning")


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
        ValueError: It is not a JSON object.
    """
    for block in body.replace("\r\n", "\n").split("\n\n"):
        lines = [line[5:].removeprefix(" ") for line in block.split("\n") if line.startswith("data:")]
        data = "\n".join(lines)
        if not data or data == _DONE:
            continue
        event = read_json(data)
        if not isinstance(event, dict):
            raise ValueError("an event is no object")
        yield event


_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_NAME = "i2s_batch"
_MEGABYTE = 1_000_000
#: Batches that are looked through for the name of one.
_LISTED = 1_000


class OpenAIBatches(BatchApi):
    """Sends chat completions in batches."""

    most_bytes = 180 * _MEGABYTE  # OpenAI's limit is 200
    most_requests = 50_000

    def __init__(self, provider: OpenAIChat) -> None:
        super().__init__(provider)
        self._clients = provider.clients

    async def send(self, name: str, requests: Sequence[BatchRequest]) -> str:
        """Upload the requests as a file, and return the id of the batch of it."""
        client, url = self._clients.get(), "/v1/chat/completions"
        lines = (
            json.dumps({"custom_id": request.key, "method": "POST", "url": url, "body": request.body})
            for request in requests
        )
        content = "\n".join(lines).encode()
        file = await client.files.create(file=(f"i2s-{name}.jsonl", content), purpose="batch")
        batch = await client.batches.create(
            input_file_id=file.id,
            endpoint="/v1/chat/completions",
            completion_window="24h",
            metadata={_NAME: name},
        )
        return batch.id

    async def find(self, name: str) -> str | None:
        """Return the id of the batch whose metadata has a name."""
        seen = 0
        async for batch in self._clients.get().batches.list(limit=100):
            if (batch.metadata or {}).get(_NAME) == name:
                return batch.id
            seen += 1
            if seen >= _LISTED:
                break
        return None

    async def state(self, batch: str) -> BatchState:
        """Return the state of a batch."""
        retrieved = await self._clients.get().batches.retrieve(batch)
        counts = retrieved.request_counts
        answered = counts.completed + counts.failed if counts else 0
        fault = _batch_fault(retrieved) if retrieved.status == "failed" else None
        return BatchState(retrieved.status in _ENDED, answered, fault)

    async def streams(self, batch: str) -> AsyncIterator[ResponseContext]:
        """Yield the files of answers and of errors."""
        client = self._clients.get()
        retrieved = await client.batches.retrieve(batch)
        for file in (retrieved.output_file_id, retrieved.error_file_id):
            if file is not None:
                yield client.files.with_streaming_response.content(file)

    def result(self, line: dict[str, Any]) -> BatchResult:
        """Return the result of the question of a line."""
        match line:
            case {"response": {"status_code": 200, "body": dict(body)}}:
                return read_answer(json.dumps(body))
            case {"response": {"status_code": int(status), "body": {"error": dict(details)}}}:
                failure = HttpFailure(status, str(details.get("message")), code=details.get("code"))
                refused = self.provider.refusal(failure)
                if refused is not None:
                    return refused
                error = status_error(status, {}, details.get("message"), details.get("code"))
                return error if isinstance(error, AttemptError) else RejectedError(error.message)
            case {"error": {"code": code, "message": message}}:
                return FaultError(f"{code}: {one_line(message)}")
        return FaultError(f"the result is none: {one_line(json.dumps(line), 80)}")


def _batch_fault(batch: Batch) -> AttemptError:
    """Return why a batch failed as a whole."""
    errors = batch.errors.data if batch.errors and batch.errors.data else []
    said = (
        "; ".join(f"{error.code}: {one_line(error.message)}" for error in errors[:3]) or "no reason is given"
    )
    message = f"the batch was not accepted: {said}"
    if any(error.code == "token_limit_exceeded" for error in errors):  # too much waits already
        return ThrottledError(message)
    return RejectedError(message)
