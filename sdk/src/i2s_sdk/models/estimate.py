"""What a run would ask for, before it does: pictures, calls, tokens, cost. An estimate, no promise."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from i2s_sdk.instances.images import PILLOW_PIXELS
from i2s_sdk.instances.instance import Instance
from i2s_sdk.instances.references import checked_reference
from i2s_sdk.models.cache import AnswerCache, question_key
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.prices import Prices, cost
from i2s_sdk.models.question import Question, read_question
from i2s_sdk.models.vendors import VENDORS
from i2s_sdk.tasks.prompts import Prompt

_BYTES_PER_TOKEN = 4  # of English text and code, as a rule of thumb


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would take.

    Attributes:
        images: Pictures of the run.
        calls: Of the model; answers that are kept are none, and neither are those of oracle, baseline and
            replay.
        tokens_in: Of all calls, estimated from the length of the prompts and the size of the pictures.
        tokens_out: Of all calls, if every answer is as long as it may be.
        cost: In US dollars, of so many tokens at list prices, each call made once; None where the price is
            not known.
    """

    images: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None


def estimate(
    model: str, questions: Iterable[tuple[Instance, Prompt]], options: ModelOptions | None = None
) -> Estimate:
    """Return what it would take to ask a model; nothing is asked, and no key is needed.

    Args:
        model: Its name.
        questions: Instances with their prompts.
        options: Of the calls.

    Raises:
        DataError: A picture or the file of prices cannot be read.
    """
    options = options or ModelOptions()
    asked = _asked(model, options)
    if asked is None:
        return Estimate(sum(1 for _ in questions), 0, 0, 0, 0.0)
    kept = AnswerCache(options.cache if asked.vendor in (*VENDORS, "inspect") else None)
    images = calls = tokens_in = 0
    for instance, prompt in questions:
        images += 1
        question = read_question(instance, prompt)
        if kept.get(question_key(asked, question)) is None:
            calls += 1
            tokens_in += _tokens(asked.vendor, question)
    tokens_out = calls * options.max_tokens
    price = Prices.load(options.prices).price(asked.vendor, asked.model, asked.base_url)
    spent = cost(price, tokens_in, tokens_out) if price is not None else None
    return Estimate(images, calls, tokens_in, tokens_out, 0.0 if calls == 0 else spent)


def image_tokens(vendor: str, width: int, height: int) -> int:
    """Return about how many tokens a picture is, by what the vendors publish of their own models.

    Args:
        vendor: Of the model; for an unknown one, patches of 28 pixels are counted.
        width: In pixels.
        height: In pixels.
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
    """Return who would be asked; None where nobody is."""
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


def _tokens(vendor: str, question: Question) -> int:
    picture = checked_reference(question.path, question.image, PILLOW_PIXELS)
    words = math.ceil(len(question.text.encode()) / _BYTES_PER_TOKEN)
    return words + image_tokens(vendor, picture.width, picture.height)
