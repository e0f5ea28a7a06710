"""What calls cost, and what nobody knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk.errors import DataError
from i2s_sdk.models.prices import Price, Prices, cost
from i2s_sdk.models.vendors import VENDORS


class _Who:
    vendor, model, base_url, repeatable = "openai", "gpt-4o", VENDORS["openai"].base_url, True
    parameters: dict[str, float | int | str | None] = {}  # noqa: RUF012


def test_dollars_are_for_a_million_tokens() -> None:
    assert cost(Price(2.0, 8.0), 1_000_000, 500_000) == 6.0


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
