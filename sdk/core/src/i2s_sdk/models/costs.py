"""The costs of calls: the list of prices, and the estimate of a run before it is made."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from i2s_sdk.errors import DataError
from i2s_sdk.files import read_file
from i2s_sdk.instances.instance import Instance
from i2s_sdk.json_text import read_toml
from i2s_sdk.models.cache import AnswerCache, question_key
from i2s_sdk.models.options import ModelOptions, public_address
from i2s_sdk.models.provider import ModelProvider
from i2s_sdk.models.question import ReadQuestion, read_question
from i2s_sdk.models.vendors import VENDORS
from i2s_sdk.own_code import is_own_code
from i2s_sdk.tasks.question import ImagePart, Question

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens, in and out."""

    per_million_in: float
    per_million_out: float

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """Return the US dollars of so many tokens."""
        return (tokens_in * self.per_million_in + tokens_out * self.per_million_out) / _MILLION


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices by name of the model, of the vendors' own servers and of others."""

    models: Mapping[str, Price]  #: prices by VENDOR/MODEL, on the vendor's own server
    servers: Mapping[str, Mapping[str, Price]] = field(default_factory=dict)  #: the same by base URL

    @classmethod
    def load(cls, path: Path | None = None) -> Prices:
        """Return the prices in a file, or the bundled ones.

        Raises:
            DataError: The file cannot be read or is not of the form of the bundled one.
        """
        if path is None:
            return _bundled()
        try:
            return cls.parse(read_file(path).decode("utf-8"))
        except ValueError as error:
            raise DataError(path, 0, f"is no list of prices: {error}") from None

    @classmethod
    def parse(cls, text: str) -> Prices:
        """Return the prices in the text of a file.

        Raises:
            ValueError: It is not of the form.
        """
        content = read_toml(text)
        unknown = sorted(set(content) - {"models", "servers"})
        if unknown:
            raise ValueError(f"no table is called {unknown[0]!r}; there are models and servers")
        servers = content.get("servers", {})
        if not isinstance(servers, dict):
            raise ValueError("servers must be a table of tables")
        return cls(
            _prices(content.get("models", {})),
            {_plain(url): _prices(table) for url, table in servers.items()},
        )

    def price(self, vendor: str, model: str, base_url: str = "") -> Price | None:
        """Return the price of a model, or None if the list does not know it.

        Args:
            vendor: Vendor, such as "openai".
            model: Model as the vendor names it.
            base_url: Address of the server; empty is the vendor's own.
        """
        own = not base_url or (vendor in VENDORS and _plain(base_url) == _plain(VENDORS[vendor].base_url))
        table = self.models if own else self.servers.get(_plain(base_url), {})
        name = f"{vendor}/{model}"
        if name in table:
            return table[name]
        fitting = [key for key in table if key.endswith("*") and name.startswith(key[:-1])]
        return table[max(fitting, key=len)] if fitting else None

    def cost(self, provider: ModelProvider, tokens_in: int | None, tokens_out: int | None) -> float | None:
        """Return the cost of a call in US dollars; None if tokens or price are not known."""
        price = self.price(provider.vendor, provider.model, provider.base_url)
        if price is None or tokens_in is None or tokens_out is None:
            return None
        return price.cost(tokens_in, tokens_out)


@cache
def _bundled() -> Prices:
    return Prices.parse(files("i2s_sdk.models").joinpath("prices.toml").read_text("utf-8"))


def _prices(table: object) -> dict[str, Price]:
    if not isinstance(table, dict):
        raise ValueError("models and each server must be a table")
    return {name: _price(name, value) for name, value in table.items()}


def _price(name: str, value: object) -> Price:
    match value:
        case {"in": int() | float() as per_in, "out": int() | float() as per_out, **rest} if not rest:
            if 0 <= per_in < math.inf and 0 <= per_out < math.inf:
                return Price(float(per_in), float(per_out))
    raise ValueError(f"{name}: must be {{ in = DOLLARS, out = DOLLARS }} for a million tokens")


def _plain(url: str) -> str:
    return url.rstrip("/").lower()


#: Bytes of a token of English text and code, as a rule of thumb.
BYTES_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimate of a run: images, calls, tokens and cost. It promises nothing."""

    images: int  #: images of all questions
    #: Calls of the model, one for each question; kept answers, oracle, baselines and replays need none.
    calls: int
    tokens_in: int  #: tokens of all calls, estimated from the length of the texts and the size of the images
    tokens_out: int  #: tokens of all calls, if every answer is as long as it may be
    #: Cost in US dollars of so many tokens at list prices, each call made once; None without a price.
    cost: float | None

    def __add__(self, other: Estimate) -> Estimate:
        """Return the sum of both."""
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
    """Return the estimate of asking a model; nothing is asked, and no key is needed.

    Args:
        model: Its name.
        questions: Each with the instance that it is asked of.
        options: Options of the calls.

    Raises:
        DataError: An image or the file of prices cannot be read.
    """
    options = options or ModelOptions()
    asked = _target(model, options)
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
    spent = price.cost(tokens_in, tokens_out) if price is not None else None
    return Estimate(images, calls, tokens_in, tokens_out, 0.0 if calls == 0 else spent)


def image_tokens(vendor: str, width: int, height: int) -> int:
    """Return about how many tokens an image is, by what the vendors publish of their own models.

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


@dataclass(slots=True)
class _Target:
    vendor: str
    model: str
    base_url: str
    parameters: dict[str, Any]


def _target(name: str, options: ModelOptions) -> _Target | None:
    """Return who would be asked; None if nobody is."""
    if name.startswith("command:"):
        return _Target("command", name.removeprefix("command:"), "", options.parameters)
    if is_own_code(name):
        return _Target("python", name, "", {})
    vendor, _, model = name.partition("/")
    if vendor in VENDORS:
        return _Target(
            vendor, model, public_address(options.base_url or VENDORS[vendor].base_url), options.parameters
        )
    if vendor in ("hf", "inspect"):
        return _Target(
            vendor,
            model,
            public_address(options.base_url or "") if vendor == "inspect" else "",
            options.parameters,
        )
    return None


def _tokens(vendor: str, question: ReadQuestion) -> int:
    words = math.ceil(len((question.system + question.transcript).encode()) / BYTES_PER_TOKEN)
    return words + sum(image_tokens(vendor, image.width, image.height) for image in question.all_images)


def _images(question: Question) -> int:
    return sum(isinstance(part, ImagePart) for part in question.parts)
