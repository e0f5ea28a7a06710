"""Models of Hugging Face, run on this machine by transformers."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from i2s_sdk.errors import require_package
from i2s_sdk.instances.images import PILLOW_PIXELS, decode_image
from i2s_sdk.models.completion import ModelAccessError
from i2s_sdk.models.model import Finish
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.provider import Answer, ModelProvider, one_line
from i2s_sdk.models.question import ReadQuestion, refuse_schema
from i2s_sdk.tasks.question import Sampling


class HuggingFaceModel(ModelProvider):
    """Runs an image-text-to-text model, one question at a time, on a GPU if torch sees one.

    The model is loaded at the first question. ``temperature`` 0 and None are greedy.

    Args:
        model: Name on the hub, or a folder.
        options: Options of the calls.

    Raises:
        UsageError: A package is missing.
    """

    vendor = "hf"
    decoding = frozenset({"top_p"})
    concurrency = 1
    repeatable = False  # the weights behind a name or in a folder may change

    def __init__(self, model: str, options: ModelOptions) -> None:
        for package in ("transformers", "torch"):
            require_package(package, "hf", f"model {'hf/' + model!r}")
        self.model, self._options = model, options
        self.parameters = options.parameters
        self._one_at_a_time = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    async def ask(self, question: ReadQuestion) -> Answer:
        """Generate an answer.

        Raises:
            ModelAccessError: The model cannot be loaded, or the question wants JSON by a schema.
        """
        refuse_schema(question, f"hf/{self.model}")
        return await asyncio.to_thread(self._answer, question)

    async def close(self) -> None:
        """Release the weights."""
        self._loaded = None

    def _answer(self, question: ReadQuestion) -> Answer:
        with self._one_at_a_time:
            self._loaded = self._loaded or self._load()
            processor, model = self._loaded
            most_tokens = question.max_tokens or self._options.max_tokens
            inputs = processor.apply_chat_template(
                _messages(question),
                add_generation_prompt=True,
                tokenize=True,
                return_dict=True,
                return_tensors="pt",
            ).to(model.device, dtype=model.dtype)
            output = model.generate(**inputs, **_how(self._options.sampling(question.sampling), most_tokens))
            given = int(inputs["input_ids"].shape[1])
            said = output[0][given:].tolist()
            text = processor.decode(said, skip_special_tokens=True)
            ends = model.generation_config.eos_token_id
        ended = bool(said) and said[-1] in (ends if isinstance(ends, list) else [ends])
        cut_off = len(said) >= most_tokens and not ended
        return Answer(text, Finish.LENGTH if cut_off else Finish.STOP, given, len(said), served=self.model)

    def _load(self) -> tuple[Any, Any]:
        import transformers

        untyped: Any = transformers
        try:
            processor = untyped.AutoProcessor.from_pretrained(self.model)
            model = untyped.AutoModelForImageTextToText.from_pretrained(self.model, dtype="auto")
        except (
            OSError,
            ValueError,
            ImportError,
        ) as error:  # what transformers raises for all that is missing
            raise ModelAccessError(f"hf/{self.model} cannot be loaded: {one_line(error)}") from None
        model.to("cuda" if untyped.utils.is_torch_cuda_available() else "cpu")
        return processor, model.eval()


def _how(sampling: Sampling, most_tokens: int) -> dict[str, Any]:
    """Return the arguments of ``generate``: greedy without a temperature above 0."""
    how: dict[str, Any] = {"max_new_tokens": most_tokens, "do_sample": False}
    if sampling.temperature:
        how |= {"do_sample": True, **sampling.values("temperature", "top_p", "top_k")}
    return how | sampling.values("repetition_penalty")


def _messages(question: ReadQuestion) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    if question.system:
        messages.append({"role": "system", "content": [{"type": "text", "text": question.system}]})
    for message in question.messages:
        content: list[dict[str, Any]] = []
        for part in message.parts:
            if isinstance(part, str):
                content.append({"type": "text", "text": part})
            else:
                image = decode_image(part.content, PILLOW_PIXELS).convert("RGB")
                content.append({"type": "image", "image": image})
        messages.append({"role": message.role, "content": content})
    return messages
