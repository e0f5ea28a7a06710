"""Any model that inspect_ai knows, under the name that it has there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from i2s_sdk.models.decoding import FLAGS, require_one_of_two
from i2s_sdk.models.errors import ModelAccessError
from i2s_sdk.models.http_status import retry_after, status_error, transport_fault
from i2s_sdk.models.inspect_schema import response_schema
from i2s_sdk.models.model import Finish
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.per_loop import PerLoop
from i2s_sdk.models.provider import Answer, FaultError, one_line
from i2s_sdk.models.question import ReadQuestion
from i2s_sdk.models.vendors import require_package

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, Content, GenerateConfig, Model

_ANTHROPIC = "anthropic/"  # the vendor who advises images before texts, as inspect_ai names it

#: Providers of inspect_ai that send further fields to a server of OpenAI's protocol, such as vLLM or SGLang.
_WITH_EXTRA_BODY = ("openai-api/", "vllm/", "sglang/")

_FINISH = {
    "stop": Finish.STOP,
    "max_tokens": Finish.LENGTH,
    "model_length": Finish.LENGTH,
    "content_filter": Finish.REFUSED,
}


class InspectModel:
    """Asks a model through inspect_ai, which has the key from the environment as its own documentation says.

    Args:
        model: PROVIDER/NAME, as inspect_ai has it.
        options: Options of the calls.

    Raises:
        UsageError: The package is missing, or the model takes no such options.
    """

    vendor = "inspect"
    repeatable = True
    decoding = frozenset(FLAGS)

    def __init__(self, model: str, options: ModelOptions) -> None:
        if model.startswith(_ANTHROPIC):
            require_one_of_two(f"inspect/{model}", options)
        require_package("inspect_ai", "inspect", f"inspect/{model}")
        self.model, self._options = model, options
        self.base_url = options.base_url or ""
        self.parameters = options.parameters
        self._models: PerLoop[Model] = PerLoop(self._open, lambda model: model.api.aclose())

    async def ask(self, question: ReadQuestion) -> Answer:
        """Make one attempt.

        Raises:
            AttemptError: There is no answer.
            ModelAccessError: inspect_ai knows no such model, its key or package is missing, or the question
                wants JSON by a schema that inspect_ai does not pass on.
        """
        model, config = self._models.get(), self._config(question)
        try:
            output = await model.generate(_messages(question, self.model), config=config)
        except Exception as error:
            raise _ended(error) from None
        if output.error:
            raise FaultError(one_line(output.error))
        if not output.choices:
            raise FaultError("the answer has no choice")
        usage = output.usage
        return Answer(
            output.completion,
            _FINISH.get(output.stop_reason, Finish.OTHER),
            tokens_in=usage.input_tokens if usage else None,
            tokens_out=usage.output_tokens if usage else None,
            served=output.model,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._models.close()

    def _config(self, question: ReadQuestion) -> GenerateConfig:
        from inspect_ai.model import GenerateConfig

        schema = None if question.json_schema is None else response_schema(question.json_schema)
        sampling = self._options.sampling(question.sampling)
        extra = self.model.startswith(_WITH_EXTRA_BODY)
        further = sampling.values("top_k", "repetition_penalty") if extra else {}
        both = sampling.temperature is not None and self.model.startswith(_ANTHROPIC)
        return GenerateConfig(
            max_tokens=question.max_tokens,
            response_schema=schema,
            temperature=sampling.temperature,
            top_p=None if both else sampling.top_p,  # newer models refuse the two together
            top_k=None if extra else sampling.top_k,
            extra_body={**further, **self._options.extra_body} or None,
            seed=self._options.seed,
            stop_seqs=list(self._options.stop) or None,
            reasoning_effort=self._options.reasoning_effort or None,
        )

    def _open(self) -> Model:
        from inspect_ai.model import GenerateConfig, get_model

        config = GenerateConfig(
            max_retries=0,  # retries are made in one place
            max_tokens=self._options.max_tokens,
            max_connections=self._options.concurrency,
        )
        try:
            model = get_model(self.model, config=config, base_url=self._options.base_url, memoize=False)
        except Exception as error:
            raise ModelAccessError(f"inspect_ai cannot open {self.model!r}: {one_line(error)}") from None
        # The vendors' packages beneath make retries of their own, which inspect_ai does not turn off.
        client: Any = getattr(model.api, "client", None)
        if hasattr(client, "max_retries"):
            client.max_retries = 0
        return model


def _messages(question: ReadQuestion, model: str) -> list[ChatMessage]:
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ContentImage, ContentText

    content: list[Content] = [
        ContentText(text=one) if isinstance(one, str) else ContentImage(image=one.data_url)
        for one in (question.parts_images_first if model.startswith(_ANTHROPIC) else question.parts)
    ]
    message = ChatMessageUser(content=content)
    return [ChatMessageSystem(content=question.system), message] if question.system else [message]


def _ended(error: Exception) -> Exception:
    """Return how an attempt ended, from what the package of whichever vendor raised."""
    status = getattr(error, "status_code", None) or getattr(error, "code", None)
    headers = getattr(getattr(error, "response", None), "headers", {})
    if isinstance(status, int):
        return status_error(status, headers, error)
    known = transport_fault(error)
    if known is not error:
        return known
    return FaultError(f"{type(error).__name__}: {one_line(error)}", retry_after(headers))
