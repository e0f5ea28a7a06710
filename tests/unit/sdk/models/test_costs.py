"""What calls cost, and what nobody knows."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from i2s_sdk.data import Instance
from i2s_sdk.errors import DataError
from i2s_sdk.models import ModelOptions, estimate
from i2s_sdk.models.cache import AnswerCache, question_key
from i2s_sdk.models.costs import Price, Prices, image_tokens
from i2s_sdk.models.model import Finish
from i2s_sdk.models.openai_chat import OpenAIChat
from i2s_sdk.models.provider import Answer
from i2s_sdk.models.question import read_question
from i2s_sdk.models.vendors import VENDORS
from i2s_sdk.tasks.question import ImagePart, Question, TextPart
from questions import question_of


class _Who:
    vendor, model, base_url, repeatable = "openai", "gpt-4o", VENDORS["openai"].base_url, True
    parameters: dict[str, float | int | str | None] = {}  # noqa: RUF012


def test_dollars_are_for_a_million_tokens() -> None:
    assert Price(2.0, 8.0).cost(1_000_000, 500_000) == 6.0


def test_the_bundled_list_knows_models_of_the_vendors_by_whole_names() -> None:
    prices = Prices.load()
    assert prices.price("openai", "gpt-4o") == Price(2.5, 10.0)
    assert prices.price("openai", "gpt-4o", "https://api.openai.com/v1/") == Price(2.5, 10.0)
    assert prices.price("openai", "gpt-4o-that-is-new") is None
    assert prices.price("anthropic", "claude-3-5-sonnet-20241022") == Price(3.0, 15.0)


def test_the_same_name_on_another_server_has_no_known_price() -> None:
    assert Prices.load().price("openai", "gpt-4o", "http://127.0.0.1:8000/v1") is None


def test_what_is_not_known_is_not_free() -> None:
    prices, who = Prices.load(), _Who()
    assert prices.cost(who, 1000, 100) == pytest.approx(0.0035, abs=0)  # type: ignore[arg-type]
    assert prices.cost(who, None, 100) is None  # type: ignore[arg-type]
    assert prices.cost(who, 1000, None) is None  # type: ignore[arg-type]
    assert Prices({}).cost(who, 1, 1) is None  # type: ignore[arg-type]


def test_a_file_of_ones_own_replaces_the_list(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(
        '[models]\n"openai/a*" = { in = 1, out = 2 }\n"openai/ab*" = { in = 3.0, out = 4.0 }\n'
        '[servers."http://HOST:1/v1/"]\n"openai/gpt-4o" = { in = 0, out = 0 }\n'
    )
    prices = Prices.load(file)
    assert prices.price("openai", "abc") == Price(3.0, 4.0)
    assert prices.price("openai", "a") == Price(1.0, 2.0)
    assert prices.price("openai", "gpt-4o") is None
    assert prices.price("openai", "gpt-4o", "http://host:1/v1") == Price(0.0, 0.0)


@pytest.mark.parametrize(
    "text",
    ["[model]", '[models]\n"a/b" = 7', '[models]\n"a/b" = { in = -1, out = 1 }', "[models", 'servers = "x"',
     '[models]\n"a/b" = { in = nan, out = 1 }'],
)  # fmt: skip
def test_a_file_that_is_no_list_is_told(tmp_path: Path, text: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(DataError, match=r"prices\.toml: is no list of prices"):
        Prices.load(file)
    with pytest.raises(DataError, match="cannot be read"):
        Prices.load(tmp_path / "none.toml")


@pytest.fixture
def questions(tmp_path: Path) -> list[tuple[Instance, Question]]:
    found = []
    for index in range(3):
        Image.new("RGB", (512, 512), (index, 0, 0)).save(tmp_path / f"{index}.png")
        instance = Instance(str(index), "latex", "plot", tmp_path / f"{index}.png")
        found.append((instance, question_of(instance, "a" * 40)))
    return found


def test_calls_tokens_and_cost_are_counted_without_a_key(
    questions: list[tuple[Instance, Question]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    found = estimate("openai/gpt-4o", questions, ModelOptions(cache=None, max_tokens=100))
    assert (found.images, found.calls) == (3, 3)
    assert found.tokens_in == 3 * (10 + 85 + 170)
    assert found.tokens_out == 300
    assert found.cost == pytest.approx((found.tokens_in * 2.5 + 300 * 10.0) / 1e6, abs=0)


def test_every_text_and_image_and_the_most_tokens_of_each_question_are_counted(tmp_path: Path) -> None:
    Image.new("RGB", (512, 512)).save(tmp_path / "a.png")
    image = ImagePart(tmp_path / "a.png")
    instance = Instance("a", "latex", "plot", image.path)
    asked = [
        Question((TextPart("a" * 40), image, TextPart("b" * 40), image), system="c" * 40, name="1"),
        Question((TextPart("a" * 40),), max_tokens=7, name="2"),
    ]
    options = ModelOptions(cache=None, max_tokens=100)
    found = estimate("openai/gpt-4o", [(instance, one) for one in asked], options)
    assert (found.images, found.calls) == (2, 2)
    assert (found.tokens_in, found.tokens_out) == (30 + 2 * (85 + 170) + 10, 107)


def test_a_price_that_is_not_known_makes_no_cost(questions: list[tuple[Instance, Question]]) -> None:
    assert estimate("openai/new-model", questions, ModelOptions(cache=None)).cost is None
    local = ModelOptions(cache=None, base_url="http://127.0.0.1:8000/v1")
    assert estimate("openai/gpt-4o", questions, local).cost is None


@pytest.mark.parametrize("model", ["oracle", "baseline/ocr", "replay:x.jsonl"])
def test_a_model_that_asks_nobody_makes_no_calls(
    questions: list[tuple[Instance, Question]], model: str
) -> None:
    found = estimate(model, questions, ModelOptions(cache=None))
    assert (found.images, found.calls, found.tokens_in, found.tokens_out, found.cost) == (3, 0, 0, 0, 0.0)


def test_answers_that_are_kept_are_no_calls(
    questions: list[tuple[Instance, Question]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    options = ModelOptions(cache=tmp_path / "cache")
    key = question_key(OpenAIChat("gpt-4o", options), read_question(*questions[0]))
    AnswerCache(options.cache).put(key, Answer("x", Finish.STOP))
    assert estimate("openai/gpt-4o", questions, options).calls == 2


@pytest.mark.parametrize(
    ("vendor", "size", "tokens"),
    [("openai", (1024, 1024), 765), ("openai", (2048, 4096), 1105), ("openai", (64, 64), 255),
     ("anthropic", (1000, 750), 1000), ("google", (384, 384), 258), ("google", (960, 540), 516),
     ("hf", (56, 29), 4)],
)  # fmt: skip
def test_pictures_are_so_many_tokens_as_the_vendors_publish(
    vendor: str, size: tuple[int, int], tokens: int
) -> None:
    assert image_tokens(vendor, *size) == tokens
