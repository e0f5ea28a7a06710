"""What a run would ask for, before it does: images, calls, tokens, cost. An estimate, no promise."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.cache import AnswerCache, question_key
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.prices import Prices, cost
from i2s_sdk.models.question import ReadQuestion, read_question
from i2s_sdk.models.vendors import VENDORS
from i2s_sdk.tasks.question import ImagePart, Question

_BYTES_PER_TOKEN = 4  # of English text and code, as a rule of thumb


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would take.

    Attributes:
        images: Images of all questions.
        calls: Calls of the model, one for each question; answers that are kept are none, and neither are
            those of oracle, baseline and replay.
        tokens_in: Tokens of all calls, estimated from the length of the texts and the size of the images.
        tokens_out: Tokens of all calls, if every answer is as long as it may be.
        cost: Cost in US dollars, of so many tokens at list prices, each call made once; None if the price
            is not known.
    """

    images: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None

    def __add__(self, other: Estimate) -> Estimate:
        """Return what both take together."""
        return Estimate(
            self.images + other.images,
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            None if self.cost is None or other.cost is None else self.cost + other.cost,
        )


def estimate(
    model: str, questions: Iterable[tuple[Instance, Question]], options: ModelOptions | None = None
) -> Estimate:
    """Return what it would take to ask a model; nothing is asked, and no key is needed.

    Args:
        model: Its name.
        questions: Each with the instance that it is asked of.
        options: Options of the calls.

    Raises:
        DataError: An image or the file of prices cannot be read.
    """
    options = options or ModelOptions()
    asked = _asked(model, options)
    if asked is None:
        return Estimate(sum(_images(question) for _, question in questions), 0, 0, 0, 0.0)
    kept = AnswerCache(options.cache if asked.vendor in (*VENDORS, "inspect") else None)
    images = calls = tokens_in = tokens_out = 0
    for instance, question in questions:
        images += _images(question)
        read = read_question(instance, question)
        if read.sampling is not None:
            read = replace(read, sampling=options.sampling(read.sampling))
        if kept.get(question_key(asked, read)) is None:
            calls += 1
            tokens_in += _tokens(asked.vendor, read)
            tokens_out += question.max_tokens or options.max_tokens
    price = Prices.load(options.prices).price(asked.vendor, asked.model, asked.base_url)
    spent = cost(price, tokens_in, tokens_out) if price is not None else None
    return Estimate(images, calls, tokens_in, tokens_out, 0.0 if calls == 0 else spent)


def image_tokens(vendor: str, width: int, height: int) -> int:
    """Return about how many tokens a picture is, by what the vendors publish of their own models.

    Args:
        vendor: Vendor of the model; for an unknown one, patches of 28 pixels are counted.
        width: Width in pixels.
        height: Height in pixels.
    """
    match vendor:
        case "openai":  # tiles of 512, after the shorter side became at most 768
            scale = min(1.0, 2048 / max(width, height))
            scale *= min(1.0, 768 / (min(width, height) * scale))
            return 85 + 170 * math.ceil(width * scale / 512) * math.ceil(height * scale / 512)
        case "anthropic":
            scale = min(1.0, 1568 / max(width, height))
            return math.ceil(width * scale * height * scale / 750)
        case "google":
            small = max(width, height) <= 384
            return 258 * (1 if small else math.ceil(width / 768) * math.ceil(height / 768))
    return math.ceil(width / 28) * math.ceil(height / 28)


@dataclass(frozen=True, slots=True)
class _Asked:
    vendor: str
    model: str
    base_url: str
    parameters: dict[str, float | int | str | None]


def _asked(name: str, options: ModelOptions) -> _Asked | None:
    """Return who would be asked; None if nobody is."""
    if name.startswith("command:"):
        return _Asked("command", name.removeprefix("command:"), "", options.parameters)
    vendor, _, model = name.partition("/")
    if vendor in VENDORS:
        return _Asked(vendor, model, options.base_url or VENDORS[vendor].base_url, options.parameters)
    if vendor in ("hf", "inspect"):
        return _Asked(
            vendor, model, (options.base_url or "") if vendor == "inspect" else "", options.parameters
        )
    return None


def _tokens(vendor: str, question: ReadQuestion) -> int:
    words = math.ceil(len((question.system + question.text).encode()) / _BYTES_PER_TOKEN)
    return words + sum(image_tokens(vendor, one.width, one.height) for one in question.images)


def _images(question: Question) -> int:
    return sum(isinstance(one, ImagePart) for one in question.parts)
