"""Models that are asked by Google's generateContent.

Source of the protocol: Gemini API reference, "Generating content".
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from i2s_sdk.models.http_status import server_words, status_error, transport_fault
from i2s_sdk.models.model import Finish
from i2s_sdk.models.openai_chat import STREAMED, is_event_stream
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.provider import (
    Answer,
    FaultError,
    Provider,
    RejectedError,
    count,
    one_line,
    require_whole,
    with_reasoning,
)
from i2s_sdk.models.question import ReadImage, ReadQuestion
from i2s_sdk.models.vendors import VENDORS, PerLoop, address_and_key, key_hint, require_package

if TYPE_CHECKING:
    from google.genai import Client
    from google.genai.errors import APIError
    from google.genai.types import GenerateContentConfig, GenerateContentResponse, Part

VENDOR = "google"

_FINISH = {"STOP": Finish.STOP, "MAX_TOKENS": Finish.LENGTH}
_REFUSED = frozenset(
    {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "MODEL_ARMOR"}
)
#: Reasons for which an answer ends with a call of a tool that the model was not given.
_TOOL_CALLS = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"})
_DELAY = re.compile(r"(\d+(?:\.\d+)?)s")


class GoogleGenAI(Provider):
    """Asks a model by generateContent.

    Args:
        model: Its name, as the vendor has it.
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
        self.parameters = options.parameters
        self._clients: PerLoop[Client] = PerLoop(self._client, lambda client: client.aio.aclose())

    async def ask(self, question: ReadQuestion) -> Answer:
        """Make one attempt.

        Raises:
            AttemptError: There is no answer.
            ModelAccessError: There will never be one.
        """
        from google.genai import errors, types

        client = self._clients.get()
        message = types.Content(role="user", parts=[_part(one) for one in question.parts])
        try:
            response = await client.aio.models.generate_content(
                model=self.model, contents=[message], config=self._config(question)
            )
        except errors.APIError as error:
            words = server_words(error.details, error.message or error.status)
            raise status_error(error.code, _headers(error), words, hint=self._hint) from None
        except (
            errors.UnknownApiResponseError,
            ValueError,
            AttributeError,
            TypeError,
            RecursionError,
        ) as error:
            # The package reads what is no answer of its server with one or another of these.
            if isinstance(error, json.JSONDecodeError) and is_event_stream(error.doc):
                raise RejectedError(STREAMED) from None
            raise FaultError(f"the answer is not what it should be: {one_line(error, 120)}") from None
        except Exception as error:
            raise transport_fault(error) from None
        return read_answer(response)

    async def close(self) -> None:
        """Close the connections."""
        await self._clients.close()

    def _client(self) -> Client:
        from google.genai import Client
        from google.genai.types import HttpOptions, HttpRetryOptions

        http = HttpOptions(
            base_url=self.base_url,
            timeout=int(self._options.longest_attempt_seconds * 1000),
            retry_options=HttpRetryOptions(attempts=1),  # retries are made in one place
            extra_body=dict(self._options.extra_body) or None,
        )
        return Client(api_key=self._key, vertexai=False, http_options=http)

    def _config(self, question: ReadQuestion) -> GenerateContentConfig:
        from google.genai.types import GenerateContentConfig, ThinkingConfig, ThinkingLevel

        schema, sampling = question.json_schema, self._options.sampling(question.sampling)
        effort = self._options.reasoning_effort.upper()
        return GenerateContentConfig(
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            top_k=sampling.top_k,
            max_output_tokens=question.max_tokens or self._options.max_tokens,
            candidate_count=1,
            seed=self._options.seed,
            stop_sequences=list(self._options.stop) or None,
            thinking_config=ThinkingConfig(thinking_level=ThinkingLevel(effort)) if effort else None,
            system_instruction=question.system or None,
            response_mime_type=None if schema is None else "application/json",
            response_json_schema=None if schema is None else dict(schema),
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
            for one in details:
                match one:
                    case {"retryDelay": str(delay)} if found := _DELAY.fullmatch(delay):
                        return {"retry-after": found[1]}
    return {}
