"""Models that are asked by OpenAI's chat completions, of OpenAI or of any server that speaks the same.

Source of the protocol: OpenAI's API reference, "Create chat completion".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from i2s_sdk.json_text import read_json
from i2s_sdk.models.completion_bound import TOO_LONG, AnswerTooLongError, most_bytes, read_bounded
from i2s_sdk.models.decoding import FLAGS
from i2s_sdk.models.errors import ModelAccessError
from i2s_sdk.models.http_status import status_error, transport_fault
from i2s_sdk.models.model import Finish
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.per_loop import PerLoop
from i2s_sdk.models.provider import Answer, AttemptError, FaultError, count, one_line
from i2s_sdk.models.question import ReadImage, ReadQuestion
from i2s_sdk.models.vendors import VENDORS, address_and_key, key_hint, require_package

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

VENDOR = "openai"

_FINISH = {"stop": Finish.STOP, "length": Finish.LENGTH, "content_filter": Finish.REFUSED}
#: Codes of 400 by which a filter refuses the question itself.
_FILTERED = frozenset({"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"})


class OpenAIChat:
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
    decoding = frozenset(FLAGS)

    def __init__(self, model: str, options: ModelOptions) -> None:
        self.model, self._options = model, options
        vendor = VENDORS[VENDOR]
        require_package(vendor.package, vendor.extra, f"{VENDOR}/{model}")
        self.base_url, self._key = address_and_key(vendor, f"{VENDOR}/{model}", options)
        self._hint = key_hint(options, vendor)
        # OpenAI's newer models know only the longer name, most other servers only the shorter.
        own = self.base_url.rstrip("/") == vendor.base_url
        self._limit = "max_completion_tokens" if own else "max_tokens"
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

        try:
            asking = self.client.chat.completions.with_streaming_response.create(**self.request(question))
            async with asking as raw:
                body = await read_bounded(raw.iter_bytes(), self._most_bytes)
        except AnswerTooLongError:
            return TOO_LONG
        except openai.APIStatusError as error:
            refused = refusal_of(error.status_code, {"message": error.message, **_details(error)})
            if refused is None:
                raise self.error_of(error) from None
            return refused
        except Exception as error:
            raise transport_fault(error, openai.APIConnectionError) from None
        return read_answer(body.decode("utf-8", "replace"))

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

    def request(self, question: ReadQuestion) -> dict[str, Any]:
        """Return what is sent for a question, as arguments of the vendor's package."""
        messages: list[dict[str, Any]] = []
        if question.system:
            messages.append({"role": "system", "content": question.system})
        messages.append({"role": "user", "content": [_block(one) for one in question.parts]})
        request: dict[str, Any] = {
            "model": self.model,
            "messages": messages,
            self._limit: question.max_tokens or self._options.max_tokens,
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
        details = _details(error)
        code, message = details.get("code"), details.get("message") or error.message
        return status_error(error.status_code, error.response.headers, message, code, hint=self._hint)


def refusal_of(status: int, details: Mapping[str, object]) -> Answer | None:
    """Return the answer if a filter refuses the question itself; None for any other error.

    Args:
        status: The status code of HTTP.
        details: What the server says of the error.
    """
    if status == 400 and details.get("code") in _FILTERED:
        return Answer(one_line(details.get("message")), Finish.REFUSED)
    return None


def _details(error: APIStatusError) -> Mapping[str, object]:
    return error.body if isinstance(error.body, dict) else {}


def _block(part: str | ReadImage) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    return {"type": "image_url", "image_url": {"url": part.data_url}}


def read_answer(body: str) -> Answer:
    """Return the answer in the body of a chat completion.

    Raises:
        FaultError: It is none.
    """
    try:
        found = read_json(body)
    except ValueError:
        raise FaultError(f"the answer is not JSON: {one_line(body, 80)!r}") from None
    match found:
        case {"choices": [{"message": dict(message), **choice}, *_]}:
            return _answer(found, message, choice.get("finish_reason"))
        case {"error": dict(error)}:  # some servers answer 200 and put the failure inside
            raise FaultError(f"the server answered with an error: {one_line(error.get('message'))}")
    raise FaultError(f"the answer is no chat completion: {one_line(body, 80)!r}")


def _answer(found: dict[str, Any], message: dict[str, Any], reason: object) -> Answer:
    text, refusal = message.get("content"), message.get("refusal")
    finish = _FINISH.get(reason, Finish.OTHER) if isinstance(reason, str) else Finish.OTHER
    if isinstance(refusal, str) and refusal:
        text, finish = refusal, Finish.REFUSED
    if text is None and finish is not Finish.OTHER:
        text = ""  # nothing but reasoning before the most tokens were reached, or a filter
    if not isinstance(text, str):
        raise FaultError(f"the answer has no text: {one_line(json.dumps(message), 80)}")
    usage = found.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    served = found.get("model")
    return Answer(
        text,
        finish,
        tokens_in=count(usage.get("prompt_tokens")),
        tokens_out=count(usage.get("completion_tokens")),
        served=served if isinstance(served, str) else "",
    )
