"""What calls may cost: counted over all models of a command, with kept answers for nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.data import Instance
from i2s_sdk.errors import UsageError
from i2s_sdk.models import Budget, BudgetSpentError, ModelOptions, open_model
from i2s_sdk.models.model import Finish
from i2s_sdk.models.options import MAX_TOKENS_FACT, OPTIONS_FACT, max_tokens_of, parse_extra_body
from i2s_sdk.models.provider import Answer
from i2s_sdk.models.provider_model import ProviderModel
from i2s_sdk.models.question import ReadQuestion
from i2s_sdk.tasks.question import Sampling
from named_pictures import named_picture
from questions import complete


class Provider:
    """Says how many tokens each answer took."""

    vendor, base_url, repeatable = "openai", "", True

    def __init__(self, model: str = "gpt-4o", tokens: tuple[int | None, int | None] = (60, 40)) -> None:
        self.model, self.tokens = model, tokens
        self.parameters: dict[str, Any] = {}
        self.asked = 0

    async def ask(self, question: ReadQuestion) -> Answer:
        self.asked += 1
        return Answer("said", Finish.STOP, *self.tokens)

    async def close(self) -> None:
        pass


def instances(folder: Path, count: int) -> list[Instance]:
    found = []
    for number in range(count):
        image = folder / f"{number}.png"
        image.write_bytes(named_picture(f"picture {number}"))
        found.append(Instance(f"i{number}", "latex", "equation", image))
    return found


async def answered(model: ProviderModel, asked: list[Instance]) -> int:
    """Return how many questions were answered before the budget was spent."""
    count = 0
    for one in asked:
        try:
            await complete(model, one)
        except BudgetSpentError:
            continue
        count += 1
    return count


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"cost": 0.0}, "--budget"),
        ({"cost": float("nan")}, "--budget"),
        ({"cost": float("inf")}, "--budget"),
        ({"tokens": 0}, "--token-budget"),
    ],
)
def test_what_is_no_budget_is_refused(values: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Budget(**values)


async def test_calls_end_when_the_tokens_are_spent(tmp_path: Path) -> None:
    model = ProviderModel(Provider(), ModelOptions(cache=None, budget=Budget(tokens=250)))
    assert await answered(model, instances(tmp_path, 10)) == 3


async def test_models_of_one_command_share_the_budget(tmp_path: Path) -> None:
    options = ModelOptions(cache=None, budget=Budget(tokens=250))
    first, second = (ProviderModel(Provider(name), options) for name in ("gpt-4o", "gpt-4.1"))
    asked = instances(tmp_path, 10)
    assert await answered(first, asked[:2]) == 2
    assert await answered(second, asked) == 1


async def test_money_is_counted_by_the_price_of_the_model(tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[models]\n"openai/gpt-4o" = { in = 10000.0, out = 10000.0 }\n')
    options = ModelOptions(cache=None, prices=prices, budget=Budget(cost=2.5))  # a call costs 1 USD
    assert await answered(ProviderModel(Provider(), options), instances(tmp_path, 10)) == 3
    with pytest.raises(UsageError, match="--prices FILE"):
        ProviderModel(Provider("unknown"), options)


async def test_kept_answers_cost_nothing(tmp_path: Path) -> None:
    asked, cache = instances(tmp_path, 5), tmp_path / "cache"
    await answered(ProviderModel(Provider(), ModelOptions(cache=cache)), asked[:4])
    provider = Provider()
    model = ProviderModel(provider, ModelOptions(cache=cache, budget=Budget(tokens=1)))
    assert await answered(model, [asked[4], *asked[:4]]) == 5
    assert provider.asked == 1


@pytest.mark.parametrize("tokens", [(None, 40), (60, None)])
async def test_calls_end_if_nobody_knows_what_they_cost(
    tmp_path: Path, tokens: tuple[int | None, int | None]
) -> None:
    model = ProviderModel(Provider(tokens=tokens), ModelOptions(cache=None, budget=Budget(tokens=10_000)))
    asked = instances(tmp_path, 2)
    await complete(model, asked[0])
    with pytest.raises(BudgetSpentError, match="does not say how many tokens"):
        await complete(model, asked[1])


async def test_without_a_budget_nothing_ends(tmp_path: Path) -> None:
    model = ProviderModel(Provider("unknown", (None, None)), ModelOptions(cache=None))
    assert await answered(model, instances(tmp_path, 3)) == 3


@pytest.mark.parametrize("budget", [Budget(cost=0.5), Budget(tokens=2)])
def test_a_budget_that_is_spent_to_the_last_bit_permits_no_further_call(budget: Budget) -> None:
    budget.require()
    budget.spend(0.25, 1, 0)
    budget.require()
    budget.spend(0.25, 0, 1)
    with pytest.raises(BudgetSpentError, match="is spent"):
        budget.require()


def test_a_budget_of_tokens_needs_no_price() -> None:
    budget = Budget(tokens=10)
    budget.spend(None, 4, 5)
    budget.require()


def test_a_budget_of_money_ends_if_the_price_of_a_call_is_not_known() -> None:
    budget = Budget(cost=10.0)
    budget.spend(None, 4, 5)
    with pytest.raises(BudgetSpentError, match="the price of the model is not known"):
        budget.require()


KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY")


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.setenv(name, "k")


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"top_p": 0.0, "temperature": 1.0}, "--top-p"),
        ({"top_p": 1.5, "temperature": 1.0}, "--top-p"),
        ({"top_p": 0.9}, "--temperature"),
        ({"stop": ("a", "")}, "--stop"),
        ({"extra_body": {"model": "other"}}, "--extra-body has model"),
    ],
)
def test_what_has_no_meaning_is_refused(chosen: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        ModelOptions(**chosen)


@pytest.mark.parametrize("text", ["", "{", "[]", "1", '{"a": NaN}', '{"a": 1, "a": 2}'])
def test_an_extra_body_is_a_json_object(text: str) -> None:
    with pytest.raises(UsageError, match="--extra-body"):
        parse_extra_body(text)


@pytest.mark.parametrize(
    ("name", "chosen", "told"),
    [
        ("anthropic/m", {"seed": 1}, "--model-seed; it takes --top-p, --stop"),
        ("anthropic/m", {"top_p": 0.9, "temperature": 1.0}, "--top-p with --temperature none"),
        ("command:cat {image}", {"stop": ("a",), "seed": 1}, "--model-seed, --stop"),
    ],
)
def test_an_option_that_a_model_cannot_be_given_is_refused_before_anything_is_asked(
    name: str, chosen: dict[str, Any], told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        open_model(name, ModelOptions(cache=None, **chosen))


def test_options_that_were_chosen_are_part_of_the_run_and_others_are_not() -> None:
    def fingerprint(**chosen: Any) -> dict[str, Any]:
        model: Any = open_model("openai/m", ModelOptions(cache=None, **chosen))
        found: dict[str, Any] = json.loads(model.fingerprint)
        return found

    plain = fingerprint()
    assert set(plain) == {"base_url", "temperature", "max_tokens"}
    chosen = fingerprint(temperature=1.0, top_p=0.5, seed=0, stop=("a",), extra_body={"b": 1})
    assert chosen == {
        **plain,
        "temperature": 1.0,
        "top_p": 0.5,
        "seed": 0,
        "stop": ["a"],
        "extra_body": {"b": 1},
    }


def test_top_p_goes_before_that_of_a_question() -> None:
    wanted = Sampling(temperature=0.7, top_p=0.8, top_k=5)
    options = ModelOptions(temperature=1.0, top_p=0.5)
    assert options.sampling(wanted) == Sampling(temperature=1.0, top_p=0.5, top_k=5)
    assert options.sampling(None) == Sampling(temperature=1.0, top_p=0.5)
    assert ModelOptions(temperature=None, top_p=0.5).sampling(wanted) == Sampling(top_p=0.5)


@pytest.mark.parametrize(
    ("about", "limit"),
    [
        ({MAX_TOKENS_FACT: "2000"}, 2000),
        ({MAX_TOKENS_FACT: "700", OPTIONS_FACT: "--max-tokens 700"}, 700),
        ({OPTIONS_FACT: "--base-url 'http://a b' --max-tokens 512 --seed 1"}, 512),  # an earlier version
        ({OPTIONS_FACT: "--seed 1"}, None),
        ({OPTIONS_FACT: "--stop --max-tokens"}, None),
        ({MAX_TOKENS_FACT: "many"}, None),
        ({}, None),
    ],
)
def test_the_most_tokens_are_those_that_a_run_says(about: dict[str, str], limit: int | None) -> None:
    assert max_tokens_of(about) == limit
