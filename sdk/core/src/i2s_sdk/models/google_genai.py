"""Models that are asked by Google's generateContent.

Source of the protocol: Gemini API reference, "Generating content".
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from i2s_sdk.models.model import Finish
from i2s_sdk.models.provider import (
    Answer,
    FaultError,
    RejectedError,
    count,
    one_line,
    require_whole,
    with_reasoning,
)
from i2s_sdk.models.question import ReadImage, ReadQuestion
from i2s_sdk.models.vendors import STREAMED, HttpFailure, VendorProvider, is_event_stream, server_words

if TYPE_CHECKING:
    from google.genai import Client
    from google.genai.errors import APIError
    from google.genai.types import GenerateContentConfig, GenerateContentResponse, Part

_FINISH = {"STOP": Finish.STOP, "MAX_TOKENS": Finish.LENGTH}
_REFUSED = frozenset(
    {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "MODEL_ARMOR"}
)
#: Reasons for which an answer ends with a call of a tool that the model was not given.
_TOOL_CALLS = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"})
_DELAY = re.compile(r"(\d+(?:\.\d+)?)s")


class GoogleGenAI(VendorProvider["Client"]):
    """Asks a model by generateContent; see ``VendorProvider``."""

    vendor = "google"

    def open_client(self) -> Client:
        """Return a client of Google's package."""
        from google.genai import Client
        from google.genai.types import HttpOptions, HttpRetryOptions

        http = HttpOptions(
            base_url=self.address,
            timeout=int(self.options.longest_attempt_seconds * 1000),
            retry_options=HttpRetryOptions(attempts=1),
            extra_body=dict(self.options.extra_body) or None,
        )
        return Client(api_key=self.key, vertexai=False, http_options=http)

    async def close_client(self, client: Client) -> None:
        """Close the connections of a client."""
        await client.aio.aclose()

    async def answer(self, question: ReadQuestion) -> Answer:
        """Return the answer to a question; see ``ClientProvider``."""
        from google.genai import errors

        client, request = self.clients.get(), self.request(question)
        try:
            response = await client.aio.models.generate_content(**request)
        except (
            errors.UnknownApiResponseError,
            ValueError,
            AttributeError,
            TypeError,
            RecursionError,
        ) as error:
            # The package raises one or another of these at a body that is not an answer of its server.
            if isinstance(error, json.JSONDecodeError) and is_event_stream(error.doc):
                raise RejectedError(STREAMED) from None
            raise FaultError(f"the answer is not what it should be: {one_line(error, 120)}") from None
        return read_answer(response)

    def request(self, question: ReadQuestion) -> dict[str, Any]:
        """Return the request of a question, as arguments of the vendor's package."""
        from google.genai.types import Content

        roles = {"user": "user", "assistant": "model"}
        contents = [
            Content(role=roles[message.role], parts=[_part(part) for part in message.parts])
            for message in question.messages
        ]
        return {"model": self.model, "contents": contents, "config": self._config(question)}

    def _config(self, question: ReadQuestion) -> GenerateContentConfig:
        from google.genai.types import GenerateContentConfig, ThinkingConfig, ThinkingLevel

        schema, sampling = question.json_schema, self.options.sampling(question.sampling)
        effort = self.options.reasoning_effort.upper()
        return GenerateContentConfig(
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            top_k=sampling.top_k,
            max_output_tokens=question.max_tokens or self.options.max_tokens,
            candidate_count=1,
            seed=self.options.seed,
            stop_sequences=list(self.options.stop) or None,
            thinking_config=ThinkingConfig(thinking_level=ThinkingLevel(effort)) if effort else None,
            system_instruction=question.system or None,
            response_mime_type=None if schema is None else "application/json",
            response_json_schema=None if schema is None else dict(schema),
        )

    def http_failure(self, error: Exception) -> HttpFailure | None:
        """Return the response that an exception of Google's package stands for."""
        from google.genai.errors import APIError

        if not isinstance(error, APIError):
            return None
        return HttpFailure(
            error.code, server_words(error.details, error.message or error.status), _headers(error)
        )


def _part(part: str | ReadImage) -> Part:
    from google.genai.types import Part

    if isinstance(part, str):
        return Part.from_text(text=part)
    return Part.from_bytes(data=part.content, mime_type=part.media_type)


def read_answer(response: GenerateContentResponse) -> Answer:
    """Return the answer in a response.

    Raises:
        FaultError: There is none, or the server failed within it.
    """
    usage = response.usage_metadata
    said = [usage.candidates_token_count, usage.thoughts_token_count] if usage else []
    tokens = [number for number in said if number is not None]
    tokens_in = count(usage.prompt_token_count) if usage else None
    served = response.model_version or ""
    blocked = response.prompt_feedback.block_reason if response.prompt_feedback else None
    if blocked is not None:
        return Answer(str(blocked.value), Finish.REFUSED, tokens_in, sum(tokens) if tokens else None, served)
    if not response.candidates:
        raise FaultError("the answer has no candidate")
    candidate = response.candidates[0]
    reason = str(candidate.finish_reason.value) if candidate.finish_reason else ""
    parts = (candidate.content.parts if candidate.content else None) or []
    require_whole(reason)
    text = "".join(part.text for part in parts if part.text and not part.thought)
    thoughts = "".join(part.text for part in parts if part.text and part.thought)
    called = [part.function_call.name or "" for part in parts if part.function_call]
    if not called and reason in _TOOL_CALLS:  # one that the server could not read, or would not show
        called = [""]
    finish = Finish.REFUSED if reason in _REFUSED else _FINISH.get(reason, Finish.OTHER)
    answer = with_reasoning(
        Answer(
            text or (reason if finish is Finish.REFUSED else ""),
            finish,
            tokens_in,
            sum(tokens) if tokens else None,
            served,
        ),
        thoughts,
        hidden=bool(usage and usage.thoughts_token_count),
        tools=called,
    )
    if finish is Finish.OTHER and not text and answer.no_answer is None:
        raise FaultError(f"the answer has no text; it ended with {reason or 'nothing'}")
    return answer


def _headers(error: APIError) -> Mapping[str, str]:
    """Return when to come back: the header, else what the details say (google.rpc.RetryInfo)."""
    headers = {name.lower(): value for name, value in getattr(error.response, "headers", {}).items()}
    if "retry-after" in headers:
        return headers
    match error.details:
        case {"error": {"details": list(details)}}:
            for detail in details:
                match detail:
                    case {"retryDelay": str(delay)} if seconds := _DELAY.fullmatch(delay):
                        return {"retry-after": seconds[1]}
    return {}
