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
from i2s_sdk.models.batches import BatchGoneError, BatchRequest, BatchResult, BatchState, result_lines
from i2s_sdk.models.completion_bound import TOO_LONG, AnswerTooLongError, most_bytes, read_bounded
from i2s_sdk.models.errors import ModelAccessError
from i2s_sdk.models.http_status import server_words, status_error, transport_fault
from i2s_sdk.models.model import Finish
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.provider import (
    Answer,
    AttemptError,
    BatchableProvider,
    FaultError,
    RejectedError,
    ThrottledError,
    count,
    one_line,
    require_whole,
    with_reasoning,
)
from i2s_sdk.models.question import ReadImage, ReadQuestion
from i2s_sdk.models.vendors import VENDORS, PerLoop, address_and_key, key_hint, require_package

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI
    from openai.types import Batch


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


VENDOR = "openai"

_FINISH = {"stop": Finish.STOP, "length": Finish.LENGTH, "content_filter": Finish.REFUSED}
#: The names of the limit of tokens, as most servers have it and as OpenAI has it.
_LIMITS = ("max_tokens", "max_completion_tokens")
#: Codes of 400 by which a filter refuses the question itself.
_FILTERED = frozenset({"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"})


class OpenAIChat(BatchableProvider):
    """Asks a model by chat completions.

    Args:
        model: Its name, as the server has it.
        options: Options of the calls.

    Raises:
        UsageError: The package or the key is missing.
    """

    vendor = VENDOR
    repeatable = True
    preflight = True

    def __init__(self, model: str, options: ModelOptions) -> None:
        self.model, self._options = model, options
        vendor = VENDORS[VENDOR]
        require_package(vendor.package, vendor.extra, f"{VENDOR}/{model}")
        self.base_url, self._key = address_and_key(vendor, f"{VENDOR}/{model}", options)
        self._hint = key_hint(options, vendor)
        # OpenAI's newer models know only the longer name, most other servers only the shorter; a server that
        # names the other is asked with that from then on.
        own = self.base_url.rstrip("/") == vendor.base_url
        self._limit = _LIMITS[1] if own else _LIMITS[0]
        # Not of OpenAI's protocol; vLLM and SGLang read them beside its fields.
        self._further = () if own else ("top_k", "repetition_penalty")
        self.parameters = options.parameters
        self._most_bytes = most_bytes(options.completion_characters)
        self._clients: PerLoop[AsyncOpenAI] = PerLoop(self._client, lambda client: client.close())

    async def ask(self, question: ReadQuestion) -> Answer:
        """Make one attempt.

        Raises:
            AttemptError: There is no answer.
            ModelAccessError: There will never be one.
        """
        import openai

        limit = self._limit
        try:
            try:
                body = await self._body(question, limit)
            except openai.APIStatusError as error:
                other = _other_limit(limit, error)
                if other is None:
                    raise
                body = await self._body(question, other)
                self._limit = other
        except AnswerTooLongError:
            return TOO_LONG
        except openai.APIStatusError as error:
            words = server_words(error.body, error.message)
            refused = refusal_of(error.status_code, {**_details(error), "message": words})
            if refused is None:
                raise self.error_of(error) from None
            return refused
        except Exception as error:
            raise transport_fault(error, openai.APIConnectionError) from None
        return read_answer(body.decode("utf-8", "replace"))

    async def _body(self, question: ReadQuestion, limit: str) -> bytes:
        """Return the body of the answer to one request.

        Args:
            question: The question to answer.
            limit: The name of the limit of tokens in the request.

        Raises:
            AnswerTooLongError: It is longer than a completion can be.
        """
        request = self.request(question, limit)
        async with self.client.chat.completions.with_streaming_response.create(**request) as raw:
            return await read_bounded(raw.iter_bytes(), self._most_bytes)

    async def close(self) -> None:
        """Close the connections."""
        await self._clients.close()

    def _client(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI, Timeout

        options = self._options
        return AsyncOpenAI(
            api_key=self._key,
            base_url=self.base_url,
            timeout=Timeout(options.longest_attempt_seconds, connect=options.call_seconds),
            max_retries=0,  # retries are made in one place
        )

    @property
    def client(self) -> AsyncOpenAI:
        """The client of the running loop."""
        return self._clients.get()

    def request(self, question: ReadQuestion, limit: str | None = None) -> dict[str, Any]:
        """Return what is sent for a question, as arguments of the vendor's package.

        Args:
            question: The question to answer.
            limit: The name of the limit of tokens; None takes the one that the server is known to accept.
        """
        messages: list[dict[str, Any]] = []
        if question.system:
            messages.append({"role": "system", "content": question.system})
        messages.append({"role": "user", "content": [_block(one) for one in question.parts]})
        request: dict[str, Any] = {
            "model": self.model,
            "messages": messages,
            limit or self._limit: question.max_tokens or self._options.max_tokens,
            "extra_headers": {"Accept-Encoding": "identity"},  # what is read is bounded, and so is its text
        }
        sampling = self._options.sampling(question.sampling)
        request |= sampling.values("temperature", "top_p")
        further = sampling.values(*self._further) if self._further else {}
        if body := {**further, **self._options.extra_body}:
            request["extra_body"] = body
        if self._options.seed is not None:
            request["seed"] = self._options.seed
        if self._options.stop:
            request["stop"] = list(self._options.stop)
        if self._options.reasoning_effort:
            request["reasoning_effort"] = self._options.reasoning_effort
        if question.json_schema is not None:
            schema = {"name": "answer", "schema": dict(question.json_schema)}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        return request

    def error_of(self, error: APIStatusError) -> AttemptError | ModelAccessError:
        """Return how an attempt ended that was answered with a status other than 2xx."""
        words, code = server_words(error.body, error.message), _details(error).get("code")
        return status_error(error.status_code, error.response.headers, words, code, hint=self._hint)


def refusal_of(status: int, details: Mapping[str, object]) -> Answer | None:
    """Return the answer if a filter refuses the question itself; None for any other error.

    Args:
        status: The status code of HTTP.
        details: What the server says of the error.
    """
    if status == 400 and details.get("code") in _FILTERED:
        return Answer(one_line(details.get("message")), Finish.REFUSED)
    return None


def _other_limit(limit: str, error: APIStatusError) -> str | None:
    """Return the other name of the limit of tokens if a server rejects the one and names the other."""
    (other,) = set(_LIMITS) - {limit}
    said = server_words(error.body, error.message)
    named = re.search(rf"\b{other}\b", said) is not None
    # Some servers name both where the limit does not fit into the context beside the input.
    return other if error.status_code in (400, 422) and named and "context" not in said else None


def _details(error: APIStatusError) -> Mapping[str, object]:
    return error.body if isinstance(error.body, dict) else {}


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
        found = joined_chunks(body) if is_event_stream(body) else read_json(body)
    except ValueError as error:
        streamed = is_event_stream(body)
        form = f"a stream that cannot be read ({error})" if streamed else "not JSON"
        raise FaultError(f"the answer is {form}: {one_line(body, 80)!r}") from None
    return read_completion(found)


def read_completion(found: object) -> Answer:
    """Return the answer of a chat completion.

    Raises:
        FaultError: It is none, or the server failed within it.
    """
    match found:
        case {"error": error} if error:  # some servers answer 200 and put the failure inside
            words = error.get("message") if isinstance(error, dict) else error
            raise FaultError(f"the server answered with an error: {one_line(words)}")
        case {"choices": [{**choice}, *_], **rest}:
            return _answer(rest, choice)
    raise FaultError(f"the answer is no chat completion: {one_line(json.dumps(found), 80)}")


def _answer(found: Mapping[object, Any], choice: Mapping[object, Any]) -> Answer:
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
    usage = found.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    answer = with_reasoning(
        Answer(
            text or "",
            finish,
            tokens_in=count(usage.get("prompt_tokens")),
            tokens_out=count(usage.get("completion_tokens")),
            served=_text(found.get("model")),
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
    found: dict[str, list[str]] = {"text": [], "refusal": [], "thinking": []}
    for part in content:
        match part:
            case str(text) | {"type": "text" | "output_text", "text": str(text)}:
                found["text"].append(text)
            case {"type": "refusal", "refusal": str(text)}:
                found["refusal"].append(text)
            case {"type": "thinking" | "reasoning" as kind, **rest}:
                thought = rest.get(kind, rest.get("text"))
                found["thinking"].append(read_parts(thought)[0] or "")
    text, refusal, thinking = ("".join(one) for one in found.values())
    return text, refusal, thinking


def _tools(message: Mapping[str, Any]) -> list[str]:
    """Return the names of the tools that a message calls, by OpenAI's protocol or its older form."""
    calls = message.get("tool_calls")
    functions = (
        [one.get("function") for one in calls if isinstance(one, dict)] if isinstance(calls, list) else []
    )
    return [
        str(one.get("name")) for one in (*functions, message.get("function_call")) if isinstance(one, dict)
    ]


def _reasoning_tokens(usage: Mapping[str, Any]) -> int:
    match usage:
        case {"completion_tokens_details": {"reasoning_tokens": tokens}}:
            return count(tokens) or 0
    return 0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_NAME = "i2s_batch"
_MEGABYTE = 1_000_000
#: Batches that are looked through for the name of one.
_LISTED = 1_000


class OpenAIBatches:
    """Sends chat completions in batches.

    Args:
        provider: The provider that makes the requests and has the connections.
        options: Options of the calls.
    """

    most_bytes = 180 * _MEGABYTE  # OpenAI's limit is 200
    most_requests = 50_000

    def __init__(self, provider: OpenAIChat, options: ModelOptions) -> None:
        self.provider, self._most_characters = provider, options.completion_characters

    async def send(self, name: str, requests: Sequence[BatchRequest]) -> str:
        """Send a batch and return its id; see ``BatchApi``."""
        client = self.provider.client
        lines = (
            json.dumps(
                {"custom_id": one.key, "method": "POST", "url": "/v1/chat/completions", "body": one.body}
            )
            for one in requests
        )
        content = "\n".join(lines).encode()
        try:
            file = await client.files.create(file=(f"i2s-{name}.jsonl", content), purpose="batch")
            batch = await client.batches.create(
                input_file_id=file.id,
                endpoint="/v1/chat/completions",
                completion_window="24h",
                metadata={_NAME: name},
            )
        except Exception as error:
            raise self._error(error) from None
        return batch.id

    async def find(self, name: str) -> str | None:
        """Return the id of a batch that was sent with a name."""
        seen = 0
        try:
            async for one in self.provider.client.batches.list(limit=100):
                if (one.metadata or {}).get(_NAME) == name:
                    return one.id
                seen += 1
                if seen >= _LISTED:
                    break
        except Exception as error:
            raise self._error(error) from None
        return None

    async def state(self, batch: str) -> BatchState:
        """Return how far a batch is."""
        found = await self._retrieve(batch)
        counts = found.request_counts
        answered = counts.completed + counts.failed if counts else 0
        fault = _batch_fault(found) if found.status == "failed" else None
        return BatchState(found.status in _ENDED, answered, fault)

    async def results(self, batch: str) -> AsyncIterator[tuple[str, BatchResult]]:
        """Yield what became of each question."""
        found = await self._retrieve(batch)
        for file in (found.output_file_id, found.error_file_id):
            if file is None:
                continue
            try:
                async with self.provider.client.files.with_streaming_response.content(file) as raw:
                    async for key, line in result_lines(raw.iter_bytes(), self._most_characters):
                        yield key, line if isinstance(line, Answer) else _batch_result(line)
            except AttemptError:
                raise
            except Exception as error:
                raise self._error(error) from None

    async def _retrieve(self, batch: str) -> Batch:
        import openai

        try:
            return await self.provider.client.batches.retrieve(batch)
        except openai.NotFoundError:
            raise BatchGoneError(f"the batch {batch} is not known any more") from None
        except Exception as error:
            raise self._error(error) from None

    def _error(self, error: Exception) -> Exception:
        import openai

        if isinstance(error, openai.APIStatusError):
            return self.provider.error_of(error)
        return transport_fault(error, openai.APIConnectionError)


def _batch_fault(batch: Batch) -> AttemptError:
    """Return why a batch failed as a whole."""
    errors = batch.errors.data if batch.errors and batch.errors.data else []
    said = "; ".join(f"{one.code}: {one_line(one.message)}" for one in errors[:3]) or "no reason is given"
    message = f"the batch was not accepted: {said}"
    if any(one.code == "token_limit_exceeded" for one in errors):  # too much waits already
        return ThrottledError(message)
    return RejectedError(message)


def _batch_result(line: dict[str, Any]) -> BatchResult:
    """Return what became of the question of a line."""
    match line:
        case {"response": {"status_code": 200, "body": dict(body)}}:
            try:
                return read_answer(json.dumps(body))
            except AttemptError as error:
                return error
        case {"response": {"status_code": int(status), "body": {"error": dict(details)}}}:
            refused = refusal_of(status, details)
            if refused is not None:
                return refused
            found = status_error(status, {}, details.get("message"), details.get("code"))
            return found if isinstance(found, AttemptError) else RejectedError(found.message)
        case {"error": {"code": code, "message": message}}:
            return FaultError(f"{code}: {one_line(message)}")
    return FaultError(f"the result is none: {one_line(json.dumps(line), 80)}")
