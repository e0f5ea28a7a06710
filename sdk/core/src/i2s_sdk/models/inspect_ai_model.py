"""Any model that inspect_ai knows, under the name that it has there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from i2s_sdk.errors import require_package
from i2s_sdk.models.completion import ModelAccessError
from i2s_sdk.models.model import Finish
from i2s_sdk.models.openai_chat import read_completion
from i2s_sdk.models.options import ModelOptions, public_address
from i2s_sdk.models.provider import Answer, FaultError, one_line, with_reasoning
from i2s_sdk.models.question import ReadQuestion
from i2s_sdk.models.vendors import (
    ClientProvider,
    HttpFailure,
    require_temperature_or_top_p,
    retry_after,
    server_words,
)

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, Content, GenerateConfig, Model, ModelOutput, ResponseSchema


def response_schema(schema: Mapping[str, object]) -> ResponseSchema:
    """Return the schema of an answer for inspect_ai.

    Raises:
        ModelAccessError: The schema has something that inspect_ai does not pass on.
    """
    from inspect_ai.model import ResponseSchema
    from inspect_ai.util import JSONSchema

    plain = {name: value for name, value in schema.items() if name != "$schema"}
    try:
        json_schema = JSONSchema.model_validate(plain)
    except ValueError:  # pydantic's
        json_schema = None
    if json_schema is None or json_schema.model_dump(exclude_unset=True) != plain:
        raise ModelAccessError(
            "inspect_ai passes on simple JSON Schemas alone, without $ref, $defs, oneOf, const and others; "
            "ask for JSON by the text of the question, as with --set sobench_mode=fenced"
        )
    return ResponseSchema(name="answer", json_schema=json_schema)


#: The chat completions that servers have sent to the call of the running task, as they sent them. inspect_ai
#: leaves errors within a choice out of its own form of them, and lists of parts it writes as Python does.
_COMPLETIONS: ContextVar[list[dict[str, Any]]] = ContextVar("completions")

_ANTHROPIC = "anthropic/"  # the vendor who advises images before texts, as inspect_ai names it

#: Providers of inspect_ai that send further fields to a server of OpenAI's protocol, such as vLLM or SGLang.
_WITH_EXTRA_BODY = ("openai-api/", "vllm/", "sglang/")

_FINISH = {
    "stop": Finish.STOP,
    "max_tokens": Finish.LENGTH,
    "model_length": Finish.LENGTH,
    "content_filter": Finish.REFUSED,
}


class InspectModel(ClientProvider["Model"]):
    """Asks a model through inspect_ai, which has the key from the environment as its own documentation says.

    Args:
        model: PROVIDER/NAME, as inspect_ai has it.
        options: Options of the calls.

    Raises:
        UsageError: The package is missing, or the model takes no such options.
    """

    vendor = "inspect"

    def __init__(self, model: str, options: ModelOptions) -> None:
        if model.startswith(_ANTHROPIC):
            require_temperature_or_top_p(f"inspect/{model}", options)
        require_package("inspect_ai", "inspect", f"model {'inspect/' + model!r}")
        super().__init__(model, options)
        self.base_url = public_address(options.base_url or "")

    def open_client(self) -> Model:
        """Return the model of inspect_ai.

        Raises:
            ModelAccessError: inspect_ai knows no such model, or its key or package is missing.
        """
        from inspect_ai.model import GenerateConfig, get_model

        config = GenerateConfig(
            max_retries=0,
            max_tokens=self.options.max_tokens,
            max_connections=self.options.concurrency,
        )
        base_url = self.options.base_url
        # A server of OpenAI's protocol that is not OpenAI's has chat completions, and seldom responses.
        only_chat: dict[str, Any] = (
            {"responses_api": False} if base_url and self.model.startswith("openai/") else {}
        )
        try:
            model = get_model(self.model, config=config, base_url=base_url, memoize=False, **only_chat)
        except Exception as error:
            raise ModelAccessError(f"inspect_ai cannot open {self.model!r}: {one_line(error)}") from None
        # The vendors' packages beneath make retries of their own, which inspect_ai does not turn off.
        client: Any = getattr(model.api, "client", None)
        if hasattr(client, "max_retries"):
            client.max_retries = 0
        api: Any = model.api
        if hasattr(api, "on_response"):  # the providers of OpenAI's protocol
            api.on_response = _noting(api.on_response)
        return model

    async def close_client(self, client: Model) -> None:
        """Close the connections of a model."""
        await client.api.aclose()

    async def answer(self, question: ReadQuestion) -> Answer:
        """Return the answer to a question; see ``ClientProvider``.

        Raises:
            ModelAccessError: inspect_ai cannot open the model, or the question wants JSON by a schema that
                inspect_ai does not pass on.
        """
        model, config = self.clients.get(), self._config(question)
        completions: list[dict[str, Any]] = []
        token = _COMPLETIONS.set(completions)
        try:
            output = await model.generate(_messages(question, self.model), config=config)
        except Exception:
            if completions:  # inspect_ai cannot read it
                return read_completion(completions[-1])
            raise
        finally:
            _COMPLETIONS.reset(token)
        return read_completion(completions[-1]) if completions else _answer(output)

    def _config(self, question: ReadQuestion) -> GenerateConfig:
        from inspect_ai.model import GenerateConfig

        schema = None if question.json_schema is None else response_schema(question.json_schema)
        sampling = self.options.sampling(question.sampling)
        extra = self.model.startswith(_WITH_EXTRA_BODY)
        further = sampling.values("top_k", "repetition_penalty") if extra else {}
        both = sampling.temperature is not None and self.model.startswith(_ANTHROPIC)
        return GenerateConfig(
            max_tokens=question.max_tokens,
            response_schema=schema,
            temperature=sampling.temperature,
            top_p=None if both else sampling.top_p,  # newer models refuse the two together
            top_k=None if extra else sampling.top_k,
            extra_body={**further, **self.options.extra_body} or None,
            seed=self.options.seed,
            stop_seqs=list(self.options.stop) or None,
            reasoning_effort=self.options.reasoning_effort or None,
        )

    def http_failure(self, error: Exception) -> HttpFailure | None:
        """Return the response that an exception of the package of whichever vendor stands for."""
        status = getattr(error, "status_code", None) or getattr(error, "code", None)
        if not isinstance(status, int):
            return None
        # inspect_ai puts the whole request before the words of the server.
        said = getattr(error, "provider_message", error)
        return HttpFailure(
            status, server_words(getattr(error.__cause__, "body", None), said), _headers(error)
        )

    def error_of(self, error: Exception) -> Exception:
        """Return the error of an attempt; an exception that is not known is a fault of the server."""
        known = super().error_of(error)
        if known is not error:
            return known
        return FaultError(f"{type(error).__name__}: {one_line(error)}", retry_after(_headers(error)))


def _headers(error: Exception) -> Mapping[str, str]:
    headers: Mapping[str, str] = getattr(getattr(error, "response", None), "headers", {})
    return headers


def _noting(on_response: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    """Return a listener that notes the chat completions that a server has sent, and calls another one."""

    def note(response: dict[str, Any]) -> None:
        match response:
            case {"choices": [{"message": _}, *_]} | {"error": dict()}:
                _COMPLETIONS.get().append(response)
        on_response(response)

    return note


def _answer(output: ModelOutput) -> Answer:
    """Return the answer in the output of inspect_ai.

    Raises:
        FaultError: There is none.
    """
    if output.error:
        raise FaultError(one_line(output.error))
    if not output.choices:
        raise FaultError("the answer has no choice")
    usage, message = output.usage, output.message
    parts = message.content if isinstance(message.content, list) else []
    thoughts = [part for part in parts if part.type == "reasoning"]
    answer = Answer(
        output.completion,
        _FINISH.get(output.stop_reason, Finish.OTHER),
        tokens_in=usage.input_tokens if usage else None,
        tokens_out=usage.output_tokens if usage else None,
        served=output.model,
    )
    return with_reasoning(
        answer,
        "\n".join(thought.reasoning for thought in thoughts if not thought.redacted),
        hidden=bool(thoughts or (usage and usage.reasoning_tokens)),
        tools=[tool_call.function for tool_call in message.tool_calls or []],
    )


def _messages(question: ReadQuestion, model: str) -> list[ChatMessage]:
    from inspect_ai.model import (
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageUser,
        ContentImage,
        ContentText,
    )

    messages: list[ChatMessage] = [ChatMessageSystem(content=question.system)] if question.system else []
    for message in question.messages_images_first if model.startswith(_ANTHROPIC) else question.messages:
        content: list[Content] = [
            ContentText(text=part) if isinstance(part, str) else ContentImage(image=part.data_url)
            for part in message.parts
        ]
        if message.role == "user":
            messages.append(ChatMessageUser(content=content))
        else:
            messages.append(ChatMessageAssistant(content=content))
    return messages
